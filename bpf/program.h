/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the kernel programs have in common. Only *.bpf.c include this. */
#ifndef DNSGAUGE_PROGRAM_H
#define DNSGAUGE_PROGRAM_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "wire/bytes.h"

/* Returns the address of `object`, and hides it from the compiler: the initial value of read-only
 * data is not the value that user space sets before loading. The verifier sees through this, and so
 * still removes branches on that data. */
#define OPAQUE_ADDRESS(object)                                                                     \
    ({                                                                                             \
        const void *address_ = (const void *)&(object);                                            \
        asm volatile("" : "+r"(address_));                                                         \
        address_;                                                                                  \
    })

static __always_inline struct wire_cursor frame_cursor(const struct xdp_md *ctx)
{
    struct wire_cursor cursor = {
        .pos = (__u8 *)(long)ctx->data,
        .end = (__u8 *)(long)ctx->data_end,
    };

    return cursor;
}

/* Returns the frame again, and makes the verifier forget its checks. Otherwise the verifier would
 * follow every possible number of turns of a loop over the frame's bytes to the end of the
 * program. */
static __always_inline struct wire_cursor frame_anew(const struct xdp_md *ctx)
{
    asm volatile("" : : : "memory");
    return frame_cursor(ctx);
}

/* Returns the frame's length, kept in 64 bits up to the end: the verifier refuses pointer
 * arithmetic in 32 bits. */
static __always_inline __u32 frame_length(const struct xdp_md *ctx)
{
    long length = (long)ctx->data_end - (long)ctx->data;

    asm volatile("" : "+r"(length));
    return (__u32)length;
}

#endif
