// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "reply_clock.bpf.c"

#ifndef EXAMINED
#define EXAMINED(ctx) clock_frame(ctx, EXPECTS_NAME, 0)
#endif
#include "timed_loop.h"

/* Makes the frame the answer to the next query, and that query outstanding again. */
static __always_inline int restore(struct xdp_md *ctx, __u32 turn)
{
    const __u32 number = turn & (COST_SLOTS - 1);
    struct query_slot *slot = bpf_map_lookup_elem(&slots, &number);
    struct wire_cursor udp = frame_cursor(ctx);

    udp.pos += setup.udp_offset & (COST_FRAME_MAX - 1);
    if (!slot || !wire_has(&udp, PACKET_UDP_SIZE + 2))
        return 0;
    slot->word = slot_word(QUERY_OUTSTANDING, 0, 0);
    wire_put16(udp.pos + PACKET_UDP_SIZE, (__u16)number);
    *(wire_any16 *)(void *)(udp.pos + PACKET_UDP_CHECKSUM) =
        checksum_udp_field(setup.sum_without_id + WIRE_BE16(number));
    return 1;
}
