/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Is this reply right? The Tester's judgement of one message against what the query expects.
 *
 * The judge knows nothing of time: whether a reply was late is for the caller to say.
 */
#ifndef DNSGAUGE_WIRE_JUDGE_H
#define DNSGAUGE_WIRE_JUDGE_H

#include "bytes.h"
#include "dns.h"
#include "pref64.h"
#include "question.h"
#include "records.h"
#include "reply_classes.h"
#include "test_name.h"

#define JUDGE_ZONE_MAX 64 /* octets kept for the zone's name in wire form, which has one less */
#define JUDGE_MESSAGE_MAX 4095 /* octets of a reply that are looked at */
/* Labels and records that the judge looks at. No honest message needs more. */
#define JUDGE_STEPS_MAX 48

/* What every query of a trial expects of its reply. */
struct judge_rule {
    __u8 zone[JUDGE_ZONE_MAX]; /* wire form, small letters */
    __u32 zone_length;         /* root included */
    __u16 type;                /* asked for: A or AAAA */
    __u8 any_data;             /* a record of that type is enough, whatever its data */
    __u8 aaaa_share;           /* percent of the names whose AAAA data are in aaaa_prefix */
    struct pref64 prefix;      /* of the AAAA data; the address of the name is embedded in it */
    /* Names for which test_name_has_aaaa() is true own an AAAA record with this prefix. A DNS64
     * server passes their records on (RFC 6147 section 5.1.1), and synthesizes records with
     * `prefix` for all other names. */
    struct pref64 aaaa_prefix;
};

/* What a query of a list wants of its reply, whose right data nobody can predict. Bits 0 to 15 say
 * which RCODEs are right: bit n stands for RCODE n. These flags add to them. */
#define WANTS_AA 0x10000U
#define WANTS_AD 0x20000U
#define WANTS_COUNT 0x40000U /* the answer section has as many records as bits 20 to 31 say */
#define WANTS_RRSIG 0x80000U /* the answer section has an RRSIG record: records_read() tells */
#define WANTS_COUNT_SHIFT 20
#define WANTS_COUNT_MAX 2047U
/* NOERROR is right, and the data of the answers' records of the type have wants_data() of these
 * data in place of RCODEs and number. */
#define WANTS_DATA 0x80000000U
#define WANTS_DATA_BITS 0xfff0ffffU
#define WANTS_USEFUL (1U << DNS_RCODE_NOERROR | 1U << DNS_RCODE_NXDOMAIN)
#define WANTS_ANY_RCODE 0xffffU

/* Returns the bits that say which data are wanted: those with this sum of question_data(). Other
 * data have the same bits with a probability of 2^-27. */
WIRE_FN __u32 wants_data(__u64 data)
{
    return WANTS_DATA | (__u32)(data & 0xffff) |
           (__u32)(data >> 16 & WANTS_COUNT_MAX) << WANTS_COUNT_SHIFT;
}

/* The judgements in the order that the states of a slot need: misfits first. */
#define JUDGEMENT(NAME, key, label, reason, kind) JUDGE_##NAME,
enum judgement {
    MISFIT_CLASSES(JUDGEMENT) JUDGE_VALID,
    WRONG_ANSWER_CLASSES(JUDGEMENT) JUDGEMENTS
};
#undef JUDGEMENT

/* Does the message answer the question that was asked, however badly? */
WIRE_FN int judge_answers_question(enum judgement judgement)
{
    return judgement >= JUDGE_VALID;
}

/* Is the question section, at `cursor`, the one that was asked: the name of `address`? */
WIRE_FN int judge_question(struct wire_cursor cursor, const struct judge_rule *rule, __u32 address)
{
    const __u8 *name = cursor.pos;
    const __u8 *zone;
    const __u8 *tail;
    __u32 named;

    if (!wire_has(&cursor, 1 + TEST_NAME_LABEL + rule->zone_length + DNS_QUESTION_TAIL))
        return 0;
    if (name[0] != TEST_NAME_LABEL || !test_name_read(name + 1, &named) || named != address)
        return 0;
    zone = name + 1 + TEST_NAME_LABEL;
    if (!dns_equal_folded(zone, rule->zone, rule->zone_length, JUDGE_ZONE_MAX))
        return 0;
    tail = zone + rule->zone_length;
    return wire_get16(tail) == rule->type && wire_get16(tail + 2) == DNS_CLASS_IN;
}

/* Is the record data of `size` octets at `data` the right one for the name of `address`? */
WIRE_FN int judge_data(const __u8 *data, __u32 size, const struct judge_rule *rule, __u32 address)
{
    __u8 right[16];
    __u8 own[16];
    __u64 high;
    __u64 low;

    if (rule->any_data)
        return 1;
    if (size == 4)
        return wire_get32(data) == address;
    pref64_embed(&rule->prefix, address, right);
    high = wire_raw64(right);
    low = wire_raw64(right + 8);
    if (rule->aaaa_share) {
        const __u64 has_own = test_name_aaaa_mask(address, rule->aaaa_share);

        pref64_embed(&rule->aaaa_prefix, address, own);
        high ^= (high ^ wire_raw64(own)) & has_own;
        low ^= (low ^ wire_raw64(own + 8)) & has_own;
    }
    return wire_raw64(data) == high && wire_raw64(data + 8) == low;
}

/*
 * Looks for a right record among the `count` records of the message, the first of which is at
 * `offset`. One flat loop takes a step for each label of an owner name and for each record, so that
 * its bound holds for any mixture of both. The judge does not compare owner names: behind a CNAME
 * they differ from the question's.
 */
WIRE_FN enum judgement judge_records(struct wire_cursor message, __u32 offset, __u32 count,
                                     const struct judge_rule *rule, __u32 address)
{
    /* The compiler knows that the question has the same type, and would read the type from the
     * packet. The verifier of Linux 6.1 would then know no bound of it. */
    const __u32 type = WIRE_BOUNDED(rule->type, 0xffff);
    const __u32 size = type == DNS_TYPE_A ? 4 : 16;
    enum judgement found = JUDGE_NO_ANSWER;

    for (int i = 0; i < JUDGE_STEPS_MAX; i++) {
        const __u8 *at;
        __u32 label;
        __u32 length;

        if (!count)
            return found;
        if (offset > JUDGE_MESSAGE_MAX)
            return JUDGE_MALFORMED;
        offset = WIRE_BOUNDED(offset, JUDGE_MESSAGE_MAX);
        count = WIRE_BOUNDED(count, 0xffff);
        at = message.pos + offset;
        if (at + 1 > message.end)
            return JUDGE_MALFORMED;
        label = *at;
        if (label && label <= DNS_LABEL_MAX) {
            offset += 1 + label;
            continue;
        }
        if (label && label < DNS_POINTER >> 8)
            return JUDGE_MALFORMED;

        /* The owner ends here, in the root or in a pointer; its record follows. */
        at += dns_name_end(label);
        offset += dns_name_end(label);
        if (at + DNS_RECORD_TAIL > message.end)
            return JUDGE_MALFORMED;
        length = wire_get16(at + 8);
        if (wire_get16(at) == type && wire_get16(at + 2) == DNS_CLASS_IN) {
            /* The comparison with the end comes first: see answer_test_name_zone(). */
            if (at + DNS_RECORD_TAIL + size > message.end || length != size)
                return JUDGE_MALFORMED;
            if (judge_data(at + DNS_RECORD_TAIL, size, rule, address))
                return JUDGE_VALID;
            found = JUDGE_WRONG_DATA;
        }
        offset += DNS_RECORD_TAIL + length;
        count--;
    }
    return JUDGE_MALFORMED;
}

/* Reads the header of `message`. Returns JUDGE_VALID when one question follows, with *flags set;
 * any other judgement is final. *rcode is set whenever the message is long enough to have one. */
WIRE_FN enum judgement judge_header(struct wire_cursor message, __u16 *flags, __u32 *rcode)
{
    __u16 questions;

    *rcode = 0;
    if (!wire_has(&message, DNS_HEADER_SIZE))
        return JUDGE_MALFORMED;
    *flags = wire_get16(message.pos + 2);
    questions = wire_get16(message.pos + 4);
    *rcode = *flags & DNS_RCODE;
    if ((*flags & (DNS_QR | DNS_OPCODE)) != DNS_QR)
        return JUDGE_MALFORMED;
    /* A server that could not read the query answers without a question. */
    if (!questions && *rcode)
        return JUDGE_RCODE;
    return questions == 1 ? JUDGE_VALID : JUDGE_MALFORMED;
}

/* Judges `message`, a UDP payload from the server, as the reply to the query for the name of
 * `address`. *rcode is set whenever the message is long enough to have one. */
WIRE_FN enum judgement judge_reply(struct wire_cursor message, const struct judge_rule *rule,
                                   __u32 address, __u32 *rcode)
{
    struct wire_cursor question = message;
    __u16 flags = 0;
    const enum judgement header = judge_header(message, &flags, rcode);

    if (header != JUDGE_VALID)
        return header;
    question.pos += DNS_HEADER_SIZE;
    if (!judge_question(question, rule, address))
        return JUDGE_WRONG_QUESTION;
    if (*rcode)
        return JUDGE_RCODE;
    if (flags & DNS_TC)
        return JUDGE_TRUNCATED;
    return judge_records(
        message, DNS_HEADER_SIZE + 1 + TEST_NAME_LABEL + rule->zone_length + DNS_QUESTION_TAIL,
        wire_get16(message.pos + 6), rule, address);
}

/* Judges `message` as the reply to the query whose question has the hash `expectation` under `key`.
 * A valid reply repeats that question, is not truncated, and is what the query `wants`. The judge
 * does not read the records: judge_found() does. *rcode is set as by judge_reply(). */
WIRE_FN enum judgement judge_question_reply(struct wire_cursor message,
                                            const struct question_key *key, __u64 expectation,
                                            __u32 wants, __u32 *rcode)
{
    __u32 answers;
    __u32 right;
    __u64 hash = 0;
    __u16 flags = 0;
    const enum judgement header = judge_header(message, &flags, rcode);

    if (header != JUDGE_VALID)
        return header;
    if (!question_hash(message, key, &hash) || hash != expectation)
        return JUDGE_WRONG_QUESTION;
    if (!((wants & WANTS_DATA ? 1U << DNS_RCODE_NOERROR : wants) >> *rcode & 1))
        return JUDGE_RCODE;
    if (flags & DNS_TC)
        return JUDGE_TRUNCATED;
    if ((wants & WANTS_AA && !(flags & DNS_AA)) || (wants & WANTS_AD && !(flags & DNS_AD)))
        return JUDGE_WRONG_FLAGS;
    answers = wire_get16(message.pos + 6);
    right = wants & WANTS_COUNT ? wants >> WANTS_COUNT_SHIFT : answers;
    if (answers < right)
        return JUDGE_NO_ANSWER;
    return answers > right ? JUDGE_WRONG_DATA : JUDGE_VALID;
}

/* Corrects such a judgement by what only the records tell, what records_read() `found`: an RCODE
 * that the header has no room for, the data, and whether there is the signature that is wanted. */
WIRE_FN enum judgement judge_found(enum judgement judgement, __u64 found, __u32 wants)
{
    const __u32 rcodes = wants & WANTS_DATA ? 0 : wants & WANTS_ANY_RCODE;

    if (judgement < JUDGE_VALID)
        return judgement;
    if (found & RECORDS_RCODE && rcodes != WANTS_ANY_RCODE)
        return JUDGE_RCODE;
    if (judgement != JUDGE_VALID)
        return judgement;
    if (wants & WANTS_DATA) {
        if (!(found & RECORDS_ANSWERS))
            return JUDGE_MALFORMED;
        if (!(found & RECORDS_DATA))
            return JUDGE_NO_ANSWER;
        if ((wants_data(found >> RECORDS_DATA_SHIFT) ^ wants) & WANTS_DATA_BITS)
            return JUDGE_WRONG_DATA;
    }
    return wants & WANTS_RRSIG && !(found & RECORDS_RRSIG) ? JUDGE_NO_ANSWER : JUDGE_VALID;
}

#endif
