// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns.bpf.c"

#define EXAMINED(ctx) bounce(ctx, answer_timed(ctx))
#include "timed_loop.h"

/* Gives the frame its length and its bytes back. */
static __always_inline int restore(struct xdp_md *ctx, __u32 turn)
{
    (void)turn;
    const __u32 length = setup.frame_length;
    const __u32 rest = (length - 8) & (COST_FRAME_MAX - 1);
    struct wire_cursor cursor;

    /* The difference goes in front of the frame. */
    if (bpf_xdp_adjust_head(ctx, (int)(frame_length(ctx) - length)))
        return 0;
    cursor = frame_cursor(ctx);
    for (__u32 i = 0; i < COST_FRAME_MAX; i += 8) {
        if (i + 8 > length || cursor.pos + i + 8 > cursor.end)
            break;
        *(wire_any64 *)(void *)(cursor.pos + i) = wire_raw64(frame + i);
    }
    /* The last eight bytes overlap bytes that the loop has written. */
    cursor.pos += rest;
    if (rest + 8 > COST_FRAME_MAX || !wire_has(&cursor, 8))
        return 0;
    *(wire_any64 *)(void *)cursor.pos = wire_raw64(frame + rest);
    return 1;
}
