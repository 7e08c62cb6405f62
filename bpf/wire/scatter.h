/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An order of numbers that nobody can predict without the key. It is a permutation of pairs of a
 * low half, 0..lows - 1, and a high half, 0..high_mask.
 *
 * Four rounds of a Feistel network, each of which changes one half by a keyed function of the
 * other. Each trial has a new random key. The permutation is not a proven cipher: tools/THREATS.md
 * tells what it withstands.
 */
#ifndef DNSGAUGE_WIRE_SCATTER_H
#define DNSGAUGE_WIRE_SCATTER_H

#include "bytes.h"

#define SCATTER_ROUNDS 4

/* If the key is all zeros, each pair stays as it is. */
struct scatter_key {
    __u64 add[SCATTER_ROUNDS];
    __u64 factor[SCATTER_ROUNDS]; /* odd */
};

struct scatter_space {
    __u32 lows;      /* 1 to 65,536 */
    __u32 high_mask; /* a power of two less one, at most 65,535 */
};

struct scatter_pair {
    __u32 low;
    __u32 high;
};

/* Returns the function of round `round`, 32 bits. `value` is below 2^32. */
WIRE_FN __u32 scatter_round(const struct scatter_key *key, __u32 round, __u64 value)
{
    __u64 mixed = (value + key->add[round]) * key->factor[round];

    mixed ^= mixed >> 32;
    mixed *= 0x9e3779b97f4a7c15ULL;
    return (__u32)(mixed >> 32);
}

/* Returns the function of round `round`, below space->lows. */
WIRE_FN __u32 scatter_step(const struct scatter_key *key, struct scatter_space space, __u32 round,
                           __u64 value)
{
    return (__u32)((__u64)scatter_round(key, round, value) * space.lows >> 32);
}

/* Returns `low`, or low + lows if `low` is negative; `low` is -lows to lows - 1. Has no branch,
 * because no CPU could predict it. */
WIRE_FN __u32 scatter_wrap(__s64 low, __u32 lows)
{
    return (__u32)(low + (low >> 63 & lows));
}

/* Permutes `pair`. Each `tweak` of 16 bits makes another permutation. */
WIRE_FN struct scatter_pair scatter(struct scatter_pair pair, const struct scatter_key *key,
                                    struct scatter_space space, __u32 tweak)
{
    const __u64 lane = (__u64)tweak << 16;

    pair.high ^= scatter_round(key, 0, lane + pair.low) & space.high_mask;
    pair.low = scatter_wrap(
        (__s64)pair.low + scatter_step(key, space, 1, lane + pair.high) - space.lows, space.lows);
    pair.high ^= scatter_round(key, 2, lane + pair.low) & space.high_mask;
    pair.low = scatter_wrap(
        (__s64)pair.low + scatter_step(key, space, 3, lane + pair.high) - space.lows, space.lows);
    return pair;
}

/* Undoes scatter(). If the halves are outside the space, the result may be outside it, too. */
WIRE_FN struct scatter_pair gather(struct scatter_pair pair, const struct scatter_key *key,
                                   struct scatter_space space, __u32 tweak)
{
    const __u64 lane = (__u64)tweak << 16;

    pair.low =
        scatter_wrap((__s64)pair.low - scatter_step(key, space, 3, lane + pair.high), space.lows);
    pair.high ^= scatter_round(key, 2, lane + pair.low) & space.high_mask;
    pair.low =
        scatter_wrap((__s64)pair.low - scatter_step(key, space, 1, lane + pair.high), space.lows);
    pair.high ^= scatter_round(key, 0, lane + pair.low) & space.high_mask;
    return pair;
}

#endif
