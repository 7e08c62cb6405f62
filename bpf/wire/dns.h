/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * DNS messages (RFC 1035 section 4, EDNS: RFC 6891): constants, names, and the parser of queries.
 */
#ifndef DNSGAUGE_WIRE_DNS_H
#define DNSGAUGE_WIRE_DNS_H

#include "bytes.h"

#define DNS_HEADER_SIZE 12
#define DNS_QUESTION_TAIL 4 /* type and class after the name */
#define DNS_RECORD_TAIL 10  /* type, class, TTL and data length after the owner name */
#define DNS_NAME_MAX 255
#define DNS_LABEL_MAX 63
#define DNS_LABELS_MAX 128 /* one of them the root's */

/* The flags word of the header. */
#define DNS_QR 0x8000
#define DNS_OPCODE 0x7800
#define DNS_AA 0x0400
#define DNS_TC 0x0200
#define DNS_RD 0x0100
#define DNS_RA 0x0080
#define DNS_Z 0x0040 /* reserved, must be zero */
#define DNS_AD 0x0020
#define DNS_CD 0x0010
#define DNS_RCODE 0x000f

#define DNS_RCODE_NOERROR 0
#define DNS_RCODE_FORMERR 1
#define DNS_RCODE_SERVFAIL 2
#define DNS_RCODE_NXDOMAIN 3
#define DNS_RCODE_NOTIMP 4
#define DNS_RCODE_REFUSED 5
#define DNS_RCODE_YXDOMAIN 6
#define DNS_RCODE_BADVERS 16
#define DNS_RCODE_BADCOOKIE 23
#define DNS_RCODES 16 /* RCODEs of the header; extended RCODEs need EDNS */
/* Counts by RCODE: one for each RCODE from 0 to 30, and the last one for 31 and above. IANA has
 * assigned none between 23 and the private ones from 3841 on. */
#define DNS_RCODE_COUNTS 32

#define DNS_TYPE_A 1
#define DNS_TYPE_NS 2
#define DNS_TYPE_CNAME 5
#define DNS_TYPE_SOA 6
#define DNS_TYPE_HINFO 13
#define DNS_TYPE_AAAA 28
#define DNS_TYPE_DNAME 39
#define DNS_TYPE_OPT 41
#define DNS_TYPE_RRSIG 46
#define DNS_TYPE_IXFR 251
#define DNS_TYPE_AXFR 252
#define DNS_TYPE_ANY 255
#define DNS_CLASS_IN 1
#define DNS_CLASS_ANY 255

#define DNS_OPT_SIZE 11         /* an OPT record without options, its root owner included */
#define DNS_OPT_DO 0x8000       /* in the low half of its TTL field */
#define DNS_OPTION_HEAD 4       /* an option's code and length, in an OPT record */
#define DNS_OPTION_KEEPALIVE 11 /* RFC 7828 */
#define DNS_OPTION_PADDING 12   /* RFC 7830 */
#define DNS_UDP_SIZE 1232       /* what our OPT offers: dnsflagday.net/2020 */
#define DNS_POINTER 0xc000      /* a compression pointer's two top bits */

enum dns_query_status {
    DNS_QUERY_GOOD,    /* one question, at most one OPT record, nothing else */
    DNS_QUERY_IGNORED, /* shorter than a header, or itself a response: never answered */
    DNS_QUERY_FORMERR,
    DNS_QUERY_NOTIMP, /* an opcode other than QUERY */
};

struct dns_query {
    __u64 label_starts; /* of the question's name (dns_skip_name()); 0 with a known_length */
    __u16 flags;        /* of the header; set unless the status is DNS_QUERY_IGNORED */
    __u16 type;         /* this and all members below are set only with DNS_QUERY_GOOD */
    __u16 class_;       /* ("class" is a word of C++) */
    __u16 name_length;  /* octets of the question's name, root included: 1..255 */
    __u8 has_edns;
    __u8 edns_version;
    __u8 dnssec_ok;
};

/*
 * Moves the cursor after an uncompressed name. Returns the name's length, 1..255. Returns 0, and
 * does not move the cursor, if the name is compressed, too long or cut off. Sets bit n of *starts
 * (n up to 63) if a label starts n octets before the name's end, so that the caller can tell a
 * suffix from the inside of a label.
 */
WIRE_FN __u32 dns_skip_name(struct wire_cursor *cursor, __u64 *starts)
{
    __u8 *pos = cursor->pos;
    __u32 length = 0;
    __u64 seen = 0;

    for (int i = 0; i < DNS_LABELS_MAX; i++) {
        __u32 label;

        if (pos + 1 > cursor->end)
            return 0;
        label = *pos;
        if (label > DNS_LABEL_MAX)
            return 0;
        pos += 1 + label;
        length += 1 + label;
        seen = (seen | 1) << label << 1;
        if (length > DNS_NAME_MAX)
            return 0;
        if (!label) {
            length = WIRE_BOUNDED(length, DNS_NAME_MAX);
            cursor->pos += length;
            *starts = seen;
            return length;
        }
    }
    return 0;
}

/* Returns the number of octets that end a name: one for the root, or two for a pointer. `first` is
 * the first of them. There is no branch here, so the verifier follows the rest of a record once,
 * not twice.
 */
WIRE_FN __u32 dns_name_end(__u32 first)
{
    return 1 + (first >> 7);
}

/* Returns which of the DNS_RCODE_COUNTS counts the RCODE belongs to. */
WIRE_FN __u32 dns_rcode_count(__u32 rcode)
{
    return rcode < DNS_RCODE_COUNTS ? rcode : DNS_RCODE_COUNTS - 1;
}

/* Reads the message at `cursor`, whose end is the message's end. `known_length` is the length of
 * the question's name if the caller has recognised it already, so that its labels are not read
 * again; otherwise 0. */
WIRE_FN enum dns_query_status dns_read_query(struct wire_cursor cursor, __u32 known_length,
                                             struct dns_query *query)
{
    __u16 additional;

    query->has_edns = 0;
    if (!wire_has(&cursor, DNS_HEADER_SIZE))
        return DNS_QUERY_IGNORED;
    query->flags = wire_get16(cursor.pos + 2);
    if (query->flags & DNS_QR)
        return DNS_QUERY_IGNORED;
    if (query->flags & DNS_OPCODE)
        return DNS_QUERY_NOTIMP;
    additional = wire_get16(cursor.pos + 10);
    if (wire_get16(cursor.pos + 4) != 1 || wire_raw32(cursor.pos + 6) || additional > 1)
        return DNS_QUERY_FORMERR;
    cursor.pos += DNS_HEADER_SIZE;

    if (known_length) {
        if (!wire_has(&cursor, known_length))
            return DNS_QUERY_FORMERR;
        query->name_length = (__u16)WIRE_BOUNDED(known_length, DNS_NAME_MAX);
        query->label_starts = 0;
        cursor.pos += known_length;
    } else {
        query->name_length = (__u16)dns_skip_name(&cursor, &query->label_starts);
    }
    if (!query->name_length || !wire_has(&cursor, DNS_QUESTION_TAIL))
        return DNS_QUERY_FORMERR;
    query->type = wire_get16(cursor.pos);
    query->class_ = wire_get16(cursor.pos + 2);
    cursor.pos += DNS_QUESTION_TAIL;

    if (additional) {
        if (!wire_has(&cursor, DNS_OPT_SIZE) || cursor.pos[0] ||
            wire_get16(cursor.pos + 1) != DNS_TYPE_OPT)
            return DNS_QUERY_FORMERR;
        query->has_edns = 1;
        query->edns_version = cursor.pos[6];
        query->dnssec_ok = (wire_get16(cursor.pos + 7) & DNS_OPT_DO) != 0;
        /* The verifier of Linux 6.1 knows nothing of a number whose octets were swapped. */
        const __u32 options = WIRE_BOUNDED(wire_get16(cursor.pos + 9), 0xffff);
        cursor.pos += DNS_OPT_SIZE;
        if (!wire_has(&cursor, options))
            return DNS_QUERY_FORMERR;
        cursor.pos += options;
    }
    if (cursor.pos != cursor.end)
        return DNS_QUERY_FORMERR;
    return DNS_QUERY_GOOD;
}

/* Returns eight bytes: 0x20, the bit that makes a letter small, for each byte that is an ASCII
 * capital, and 0 for each other byte. */
WIRE_FN __u64 dns_capitals8(__u64 bytes)
{
    const __u64 ones = 0x0101010101010101ULL;
    const __u64 low_bits = bytes & 0x7f * ones;
    const __u64 above_z = low_bits + (0x7f - 'Z') * ones;
    const __u64 from_a = low_bits + (0x80 - 'A') * ones;

    return (~bytes & (from_a ^ above_z) & 0x80 * ones) >> 2;
}

/* Returns eight bytes with every ASCII capital made small (RFC 4343). */
WIRE_FN __u64 dns_fold8(__u64 bytes)
{
    return bytes | dns_capitals8(bytes);
}

WIRE_FN __u8 dns_fold(__u8 byte)
{
    return (__u8)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
}

/* Returns whether the `length` bytes at `bytes` equal the bytes at `folded` if their letters are
 * made small; `folded` has small letters already. This is right for names in wire form, too,
 * because a length octet is below every letter. The caller has checked that both are in their
 * buffers, and that length <= max, a constant. */
WIRE_FN int dns_equal_folded(const __u8 *bytes, const __u8 *folded, __u32 length, __u32 max)
{
    if (length < 8) {
        for (__u32 i = 0; i < 7; i++) {
            if (i >= length)
                break;
            if (dns_fold(bytes[i]) != folded[i])
                return 0;
        }
        return 1;
    }
    for (__u32 i = 0; i < max; i += 8) {
        if (i + 8 > length)
            break;
        if (dns_fold8(wire_raw64(bytes + i)) != wire_raw64(folded + i))
            return 0;
    }
    /* Compares the last eight bytes, some of them again. So it reads no byte beyond `length`. */
    return dns_fold8(wire_raw64(bytes + length - 8)) == wire_raw64(folded + length - 8);
}

#endif
