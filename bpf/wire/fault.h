/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Answers that are wrong in exactly known ways, and answers of a wanted size.
 *
 * A name's fault is a function of only its number (wire/test_name.h) and the plan: fault_of(). Both
 * paths of the server that misbehaves call this function, and so does the code that predicts what
 * the server will do.
 *
 * Spoiling a finished answer takes four steps, besides the steps of wire/answer.h: fault_look()
 * reads the query before its answer is written over it; fault_settle() looks at the answer and
 * decides; the message gets its new size; fault_write() changes its bytes.
 */
#ifndef DNSGAUGE_WIRE_FAULT_H
#define DNSGAUGE_WIRE_FAULT_H

#include "answer.h"
#include "bytes.h"
#include "dns.h"
#include "test_name.h"

/* The kinds but FAULT_NONE, in the order of their positions. X takes the suffix of the constant and
 * the name in texts. Each comment ends with the class that the Tester counts. */
#define FAULT_KINDS(X)                                                                             \
    /* no answer: lost */                                                                          \
    X(LOSS, "loss")                                                                                \
    /* the answer comes later, but in time: valid */                                               \
    X(DELAY, "delay")                                                                              \
    /* the answer comes after the client's timeout: late */                                        \
    X(LATE, "late")                                                                                \
    /* the answer comes twice: valid, and a duplicate */                                           \
    X(DUPLICATE, "duplicate")                                                                      \
    /* the record's address has its last bit flipped: wrong data */                                \
    X(WRONG_ADDRESS, "wrong-address")                                                              \
    /* the neighbour's name (number ^ 1) in the question: wrong question */                        \
    X(WRONG_QUESTION, "wrong-question")                                                            \
    /* the ID's first bit is flipped: lost, and an unexpected packet */                            \
    X(WRONG_ID, "wrong-id")                                                                        \
    /* RCODE 2, no record: RCODE */                                                                \
    X(SERVFAIL, "servfail")                                                                        \
    /* TC, no record: truncated */                                                                 \
    X(TRUNCATED, "truncated")                                                                      \
    /* NOERROR, no record, no SOA either: no answer */                                             \
    X(EMPTY, "empty")                                                                              \
    /* the ID, followed by ones: malformed */                                                      \
    X(GARBAGE, "garbage")                                                                          \
    /* the zone owns the record: wrong owner */                                                    \
    X(WRONG_OWNER, "wrong-owner")                                                                  \
    /* a record with a wrong address before the right one: extra records */                        \
    X(EXTRA_RECORD, "extra-record")                                                                \
    /* the header counts an answer more than there is: malformed */                                \
    X(MISSING_RECORD, "missing-record")                                                            \
    /* octets after the last record: trailing octets */                                            \
    X(TRAILING_OCTETS, "trailing-octets")                                                          \
    /* RCODE 16, whose upper half is in OPT: RCODE */                                              \
    X(EXTENDED_RCODE, "extended-rcode")                                                            \
    /* AA is clear: wrong flags */                                                                 \
    X(NOT_AUTHORITATIVE, "not-authoritative")

#define FAULT_KIND(NAME, text) FAULT_##NAME,
enum fault_kind { FAULT_NONE, /* valid */ FAULT_KINDS(FAULT_KIND) FAULTS };
#undef FAULT_KIND

#define FAULT_BLOCK 1000     /* names in an aligned block, in which each fault has its share */
#define FAULT_SPREAD 617     /* coprime to FAULT_BLOCK */
#define FAULT_QUANTILES 1024 /* of a delay's distribution: a power of two */
#define FAULT_DELAYS 2       /* kinds with a delay: FAULT_DELAY, FAULT_LATE */

#define FAULT_GARBAGE_SIZE 40
#define FAULT_TRAILING_SIZE 12
#define FAULT_KIND_MASK 31 /* has every kind's bits */
#define FAULT_UDP_SIZE 512 /* the longest answer by UDP to a query without EDNS */
/* The least number of octets that can be appended: as a padding option (RFC 7830), or as a record
 * of type NULL (RFC 1035 section 3.3.10) of the question's name. */
#define FAULT_PAD_OPTION 4
#define FAULT_PAD_RECORD (2 + DNS_RECORD_TAIL)
#define FAULT_PAD_MAX 1452 /* payload that fits 1,500 octets of IPv6 */
#define FAULT_OPTION_PADDING 12
#define FAULT_TYPE_NULL 10

struct fault_plan {
    /* A kind has the positions from the previous kind's end to its own end. FAULT_NONE, whose end
     * is 0, has the positions after all others. */
    __u16 end[FAULTS];
    __u16 pad_to; /* octets of an answer with records; 0 for no padding */
    __u64 delay_ns[FAULT_DELAYS][FAULT_QUANTILES];
};

/* A query, and what becomes of its answer. */
struct fault {
    __u32 number;   /* of the test name, if it is one */
    __u16 body;     /* octets up to the question's end; 0 if it could not be read */
    __u16 limit;    /* octets of the longest answer that UDP allows */
    __u16 size;     /* of the answer as it was made */
    __u16 new_size; /* of the answer as it is sent */
    __u8 kind;      /* enum fault_kind */
    __u8 has_opt;   /* in the answer */
    __u8 is_padded;
};

/* Returns a name's position in its aligned block of FAULT_BLOCK names. Neighbours are spread over
 * the block, and each position belongs to one name. */
WIRE_FN __u32 fault_position(__u32 number)
{
    return number % FAULT_BLOCK * FAULT_SPREAD % FAULT_BLOCK;
}

/* Returns the fault that this name has. */
WIRE_FN enum fault_kind fault_of(__u32 number, const struct fault_plan *plan)
{
    const __u32 position = fault_position(number);
    __u32 kind = 1;

    for (int i = 1; i < FAULTS; i++)
        kind += position >= plan->end[i];
    kind = WIRE_BOUNDED(kind, FAULT_KIND_MASK);
    return kind < FAULTS ? (enum fault_kind)kind : FAULT_NONE;
}

WIRE_FN int fault_is_delay(__u32 kind)
{
    return kind == FAULT_DELAY || kind == FAULT_LATE;
}

/* Returns whether the answer must wait, or leave more than once. */
WIRE_FN int fault_is_held(__u32 kind)
{
    return fault_is_delay(kind) || kind == FAULT_DUPLICATE;
}

/* Returns whether this fault needs an answer with an address. */
WIRE_FN int fault_needs_address(__u32 kind)
{
    return kind == FAULT_WRONG_ADDRESS || kind == FAULT_EMPTY || kind >= FAULT_WRONG_OWNER;
}

/* Returns the most octets by which the fault makes an answer longer. */
WIRE_FN __u32 fault_growth_max(__u32 kind)
{
    return kind >= FAULT_WRONG_OWNER ? ANSWER_AAAA_SIZE : 0;
}

WIRE_FN __u32 fault_copies(__u32 kind)
{
    return kind == FAULT_DUPLICATE ? 2 : 1;
}

/* Returns how long the answer to this name is held back; 0 unless fault_is_delay(kind). The names
 * of a kind take the quantiles in turn, so that FAULT_QUANTILES names in a row have all of them. */
WIRE_FN __u64 fault_delay_ns(__u32 number, __u32 kind, const struct fault_plan *plan)
{
    const int is_late = kind == FAULT_LATE;
    const __u32 begin = is_late ? plan->end[FAULT_LATE - 1] : plan->end[FAULT_DELAY - 1];
    const __u32 end = is_late ? plan->end[FAULT_LATE] : plan->end[FAULT_DELAY];
    __u32 turn;

    if (!fault_is_delay(kind))
        return 0;
    turn = number / FAULT_BLOCK * (end - begin) + fault_position(number) - begin;
    turn = WIRE_BOUNDED(turn * 433 % FAULT_QUANTILES, FAULT_QUANTILES - 1);
    return plan->delay_ns[is_late][turn];
}

/* Reads the query in `message`, which may be anything. Sets number, kind, body and limit of
 * *fault. */
WIRE_PROC void fault_look(struct wire_cursor message, const struct fault_plan *plan,
                          struct fault *fault)
{
    struct wire_cursor cursor = message;
    __u64 starts;
    __u32 length;

    fault->kind = FAULT_NONE;
    fault->body = 0;
    fault->limit = FAULT_UDP_SIZE;
    if (!wire_has(&cursor, DNS_HEADER_SIZE) || wire_get16(cursor.pos + 4) != 1)
        return;
    cursor.pos += DNS_HEADER_SIZE;
    if (wire_has(&cursor, 1 + TEST_NAME_LABEL) && cursor.pos[0] == TEST_NAME_LABEL &&
        test_name_read(cursor.pos + 1, &fault->number))
        fault->kind = (__u8)WIRE_BOUNDED(fault_of(fault->number, plan), FAULT_KIND_MASK);
    length = dns_skip_name(&cursor, &starts);
    if (!length || !wire_has(&cursor, DNS_QUESTION_TAIL))
        return;
    cursor.pos += DNS_QUESTION_TAIL;
    fault->body = (__u16)(DNS_HEADER_SIZE + length + DNS_QUESTION_TAIL);
    if (wire_has(&cursor, DNS_OPT_SIZE) && !cursor.pos[0] &&
        wire_get16(cursor.pos + 1) == DNS_TYPE_OPT && wire_get16(cursor.pos + 3) > FAULT_UDP_SIZE)
        fault->limit = wire_get16(cursor.pos + 3);
}

/* Returns whether the answer has a record with an address directly after the question. */
WIRE_FN int fault_has_address(struct wire_cursor answer, __u32 body)
{
    struct wire_cursor record = answer;

    record.pos = WIRE_ONE_POINTER(answer.pos + WIRE_BOUNDED(body, 511));
    return wire_has(&answer, DNS_HEADER_SIZE) && wire_get16(answer.pos + 6) &&
           wire_has(&record, 2 + DNS_RECORD_TAIL) &&
           (wire_get16(record.pos + 2) == DNS_TYPE_A ||
            wire_get16(record.pos + 2) == DNS_TYPE_AAAA);
}

/* Returns the octets that an answer of fault->size octets has after padding. */
WIRE_FN __u32 fault_padded_size(const struct fault *fault, const struct fault_plan *plan)
{
    const __u32 least = fault->has_opt ? FAULT_PAD_OPTION : FAULT_PAD_RECORD;
    const __u32 target = plan->pad_to < fault->limit ? plan->pad_to : fault->limit;

    return target >= fault->size + least ? target : fault->size;
}

/*
 * Decides what becomes of the answer, which has `size` octets, all of them in `answer`. Names that
 * do not exist and refused questions have no fault. An answer without an address cannot have a
 * wrong one.
 */
WIRE_PROC void fault_settle(struct wire_cursor answer, __u32 size, const struct fault_plan *plan,
                            struct fault *fault)
{
    __u64 counts;
    __u16 flags;

    fault->size = (__u16)size;
    fault->new_size = (__u16)size;
    fault->is_padded = 0;
    fault->has_opt = 0;
    if (!fault->body || !wire_has(&answer, DNS_HEADER_SIZE)) {
        fault->kind = FAULT_NONE;
        return;
    }
    flags = wire_get16(answer.pos + 2);
    counts = wire_get64(answer.pos + 4);
    fault->has_opt = (counts & 0xffff) != 0;
    if ((flags & (DNS_AA | DNS_RCODE)) != DNS_AA)
        fault->kind = FAULT_NONE;
    if (fault_needs_address(fault->kind) && !fault_has_address(answer, fault->body))
        fault->kind = FAULT_NONE;

    switch ((enum fault_kind)fault->kind) {
    case FAULT_SERVFAIL:
    case FAULT_TRUNCATED:
    case FAULT_EMPTY:
        fault->new_size = (__u16)(fault->body + (fault->has_opt ? DNS_OPT_SIZE : 0));
        return;
    case FAULT_GARBAGE:
        fault->new_size = FAULT_GARBAGE_SIZE;
        return;
    case FAULT_EXTRA_RECORD:
        /* One record is between the question and OPT. */
        fault->new_size = (__u16)(2 * size - fault->body - (fault->has_opt ? DNS_OPT_SIZE : 0));
        return;
    case FAULT_TRAILING_OCTETS:
        fault->new_size = (__u16)(size + FAULT_TRAILING_SIZE);
        return;
    case FAULT_EXTENDED_RCODE:
        fault->new_size = (__u16)(size + (fault->has_opt ? 0 : DNS_OPT_SIZE));
        return;
    case FAULT_NONE:
    case FAULT_LOSS:
    case FAULT_DELAY:
    case FAULT_LATE:
    case FAULT_DUPLICATE:
    case FAULT_WRONG_ADDRESS:
    case FAULT_WRONG_QUESTION:
    case FAULT_WRONG_ID:
    case FAULT_WRONG_OWNER:
    case FAULT_MISSING_RECORD:
    case FAULT_NOT_AUTHORITATIVE:
    case FAULTS:
        break;
    }
    if (plan->pad_to && counts & 0xffffffff0000ULL) {
        fault->new_size = (__u16)fault_padded_size(fault, plan);
        fault->is_padded = fault->new_size > fault->size;
    }
}

/* Returns whether fault_write() changes bytes of the answer. */
WIRE_FN int fault_changes(const struct fault *fault)
{
    return fault->is_padded || fault->kind >= FAULT_WRONG_ADDRESS;
}

/* Takes out all records but OPT, and writes the header's counts and `flags`. */
WIRE_FN int fault_put_bare(struct wire_cursor message, const struct fault *fault, __u16 flags)
{
    __u8 *from = WIRE_ONE_POINTER(message.pos + WIRE_BOUNDED(fault->size - DNS_OPT_SIZE, 511));
    __u8 *to = WIRE_ONE_POINTER(message.pos + WIRE_BOUNDED(fault->body, 511));

    wire_put16(message.pos + 2, flags);
    wire_put64(message.pos + 4, 1ULL << 48 | fault->has_opt);
    if (!fault->has_opt)
        return 1;
    if (from + DNS_OPT_SIZE > message.end || to + DNS_OPT_SIZE > message.end)
        return 0;
    for (int i = 0; i < DNS_OPT_SIZE; i++)
        to[i] = from[i];
    return 1;
}

WIRE_FN int fault_put_garbage(struct wire_cursor message)
{
    if (!wire_has(&message, FAULT_GARBAGE_SIZE))
        return 0;
    for (int i = 2; i < FAULT_GARBAGE_SIZE; i++)
        message.pos[i] = 0xff;
    return 1;
}

WIRE_FN int fault_put_wrong_address(struct wire_cursor message, const struct fault *fault)
{
    struct wire_cursor record = message;
    __u32 last;

    record.pos = WIRE_ONE_POINTER(message.pos + WIRE_BOUNDED(fault->body, 511));
    if (!wire_has(&record, 2 + DNS_RECORD_TAIL + 4))
        return 0;
    last = wire_get16(record.pos + 2) == DNS_TYPE_A ? 3 : 15;
    record.pos += 2 + DNS_RECORD_TAIL + last;
    if (!wire_has(&record, 1))
        return 0;
    record.pos[0] ^= 1;
    return 1;
}

/* Replaces the record's owner, a pointer to the question's name, by a pointer to the zone. */
WIRE_FN int fault_put_wrong_owner(struct wire_cursor message, const struct fault *fault)
{
    struct wire_cursor record = message;

    record.pos = WIRE_ONE_POINTER(message.pos + WIRE_BOUNDED(fault->body, 511));
    if (!wire_has(&record, 2))
        return 0;
    wire_put16(record.pos, DNS_POINTER | (DNS_HEADER_SIZE + 1 + TEST_NAME_LABEL));
    return 1;
}

/* Puts a copy of the record before OPT, and flips the last bit of the first address. */
WIRE_FN int fault_put_extra_record(struct wire_cursor message, const struct fault *fault)
{
    const __u32 size = WIRE_BOUNDED(fault->new_size - fault->size, 31);
    __u8 *record = WIRE_ONE_POINTER(message.pos + WIRE_BOUNDED(fault->body, 511));
    __u8 *copy = WIRE_ONE_POINTER(record + size);
    __u8 *opt = WIRE_ONE_POINTER(copy + size);

    if (fault->has_opt) {
        if (opt + DNS_OPT_SIZE > message.end || copy + DNS_OPT_SIZE > message.end)
            return 0;
        for (int i = 0; i < DNS_OPT_SIZE; i++)
            opt[i] = copy[i];
    }
    for (__u32 i = 0; i < ANSWER_AAAA_SIZE && i < size; i += 4) {
        if (record + i + 4 > message.end || copy + i + 4 > message.end)
            return 0;
        *(wire_any32 *)(void *)(copy + i) = wire_raw32(record + i);
    }
    wire_put16(message.pos + 6, 2);
    return fault_put_wrong_address(message, fault);
}

/* Makes the RCODE 16, in the OPT record, or in a new one after the answer. */
WIRE_FN int fault_put_extended_rcode(struct wire_cursor message, const struct fault *fault)
{
    struct wire_cursor opt = message;

    opt.pos = WIRE_ONE_POINTER(message.pos + WIRE_BOUNDED(fault->new_size - DNS_OPT_SIZE, 511));
    if (!wire_has(&opt, DNS_OPT_SIZE))
        return 0;
    wire_put16(message.pos + 10, 1);
    wire_put16(opt.pos + 1, DNS_TYPE_OPT);
    wire_put16(opt.pos + 3, DNS_UDP_SIZE);
    opt.pos[5] = 1;
    return 1;
}

/* Pads the message after the answer, where all octets are zero already. */
WIRE_FN int fault_put_padding(struct wire_cursor message, const struct fault *fault)
{
    const __u32 added = (__u32)fault->new_size - fault->size;
    struct wire_cursor end = message;

    /* The answer ends with the length of OPT's data, which is zero so far. */
    end.pos = WIRE_ONE_POINTER(message.pos + WIRE_BOUNDED(fault->size - 2, 511));
    if (fault->has_opt) {
        if (!wire_has(&end, 2 + FAULT_PAD_OPTION))
            return 0;
        wire_put16(end.pos, (__u16)added);
        wire_put16(end.pos + 2, FAULT_OPTION_PADDING);
        wire_put16(end.pos + 4, (__u16)(added - FAULT_PAD_OPTION));
        return 1;
    }
    if (!wire_has(&end, 2 + FAULT_PAD_RECORD))
        return 0;
    wire_put16(message.pos + 10, 1);
    wire_put16(end.pos + 2, DNS_POINTER | DNS_HEADER_SIZE);
    wire_put16(end.pos + 4, FAULT_TYPE_NULL);
    wire_put16(end.pos + 6, DNS_CLASS_IN);
    wire_put32(end.pos + 8, 0);
    wire_put16(end.pos + 12, (__u16)(added - FAULT_PAD_RECORD));
    return 1;
}

/*
 * Changes the answer at the start of `message`, so that the first fault->new_size octets of the
 * message can be sent. The message must have room for the larger of fault->size and fault->new_size
 * octets, with zeros after the answer. Returns false if it is shorter.
 */
WIRE_FN int fault_write(struct wire_cursor message, const struct fault *fault)
{
    __u16 flags;

    if (!wire_has(&message, DNS_HEADER_SIZE + 1 + TEST_NAME_LABEL))
        return 0;
    if (fault->is_padded && !fault_put_padding(message, fault))
        return 0;
    flags = wire_get16(message.pos + 2);
    switch ((enum fault_kind)fault->kind) {
    case FAULT_WRONG_ADDRESS:
        return fault_put_wrong_address(message, fault);
    case FAULT_WRONG_QUESTION:
        /* Flipping this bit turns 8 into 9 and 254 into 255, so the number stays below 256. */
        message.pos[DNS_HEADER_SIZE + TEST_NAME_LABEL] ^= 1;
        return 1;
    case FAULT_WRONG_ID:
        message.pos[0] ^= 0x80;
        return 1;
    case FAULT_SERVFAIL:
        return fault_put_bare(message, fault, (__u16)((flags & ~DNS_AA) | DNS_RCODE_SERVFAIL));
    case FAULT_TRUNCATED:
        return fault_put_bare(message, fault, (__u16)(flags | DNS_TC));
    case FAULT_EMPTY:
        return fault_put_bare(message, fault, flags);
    case FAULT_GARBAGE:
        return fault_put_garbage(message);
    case FAULT_WRONG_OWNER:
        return fault_put_wrong_owner(message, fault);
    case FAULT_EXTRA_RECORD:
        return fault_put_extra_record(message, fault);
    case FAULT_MISSING_RECORD:
        wire_put16(message.pos + 6, 2);
        return 1;
    case FAULT_EXTENDED_RCODE:
        return fault_put_extended_rcode(message, fault);
    case FAULT_NOT_AUTHORITATIVE:
        wire_put16(message.pos + 2, (__u16)(flags & ~DNS_AA));
        return 1;
    case FAULT_TRAILING_OCTETS: /* zeros, which are there already */
    case FAULT_NONE:
    case FAULT_LOSS:
    case FAULT_DELAY:
    case FAULT_LATE:
    case FAULT_DUPLICATE:
    case FAULTS:
        break;
    }
    return 1;
}

#endif
