/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * FakeDNS' answers: decides which answer a query gets, and makes its bytes.
 *
 * An answer takes three steps, because growing a packet in the kernel invalidates every pointer
 * into it: answer_plan() reads the query and decides, answer_size() tells how long the message
 * becomes, and answer_write() writes it over the query. The sockets use the same three functions.
 */
#ifndef DNSGAUGE_WIRE_ANSWER_H
#define DNSGAUGE_WIRE_ANSWER_H

#include "bytes.h"
#include "dns.h"
#include "pref64.h"
#include "test_name.h"

#define ANSWER_ZONE_MAX 64 /* octets kept for a zone's name in wire form, which has 63 at most */

/* One zone FakeDNS is authoritative for. */
struct answer_zone {
    __u8 name[ANSWER_ZONE_MAX]; /* wire form, small letters */
    __u32 name_length;          /* root included: at most 63 */
    __u32 aaaa_share;           /* percent of the names that own an AAAA record */
    __u32 ttl;                  /* of every positive record */
    __u32 negative_ttl;         /* the SOA's TTL and MINIMUM (RFC 2308 section 4) */
    struct pref64 aaaa_prefix;
    __u8 server_ipv4[4]; /* the address of "ns" in the zone; all zero if there is none */
    __u8 server_ipv6[16];
};

#define ANSWER_ZONES_MAX 8 /* a power of two */
#define ANSWER_NO_ZONE ANSWER_ZONES_MAX

/* All zones that FakeDNS is authoritative for. No zone lies in another. So FakeDNS delegates
 * nothing, and there are no names without records between two zones (empty non-terminals). */
struct answer_zones {
    struct answer_zone zone[ANSWER_ZONES_MAX];
    __u32 count; /* at least one */
};

/* The kinds of answers. Each kind is also the index of its counter. */
enum answer_kind {
    ANSWER_IGNORED, /* no answer at all */
    ANSWER_A,
    ANSWER_AAAA,
    ANSWER_SOA,   /* of the zone's apex */
    ANSWER_NS,    /* of the zone's apex */
    ANSWER_HINFO, /* to ANY: RFC 8482 section 4.2 */
    ANSWER_NODATA,
    ANSWER_NXDOMAIN,
    ANSWER_REFUSED, /* not our zone, not our class, or a zone transfer */
    ANSWER_FORMERR,
    ANSWER_NOTIMP,
    ANSWER_BADVERS,
    ANSWER_KINDS
};

WIRE_ASSERT(ANSWER_KINDS <= 16, "a kind fits four bits");

struct answer {
    /* The data of an A or AAAA record. BPF takes only aligned words on its stack. */
    __u8 data[16] __attribute__((aligned(8)));
    enum answer_kind kind;
    __u32 zone; /* the number of the answer's zone; 0 if there is none */
};

#define ANSWER_OWNER (DNS_POINTER | DNS_HEADER_SIZE) /* the question's name */
#define ANSWER_A_SIZE (2 + DNS_RECORD_TAIL + 4)
#define ANSWER_AAAA_SIZE (2 + DNS_RECORD_TAIL + 16)
#define ANSWER_NS_DATA 5  /* "ns", then a pointer to the zone */
#define ANSWER_MAILBOX 13 /* "hostmaster", then a pointer to the zone */
#define ANSWER_SOA_NUMBERS 20
#define ANSWER_SOA_DATA (ANSWER_NS_DATA + ANSWER_MAILBOX + ANSWER_SOA_NUMBERS)
#define ANSWER_SOA_SIZE (2 + DNS_RECORD_TAIL + ANSWER_SOA_DATA)
#define ANSWER_NS_SIZE (2 + DNS_RECORD_TAIL + ANSWER_NS_DATA)
#define ANSWER_HINFO_DATA 9 /* "RFC8482" and an empty string */
#define ANSWER_HINFO_SIZE (2 + DNS_RECORD_TAIL + ANSWER_HINFO_DATA)

/* The longest message answer_write() makes: no answer ever needs truncation (512 octets). */
#define ANSWER_SIZE_MAX                                                                            \
    (DNS_HEADER_SIZE + DNS_NAME_MAX + DNS_QUESTION_TAIL + ANSWER_SOA_SIZE + DNS_OPT_SIZE)
WIRE_ASSERT(ANSWER_SIZE_MAX <= 512, "an answer must fit the smallest UDP limit");

#define ANSWER_SOA_SERIAL 1
#define ANSWER_SOA_REFRESH 86400
#define ANSWER_SOA_RETRY 7200
#define ANSWER_SOA_EXPIRE 3600000

/* Returns the zone to whose test namespace the question's name belongs, and sets *address to the
 * name's index. Returns ANSWER_NO_ZONE for other names. Reads only the name's bytes, root included,
 * because nothing of the message has been checked yet. */
WIRE_FN __u32 answer_test_name_zone(struct wire_cursor message, const struct answer_zones *zones,
                                    __u32 *address)
{
    const __u8 *name = message.pos + DNS_HEADER_SIZE;

    if (!wire_has(&message, DNS_HEADER_SIZE + 1 + TEST_NAME_LABEL) || name[0] != TEST_NAME_LABEL)
        return ANSWER_NO_ZONE;
    for (__u32 i = 0; i < ANSWER_ZONES_MAX; i++) {
        const struct answer_zone *zone = &zones->zone[i];

        if (i >= zones->count)
            break;
        if (wire_has(&message, DNS_HEADER_SIZE + 1 + TEST_NAME_LABEL + zone->name_length) &&
            dns_equal_folded(name + 1 + TEST_NAME_LABEL, zone->name, zone->name_length,
                             ANSWER_ZONE_MAX))
            return test_name_read(name + 1, address) ? i : ANSWER_NO_ZONE;
    }
    return ANSWER_NO_ZONE;
}

/* Returns whether the name is the zone's apex or below it. */
WIRE_FN int answer_is_in_zone(struct wire_cursor name, const struct dns_query *query,
                              const struct answer_zone *zone)
{
    struct wire_cursor tail = name;
    __u32 before;

    if (query->name_length < zone->name_length)
        return 0;
    before = query->name_length - zone->name_length;
    tail.pos = WIRE_ONE_POINTER(name.pos + WIRE_BOUNDED(before, DNS_NAME_MAX));
    return wire_has(&tail, zone->name_length) && query->label_starts >> zone->name_length & 1 &&
           dns_equal_folded(tail.pos, zone->name, zone->name_length, ANSWER_ZONE_MAX);
}

/* Returns the zone that a name is in, or ANSWER_NO_ZONE. */
WIRE_FN __u32 answer_zone_of(struct wire_cursor name, const struct dns_query *query,
                             const struct answer_zones *zones)
{
    for (__u32 i = 0; i < ANSWER_ZONES_MAX; i++) {
        if (i >= zones->count)
            break;
        if (answer_is_in_zone(name, query, &zones->zone[i]))
            return i;
    }
    return ANSWER_NO_ZONE;
}

/* Returns whether the name, which is in the zone, is "ns" directly below the apex. */
WIRE_FN int answer_is_server_name(struct wire_cursor name, const struct dns_query *query,
                                  const struct answer_zone *zone)
{
    return query->name_length == zone->name_length + 3 && wire_has(&name, 3) && name.pos[0] == 2 &&
           dns_fold(name.pos[1]) == 'n' && dns_fold(name.pos[2]) == 's';
}

WIRE_FN int answer_is_zero(const __u8 *bytes, __u32 size)
{
    __u32 any = 0;

    for (__u32 i = 0; i < size; i++)
        any |= bytes[i];
    return !any;
}

WIRE_FN enum answer_kind answer_for_test_name(const struct dns_query *query,
                                              const struct answer_zone *zone, __u32 address,
                                              struct answer *answer)
{
    if (query->type == DNS_TYPE_A) {
        wire_put32(answer->data, address);
        return ANSWER_A;
    }
    if (query->type == DNS_TYPE_AAAA && test_name_has_aaaa(address, zone->aaaa_share)) {
        pref64_embed(&zone->aaaa_prefix, address, answer->data);
        return ANSWER_AAAA;
    }
    return query->type == DNS_TYPE_ANY ? ANSWER_HINFO : ANSWER_NODATA;
}

WIRE_FN enum answer_kind answer_for_apex(const struct dns_query *query)
{
    switch (query->type) {
    case DNS_TYPE_SOA:
        return ANSWER_SOA;
    case DNS_TYPE_NS:
        return ANSWER_NS;
    case DNS_TYPE_ANY:
        return ANSWER_HINFO;
    default:
        return ANSWER_NODATA;
    }
}

WIRE_FN enum answer_kind answer_for_server(const struct dns_query *query,
                                           const struct answer_zone *zone, struct answer *answer)
{
    if (query->type == DNS_TYPE_A && !answer_is_zero(zone->server_ipv4, 4)) {
        for (int i = 0; i < 4; i++)
            answer->data[i] = zone->server_ipv4[i];
        return ANSWER_A;
    }
    if (query->type == DNS_TYPE_AAAA && !answer_is_zero(zone->server_ipv6, 16)) {
        for (int i = 0; i < 16; i++)
            answer->data[i] = zone->server_ipv6[i];
        return ANSWER_AAAA;
    }
    return query->type == DNS_TYPE_ANY ? ANSWER_HINFO : ANSWER_NODATA;
}

/* Reads the query in `message` and returns the kind of answer it gets. */
WIRE_FN enum answer_kind answer_plan(struct wire_cursor message, const struct answer_zones *zones,
                                     struct dns_query *query, struct answer *answer)
{
    struct wire_cursor name = message;
    __u32 address = 0;
    __u32 found = answer_test_name_zone(message, zones, &address);
    const int is_test_name = found < ANSWER_ZONES_MAX;
    const __u32 known_length =
        is_test_name ? 1 + TEST_NAME_LABEL + zones->zone[found].name_length : 0;
    const enum dns_query_status status = dns_read_query(message, known_length, query);

    answer->zone = 0;
    if (status == DNS_QUERY_IGNORED)
        return ANSWER_IGNORED;
    if (status == DNS_QUERY_FORMERR)
        return ANSWER_FORMERR;
    if (status == DNS_QUERY_NOTIMP)
        return ANSWER_NOTIMP;
    if (query->has_edns && query->edns_version)
        return ANSWER_BADVERS;
    if (query->class_ != DNS_CLASS_IN || query->type == DNS_TYPE_AXFR ||
        query->type == DNS_TYPE_IXFR)
        return ANSWER_REFUSED;

    if (is_test_name) {
        answer->zone = found;
        return answer_for_test_name(query, &zones->zone[found], address, answer);
    }
    if (!wire_has(&name, DNS_HEADER_SIZE))
        return ANSWER_IGNORED;
    name.pos += DNS_HEADER_SIZE;
    found = answer_zone_of(name, query, zones);
    if (found >= ANSWER_ZONES_MAX)
        return ANSWER_REFUSED;
    answer->zone = found;
    if (query->name_length == zones->zone[found].name_length)
        return answer_for_apex(query);
    if (answer_is_server_name(name, query, &zones->zone[found]))
        return answer_for_server(query, &zones->zone[found], answer);
    return ANSWER_NXDOMAIN;
}

/* Returns whether the answer has a question section. It has none if the query's question could not
 * be read. */
WIRE_FN int answer_has_question(enum answer_kind kind)
{
    return kind != ANSWER_FORMERR && kind != ANSWER_NOTIMP;
}

WIRE_FN __u32 answer_record_size(enum answer_kind kind)
{
    switch (kind) {
    case ANSWER_A:
        return ANSWER_A_SIZE;
    case ANSWER_AAAA:
        return ANSWER_AAAA_SIZE;
    case ANSWER_NS:
        return ANSWER_NS_SIZE;
    case ANSWER_HINFO:
        return ANSWER_HINFO_SIZE;
    case ANSWER_SOA:
    case ANSWER_NODATA:
    case ANSWER_NXDOMAIN:
        return ANSWER_SOA_SIZE;
    case ANSWER_IGNORED:
    case ANSWER_REFUSED:
    case ANSWER_FORMERR:
    case ANSWER_NOTIMP:
    case ANSWER_BADVERS:
    case ANSWER_KINDS:
        break;
    }
    return 0;
}

/* Returns the octets of the whole answer message. */
WIRE_FN __u32 answer_size(enum answer_kind kind, const struct dns_query *query)
{
    __u32 size = DNS_HEADER_SIZE;

    if (answer_has_question(kind)) {
        size += query->name_length + DNS_QUESTION_TAIL + answer_record_size(kind);
        if (query->has_edns)
            size += DNS_OPT_SIZE;
    }
    return size;
}

WIRE_FN __u16 answer_rcode(enum answer_kind kind)
{
    switch (kind) {
    case ANSWER_NXDOMAIN:
        return DNS_RCODE_NXDOMAIN;
    case ANSWER_REFUSED:
        return DNS_RCODE_REFUSED;
    case ANSWER_FORMERR:
        return DNS_RCODE_FORMERR;
    case ANSWER_NOTIMP:
        return DNS_RCODE_NOTIMP;
    case ANSWER_IGNORED:
    case ANSWER_A:
    case ANSWER_AAAA:
    case ANSWER_SOA:
    case ANSWER_NS:
    case ANSWER_HINFO:
    case ANSWER_NODATA:
    case ANSWER_BADVERS: /* its lower half is zero */
    case ANSWER_KINDS:
        break;
    }
    return DNS_RCODE_NOERROR;
}

/* Writes the owner name as a compression pointer, then type, class, TTL and data length. */
WIRE_PROC void answer_put_record(__u8 *record, __u16 owner, __u16 type, __u32 ttl, __u16 size)
{
    /* Stores whole words, because the checksum soon reads these octets in whole words. */
    wire_put64(record,
               (__u64)owner << 48 | (__u64)type << 32 | (__u64)DNS_CLASS_IN << 16 | ttl >> 16);
    wire_put32(record + 8, ttl << 16 | size);
}

/* Writes the name "ns" in the zone, ANSWER_NS_DATA bytes. */
WIRE_PROC void answer_put_server_name(__u8 *bytes, __u16 zone_pointer)
{
    bytes[0] = 2;
    bytes[1] = 'n';
    bytes[2] = 's';
    wire_put16(bytes + 3, zone_pointer);
}

WIRE_PROC void answer_put_soa(__u8 *record, __u16 owner, const struct answer_zone *zone)
{
    __u8 *data = record + 2 + DNS_RECORD_TAIL;
    __u8 *mailbox = data + ANSWER_NS_DATA;
    __u8 *numbers = mailbox + ANSWER_MAILBOX;

    answer_put_record(record, owner, DNS_TYPE_SOA, zone->negative_ttl, ANSWER_SOA_DATA);
    answer_put_server_name(data, owner);
    mailbox[0] = 10;
    wire_put32(mailbox + 1, 0x686f7374); /* host */
    wire_put32(mailbox + 5, 0x6d617374); /* mast */
    wire_put16(mailbox + 9, 0x6572);     /* er */
    wire_put16(mailbox + 11, owner);
    wire_put32(numbers, ANSWER_SOA_SERIAL);
    wire_put32(numbers + 4, ANSWER_SOA_REFRESH);
    wire_put32(numbers + 8, ANSWER_SOA_RETRY);
    wire_put32(numbers + 12, ANSWER_SOA_EXPIRE);
    wire_put32(numbers + 16, zone->negative_ttl);
}

/* Writes the record of `kind` at the cursor, and moves the cursor after it. Returns false if there
 * is no room. */
WIRE_FN int answer_put(struct wire_cursor *cursor, enum answer_kind kind,
                       const struct dns_query *query, const struct answer *answer,
                       const struct answer_zone *zone)
{
    const __u16 zone_pointer =
        (__u16)(DNS_POINTER | (DNS_HEADER_SIZE + query->name_length - zone->name_length));
    __u8 *record = cursor->pos;

    switch (kind) {
    case ANSWER_A:
        if (!wire_has(cursor, ANSWER_A_SIZE))
            return 0;
        answer_put_record(record, ANSWER_OWNER, DNS_TYPE_A, zone->ttl, 4);
        *(wire_any32 *)(void *)(record + 12) = wire_raw32(answer->data);
        cursor->pos += ANSWER_A_SIZE;
        return 1;
    case ANSWER_AAAA:
        if (!wire_has(cursor, ANSWER_AAAA_SIZE))
            return 0;
        answer_put_record(record, ANSWER_OWNER, DNS_TYPE_AAAA, zone->ttl, 16);
        for (int i = 0; i < 16; i += 8)
            *(wire_any64 *)(void *)(record + 12 + i) = wire_raw64(answer->data + i);
        cursor->pos += ANSWER_AAAA_SIZE;
        return 1;
    case ANSWER_NS:
        if (!wire_has(cursor, ANSWER_NS_SIZE))
            return 0;
        answer_put_record(record, ANSWER_OWNER, DNS_TYPE_NS, zone->ttl, ANSWER_NS_DATA);
        answer_put_server_name(record + 12, zone_pointer);
        cursor->pos += ANSWER_NS_SIZE;
        return 1;
    case ANSWER_HINFO:
        if (!wire_has(cursor, ANSWER_HINFO_SIZE))
            return 0;
        answer_put_record(record, ANSWER_OWNER, DNS_TYPE_HINFO, zone->ttl, ANSWER_HINFO_DATA);
        record[12] = 7;
        wire_put32(record + 13, 0x52464338); /* RFC8 */
        wire_put16(record + 17, 0x3438);     /* 48 */
        record[19] = '2';
        record[20] = 0;
        cursor->pos += ANSWER_HINFO_SIZE;
        return 1;
    case ANSWER_SOA:
    case ANSWER_NODATA:
    case ANSWER_NXDOMAIN:
        if (!wire_has(cursor, ANSWER_SOA_SIZE))
            return 0;
        answer_put_soa(record, zone_pointer, zone);
        cursor->pos += ANSWER_SOA_SIZE;
        return 1;
    case ANSWER_IGNORED:
    case ANSWER_REFUSED:
    case ANSWER_FORMERR:
    case ANSWER_NOTIMP:
    case ANSWER_BADVERS:
    case ANSWER_KINDS:
        break;
    }
    return 1;
}

WIRE_FN int answer_put_opt(struct wire_cursor *cursor, enum answer_kind kind,
                           const struct dns_query *query)
{
    __u8 *opt = cursor->pos;

    if (!wire_has(cursor, DNS_OPT_SIZE))
        return 0;
    opt[0] = 0;
    wire_put16(opt + 1, DNS_TYPE_OPT);
    wire_put16(opt + 3, DNS_UDP_SIZE);
    opt[5] = kind == ANSWER_BADVERS; /* RCODE 16: one in the upper half */
    opt[6] = 0;
    wire_put16(opt + 7, query->dnssec_ok ? DNS_OPT_DO : 0);
    wire_put16(opt + 9, 0);
    cursor->pos += DNS_OPT_SIZE;
    return 1;
}

/*
 * Writes the answer into `message`, which begins with the query and already has answer_size()
 * octets. ID and question stay as they came; all other octets are new. Returns false if the message
 * is shorter than answer_size().
 */
WIRE_FN int answer_write(struct wire_cursor message, enum answer_kind kind,
                         const struct dns_query *query, const struct answer *answer,
                         const struct answer_zones *zones)
{
    const int in_answer = kind >= ANSWER_A && kind <= ANSWER_HINFO;
    const int in_authority = kind == ANSWER_NODATA || kind == ANSWER_NXDOMAIN;
    const int has_question = answer_has_question(kind);
    const int has_opt = has_question && query->has_edns;
    __u16 flags = (__u16)(DNS_QR | (query->flags & (DNS_OPCODE | DNS_RD | DNS_CD)));

    if (in_answer || in_authority)
        flags |= DNS_AA;
    if (!wire_has(&message, DNS_HEADER_SIZE))
        return 0;
    wire_put16(message.pos + 2, (__u16)(flags | answer_rcode(kind)));
    wire_put64(message.pos + 4, (__u64)has_question << 48 | (__u64)in_answer << 32 |
                                    (__u64)in_authority << 16 | (__u64)has_opt);
    if (!has_question)
        return 1;

    if (!wire_has(&message, DNS_HEADER_SIZE + query->name_length + DNS_QUESTION_TAIL))
        return 0;
    message.pos += DNS_HEADER_SIZE + query->name_length + DNS_QUESTION_TAIL;
    if (!answer_put(&message, kind, query, answer,
                    &zones->zone[WIRE_BOUNDED(answer->zone, ANSWER_ZONES_MAX - 1)]))
        return 0;
    return !has_opt || answer_put_opt(&message, kind, query);
}

#endif
