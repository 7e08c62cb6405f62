/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The Internet checksum (RFC 1071), always computed in full: a packet that came through the
 * kernel's stack over veth carries a partial checksum, and patching a partial checksum gives a
 * wrong one.
 *
 * Sums stay unfolded in 64 bits and in memory order, which the arithmetic allows (RFC 1071 section
 * 2(B)). So octets are never swapped.
 */
#ifndef DNSGAUGE_WIRE_CHECKSUM_H
#define DNSGAUGE_WIRE_CHECKSUM_H

#include "bytes.h"

/* Returns `sum` plus the bytes from `cursor` to its end, at most `max` (a constant) bytes. An odd
 * last byte counts as if a zero followed. */
WIRE_FN __u64 checksum_add(__u64 sum, struct wire_cursor cursor, __u32 max)
{
    for (__u32 i = 0; i < max / 16; i++) {
        if (!wire_has(&cursor, 16))
            break;
        sum += (__u64)wire_raw32(cursor.pos) + wire_raw32(cursor.pos + 4) +
               wire_raw32(cursor.pos + 8) + wire_raw32(cursor.pos + 12);
        cursor.pos += 16;
    }
    if (wire_has(&cursor, 8)) {
        sum += (__u64)wire_raw32(cursor.pos) + wire_raw32(cursor.pos + 4);
        cursor.pos += 8;
    }
    if (wire_has(&cursor, 4)) {
        sum += wire_raw32(cursor.pos);
        cursor.pos += 4;
    }
    if (wire_has(&cursor, 2)) {
        sum += wire_raw16(cursor.pos);
        cursor.pos += 2;
    }
    if (wire_has(&cursor, 1))
        sum += WIRE_BE16((__u16)((__u16)*cursor.pos << 8));
    return sum;
}

/* Returns `sum` folded to 16 bits, not complemented. */
WIRE_FN __u16 checksum_fold(__u64 sum)
{
    sum = (sum >> 32) + (sum & 0xffffffff);
    sum = (sum >> 32) + (sum & 0xffffffff);
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    return (__u16)sum;
}

/* Returns the checksum field for `sum`, in memory order: store it as it is. */
WIRE_FN __u16 checksum_field(__u64 sum)
{
    return (__u16)~checksum_fold(sum);
}

/* Returns the same for UDP, where zero means "no checksum": a checksum of zero is sent as all ones
 * (RFC 768). */
WIRE_FN __u16 checksum_udp_field(__u64 sum)
{
    const __u16 field = checksum_field(sum);

    return field ? field : 0xffff;
}

#endif
