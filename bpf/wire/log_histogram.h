/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The bucket of a duration in a log-linear histogram: exact below 128 ns, then 128 buckets per
 * power of two, so that a bucket is never wider than 1/128 (0.8 %) of its value. The callers hold
 * the counts: the kernel counts RTTs, the Tester's senders count lateness.
 */
#ifndef DNSGAUGE_WIRE_LOG_HISTOGRAM_H
#define DNSGAUGE_WIRE_LOG_HISTOGRAM_H

#include "bytes.h"

#define LOG_HISTOGRAM_BITS 7
#define LOG_HISTOGRAM_LINEAR (1U << LOG_HISTOGRAM_BITS)
#define LOG_HISTOGRAM_MAX_BITS 36 /* 68.7 s; the last bucket also counts longer durations */
#define LOG_HISTOGRAM_BUCKETS                                                                      \
    ((LOG_HISTOGRAM_MAX_BITS - LOG_HISTOGRAM_BITS + 1) * LOG_HISTOGRAM_LINEAR)

/* Returns the bucket of `value`, 0..LOG_HISTOGRAM_BUCKETS - 1. */
WIRE_FN __u32 log_histogram_bucket(__u64 value)
{
    __u32 shift = 0;

    if (value >> LOG_HISTOGRAM_MAX_BITS)
        return LOG_HISTOGRAM_BUCKETS - 1;
    /* The position of the highest bit, by halves: BPF has no instruction for it. */
    for (__u32 half = 16; half; half /= 2)
        if (value >> shift >> half >= LOG_HISTOGRAM_LINEAR)
            shift += half;
    return shift * LOG_HISTOGRAM_LINEAR + (__u32)(value >> shift);
}

/* Returns the smallest value in `bucket`; for LOG_HISTOGRAM_BUCKETS, the first value above all
 * buckets. */
WIRE_FN __u64 log_histogram_floor(__u32 bucket)
{
    const __u32 group = bucket / LOG_HISTOGRAM_LINEAR;

    if (group < 2)
        return bucket;
    return (__u64)(bucket % LOG_HISTOGRAM_LINEAR + LOG_HISTOGRAM_LINEAR) << (group - 1);
}

#endif
