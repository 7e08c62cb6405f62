/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The walk over a reply's records. It finds out whether they are whole, whose they are, whether the
 * answer is among them, and what else is there.
 *
 * In the answer section each owner is compared with the expected owner: the name in the question,
 * or the target of the last CNAME if CNAMEs may stand before the answer. These names are the chain.
 * A CNAME's target is compared with the chain's names, because it must not lead back. A signature's
 * owner must be in the chain. A DNAME's owner is compared with the suffixes of the expected owner.
 * Names of the other sections are only skipped. A pointer must point before the name that has it
 * (RFC 1035 section 4.1.4: to a prior occurrence), so no name is endless.
 */
#ifndef DNSGAUGE_WIRE_RECORDS_H
#define DNSGAUGE_WIRE_RECORDS_H

#include "bytes.h"
#include "dns.h"
#include "judge_rule.h"
#include "question.h"

/* The limits of a walk: octets; labels, pointers and records together. A message with more does not
 * count as whole. The verifier needs these limits, for replies over UDP: a message of 2,048 octets
 * has fewer unless its names are malicious. Code in user space that reads longer messages is
 * compiled with larger limits. */
#ifndef RECORDS_MESSAGE_MAX
#define RECORDS_MESSAGE_MAX 4095
#define RECORDS_STEPS_MAX 1024
#endif
#define RECORDS_CHAIN 16  /* names of the chain that are known, the last ones */
#define RECORDS_HASHES 16 /* records of the type asked for that are known, the last ones */

/* What records_read() returns: flags, then the upper eight bits of the extended RCODE, then the
 * hash of the data. */
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

/* Returns the RCODE of a reply with these flags in its header and these records: the OPT record has
 * the upper bits. */
WIRE_FN __u32 reply_rcode(__u32 flags, __u64 records)
{
    return (flags & DNS_RCODE) | (__u32)(records & RECORDS_RCODE) >> (RECORDS_RCODE_SHIFT - 4);
}

/* What is known about the right answer. */
struct records_truth {
    const struct judge_rule *rule;
    /* The key for queries that are known by the hash of their question. If there is no key, or if
     * the query wants WANTS_NAME, the rule and the address tell which data are right. */
    const struct question_key *key;
    __u32 wants;   /* with a key: WANTS_DATA and the data's bits, WANTS_NAME, or neither */
    __u32 address; /* of the name asked for, if it tells which data are right */
};

/* What a name is compared with. */
enum records_seeks {
    RECORDS_SEEKS_OWNER,  /* a record's owner with the expected owner */
    RECORDS_SEEKS_LOOP,   /* a CNAME's target with the chain's names */
    RECORDS_SEEKS_SIGNED, /* a signature's owner with the chain and the DNAMEs' owners */
    RECORDS_SEEKS_SUFFIX  /* a DNAME's owner with the suffixes of the expected owner */
};

#define RECORDS_IS_DNAME 0x8000U /* in the chain: the name is a DNAME's owner */

/* How far a message has been read. Offsets are octets from the message's beginning. */
struct records_walk {
    __u32 offset;        /* of the next octet to read */
    __u32 before;        /* a pointer there must point before this offset */
    __u32 behind;        /* of the octet after the name; 0 while the name goes on */
    __u32 owner;         /* of the record */
    __u32 expected;      /* of the expected owner */
    __u32 other;         /* how far the expected owner has been compared */
    __u32 other_before;  /* a pointer in that name must point before this offset */
    __u32 differs;       /* the name differs, or need not be compared */
    __u32 seeks;         /* enum records_seeks */
    __u32 compared;      /* offset of the name that is compared with several names in turn */
    __u32 turn;          /* the number of the chain's names with which it has been compared */
    __u32 suffix;        /* the suffix of the expected owner with which it is compared */
    __u32 names;         /* number of names that the chain has had */
    __u32 awaits_cname;  /* a DNAME has come, and not yet the CNAME that follows from it */
    __u32 records;       /* of the type asked for, so far */
    __u32 answers;       /* to come */
    __u32 others;        /* records to come in the two later sections */
    __u32 additionals;   /* of the last section */
    __u32 question;      /* type and class */
    __u32 question_mask; /* the bits of both that a record must have to answer */
    __u32 has_opt;
    __u32 found;
    __u64 data;                   /* sum of question_data() over the data of the type asked for */
    __u32 hashes[RECORDS_HASHES]; /* of the last such records; 0 for no record */
    __u16 chain[RECORDS_CHAIN];   /* the chain's names */
};

/* Begins to compare the name at `offset` with the name at `other`. */
WIRE_PROC void records_begin_name(struct records_walk *walk, __u32 offset, __u32 other)
{
    walk->offset = offset;
    walk->before = offset;
    walk->behind = 0;
    walk->other = other;
    walk->other_before = other;
    walk->differs = 0;
}

/* Begins the next record. The owner of an answer is compared with the expected owner. */
WIRE_PROC void records_begin_record(struct records_walk *walk)
{
    walk->seeks = RECORDS_SEEKS_OWNER;
    records_begin_name(walk, walk->owner, walk->expected);
    walk->differs = !walk->answers;
}

/* Adds a name to the chain. */
WIRE_PROC void records_add_name(struct records_walk *walk, __u32 name)
{
    walk->chain[walk->names & (RECORDS_CHAIN - 1)] = (__u16)name;
    walk->names++;
}

/* Begins the walk over the records of `message`, whose header and question have been read. The name
 * in the question has `name_length` octets. */
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
    walk->compared = 0;
    walk->turn = 0;
    walk->suffix = 0;
    walk->names = 0;
    walk->awaits_cname = 0;
    walk->records = 0;
    walk->has_opt = 0;
    walk->found = 0;
    walk->data = 0;
    for (int i = 0; i < RECORDS_HASHES; i++)
        walk->hashes[i] = 0;
    for (int i = 0; i < RECORDS_CHAIN; i++)
        walk->chain[i] = 0;
    records_add_name(walk, DNS_HEADER_SIZE);
    walk->owner = DNS_HEADER_SIZE + name_length + DNS_QUESTION_TAIL;
    records_begin_record(walk);
    return 1;
}

/* Returns what the walk has found. */
WIRE_FN __u64 records_found(const struct records_walk *walk)
{
    return walk->data << RECORDS_DATA_SHIFT | walk->found;
}

/* Returns the size that data of the type must have; `size` if any size is right. */
WIRE_FN __u32 records_data_size(__u32 type, __u32 size)
{
    if (type == DNS_TYPE_A)
        return 4;
    return type == DNS_TYPE_AAAA ? 16 : size;
}

/*
 * Takes the data of a record that answers, `size` octets at `data`. Returns flags that tell what
 * they are; 0 if they cannot be data of their type. Sets *hash if the right data are unknown.
 * Without `needs_hash` the data are hashed only if their hash is wanted.
 */
WIRE_FN __u32 records_data(__u8 *data, __u32 size, __u32 type, const __u8 *end,
                           const struct records_truth *truth, int needs_hash, __u64 *hash)
{
    if (!truth->key || wants_name(truth->wants)) {
        /* For names, the compiler knows that the record has the same type, and would read the type
         * from the packet. The verifier of Linux 6.1 would then know no bound of the type. */
        const __u32 asked = truth->key ? type : truth->rule->type;
        const __u32 wanted = WIRE_BOUNDED(asked, 0xffff) == DNS_TYPE_A ? 4 : 16;

        /* The comparison with the end comes first: see answer_test_name_zone(). */
        if (data + wanted > end || size != wanted)
            return 0;
        return RECORDS_DATA |
               (judge_data(data, wanted, truth->rule, truth->address) ? RECORDS_RIGHT : 0);
    }
    if (size != records_data_size(type, size))
        return 0;
    if (!needs_hash && !(truth->wants & WANTS_DATA))
        return RECORDS_DATA;
    *hash = question_data(data, size, end, truth->key);
    return RECORDS_DATA |
           (truth->wants & WANTS_DATA && !((wants_data(*hash) ^ truth->wants) & WANTS_DATA_BITS)
                ? RECORDS_RIGHT
                : 0);
}

/* Returns whether a record with this hash is among the last ones. Adds the record to them. */
WIRE_FN int records_add_hash(struct records_walk *walk, __u32 hash)
{
    __u64 unlike = 1;

    hash |= 1; /* 0 is none */
    /* A carry, not a branch, tells whether a value is 0: the verifier would follow both ways of a
     * branch. */
    for (int i = 0; i < RECORDS_HASHES; i++)
        unlike &= ((__u64)(walk->hashes[i] ^ hash) + 0xffffffffU) >> 32;
    walk->hashes[walk->records & (RECORDS_HASHES - 1)] = hash;
    walk->records++;
    return !unlike;
}

/* Notes that the name at `offset` must be compared with several names once the record is taken. */
WIRE_PROC void records_begin_seek(struct records_walk *walk, enum records_seeks seeks, __u32 offset)
{
    walk->seeks = seeks;
    walk->compared = offset;
    walk->turn = 0;
    walk->suffix = walk->expected;
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
    const int is_chain = accepts & ACCEPTS_CNAMES && !(unlike & 0xffff);
    const int is_owner = !walk->differs || accepts & ACCEPTS_OWNER;
    __u64 hash = 0;
    __u32 flags;

    if (type == DNS_TYPE_RRSIG)
        walk->found |= RECORDS_RRSIG;
    /* DNAMEs may be among the answers to a question for any type: there servers follow a DNAME, but
     * no CNAME. */
    if (type == DNS_TYPE_DNAME && is_chain && walk->differs) {
        records_begin_seek(walk, RECORDS_SEEKS_SUFFIX, walk->owner);
        return 1;
    }
    if (type == DNS_TYPE_RRSIG && is_chain && !is_owner) {
        records_begin_seek(walk, RECORDS_SEEKS_SIGNED, walk->owner);
        return 1;
    }
    if (type == DNS_TYPE_CNAME && is_chain && is_owner && (unlike || walk->awaits_cname)) {
        /* A name with an alias has no other records. */
        if (walk->found & RECORDS_DATA && !(accepts & ACCEPTS_OWNER))
            walk->found |= RECORDS_EXTRA;
        walk->awaits_cname = 0;
        records_begin_seek(walk, RECORDS_SEEKS_LOOP, offset);
        return 1;
    }
    if (!unlike) {
        if (!is_owner) {
            walk->found |= RECORDS_OWNER;
            return 1;
        }
        flags = records_data(data, size, type, message.end, truth, 1, &hash);
        if (walk->found & flags & RECORDS_DATA && !truth->rule->any_data)
            flags |= RECORDS_MANY;
        if (truth->key && size <= QUESTION_DATA_MAX && !wants_name(truth->wants) &&
            records_add_hash(walk, (__u32)hash ^ type << 16))
            flags |= RECORDS_EXTRA;
        if (truth->wants & WANTS_DATA)
            walk->data += hash;
        walk->found |= flags;
        return flags != 0;
    }
    if (type == DNS_TYPE_RRSIG && !(unlike & 0xffff) && is_owner)
        return 1;
    walk->found |= RECORDS_EXTRA;
    return 1;
}

/* Returns the target of the pointer at `at`; 0 if the target is not before `before`. */
WIRE_FN __u32 records_pointer(const __u8 *at, const __u8 *end, __u32 before)
{
    __u32 target;

    if (at + 2 > end)
        return 0;
    target = wire_get16(at) ^ DNS_POINTER;
    return target >= DNS_HEADER_SIZE && target < before ? target : 0;
}

/* Begins to compare the name with the next name of the chain. Returns false if there is none. */
WIRE_FN int records_next_name(struct records_walk *walk)
{
    __u32 name;

    if (walk->turn >= walk->names || walk->turn >= RECORDS_CHAIN)
        return 0;
    walk->turn++;
    name = walk->chain[(walk->names - walk->turn) & (RECORDS_CHAIN - 1)];
    records_begin_name(walk, walk->compared, name & ~RECORDS_IS_DNAME);
    /* The first comparison of a CNAME's target tells where the target ends. */
    if (walk->seeks != RECORDS_SEEKS_LOOP || walk->turn > 1)
        walk->behind = walk->owner;
    walk->differs = walk->seeks == RECORDS_SEEKS_LOOP && name & RECORDS_IS_DNAME;
    return 1;
}

/* Begins to compare the name with the next suffix of the expected owner. Returns false if there is
 * none. */
WIRE_FN int records_next_suffix(struct records_walk *walk, struct wire_cursor message)
{
    const __u32 suffix = WIRE_BOUNDED(walk->suffix, RECORDS_MESSAGE_MAX);
    const __u8 *at = message.pos + suffix;
    __u32 label;

    if (at + 1 > message.end)
        return 0;
    label = *at;
    if (label >= DNS_POINTER >> 8) {
        walk->suffix = records_pointer(at, message.end, suffix);
        if (!walk->suffix)
            return 0;
    } else {
        if (!label)
            return 0;
        walk->suffix = suffix + 1 + label;
    }
    records_begin_name(walk, walk->compared, walk->suffix);
    walk->behind = walk->owner;
    return walk->suffix <= RECORDS_MESSAGE_MAX;
}

/* Begins the next comparison. Returns false if there is none. */
WIRE_FN int records_next(struct records_walk *walk, struct wire_cursor message)
{
    return walk->seeks == RECORDS_SEEKS_SUFFIX ? records_next_suffix(walk, message)
                                               : records_next_name(walk);
}

/* Takes what follows the owner of a record, and sets walk->owner to the next record. Returns true
 * if the reading ends here. */
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
    return 0;
}

/* Goes on after a name has ended, or is known to differ. Returns true if the reading ends here.
 */
WIRE_FN int records_name_end(struct records_walk *walk, struct wire_cursor message,
                             const struct records_truth *truth)
{
    if (walk->seeks == RECORDS_SEEKS_OWNER) {
        if (records_take(walk, message, truth))
            return 1;
        if (walk->seeks == RECORDS_SEEKS_OWNER) {
            records_begin_record(walk);
            return 0;
        }
        walk->behind = walk->owner;
        walk->differs = 1; /* until its first comparison begins */
    }
    /* The data of a CNAME are a name and nothing else. */
    if (walk->behind != walk->owner)
        return 1;
    if (walk->differs && records_next(walk, message))
        return 0;
    if (walk->seeks == RECORDS_SEEKS_LOOP) {
        if (!walk->differs)
            walk->found |= RECORDS_EXTRA;
        walk->expected = walk->compared;
        records_add_name(walk, walk->compared);
    } else if (walk->differs) {
        walk->found |= RECORDS_EXTRA;
    } else if (walk->seeks == RECORDS_SEEKS_SUFFIX) {
        walk->awaits_cname = 1;
        records_add_name(walk, walk->compared | RECORDS_IS_DNAME);
    }
    records_begin_record(walk);
    return 0;
}

/* Returns whether two labels differ. They begin `one` and `other` octets into the message, and have
 * `size` octets, including their lengths. Returns 2 if the message ends too early. */
WIRE_FN __u32 records_labels_differ(struct wire_cursor message, __u32 one, __u32 other, __u32 size)
{
    __u8 *at = message.pos + one;
    __u8 *same = message.pos + other;
    __u64 unlike;

    for (__u32 i = 8; i <= DNS_LABEL_MAX; i += 8) {
        if (i >= size)
            break;
        if (at + 8 > message.end || same + 8 > message.end)
            return 2;
        if (dns_fold8(wire_get64(at)) != dns_fold8(wire_get64(same)))
            return 1;
        at = WIRE_ONE_POINTER(at + 8);
        same = WIRE_ONE_POINTER(same + 8);
    }
    /* The last eight octets. If the label is shorter, they begin before it. */
    one = WIRE_BOUNDED(one - DNS_HEADER_SIZE + size, 2 * RECORDS_MESSAGE_MAX + 1);
    other = WIRE_BOUNDED(other - DNS_HEADER_SIZE + size, 2 * RECORDS_MESSAGE_MAX + 1);
    at = WIRE_ONE_POINTER(message.pos + DNS_HEADER_SIZE - 8 + one);
    same = WIRE_ONE_POINTER(message.pos + DNS_HEADER_SIZE - 8 + other);
    if (at + 8 > message.end || same + 8 > message.end)
        return 2;
    unlike = dns_fold8(wire_get64(at)) ^ dns_fold8(wire_get64(same));
    if (size < 8)
        unlike <<= 8 * (8 - size);
    return unlike != 0;
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
            label == expected ? records_labels_differ(message, offset, other, 1 + label) : 1;
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
 * Reads a label or a pointer of a name, and after the last one what follows the name. Returns true
 * if the reading ends here. bpf_loop() calls this step, because the verifier of Linux 6.1 cannot
 * finish a loop of RECORDS_STEPS_MAX steps.
 */
WIRE_FN int records_step(struct records_walk *walk, struct wire_cursor message,
                         const struct records_truth *truth)
{
    int ends;

    if (walk->offset > RECORDS_MESSAGE_MAX || walk->other > RECORDS_MESSAGE_MAX)
        return 1;
    if (!walk->answers && !walk->others && walk->seeks == RECORDS_SEEKS_OWNER) {
        const __u8 *end = message.pos + WIRE_BOUNDED(walk->offset, RECORDS_MESSAGE_MAX);

        /* With YXDOMAIN the CNAME is missing, because its target would be too long (RFC 6672
         * section 2.2). */
        if (walk->awaits_cname && wire_has(&message, DNS_HEADER_SIZE) &&
            (wire_get16(message.pos + 2) & DNS_RCODE) != DNS_RCODE_YXDOMAIN)
            walk->found |= RECORDS_EXTRA;
        walk->found |= RECORDS_WHOLE | (end < message.end ? RECORDS_TRAILING : 0);
        return 1;
    }
    ends = records_label(walk, message);
    return ends > 0 ? records_name_end(walk, message, truth) : ends;
}

/*
 * Reads the records of a usual reply without a walk. Such a reply has one record of the type asked
 * for, whose owner is a pointer to the question's name; an OPT record may follow. Returns what the
 * walk would find, or 0 for any other message.
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

    /* The record's type and class must equal the question's, which are six octets before them. */
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
    found = records_data(data, size, wire_get16(at), message.end, truth, 0, &sum);
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

/* Returns what the records of `message` tell. Its header and its question, whose name has
 * `name_length` octets, have been read. */
WIRE_FN __u64 records_read(struct wire_cursor message, __u32 name_length,
                           const struct records_truth *truth)
{
    const __u64 usual = records_usual(message, name_length, truth);

    return usual ? usual : records_walk_all(message, name_length, truth);
}

/* Returns the same for a message without a question. Such a message is whole if it has only a
 * header, or a header and one OPT record. */
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
