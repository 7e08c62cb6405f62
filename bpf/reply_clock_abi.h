/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What reply_clock.bpf.c and the Tester share: configuration, slots, counters.
 *
 * The program finds a reply's query by the query's identity, which has 32 bits: source port and
 * transaction ID. Each sender numbers its queries n = 0, 1, 2, … If the sender has P ports,
 * scatter() turns the pair n mod P and n / P into the number of a port and a transaction ID. So no
 * identity comes again before all P × 65,536 have been used. Nobody without the trial's key can
 * tell the next identity from earlier ones, so an answer before its query takes a guess. The
 * sender's number is the tweak. The program finds n by gather(). Its slot is n mod S of the
 * sender's S slots; S is a power of two, at least twice what can be outstanding. The rest of n, n /
 * S, is the slot's tag, which distinguishes replies to earlier queries of the slot from replies to
 * the present one.
 *
 * If queries keep their clients' ports (id_bits), the transaction ID alone is the identity: its
 * upper bits number the sender, and the others are n, scattered with the client's port as the
 * tweak. The client's port is also part of what the slot expects.
 */
#ifndef DNSGAUGE_REPLY_CLOCK_ABI_H
#define DNSGAUGE_REPLY_CLOCK_ABI_H

#include "wire/judge.h"
#include "wire/log_histogram.h"
#include "wire/query_state.h"
#include "wire/records.h"
#include "wire/scatter.h"

/* Read-only data of the program, set before it is loaded. */
struct reply_clock_config {
    struct judge_rule rule;
    __u64 timeout_ns;        /* a reply is in time if its RTT is at most this */
    __u8 server_address[16]; /* IPv4 in the first four octets */
    __u8 tester_address[16];
    __u8 client_bits[16]; /* ones for the bits of the Tester's address that are the client's */
    __u16 server_port;    /* host order, as all ports here */
    __u16 first_port;     /* of the first sender; the others' follow */
    __u32 ports;          /* P, of each sender */
    __u32 senders;
    __u32 slot_bits; /* S = 1 << slot_bits, of each sender */
    __u8 is_ipv6;
    __u8 has_clients; /* a slot's expectation includes question_client() of the client's address */
    __u8 reads_data;  /* some slot has WANTS_DATA: the program judges data */
    /* The number of bits of a transaction ID that number a sender's queries. The bits above them
     * number the sender, and the port is the client's own. If 0, ports and transaction IDs number
     * the queries. */
    __u8 id_bits;
    struct question_key questions; /* the hashes' key, for programs that judge by the question */
    struct scatter_key identities;
};

/* Returns the halves of a sender's identities: ports and transaction IDs, or the lower and upper
 * bits of the query's number in the transaction ID. */
WIRE_FN struct scatter_space identity_space_of(__u32 ports, __u32 id_bits)
{
    struct scatter_space space = {ports, 0xffff};

    if (id_bits) {
        space.lows = 1U << id_bits / 2;
        space.high_mask = (1U << (id_bits - id_bits / 2)) - 1;
    }
    return space;
}

/*
 * One outstanding query. The sender writes sent_ns and expectation, then publishes the slot by
 * storing its state word. The program claims the slot by compare-and-exchange of that word alone,
 * which holds all its results: RTT, RCODE, tag and state.
 */
struct query_slot {
    __u64 word;        /* rtt_ns << 28 | RCODE << 23 | tag << 4 | enum query_state */
    __u64 sent_ns;     /* CLOCK_MONOTONIC */
    __u64 expectation; /* the test name's address, or question_hash() of any other query */
    __u32 hardware_ns; /* slot_stamp() of the reply; written before the word, by one program only */
    __u32 wants;       /* of the reply to a query for no test name: WANTS_AA and so on */
};

#define SLOT_STATE_BITS 4
/* The RCODE's fifth bit is taken from the tag. So a sender has at least 8,192 slots, though 4,096
 * would suffice for up to 2,000 outstanding queries: this costs 128 KiB. Taking a bit of the RTT
 * instead would limit timeouts to 34 seconds. */
#define SLOT_TAG_BITS 19
#define SLOT_RCODE_BITS 5
#define SLOT_RTT_BITS 36
#define SLOT_BITS_MIN 13 /* identities have 32 bits: with fewer slots the tag would not fit */
#define SLOT_RTT_MAX ((1ULL << SLOT_RTT_BITS) - 1)

WIRE_FN __u64 slot_word(enum query_state state, __u32 tag, __u64 rtt_ns)
{
    return rtt_ns << (SLOT_RCODE_BITS + SLOT_TAG_BITS + SLOT_STATE_BITS) |
           (__u64)tag << SLOT_STATE_BITS | (__u64)state;
}

/* Returns dns_rcode_count() of the RCODE as bits of a word. The word that slot_word() makes has
 * zeros there. */
WIRE_FN __u64 slot_rcode_bits(__u32 rcode)
{
    return (__u64)dns_rcode_count(rcode) << (SLOT_TAG_BITS + SLOT_STATE_BITS);
}

/* Returns dns_rcode_count() of the RCODE. */
WIRE_FN __u32 slot_rcode(__u64 word)
{
    return (__u32)(word >> (SLOT_TAG_BITS + SLOT_STATE_BITS)) & (DNS_RCODE_COUNTS - 1);
}

WIRE_FN enum query_state slot_state(__u64 word)
{
    return (enum query_state)(word & ((1U << SLOT_STATE_BITS) - 1));
}

WIRE_FN __u32 slot_tag(__u64 word)
{
    return (__u32)(word >> SLOT_STATE_BITS) & ((1U << SLOT_TAG_BITS) - 1);
}

WIRE_FN __u64 slot_rtt(__u64 word)
{
    return word >> (SLOT_RCODE_BITS + SLOT_TAG_BITS + SLOT_STATE_BITS);
}

/* Returns the part of a card's stamp that a slot holds; 0 only if there is no stamp. */
WIRE_FN __u32 slot_stamp(__u64 stamp)
{
    return stamp != 0 && (__u32)stamp == 0 ? 1 : (__u32)stamp;
}

/* Per-CPU counters: one for each judgement, in their order, then late replies, then packets that
 * decided nothing about a query. */
#define CLASS_COUNTER(NAME, key, label, reason, kind) REPLY_##NAME,
#define STRAY_COUNTER(NAME, key, label, fate, kind) REPLY_##NAME,
enum reply_counter {
    MISFIT_CLASSES(CLASS_COUNTER) REPLY_VALID,
    WRONG_ANSWER_CLASSES(CLASS_COUNTER) REPLY_LATE,
    STRAY_CLASSES(STRAY_COUNTER) REPLY_PASSED, /* all that was passed to the kernel, also strays */
    REPLY_COUNTERS
};
#undef CLASS_COUNTER
#undef STRAY_COUNTER

/* Returns the counter of the queries whose reply got this judgement in time. */
WIRE_FN enum reply_counter counter_for(enum judgement judgement)
{
    return (enum reply_counter)judgement;
}

struct reply_totals {
    __u64 count[REPLY_COUNTERS];
    __u64 rcodes[DNS_RCODE_COUNTS];      /* of the replies that decided their query */
    __u64 late_rcodes[DNS_RCODE_COUNTS]; /* of late replies only */
    /* RTT of the valid replies. The squares count in units of 16 ns, as a 128-bit number. */
    __u64 rtt_sum;
    __u64 rtt_square_low;
    __u64 rtt_square_high;
    __u64 rtt_min; /* meaningless while count[REPLY_VALID] is zero */
    __u64 rtt_max;
};

#define REPLY_RTT_SQUARE_SHIFT 4

/* The replies that decided their query. Sizes count the DNS message. */
#define REPLY_SIZE_STEP 16 /* octets: sizes[n] counts 16 n to 16 n + 15 */
#define REPLY_SIZES 129    /* up to PACKET_DATAGRAM_MAX */
struct reply_traits {
    __u64 sizes[REPLY_SIZES];
    __u64 octets; /* of all of them together */
    __u64 largest;
    __u64 smallest_gap; /* REPLY_SIZES times the step, less the smallest size */
#define TRAIT_COUNTER(key) __u64 key;
    REPLY_TRAITS(TRAIT_COUNTER)
#undef TRAIT_COUNTER
};

struct rtt_histogram {
    __u64 count[LOG_HISTOGRAM_BUCKETS];
};

WIRE_ASSERT(sizeof(struct judge_rule) == 124, "layout differs between kernel and user space");
WIRE_ASSERT(sizeof(struct question_key) == 288, "layout differs between both sides");
WIRE_ASSERT(sizeof(struct reply_clock_config) == 560, "layout differs between both sides");
WIRE_ASSERT(sizeof(struct query_slot) == 32, "layout differs between kernel and user space");
WIRE_ASSERT(sizeof(struct rtt_histogram) <= 32768, "a per-CPU value holds at most 32 KiB");
/* counter_for() relies on this order. */
#define CHECK_CLASS(NAME, key, label, reason, kind)                                                \
    WIRE_ASSERT((int)REPLY_##NAME == (int)JUDGE_##NAME, "order of " #NAME);
INVALID_CLASSES(CHECK_CLASS)
CHECK_CLASS(VALID, , , , )
#undef CHECK_CLASS
WIRE_ASSERT(QUERY_STATES <= 1 << SLOT_STATE_BITS, "a slot's word has room for each state");
WIRE_ASSERT(SLOT_RTT_BITS + SLOT_RCODE_BITS + SLOT_TAG_BITS + SLOT_STATE_BITS == 64,
            "a slot's word is full");
WIRE_ASSERT(SLOT_BITS_MIN + SLOT_TAG_BITS == 32, "slot and tag are all of an identity");
WIRE_ASSERT(DNS_RCODE_COUNTS == 1 << SLOT_RCODE_BITS, "a slot's word has room for each count");
WIRE_ASSERT(LOG_HISTOGRAM_MAX_BITS >= SLOT_RTT_BITS, "every RTT has its bucket");

#endif
