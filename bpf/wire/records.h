/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the records of a message say, beyond what a judgement needs: signatures, and the part of the
 * RCODE that the header has no room for. */
#ifndef DNSGAUGE_WIRE_RECORDS_H
#define DNSGAUGE_WIRE_RECORDS_H

#include "bytes.h"
#include "dns.h"

#define RECORDS_MESSAGE_MAX 4095 /* octets of a message that are looked at */
#define RECORDS_STEPS_MAX 64     /* labels and records that are looked at */

/* What records_read() returns: flags, and the upper eight bits of the extended RCODE. */
#define RECORDS_WHOLE 1U /* all records were read */
#define RECORDS_RRSIG 2U /* the answer section has an RRSIG record */
#define RECORDS_RCODE_SHIFT 8
#define RECORDS_RCODE 0xff00U

/* How far a message has been read. */
struct records_walk {
    __u32 offset;    /* of what comes next, in octets from the message's begin */
    __u32 questions; /* to come */
    __u32 answers;
    __u32 others;
    __u32 found;
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
    walk->found = 0;
    return 1;
}

/*
 * Reads a label of a name, or what follows a name: the rest of a question or of a record. Returns
 * true if the reading ends here. bpf_loop() calls the step, because the verifier of Linux 6.1 does
 * not come to the end of a loop of RECORDS_STEPS_MAX steps.
 */
WIRE_FN int records_step(struct records_walk *walk, struct wire_cursor message)
{
    const __u32 offset = WIRE_BOUNDED(walk->offset, RECORDS_MESSAGE_MAX);
    const __u8 *at = message.pos + offset;
    __u32 label;
    __u32 type;

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
    at += label ? 2 : 1;
    walk->offset = offset + (label ? 2 : 1);
    if (walk->questions) {
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
    walk->offset += DNS_RECORD_TAIL + wire_get16(at + 8);
    if (walk->answers)
        walk->answers--;
    else
        walk->others--;
    return 0;
}

/* Returns what the records of `message` say, up to its end or to RECORDS_STEPS_MAX. */
WIRE_FN __u32 records_read(struct wire_cursor message)
{
    struct records_walk walk;

    if (!records_begin(&walk, message))
        return 0;
    for (int i = 0; i < RECORDS_STEPS_MAX && !records_step(&walk, message); i++) {
    }
    return walk.found;
}

#endif
