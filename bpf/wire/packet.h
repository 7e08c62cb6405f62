/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads a frame of Ethernet, at most one VLAN tag, IPv4 or IPv6, and UDP, and turns it around.
 *
 * packet_read() reads only packets that can be answered or judged by themselves. It leaves IPv4
 * options and IPv6 extension headers (PACKET_OTHER), and fragments (PACKET_FRAGMENT), to the
 * kernel.
 */
#ifndef DNSGAUGE_WIRE_PACKET_H
#define DNSGAUGE_WIRE_PACKET_H

#include "bytes.h"
#include "checksum.h"

#define PACKET_ETHERNET_SIZE 14
#define PACKET_VLAN_SIZE 4
#define PACKET_IPV4_SIZE 20
#define PACKET_IPV6_SIZE 40
#define PACKET_UDP_SIZE 8

#define PACKET_TYPE_IPV4 0x0800
#define PACKET_TYPE_IPV6 0x86dd
#define PACKET_TYPE_VLAN 0x8100
#define PACKET_PROTOCOL_UDP 17
#define PACKET_HOP_LIMIT 64

#define PACKET_DATAGRAM_MAX 2048 /* octets of a datagram whose checksum is checked */
#define PACKET_MOVE_MAX 352      /* octets that packet_move_to_start() moves at most */
#define PACKET_ANSWER_MAX 352    /* octets of the longest datagram that is made */

/* Offsets of fields, from the start of their header. */
#define PACKET_IPV4_LENGTH 2
#define PACKET_IPV4_FRAGMENT 6
#define PACKET_IPV4_TTL 8
#define PACKET_IPV4_PROTOCOL 9
#define PACKET_IPV4_CHECKSUM 10
#define PACKET_IPV4_SOURCE 12
#define PACKET_IPV4_TARGET 16
#define PACKET_IPV6_LENGTH 4
#define PACKET_IPV6_NEXT 6
#define PACKET_IPV6_HOPS 7
#define PACKET_IPV6_SOURCE 8
#define PACKET_IPV6_TARGET 24
#define PACKET_UDP_TARGET 2
#define PACKET_UDP_LENGTH 4
#define PACKET_UDP_CHECKSUM 6

enum packet_kind {
    PACKET_UDP,      /* a whole UDP datagram; all lengths agree */
    PACKET_FRAGMENT, /* a fragment of a UDP datagram */
    PACKET_OTHER,    /* not UDP over plain IP, or its lengths are wrong */
};

struct packet {
    __u32 ip_offset;   /* of the IP header in the frame: 14 or 18 */
    __u32 udp_offset;  /* of the UDP header: at most 58 */
    __u32 udp_length;  /* UDP header and payload, 8..65535 */
    __u16 source_port; /* host order */
    __u16 target_port;
    __u8 is_ipv6;
};

/* Reads the headers of the frame at `cursor` and leaves the cursor at the UDP payload. The caller
 * must cut off bytes after the datagram (Ethernet padding): see packet_padding(). */
WIRE_FN enum packet_kind packet_read(struct wire_cursor *cursor, struct packet *packet)
{
    struct wire_cursor c = *cursor;
    __u32 ip_length;
    __u16 type;

    if (!wire_has(&c, PACKET_ETHERNET_SIZE))
        return PACKET_OTHER;
    type = wire_get16(c.pos + PACKET_ETHERNET_SIZE - 2);
    c.pos += PACKET_ETHERNET_SIZE;
    packet->ip_offset = PACKET_ETHERNET_SIZE;

    if (type == PACKET_TYPE_VLAN) {
        if (!wire_has(&c, PACKET_VLAN_SIZE))
            return PACKET_OTHER;
        type = wire_get16(c.pos + 2);
        c.pos += PACKET_VLAN_SIZE;
        packet->ip_offset += PACKET_VLAN_SIZE;
    }

    if (type == PACKET_TYPE_IPV4) {
        if (!wire_has(&c, PACKET_IPV4_SIZE) || c.pos[0] != 0x45 ||
            c.pos[PACKET_IPV4_PROTOCOL] != PACKET_PROTOCOL_UDP)
            return PACKET_OTHER;
        /* The bits of "more fragments" and of the offset. "Don't fragment" does not count. */
        if (wire_get16(c.pos + PACKET_IPV4_FRAGMENT) & 0x3fff)
            return PACKET_FRAGMENT;
        ip_length = wire_get16(c.pos + PACKET_IPV4_LENGTH);
        if (ip_length < PACKET_IPV4_SIZE + PACKET_UDP_SIZE)
            return PACKET_OTHER;
        packet->is_ipv6 = 0;
        packet->udp_length = ip_length - PACKET_IPV4_SIZE;
        packet->udp_offset = packet->ip_offset + PACKET_IPV4_SIZE;
        c.pos += PACKET_IPV4_SIZE;
    } else if (type == PACKET_TYPE_IPV6) {
        if (!wire_has(&c, PACKET_IPV6_SIZE) || c.pos[0] >> 4 != 6)
            return PACKET_OTHER;
        if (c.pos[PACKET_IPV6_NEXT] == 44)
            return PACKET_FRAGMENT;
        if (c.pos[PACKET_IPV6_NEXT] != PACKET_PROTOCOL_UDP)
            return PACKET_OTHER;
        packet->is_ipv6 = 1;
        packet->udp_length = wire_get16(c.pos + PACKET_IPV6_LENGTH);
        packet->udp_offset = packet->ip_offset + PACKET_IPV6_SIZE;
        c.pos += PACKET_IPV6_SIZE;
    } else {
        return PACKET_OTHER;
    }

    if (!wire_has(&c, PACKET_UDP_SIZE) || packet->udp_length < PACKET_UDP_SIZE ||
        wire_get16(c.pos + PACKET_UDP_LENGTH) != packet->udp_length)
        return PACKET_OTHER;
    packet->source_port = wire_get16(c.pos);
    packet->target_port = wire_get16(c.pos + PACKET_UDP_TARGET);
    /* From here on the verifier sees one case, not one for each address family and tag. */
    packet->is_ipv6 = (__u8)WIRE_BOUNDED(packet->is_ipv6, 1);
    packet->ip_offset = WIRE_BOUNDED(packet->ip_offset, 31);
    packet->udp_offset = WIRE_BOUNDED(packet->udp_offset, 63);
    cursor->pos += packet->udp_offset + PACKET_UDP_SIZE;
    return PACKET_UDP;
}

/* Returns the number of bytes after the datagram in a frame of `frame_length` bytes; negative if
 * the datagram claims more than the frame has. */
WIRE_FN int packet_padding(const struct packet *packet, __u32 frame_length)
{
    return (int)frame_length - (int)(packet->udp_offset + packet->udp_length);
}

/* Returns the pseudo header's share of the UDP checksum (RFC 768, RFC 8200 section 8.1).
 * `addresses` points to the source address in the IP header; the target address follows it in both
 * families. */
WIRE_FN __u64 packet_pseudo_sum(const __u8 *addresses, int is_ipv6, __u32 udp_length)
{
    __u64 sum = (__u64)WIRE_BE16(PACKET_PROTOCOL_UDP) + WIRE_BE16(udp_length);
    const __u32 words = is_ipv6 ? 8 : 2;

    for (__u32 i = 0; i < words; i++)
        sum += wire_raw32(addresses + 4 * i);
    return sum;
}

WIRE_PROC void packet_move32(__u8 *to, __u32 by)
{
    const __u64 first = wire_raw64(to + by);
    const __u64 second = wire_raw64(to + by + 8);
    const __u64 third = wire_raw64(to + by + 16);
    const __u64 fourth = wire_raw64(to + by + 24);

    *(wire_any64 *)(void *)to = first;
    *(wire_any64 *)(void *)(to + 8) = second;
    *(wire_any64 *)(void *)(to + 16) = third;
    *(wire_any64 *)(void *)(to + 24) = fourth;
}

/* Moves the frame's last `length` octets (8 to PACKET_MOVE_MAX) to its start, over the `by` octets
 * before them. Returns false if the frame is shorter than both together. */
WIRE_FN int packet_move_to_start(struct wire_cursor frame, __u32 by, __u32 length)
{
    __u8 *tail;
    __u64 last;

    if (length < 8 || length > PACKET_MOVE_MAX)
        return 0;
    tail = frame.pos + WIRE_BOUNDED(length - 8, 511);
    if (tail + 8 > frame.end || tail + by + 8 > frame.end)
        return 0;
    /* Reads the last octets before the loop overwrites them. */
    last = wire_raw64(tail + by);
    length = WIRE_BOUNDED(length, 511);
    for (__u32 i = 0; i < PACKET_MOVE_MAX / 32; i++) {
        if (length < 32)
            break;
        if (!wire_has(&frame, 32) || frame.pos + by + 32 > frame.end)
            return 0;
        packet_move32(frame.pos, by);
        frame.pos += 32;
        length -= 32;
    }
    for (__u32 i = 0; i < 3; i++) {
        if (length < 8)
            break;
        if (!wire_has(&frame, 8) || frame.pos + by + 8 > frame.end)
            return 0;
        *(wire_any64 *)(void *)frame.pos = wire_raw64(frame.pos + by);
        frame.pos += 8;
        length -= 8;
    }
    *(wire_any64 *)(void *)tail = last;
    return 1;
}

WIRE_PROC void packet_swap32(__u8 *a, __u8 *b)
{
    const __u32 kept = wire_raw32(a);

    *(wire_any32 *)(void *)a = wire_raw32(b);
    *(wire_any32 *)(void *)b = kept;
}

WIRE_PROC void packet_swap16(__u8 *a, __u8 *b)
{
    const __u16 kept = wire_raw16(a);

    *(wire_any16 *)(void *)a = wire_raw16(b);
    *(wire_any16 *)(void *)b = kept;
}

/*
 * Completes the frame at `frame` around a UDP payload of `payload` bytes that is already in place
 * and ends at `frame.end`. The UDP checksum covers `max` (a constant) bytes from the UDP header on;
 * the caller ensures that those after the payload are zero. Sets lengths, hop limit and both
 * checksums. If `turns` (a constant) is nonzero, swaps source and target addresses and ports.
 * Returns false if the frame is too short.
 */
WIRE_FN int packet_complete(struct wire_cursor frame, const struct packet *packet, __u32 payload,
                            int turns, __u32 max)
{
    const __u32 udp_length = PACKET_UDP_SIZE + payload;
    struct wire_cursor udp;
    __u8 *ip;
    __u64 sum;

    if (!wire_has(&frame, PACKET_ETHERNET_SIZE))
        return 0;
    if (turns) {
        packet_swap32(frame.pos, frame.pos + 6);
        packet_swap16(frame.pos + 4, frame.pos + 10);
    }

    ip = frame.pos + packet->ip_offset;
    if (packet->is_ipv6) {
        if (ip + PACKET_IPV6_SIZE + PACKET_UDP_SIZE > frame.end)
            return 0;
        for (int i = 0; turns && i < 16; i += 4)
            packet_swap32(ip + PACKET_IPV6_SOURCE + i, ip + PACKET_IPV6_TARGET + i);
        wire_put16(ip + PACKET_IPV6_LENGTH, (__u16)udp_length);
        ip[PACKET_IPV6_HOPS] = PACKET_HOP_LIMIT;
        udp.pos = ip + PACKET_IPV6_SIZE;
        sum = packet_pseudo_sum(ip + PACKET_IPV6_SOURCE, 1, udp_length);
    } else {
        __u64 ip_sum = 0;

        if (ip + PACKET_IPV4_SIZE + PACKET_UDP_SIZE > frame.end)
            return 0;
        if (turns)
            packet_swap32(ip + PACKET_IPV4_SOURCE, ip + PACKET_IPV4_TARGET);
        wire_put16(ip + PACKET_IPV4_LENGTH, (__u16)(PACKET_IPV4_SIZE + udp_length));
        ip[PACKET_IPV4_TTL] = PACKET_HOP_LIMIT;
        wire_put16(ip + PACKET_IPV4_CHECKSUM, 0);
        for (int i = 0; i < PACKET_IPV4_SIZE; i += 4)
            ip_sum += wire_raw32(ip + i);
        *(wire_any16 *)(void *)(ip + PACKET_IPV4_CHECKSUM) = checksum_field(ip_sum);
        udp.pos = ip + PACKET_IPV4_SIZE;
        sum = packet_pseudo_sum(ip + PACKET_IPV4_SOURCE, 0, udp_length);
    }

    if (turns)
        packet_swap16(udp.pos, udp.pos + PACKET_UDP_TARGET);
    wire_put16(udp.pos + PACKET_UDP_LENGTH, (__u16)udp_length);
    wire_put16(udp.pos + PACKET_UDP_CHECKSUM, 0);
    udp.end = frame.end;
    *(wire_any16 *)(void *)(udp.pos + PACKET_UDP_CHECKSUM) =
        checksum_udp_field(checksum_add(sum, udp, max));
    return 1;
}

/* Turns the frame into the frame that goes back to its sender, with a datagram of at most
 * PACKET_ANSWER_MAX octets: see packet_complete(). */
WIRE_FN int packet_turn_around(struct wire_cursor frame, const struct packet *packet, __u32 payload)
{
    return packet_complete(frame, packet, payload, 1, PACKET_ANSWER_MAX);
}

/* Returns whether the UDP checksum of a received packet is acceptable. `udp` spans the datagram;
 * `addresses` is as for packet_pseudo_sum(). Three are acceptable: a right checksum; no checksum
 * over IPv4 (RFC 768); and the sum of only the pseudo header, which the kernel leaves for hardware
 * to complete, and which stays in a packet that was never on a wire (veth). */
WIRE_FN int packet_checksum_ok(struct wire_cursor udp, const __u8 *addresses, int is_ipv6,
                               __u32 udp_length)
{
    const __u64 pseudo = packet_pseudo_sum(addresses, is_ipv6, udp_length);
    __u16 field;

    if (!wire_has(&udp, PACKET_UDP_SIZE))
        return 0;
    field = wire_raw16(udp.pos + PACKET_UDP_CHECKSUM);
    if (!field)
        return !is_ipv6;
    return checksum_fold(checksum_add(pseudo, udp, PACKET_DATAGRAM_MAX)) == 0xffff ||
           field == checksum_fold(pseudo);
}

#endif
