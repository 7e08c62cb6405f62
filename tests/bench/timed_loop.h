// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Loops that time an XDP program from inside the kernel. Each turn restores the frame and calls the
 * function under examination, or an empty function, whose time is then subtracted.
 *
 * Included by *_cost.bpf.c after the program's own source and the definition of
 * EXAMINED(ctx), the program's body.
 */
#include "timed_loop_abi.h"
#include "wire/packet.h"

const volatile struct cost_setup setup = {};
struct cost_result result = {};
__u8 frame[COST_FRAME_MAX] = {};

/* Global functions: the verifier checks each alone, and the compiler calls instead of inlining
 * them. */
__noinline int examined(struct xdp_md *ctx)
{
    return EXAMINED(ctx);
}

__noinline int nothing(struct xdp_md *ctx)
{
    return ctx->data == ctx->data_end ? XDP_ABORTED : XDP_PASS;
}

struct turns {
    struct xdp_md *ctx;
    __u32 expected; /* turns that ended with the expected action */
};

/* Prepares the frame or the slot for turn `turn`. Returns false if it cannot. The includer defines
 * it. */
static __always_inline int restore(struct xdp_md *ctx, __u32 turn);

/* Defines a program that times the turns which call BODY, and must get ACTION. */
#define TIMED_LOOP(name, body, wanted_action)                                                      \
    static long name##_turn(__u32 turn, void *data)                                                \
    {                                                                                              \
        struct turns *turns = data;                                                                \
                                                                                                   \
        if (!restore(turns->ctx, turn))                                                            \
            return 1;                                                                              \
        turns->expected += body(turns->ctx) == (int)(wanted_action);                               \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    SEC("xdp") int name(struct xdp_md *ctx)                                                        \
    {                                                                                              \
        struct turns turns = {.ctx = ctx};                                                         \
        const __u64 start = bpf_ktime_get_ns();                                                    \
                                                                                                   \
        result.turns = (__u64)bpf_loop(result.wanted, name##_turn, &turns, 0);                     \
        result.ns = bpf_ktime_get_ns() - start;                                                    \
        result.expected = turns.expected;                                                          \
        return XDP_PASS;                                                                           \
    }

TIMED_LOOP(time_examined, examined, setup.action)
TIMED_LOOP(time_nothing, nothing, XDP_PASS)
