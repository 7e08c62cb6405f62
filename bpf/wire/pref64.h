/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * IPv4-embedded IPv6 addresses (RFC 6052 section 2.2): Pref64::/n and an IPv4 address together are
 * the data of an AAAA record. Bits 64 to 71 (octet "u") are zero for every length.
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
    __u64 high = wire_get64(prefix->bytes);
    __u64 low = wire_get64(prefix->bytes + 8);

    if (prefix->length == 96) {
        low |= address;
    } else {
        /* This number of the address' bits come after octet "u". */
        const __u32 behind = (prefix->length - 32) & 63;

        high |= (__u64)address >> behind;
        low |= (address & ((1ULL << behind) - 1)) << (56 - behind);
    }
    wire_put64(out, high);
    wire_put64(out + 8, low);
}

#endif
