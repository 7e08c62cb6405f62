/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * IPv4-embedded IPv6 addresses (RFC 6052 section 2.2): Pref64::/n and an IPv4 address make one
 * AAAA record's data. Bits 64 to 71 (octet "u") are zero for every length.
 */
#ifndef DNSGAUGE_WIRE_PREF64_H
#define DNSGAUGE_WIRE_PREF64_H

#include "bytes.h"

struct pref64 {
    __u8 bytes[16]; /* host part zero */
    __u32 length;   /* 32, 40, 48, 56, 64 or 96 */
};

WIRE_FN int pref64_length_ok(__u32 length)
{
    return length == 32 || length == 40 || length == 48 || length == 56 || length == 64 ||
           length == 96;
}

/* Writes the 16 bytes of `prefix` with `address` (host order) embedded at `out`. */
WIRE_PROC void pref64_embed(const struct pref64 *prefix, __u32 address, __u8 *out)
{
    for (int i = 0; i < 16; i += 4)
        *(wire_any32 *)(void *)(out + i) = wire_raw32(prefix->bytes + i);

    switch (prefix->length) {
    case 32:
        wire_put32(out + 4, address);
        break;
    case 40:
        wire_put16(out + 5, (__u16)(address >> 16));
        out[7] = (__u8)(address >> 8);
        out[9] = (__u8)address;
        break;
    case 48:
        wire_put16(out + 6, (__u16)(address >> 16));
        wire_put16(out + 9, (__u16)address);
        break;
    case 56:
        out[7] = (__u8)(address >> 24);
        wire_put16(out + 9, (__u16)(address >> 8));
        out[11] = (__u8)address;
        break;
    case 64:
        wire_put32(out + 9, address);
        break;
    default:
        wire_put32(out + 12, address);
        break;
    }
}

#endif
