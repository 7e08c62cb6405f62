/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the judge wants of a reply: the rules, what a query wants, and the right data. */
#ifndef DNSGAUGE_WIRE_JUDGE_RULE_H
#define DNSGAUGE_WIRE_JUDGE_RULE_H

#include "bytes.h"
#include "dns.h"
#include "pref64.h"
#include "test_name.h"

#define JUDGE_ZONE_MAX 64 /* octets kept for the zone's name in wire form, which has 63 at most */

/*
 * The judge's rules that can be switched off, one by one. X gets:
 *
 * - NAME: the suffix of ACCEPTS_NAME, a bit of struct judge_rule;
 * - key: the name in --accept-answers and in results;
 * - rule: what the judge wants while the rule holds.
 */
#define JUDGE_RULES(X)                                                                             \
    X(OWNER, owner, "records of the type asked for belong to the name asked for")                  \
    X(EXTRA, extra, "the answer section holds the answer alone")                                   \
    X(CNAMES, cname, "no CNAME stands before the answer (names and mixes)")                        \
    X(TRAILING, trailing, "the message ends after its last record")                                \
    X(OPT, opt, "at most one OPT record, in the additional section, owned by the root")            \
    X(AA, aa, "AA is set where the server is authoritative")                                       \
    X(Z, z, "the reserved bit Z is clear")                                                         \
    X(DATA, data, "answers have the data of the capture's own answers (--expect captured)")

#define RULE_NUMBER(NAME, key, rule) JUDGE_RULE_##NAME,
enum judge_rule_number { JUDGE_RULES(RULE_NUMBER) JUDGE_RULE_COUNT };
#undef RULE_NUMBER
#define RULE_BIT(NAME, key, rule) ACCEPTS_##NAME = 1U << JUDGE_RULE_##NAME,
enum judge_accepts { JUDGE_RULES(RULE_BIT) };
#undef RULE_BIT

/* What every query of a trial expects of its reply. */
struct judge_rule {
    __u8 zone[JUDGE_ZONE_MAX]; /* wire form, small letters */
    __u32 zone_length;         /* root included */
    __u16 type;                /* asked for: A or AAAA */
    __u8 any_data;             /* a record of that type is enough, whatever its data */
    __u8 aaaa_share;           /* percent of the names whose AAAA data are in aaaa_prefix */
    struct pref64 prefix;      /* of the AAAA data, in which the address of the name is embedded */
    /* Names for which test_name_has_aaaa() is true own an AAAA record with this prefix. A DNS64
     * server passes their records on (RFC 6147 section 5.1.1), and synthesizes records with
     * `prefix` for all other names. */
    struct pref64 aaaa_prefix;
    __u32 accepts;  /* ACCEPTS_OWNER and so on: the rules that are switched off */
    __u32 wants_aa; /* the answers to queries for names have AA */
    /* Nonzero if the wanted sum of the data, for queries with a hash, includes the number of
     * answers. */
    __u32 counts_answers;
};

/* What a query of a list wants of its reply, for which no rule predicts the right data. Bits 0 to
 * 15 tell which RCODEs are right: bit n stands for RCODE n. These flags are added. */
#define WANTS_AA 0x10000U
#define WANTS_AD 0x20000U
#define WANTS_COUNT 0x40000U /* the answer section has as many records as bits 20 to 31 say */
#define WANTS_RRSIG 0x80000U /* the answer section has an RRSIG record: records_read() tells */
#define WANTS_COUNT_SHIFT 20
#define WANTS_COUNT_MAX 2047U
/* NOERROR is right. wants_data() of the data of the answers' records replaces the RCODEs and the
 * number. */
#define WANTS_DATA 0x80000000U
#define WANTS_DATA_BITS 0xfff0ffffU
/* Only the record is right that struct judge_rule wants for a test name. The number counts this
 * record and its signatures; 0 allows any number. */
#define WANTS_NAME (WANTS_DATA | WANTS_COUNT)
#define WANTS_USEFUL (1U << DNS_RCODE_NOERROR | 1U << DNS_RCODE_NXDOMAIN)
#define WANTS_ANY_RCODE 0xffffU

WIRE_FN int wants_name(__u32 wants)
{
    return (wants & WANTS_NAME) == WANTS_NAME;
}

/* Returns the bits for wanted data with this sum of question_data(). Other data have the same bits
 * with a probability of 2^-27. */
WIRE_FN __u32 wants_data(__u64 data)
{
    return WANTS_DATA | (__u32)(data & 0xffff) |
           (__u32)(data >> 16 & WANTS_COUNT_MAX) << WANTS_COUNT_SHIFT;
}

/* Returns whether the `size` octets of record data at `data` are right for the name of
 * `address`. */
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

#endif
