/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the kernel programs have in common. Included by *.bpf.c alone. */
#ifndef DNSGAUGE_PROGRAM_H
#define DNSGAUGE_PROGRAM_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "wire/bytes.h"

/* The address of `object`, of which the compiler then knows nothing: it must not take the
 * initial value of read-only data that user space sets before loading for its last one. The
 * verifier sees through this, so branches on that data are still removed. */
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

/* The frame once more, without what has been checked of it: after a loop over its bytes the
 * verifier would otherwise follow each number of turns to the end of the program. */
static __always_inline struct wire_cursor frame_anew(const struct xdp_md *ctx)
{
    asm volatile("" : : : "memory");
    return frame_cursor(ctx);
}

/* Kept in 64 bits up to the end: the verifier refuses pointer arithmetic in 32. */
static __always_inline __u32 frame_length(const struct xdp_md *ctx)
{
    long length = (long)ctx->data_end - (long)ctx->data;

    asm volatile("" : "+r"(length));
    return (__u32)length;
}

#endif
