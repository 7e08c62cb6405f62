/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The walk over a reply's records: are they whole, whose are they, is the answer among them, and
 * what else stands there.
 *
 * In the answer section each owner is compared with the expected owner: the name in the question,
 * or the target of the last CNAME where CNAMEs may stand before the answer. Names of the other
 * sections are only stepped over. A pointer must point before the name in which it stands (RFC 1035
 * section 4.1.4: to a prior occurrence), so that no name is endless.
 */
#ifndef DNSGAUGE_WIRE_RECORDS_H
#define DNSGAUGE_WIRE_RECORDS_H

#include "bytes.h"
#include "dns.h"
#include "judge_rule.h"
#include "question.h"

#define RECORDS_MESSAGE_MAX 4095 /* octets of a message that are looked at */
/* Labels, pointers and records that are looked at. A message of 2,048 octets of honest names has
 * fewer; one that has more costs some microseconds, and is not whole. */
#define RECORDS_STEPS_MAX 1024

/* What records_read() returns: flags, the upper eight bits of the extended RCODE, and behind these
 * the hash of the data. */
#define RECORDS_WHOLE 1U       /* there are as many records as the header says, all well formed */
#define RECORDS_RRSIG 2U       /* the answer section has an RRSIG record */
#define RECORDS_DATA 4U        /* the expected owner has a record of the type asked for */
#define RECORDS_RIGHT 8U       /* the data of one of these are right */
#define RECORDS_MANY 0x10U     /* there is more than one of these, and only one can be right */
#define RECORDS_OWNER 0x20U    /* another owner has a record of the type asked for */
#define RECORDS_EXTRA 0x40U    /* the answer section has a record that does not belong there */
#define RECORDS_TRAILING 0x80U /* octets follow the last record */
#define RECORDS_RCODE_SHIFT 8
#define RECORDS_RCODE 0xff00U
#define RECORDS_DATA_SHIFT 16

/* Returns the RCODE of a reply with these flags in its header and such records: the upper bits
 * stand in the OPT record. */
WIRE_FN __u32 reply_rcode(__u32 flags, __u64 records)
{
    return (flags & DNS_RCODE) | (__u32)(records & RECORDS_RCODE) >> (RECORDS_RCODE_SHIFT - 4);
}

/* What is known of the right answer. */
struct records_truth {
    const struct judge_rule *rule;
    /* Of queries that are known by the hash of their question; NULL: the rule and the address say
     * which data are right. */
    const struct question_key *key;
    __u32 wants;   /* with a key: WANTS_DATA and the data's bits, or no WANTS_DATA */
    __u32 address; /* without a key: of the name asked for */
};

/* How far a message has been read. Offsets are octets from the message's begin. */
struct records_walk {
    __u32 offset;        /* of what comes next */
    __u32 before;        /* a pointer there must point before this offset */
    __u32 behind;        /* of what follows the name; 0: the name goes on */
    __u32 owner;         /* where the record begins */
    __u32 expected;      /* of the expected owner */
    __u32 other;         /* how far the expected owner has been compared */
    __u32 other_before;  /* likewise, for pointers in that name */
    __u32 differs;       /* the name is another one, or nobody wants to know */
    __u32 target;        /* of a CNAME, which is being compared with the question; 0: none is */
    __u32 answers;       /* to come */
    __u32 others;        /* to come, of the two sections behind */
    __u32 additionals;   /* of the last section */
    __u32 question;      /* type and class */
    __u32 question_mask; /* the bits of both that a record must have to answer */
    __u32 has_opt;
    __u32 found;
    __u64 data; /* sum of question_data() over the data of the type asked for */
};

/* Begins the name at `offset`. Of an answer it is compared with the name at `other`. */
WIRE_PROC void records_begin_name(struct records_walk *walk, __u32 offset, __u32 other)
{
    walk->offset = offset;
    walk->before = offset;
    walk->behind = 0;
    walk->other = other;
    walk->other_before = other;
    walk->differs = !walk->answers;
}

/* Begins at the records of `message`, whose header and question have been read; the name in the
 * question has `name_length` octets. */
WIRE_FN int records_begin(struct records_walk *walk, struct wire_cursor message, __u32 name_length)
{
    struct wire_cursor tail = message;

    tail.pos =
        WIRE_ONE_POINTER(message.pos + DNS_HEADER_SIZE + WIRE_BOUNDED(name_length, DNS_NAME_MAX));
    if (!wire_has(&message, DNS_HEADER_SIZE) || !wire_has(&tail, DNS_QUESTION_TAIL))
        return 0;
    walk->answers = wire_get16(message.pos + 6);
    walk->additionals = wire_get16(message.pos + 10);
    walk->others = wire_get16(message.pos + 8) + walk->additionals;
    walk->question = wire_get32(tail.pos);
    walk->question_mask =
        (walk->question >> 16) - DNS_TYPE_IXFR <= DNS_TYPE_ANY - DNS_TYPE_IXFR ? 0xffff : ~0U;
    if ((walk->question & 0xffff) == DNS_CLASS_ANY)
        walk->question_mask &= 0xffff0000;
    walk->expected = DNS_HEADER_SIZE;
    walk->target = 0;
    walk->has_opt = 0;
    walk->found = 0;
    walk->data = 0;
    walk->owner = DNS_HEADER_SIZE + name_length + DNS_QUESTION_TAIL;
    records_begin_name(walk, walk->owner, walk->expected);
    return 1;
}

/* Returns what the walk has found. */
WIRE_FN __u64 records_found(const struct records_walk *walk)
{
    return walk->data << RECORDS_DATA_SHIFT | walk->found;
}

/* Returns the size that data of the type must have, or `size` where any size is right. */
WIRE_FN __u32 records_data_size(__u32 type, __u32 size)
{
    if (type == DNS_TYPE_A)
        return 4;
    return type == DNS_TYPE_AAAA ? 16 : size;
}

/* Takes the data of a record that answers, `size` octets at `data`. Returns the flags of what they
 * are, and adds to *sum; returns 0 if they cannot be data of their type. */
WIRE_FN __u32 records_data(__u8 *data, __u32 size, __u32 type, const __u8 *end,
                           const struct records_truth *truth, __u64 *sum)
{
    __u64 hash;

    if (!truth->key) {
        /* The compiler knows that the record has the same type, and would read the type from the
         * packet. The verifier of Linux 6.1 would then know no bound of it. */
        const __u32 wanted = WIRE_BOUNDED(truth->rule->type, 0xffff) == DNS_TYPE_A ? 4 : 16;

        /* The comparison with the end comes first: see answer_test_name_zone(). */
        if (data + wanted > end || size != wanted)
            return 0;
        return RECORDS_DATA |
               (judge_data(data, wanted, truth->rule, truth->address) ? RECORDS_RIGHT : 0);
    }
    if (size != records_data_size(type, size))
        return 0;
    if (!(truth->wants & WANTS_DATA))
        return RECORDS_DATA;
    hash = question_data(data, size, end, truth->key);
    *sum += hash;
    return RECORDS_DATA |
           (((wants_data(hash) ^ truth->wants) & WANTS_DATA_BITS) ? 0 : RECORDS_RIGHT);
}

/* Takes a record of the answer section: `record` is its type and class, and its `size` octets of
 * data are at `data`, `offset` octets into the message. Returns false if the record is malformed.
 */
WIRE_FN int records_answer(struct records_walk *walk, struct wire_cursor message, __u8 *data,
                           __u32 offset, __u32 size, __u32 record,
                           const struct records_truth *truth)
{
    const __u32 accepts = truth->rule->accepts;
    const __u32 type = record >> 16;
    const __u32 unlike = (record ^ walk->question) & walk->question_mask;
    const int is_owner = !walk->differs || accepts & ACCEPTS_OWNER;
    __u32 flags;

    if (type == DNS_TYPE_RRSIG)
        walk->found |= RECORDS_RRSIG;
    if (!unlike) {
        flags = is_owner ? records_data(data, size, type, message.end, truth, &walk->data)
                         : RECORDS_OWNER;
        if (walk->found & flags & RECORDS_DATA && !truth->rule->any_data)
            flags |= RECORDS_MANY;
        walk->found |= flags;
        return flags != 0;
    }
    if (type == DNS_TYPE_RRSIG && !(unlike & 0xffff) && (is_owner || accepts & ACCEPTS_CNAMES))
        return 1;
    if (accepts & ACCEPTS_CNAMES && !(unlike & 0xffff)) {
        /* The CNAME that a server makes of a DNAME record follows it (RFC 6672 section 3.1). */
        if (type == DNS_TYPE_DNAME)
            return 1;
        if (type == DNS_TYPE_CNAME && is_owner) {
            walk->target = offset;
            return 1;
        }
    }
    walk->found |= RECORDS_EXTRA;
    return 1;
}

/* Takes what follows the owner of a record. Returns true if the reading ends here. */
WIRE_FN int records_take(struct records_walk *walk, struct wire_cursor message,
                         const struct records_truth *truth)
{
    const __u32 tail = WIRE_BOUNDED(walk->behind, 2 * RECORDS_MESSAGE_MAX + 1);
    __u8 *at = message.pos + tail;
    __u32 record;
    __u32 size;
    __u32 next;

    if (at + DNS_RECORD_TAIL > message.end)
        return 1;
    record = wire_get32(at);
    size = wire_get16(at + 8);
    next = WIRE_BOUNDED(tail + DNS_RECORD_TAIL + size, 0x1ffff);
    if (message.pos + next > message.end)
        return 1;
    if (record >> 16 == DNS_TYPE_OPT) {
        if ((walk->others > walk->additionals || walk->answers || walk->has_opt ||
             walk->behind != walk->owner + 1) &&
            !(truth->rule->accepts & ACCEPTS_OPT))
            return 1;
        walk->has_opt = 1;
        walk->found |= (__u32)at[4] << RECORDS_RCODE_SHIFT;
    } else if (walk->answers && !records_answer(walk, message, at + DNS_RECORD_TAIL,
                                                tail + DNS_RECORD_TAIL, size, record, truth)) {
        return 1;
    }
    if (walk->answers)
        walk->answers--;
    else
        walk->others--;
    walk->owner = next;
    /* With no answer to come nobody needs to know where the chain ends. */
    if (!walk->answers)
        walk->target = 0;
    if (walk->target)
        records_begin_name(walk, walk->target, DNS_HEADER_SIZE);
    else
        records_begin_name(walk, next, walk->expected);
    return 0;
}

/* Goes on where the name ends: a record's owner, or the target of a CNAME. */
WIRE_FN int records_name_end(struct records_walk *walk, struct wire_cursor message,
                             const struct records_truth *truth)
{
    if (!walk->target)
        return records_take(walk, message, truth);
    /* A chain that returns to the question's name says nothing of it. */
    if (!walk->differs)
        walk->found |= RECORDS_EXTRA;
    walk->expected = walk->target;
    walk->target = 0;
    records_begin_name(walk, walk->owner, walk->expected);
    return 0;
}

/* Returns the place to which the pointer at `at` points, or 0 if that is not before `before`. */
WIRE_FN __u32 records_pointer(const __u8 *at, const __u8 *end, __u32 before)
{
    __u32 target;

    if (at + 2 > end)
        return 0;
    target = wire_get16(at) ^ DNS_POINTER;
    return target >= DNS_HEADER_SIZE && target < before ? target : 0;
}

/* Returns whether the labels at both places, of the same length, differ; 2 where the message ends
 * too early. A label is never among a message's last eight octets: its record follows it. */
WIRE_FN __u32 records_labels_differ(__u8 *one, __u8 *other, __u32 size, const __u8 *end)
{
    for (__u32 i = 0; i <= DNS_LABEL_MAX; i += 8) {
        __u64 unlike;

        if (i >= size)
            return 0;
        if (one + 8 > end || other + 8 > end)
            return 2;
        unlike = dns_fold8(wire_get64(one)) ^ dns_fold8(wire_get64(other));
        if (i + 8 > size)
            unlike >>= 8 * (8 - (size & 7));
        if (unlike)
            return 1;
        one = WIRE_ONE_POINTER(one + 8);
        other = WIRE_ONE_POINTER(other + 8);
    }
    return 0;
}

/* Reads a label or a pointer of a name. Returns 0 if the name goes on, 1 if it ends here, and -1 if
 * it is malformed. */
WIRE_FN int records_label(struct records_walk *walk, struct wire_cursor message)
{
    const __u32 offset = WIRE_BOUNDED(walk->offset, RECORDS_MESSAGE_MAX);
    const __u32 other = WIRE_BOUNDED(walk->other, RECORDS_MESSAGE_MAX);
    __u8 *at = message.pos + offset;
    __u8 *same = message.pos + other;
    __u32 expected;
    __u32 target;
    __u32 label;

    if (at + 1 > message.end || same + 1 > message.end)
        return -1;
    label = *at;
    expected = *same;
    if (label >= DNS_POINTER >> 8) {
        target = records_pointer(at, message.end, walk->before);
        if (!target)
            return -1;
        if (!walk->behind)
            walk->behind = offset + 2;
        walk->offset = target;
        walk->before = target;
        return walk->differs || target == other;
    }
    if (label > DNS_LABEL_MAX)
        return -1;
    if (!walk->differs && expected >= DNS_POINTER >> 8) {
        target = records_pointer(same, message.end, walk->other_before);
        if (!target)
            return -1;
        walk->other = target;
        walk->other_before = target;
        return 0;
    }
    if (!walk->differs) {
        walk->differs =
            label == expected ? records_labels_differ(at, same, 1 + label, message.end) : 1;
        if (walk->differs > 1)
            return -1;
        walk->other = other + 1 + label;
    }
    walk->offset = offset + 1 + label;
    if (!label && !walk->behind)
        walk->behind = offset + 1;
    return !label || (walk->differs && walk->behind);
}

/*
 * Reads a label or a pointer of a name, and with its last one what follows the name. Returns true
 * if the reading ends here. bpf_loop() calls the step, because the verifier of Linux 6.1 does not
 * come to the end of a loop of RECORDS_STEPS_MAX steps.
 */
WIRE_FN int records_step(struct records_walk *walk, struct wire_cursor message,
                         const struct records_truth *truth)
{
    int ends;

    if (walk->offset > RECORDS_MESSAGE_MAX || walk->other > RECORDS_MESSAGE_MAX)
        return 1;
    if (!walk->answers && !walk->others) {
        const __u8 *end = message.pos + WIRE_BOUNDED(walk->offset, RECORDS_MESSAGE_MAX);

        walk->found |= RECORDS_WHOLE | (end < message.end ? RECORDS_TRAILING : 0);
        return 1;
    }
    ends = records_label(walk, message);
    return ends > 0 ? records_name_end(walk, message, truth) : ends;
}

/*
 * Reads the records of a usual reply without a walk: one record, whose owner is a pointer to the
 * question's name, has the type asked for; an OPT record may follow it. Returns what the walk would
 * find, or 0: the message is another one.
 */
WIRE_FN __u64 records_usual(struct wire_cursor message, __u32 name_length,
                            const struct records_truth *truth)
{
    __u8 *at =
        WIRE_ONE_POINTER(message.pos + DNS_HEADER_SIZE + WIRE_BOUNDED(name_length, DNS_NAME_MAX));
    __u8 *data;
    __u8 *next;
    __u64 counts;
    __u64 sum = 0;
    __u32 found;
    __u32 size;

    /* The record's type and class are those asked for, which stand six octets before them. */
    if (!wire_has(&message, DNS_HEADER_SIZE) ||
        at + DNS_QUESTION_TAIL + 2 + DNS_RECORD_TAIL > message.end)
        return 0;
    counts = wire_get64(message.pos + 4);
    if ((counts & ~1ULL) != (1ULL << 48 | 1ULL << 32) ||
        wire_get16(at + DNS_QUESTION_TAIL) != (DNS_POINTER | DNS_HEADER_SIZE) ||
        wire_raw32(at + DNS_QUESTION_TAIL + 2) != wire_raw32(at) || wire_get16(at) == DNS_TYPE_OPT)
        return 0;
    size = wire_get16(at + DNS_QUESTION_TAIL + 10);
    if (size > RECORDS_MESSAGE_MAX)
        return 0;
    data = WIRE_ONE_POINTER(at + DNS_QUESTION_TAIL + 2 + DNS_RECORD_TAIL);
    next = WIRE_ONE_POINTER(data + WIRE_BOUNDED(size, RECORDS_MESSAGE_MAX));
    if (next > message.end)
        return 0;
    found = records_data(data, size, wire_get16(at), message.end, truth, &sum);
    if (!found)
        return 0;
    if (wire_get16(at) == DNS_TYPE_RRSIG)
        found |= RECORDS_RRSIG;
    if (counts & 1) {
        if (next + DNS_OPT_SIZE > message.end || *next || wire_get16(next + 1) != DNS_TYPE_OPT)
            return 0;
        found |= (__u32)next[5] << RECORDS_RCODE_SHIFT;
        size = wire_get16(next + 9);
        next = WIRE_ONE_POINTER(next + DNS_OPT_SIZE + WIRE_BOUNDED(size, 0xffff));
        if (next > message.end)
            return 0;
    }
    if (next < message.end)
        found |= RECORDS_TRAILING;
    return sum << RECORDS_DATA_SHIFT | found | RECORDS_WHOLE;
}

/* Returns what a walk over the records of `message` finds. */
WIRE_FN __u64 records_walk_all(struct wire_cursor message, __u32 name_length,
                               const struct records_truth *truth)
{
    struct records_walk walk;

    if (!records_begin(&walk, message, name_length))
        return 0;
    for (int i = 0; i < RECORDS_STEPS_MAX && !records_step(&walk, message, truth); i++) {
    }
    return records_found(&walk);
}

/* Returns what the records of `message` say. Its header and its question, whose name has
 * `name_length` octets, have been read. */
WIRE_FN __u64 records_read(struct wire_cursor message, __u32 name_length,
                           const struct records_truth *truth)
{
    const __u64 usual = records_usual(message, name_length, truth);

    return usual ? usual : records_walk_all(message, name_length, truth);
}

/* Returns likewise what the records of a message without a question say. Such a message is whole
 * where it has nothing but its header, or an OPT record alone behind that. */
WIRE_FN __u64 records_bare(struct wire_cursor message)
{
    __u8 *opt = message.pos + DNS_HEADER_SIZE;
    const __u8 *behind = opt;
    __u32 found = 0;
    __u64 counts;

    if (!wire_has(&message, DNS_HEADER_SIZE))
        return 0;
    counts = wire_get64(message.pos + 4);
    if (counts > 1)
        return 0;
    if (counts) {
        if (opt + DNS_OPT_SIZE > message.end || *opt || wire_get16(opt + 1) != DNS_TYPE_OPT)
            return 0;
        found = (__u32)opt[5] << RECORDS_RCODE_SHIFT;
        behind = WIRE_ONE_POINTER(opt + DNS_OPT_SIZE + WIRE_BOUNDED(wire_get16(opt + 9), 0xffff));
        if (behind > message.end)
            return found;
    }
    return found | RECORDS_WHOLE | (behind < message.end ? RECORDS_TRAILING : 0);
}

#endif
