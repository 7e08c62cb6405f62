/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Judges whether a reply is right: compares one message with what its query expects.
 *
 * The judge knows nothing about time: the caller decides whether a reply was late.
 */
#ifndef DNSGAUGE_WIRE_JUDGE_H
#define DNSGAUGE_WIRE_JUDGE_H

#include "bytes.h"
#include "dns.h"
#include "judge_rule.h"
#include "question.h"
#include "records.h"
#include "reply_classes.h"
#include "test_name.h"

/* The judgements, in the order that the states of a slot need: misfits (MISFIT_CLASSES) come
 * first. */
#define JUDGEMENT(NAME, key, label, reason, kind) JUDGE_##NAME,
enum judgement {
    MISFIT_CLASSES(JUDGEMENT) JUDGE_VALID,
    WRONG_ANSWER_CLASSES(JUDGEMENT) JUDGEMENTS
};
#undef JUDGEMENT

/* Returns whether the message answers the question that was asked, right or wrong. */
WIRE_FN int judge_answers_question(enum judgement judgement)
{
    return judgement >= JUDGE_VALID;
}

/* Returns whether the question section at `cursor` is the one that was asked: the name of
 * `address`. */
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

/* Returns the length of the name in the question that judge_question() finds right. */
WIRE_FN __u32 judge_name_length(const struct judge_rule *rule)
{
    return 1 + TEST_NAME_LABEL + rule->zone_length;
}

/* Reads the header of `message`. Returns JUDGE_VALID if one question follows, and JUDGE_RCODE if
 * none does; then judge_bare() decides. *flags is set in both cases. Any other judgement is
 * final. */
WIRE_FN enum judgement judge_header(struct wire_cursor message, __u16 *flags)
{
    __u16 questions;

    if (!wire_has(&message, DNS_HEADER_SIZE))
        return JUDGE_MALFORMED;
    *flags = wire_get16(message.pos + 2);
    questions = wire_get16(message.pos + 4);
    if ((*flags & (DNS_QR | DNS_OPCODE)) != DNS_QR)
        return JUDGE_MALFORMED;
    if (!questions)
        return JUDGE_RCODE;
    return questions == 1 ? JUDGE_VALID : JUDGE_MALFORMED;
}

/* Returns the flags that a query for a name wants: see struct judge_rule. */
WIRE_FN __u32 judge_name_wants(const struct judge_rule *rule)
{
    return WANTS_NAME | (rule->wants_aa ? WANTS_AA : 0);
}

/* Returns whether all flags of the header are as they must be. */
WIRE_FN int judge_flags(__u32 flags, __u32 wants, __u32 accepts)
{
    if (wants & WANTS_AA && !(accepts & ACCEPTS_AA) && !(flags & DNS_AA))
        return 0;
    if (wants & WANTS_AD && !(flags & DNS_AD))
        return 0;
    return !(flags & DNS_Z) || accepts & ACCEPTS_Z;
}

/*
 * Returns the judgement of a reply that repeats the question and has this header, by what
 * records_read() `found`. The first of these decides: an error, unreadable records, flags, owners,
 * the answer, records beside the answer, and octets after the message.
 */
WIRE_FN enum judgement judge_found(__u32 flags, __u32 answers, __u64 found, __u32 wants,
                                   const struct judge_rule *rule)
{
    const __u32 rcodes = wants & WANTS_DATA ? 1U << DNS_RCODE_NOERROR : wants & WANTS_ANY_RCODE;
    const __u32 number = wants >> WANTS_COUNT_SHIFT & WANTS_COUNT_MAX;
    int is_alone = !(found & RECORDS_EXTRA);

    if (!(rcodes >> (flags & DNS_RCODE) & 1))
        return JUDGE_RCODE;
    if (flags & DNS_TC)
        return JUDGE_TRUNCATED;
    if (!(found & RECORDS_WHOLE))
        return JUDGE_MALFORMED;
    if (found & RECORDS_RCODE && rcodes != WANTS_ANY_RCODE)
        return JUDGE_RCODE;
    if (!judge_flags(flags, wants, rule->accepts))
        return JUDGE_WRONG_FLAGS;
    if (found & RECORDS_OWNER)
        return JUDGE_WRONG_OWNER;
    if (wants & WANTS_DATA) {
        const __u64 data = (found >> RECORDS_DATA_SHIFT) + (rule->counts_answers ? answers : 0);
        const int exact = wants_name(wants)
                              ? (found & (RECORDS_RIGHT | RECORDS_MANY)) == RECORDS_RIGHT
                              : !((wants_data(data) ^ wants) & WANTS_DATA_BITS);

        if (!(found & RECORDS_DATA))
            return JUDGE_NO_ANSWER;
        if (!exact && !(found & RECORDS_RIGHT))
            return JUDGE_WRONG_DATA;
        if (!exact || (wants_name(wants) && number && answers > number))
            is_alone = 0;
    } else {
        if (wants & WANTS_COUNT && answers != number)
            return answers < number ? JUDGE_NO_ANSWER : JUDGE_WRONG_DATA;
        /* An error says that there are no such records. */
        if ((flags & DNS_RCODE || found & RECORDS_RCODE) && found & RECORDS_DATA)
            is_alone = 0;
    }
    if (wants & WANTS_RRSIG && !(found & RECORDS_RRSIG))
        return JUDGE_NO_ANSWER;
    if (!is_alone && !(rule->accepts & ACCEPTS_EXTRA))
        return JUDGE_EXTRA_RECORDS;
    if (found & RECORDS_TRAILING && !(rule->accepts & ACCEPTS_TRAILING))
        return JUDGE_TRAILING_OCTETS;
    return JUDGE_VALID;
}

/*
 * Returns the judgement of a reply without a question, by what records_bare() `found`. The server
 * could not or would not read the query. Only addresses, ports and transaction ID prove that the
 * reply belongs to the query. So it is an answer only if its RCODE is wanted and says nothing about
 * the name. REFUSED is such an RCODE; NOERROR and NXDOMAIN are not.
 */
WIRE_FN enum judgement judge_bare(__u32 flags, __u64 found, __u32 wants,
                                  const struct judge_rule *rule)
{
    const __u32 rcode = reply_rcode(flags, found);

    if (rcode == DNS_RCODE_NOERROR)
        return JUDGE_MALFORMED;
    if (rcode == DNS_RCODE_NXDOMAIN)
        found &= ~(__u64)RECORDS_WHOLE;
    return judge_found(flags, 0, found, wants, rule);
}

/* Returns the address of the test name that `message`, whose question is right, asks for; 0 if its
 * query does not want WANTS_NAME. */
WIRE_FN __u32 judge_asked_address(struct wire_cursor message, __u32 wants)
{
    __u32 address = 0;

    message.pos += DNS_HEADER_SIZE + 1;
    if (!wants_name(wants) || !wire_has(&message, TEST_NAME_LABEL) ||
        !test_name_read(message.pos, &address))
        return 0;
    return address;
}

/* Judges the header and the question of `message`, a UDP payload from the server, as the reply to
 * the query for the name of `address`. Returns what judge_header() returns, or the judgement of a
 * wrong question. */
WIRE_FN enum judgement judge_name_question(struct wire_cursor message,
                                           const struct judge_rule *rule, __u32 address,
                                           __u16 *flags)
{
    struct wire_cursor question = message;
    const enum judgement header = judge_header(message, flags);

    if (header != JUDGE_VALID)
        return header;
    question.pos += DNS_HEADER_SIZE;
    return judge_question(question, rule, address) ? JUDGE_VALID : JUDGE_WRONG_QUESTION;
}

/* Does the same for the reply to a query whose question has the hash `expectation` under `key`.
 * Sets *length to the length of the question's name. */
WIRE_FN enum judgement judge_hashed_question(struct wire_cursor message,
                                             const struct question_key *key, __u64 expectation,
                                             __u16 *flags, __u32 *length)
{
    __u64 hash = 0;
    const enum judgement header = judge_header(message, flags);

    if (header != JUDGE_VALID)
        return header;
    return question_read(message, key, &hash, length) && hash == expectation ? JUDGE_VALID
                                                                             : JUDGE_WRONG_QUESTION;
}

/* The judgement of a reply, and what was read of the reply. */
struct judged_reply {
    enum judgement judgement;
    __u16 flags;       /* of the header */
    __u32 name_length; /* of the question */
    int has_question;
    __u64 found; /* in the records; 0: nothing, or the records were not read */
};

/* Judges the records of `message`, whose header and question have been judged. */
WIRE_PROC void judge_records(struct wire_cursor message, struct judged_reply *reply,
                             const struct records_truth *truth, __u32 wants)
{
    reply->has_question = reply->judgement != JUDGE_RCODE;
    if (reply->judgement == JUDGE_VALID) {
        reply->found = records_read(message, reply->name_length, truth);
        reply->judgement = judge_found(reply->flags, wire_get16(message.pos + 6), reply->found,
                                       wants, truth->rule);
    } else if (reply->judgement == JUDGE_RCODE) {
        reply->found = records_bare(message);
        reply->judgement = judge_bare(reply->flags, reply->found, wants, truth->rule);
    }
}

/* Judges `message`, a message from the server, as the reply to the query for the name of
 * `address`. */
WIRE_FN struct judged_reply judge_name_reply(struct wire_cursor message,
                                             const struct judge_rule *rule, __u32 address)
{
    const struct records_truth truth = {
        .rule = rule, .key = (const struct question_key *)0, .wants = 0, .address = address};
    struct judged_reply reply = {JUDGE_MALFORMED, 0, judge_name_length(rule), 0, 0};

    reply.judgement = judge_name_question(message, rule, address, &reply.flags);
    judge_records(message, &reply, &truth, judge_name_wants(rule));
    return reply;
}

/* Judges `message` as the reply to the query whose question has the hash `expectation` under `key`.
 * A valid reply is what the query `wants`. Only these parts of `rule` are used: `accepts`,
 * `counts_answers`, and the data for WANTS_NAME. */
WIRE_FN struct judged_reply judge_hashed_reply(struct wire_cursor message,
                                               const struct question_key *key,
                                               const struct judge_rule *rule, __u64 expectation,
                                               __u32 wants)
{
    const struct records_truth truth = {
        .rule = rule, .key = key, .wants = wants, .address = judge_asked_address(message, wants)};
    struct judged_reply reply = {JUDGE_MALFORMED, 0, 0, 0, 0};

    reply.judgement =
        judge_hashed_question(message, key, expectation, &reply.flags, &reply.name_length);
    judge_records(message, &reply, &truth, wants);
    return reply;
}

#endif
