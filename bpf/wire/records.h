/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the records of a message say, beyond what a judgement needs: signatures, the part of the
 * RCODE that the header has no room for, and a hash of the answers' data. */
#ifndef DNSGAUGE_WIRE_RECORDS_H
#define DNSGAUGE_WIRE_RECORDS_H

#include "bytes.h"
#include "dns.h"
#include "question.h"

#define RECORDS_MESSAGE_MAX 4095 /* octets of a message that are looked at */
#define RECORDS_STEPS_MAX 64     /* labels and records that are looked at */

/* What records_read() returns: flags, the upper eight bits of the extended RCODE, and behind these
 * the hash of the data. */
#define RECORDS_WHOLE 1U   /* all records were read */
#define RECORDS_RRSIG 2U   /* the answer section has an RRSIG record */
#define RECORDS_ANSWERS 4U /* the answer section was read */
#define RECORDS_DATA 8U    /* the answer section has a record of the type asked for */
#define RECORDS_RCODE_SHIFT 8
#define RECORDS_RCODE 0xff00U
#define RECORDS_DATA_SHIFT 16

/* How far a message has been read. */
struct records_walk {
    __u32 offset;    /* of what comes next, in octets from the message's begin */
    __u32 questions; /* to come */
    __u32 answers;
    __u32 others;
    __u32 found;
    __u32 type;       /* asked for, and class */
    __u32 reads_data; /* the caller sets this: the next member is wanted */
    __u64 data;       /* sum of question_data() over the answer section's records of the type */
};

/* Begins at the header of `message`. Returns false if the header is not whole. */
WIRE_FN int records_begin(struct records_walk *walk, struct wire_cursor message)
{
    if (!wire_has(&message, DNS_HEADER_SIZE))
        return 0;
    walk->offset = DNS_HEADER_SIZE;
    walk->questions = wire_get16(message.pos + 4);
    walk->answers = wire_get16(message.pos + 6);
    walk->others = (__u32)wire_get16(message.pos + 8) + wire_get16(message.pos + 10);
    walk->found = walk->answers ? 0 : RECORDS_ANSWERS;
    walk->type = 0;
    walk->data = 0;
    return 1;
}

/* Returns what the walk has found. */
WIRE_FN __u64 records_found(const struct records_walk *walk)
{
    return walk->data << RECORDS_DATA_SHIFT | walk->found;
}

/*
 * Reads a label of a name, or what follows a name: the rest of a question or of a record. Returns
 * true if the reading ends here. bpf_loop() calls the step, because the verifier of Linux 6.1 does
 * not come to the end of a loop of RECORDS_STEPS_MAX steps.
 */
WIRE_FN int records_step(struct records_walk *walk, struct wire_cursor message,
                         const struct question_key *key)
{
    const __u32 offset = WIRE_BOUNDED(walk->offset, RECORDS_MESSAGE_MAX);
    __u8 *at = message.pos + offset;
    __u32 label;
    __u32 type;
    __u32 size;

    if (!walk->questions && !walk->answers && !walk->others) {
        walk->found |= RECORDS_WHOLE;
        return 1;
    }
    if (walk->offset > RECORDS_MESSAGE_MAX || at + 1 > message.end)
        return 1;
    label = *at;
    if (label && label <= DNS_LABEL_MAX) {
        walk->offset = offset + 1 + label;
        return 0;
    }
    if (label && label < DNS_POINTER >> 8)
        return 1;
    /* The name ends here, in the root or in a pointer. */
    at += dns_name_end(label);
    walk->offset = offset + dns_name_end(label);
    if (walk->questions) {
        if (at + DNS_QUESTION_TAIL > message.end)
            return 1;
        walk->type = wire_get32(at);
        walk->questions--;
        walk->offset += DNS_QUESTION_TAIL;
        return 0;
    }
    if (at + DNS_RECORD_TAIL > message.end)
        return 1;
    type = wire_get16(at);
    if (type == DNS_TYPE_RRSIG && walk->answers)
        walk->found |= RECORDS_RRSIG;
    if (type == DNS_TYPE_OPT && !walk->answers)
        walk->found |= (__u32)at[4] << RECORDS_RCODE_SHIFT;
    size = wire_get16(at + 8);
    if (walk->reads_data && walk->answers && wire_get32(at) == walk->type) {
        walk->found |= RECORDS_DATA;
        walk->data += question_data(at + DNS_RECORD_TAIL, size, message.end, key);
    }
    walk->offset += DNS_RECORD_TAIL + size;
    if (!walk->answers)
        walk->others--;
    else if (!--walk->answers)
        walk->found |= RECORDS_ANSWERS;
    return 0;
}

/* Returns what the records of `message` say, up to its end or to RECORDS_STEPS_MAX; with a key also
 * the hash of the data. */
WIRE_FN __u64 records_read(struct wire_cursor message, const struct question_key *key)
{
    struct records_walk walk;

    if (!records_begin(&walk, message))
        return 0;
    walk.reads_data = key != (void *)0;
    for (int i = 0; i < RECORDS_STEPS_MAX && !records_step(&walk, message, key); i++) {
    }
    return records_found(&walk);
}

#endif
