/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Limits the answers to one client's network by a token bucket. The bucket is stored as one number,
 * the time at which it will be full again. A full bucket holds the tokens of one second.
 *
 * Several CPUs may take tokens from one bucket at once without a lock; then several tokens may
 * count as one. The bucket need not be exact: it limits how much traffic somebody can reflect at a
 * victim by forging the victim's address.
 */
#ifndef DNSGAUGE_WIRE_TOKEN_BUCKET_H
#define DNSGAUGE_WIRE_TOKEN_BUCKET_H

#include "bytes.h"

#define TOKEN_BUCKET_SECOND 1000000000ULL

/* Octets of an address that make a client's network: an IPv4 /24, an IPv6 /56. */
#define TOKEN_BUCKET_IPV4_OCTETS 3
#define TOKEN_BUCKET_IPV6_OCTETS 7

/* A bucket of zeros is full. */
struct token_bucket {
    __u64 full_ns;
};

/* Returns the network of a client as one number, whose lowest octet tells the address family. */
WIRE_FN __u64 token_bucket_network(const __u8 *address, int is_ipv6)
{
    if (is_ipv6)
        return (wire_get64(address) & ~0xffULL) | TOKEN_BUCKET_IPV6_OCTETS;
    return (__u64)(wire_get32(address) >> 8) << 40 | TOKEN_BUCKET_IPV4_OCTETS;
}

/* Takes a token. The bucket gains one token every `interval_ns`. Returns false if the bucket is
 * empty. */
WIRE_FN int token_bucket_take(struct token_bucket *bucket, __u64 now_ns, __u64 interval_ns)
{
    const __u64 full = bucket->full_ns > now_ns ? bucket->full_ns : now_ns;

    if (full + interval_ns > now_ns + TOKEN_BUCKET_SECOND)
        return 0;
    bucket->full_ns = full + interval_ns;
    return 1;
}

#endif
