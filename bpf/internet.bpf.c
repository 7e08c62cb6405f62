// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Takes in the queries of a whole Internet (fakedns --internet): hands UDP queries to the servers'
 * addresses over to AF_XDP sockets, one for each receive queue. The sockets' owner writes the
 * answer into the frame. All other packets go up the stack: packets to other addresses, TCP, and
 * packets that are not plain, such as fragments and tagged frames.
 */
#include "program.h"

#include "internet_abi.h"
#include "wire/packet.h"

const volatile struct internet_config config = {};

struct {
    __uint(type, BPF_MAP_TYPE_XSKMAP);
    __uint(max_entries, INTERNET_QUEUES_MAX);
    __type(key, __u32);
    __type(value, __u32);
} sockets SEC(".maps");

static __always_inline int lies_in(const __u8 *address, const struct internet_prefix *prefix,
                                   __u32 words)
{
    __u32 differs = 0;

    for (__u32 i = 0; i < words; i++)
        differs |= (wire_raw32(address + 4 * i) ^ prefix->first[i]) & prefix->mask[i];
    return !differs;
}

/* Returns whether the packet, which has been read, is for one of the servers. */
static __always_inline int is_to_server(struct wire_cursor frame, const struct packet *packet,
                                        const struct internet_config *cfg)
{
    frame.pos += PACKET_ETHERNET_SIZE;
    if (packet->is_ipv6)
        return cfg->has_ipv6 && wire_has(&frame, PACKET_IPV6_SIZE) &&
               lies_in(frame.pos + PACKET_IPV6_TARGET, &cfg->ipv6, 4);
    return wire_has(&frame, PACKET_IPV4_SIZE) &&
           lies_in(frame.pos + PACKET_IPV4_TARGET, &cfg->ipv4, 1);
}

SEC("xdp")
int internet(struct xdp_md *ctx)
{
    const struct internet_config *cfg = OPAQUE_ADDRESS(config);
    const struct wire_cursor frame = frame_cursor(ctx);
    struct wire_cursor message = frame;
    struct packet packet = {};

    /* An answer to a group of hosts would come from an address that nobody asked. */
    if (!wire_has(&frame, 1) || frame.pos[0] & 1 || packet_read(&message, &packet) != PACKET_UDP ||
        packet.target_port != cfg->port || !packet.source_port ||
        packet.ip_offset != PACKET_ETHERNET_SIZE || packet.udp_length > INTERNET_DATAGRAM_MAX ||
        packet_padding(&packet, frame_length(ctx)) < 0 || !is_to_server(frame, &packet, cfg))
        return XDP_PASS;
    return (int)bpf_redirect_map(&sockets, ctx->rx_queue_index, XDP_PASS);
}

char _license[] SEC("license") = "Dual BSD/GPL";
