// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The echo in the kernel: a query goes back through the interface that it came from, as its own
 * reply. A second program hands queries to AF_XDP sockets instead, one socket for each receive
 * queue.
 */
#include "program.h"

#include "bounce.h"
#include "echo_abi.h"
#include "wire/echo.h"

const volatile __u16 port = 0; /* UDP port that is echoed, host order */

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct echo_counters);
} counters SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_XSKMAP);
    __uint(max_entries, ECHO_QUEUES_MAX);
    __type(key, __u32);
    __type(value, __u32);
} sockets SEC(".maps");

static __always_inline void count(__u32 counter)
{
    const __u32 key = 0;
    struct echo_counters *mine = bpf_map_lookup_elem(&counters, &key);

    if (mine && counter < ECHO_COUNTERS)
        mine->value[counter]++;
}

static __always_inline __u16 our_port(void)
{
    return *(const volatile __u16 *)OPAQUE_ADDRESS(port);
}

/* Turns the frame with the query into the frame with its echo. This is a global function, so the
 * verifier checks it once, and not once for each way to read a frame. The verifier knows nothing
 * about a global function's arguments, so the function checks their bounds again. */
__noinline int send_echo(struct xdp_md *ctx, struct packet *read)
{
    struct packet packet;

    if (!read)
        return XDP_ABORTED;
    packet = *read;
    packet.is_ipv6 = (__u8)WIRE_BOUNDED(packet.is_ipv6, 1);
    packet.ip_offset = WIRE_BOUNDED(packet.ip_offset, 31);
    packet.udp_length = WIRE_BOUNDED(packet.udp_length, 4095);
    if (!echo_frame(frame_cursor(ctx), &packet)) {
        count(ECHO_IGNORED);
        return XDP_DROP;
    }
    count(ECHO_SENT);
    return XDP_TX;
}

SEC("xdp")
int echo(struct xdp_md *ctx)
{
    struct packet packet = {};
    int padding;

    if (!echo_frame_is_query(frame_cursor(ctx), our_port(), &packet))
        return XDP_PASS;
    padding = packet_padding(&packet, frame_length(ctx));
    if (padding && (padding < 0 || bpf_xdp_adjust_tail(ctx, -padding)))
        return XDP_PASS;
    return bounce(ctx, send_echo(ctx, &packet));
}

SEC("xdp")
int echo_to_socket(struct xdp_md *ctx)
{
    struct packet packet = {};

    if (!echo_frame_is_query(frame_cursor(ctx), our_port(), &packet))
        return XDP_PASS;
    return (int)bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_PASS);
}

char _license[] SEC("license") = "Dual BSD/GPL";
