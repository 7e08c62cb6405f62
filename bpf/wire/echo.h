/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The echo: a query sent back as its own reply, without an answer. It shows the highest speed of a
 * machine's interfaces.
 */
#ifndef DNSGAUGE_WIRE_ECHO_H
#define DNSGAUGE_WIRE_ECHO_H

#include "bytes.h"
#include "dns.h"
#include "packet.h"

#define ECHO_SIZE_MIN 4 /* octets: ID and flags */

/* The Z bits of RFC 1035, two of which are AD and CD today. An echo clears them, because it vouches
 * for nothing. */
#define ECHO_Z 0x0070

/* Makes the message its own reply: sets QR, clears AA, TC, Z and RCODE, and leaves all other
 * octets. Returns false, and changes nothing, if the message is shorter than ECHO_SIZE_MIN, or if
 * it is a reply: otherwise two echoes would never stop. */
WIRE_FN int echo_message(struct wire_cursor message)
{
    __u16 flags;

    if (!wire_has(&message, ECHO_SIZE_MIN))
        return 0;
    flags = wire_get16(message.pos + 2);
    if (flags & DNS_QR)
        return 0;
    flags &= (__u16) ~(DNS_AA | DNS_TC | ECHO_Z | DNS_RCODE);
    wire_put16(message.pos + 2, flags | DNS_QR);
    return 1;
}

/* Returns whether the frame is a UDP datagram to `port` of one host, in one plain packet, and at
 * most PACKET_DATAGRAM_MAX octets long. */
WIRE_FN int echo_frame_is_query(struct wire_cursor frame, __u16 port, struct packet *packet)
{
    struct wire_cursor payload = frame;

    if (!wire_has(&frame, 1) || frame.pos[0] & 1)
        return 0;
    return packet_read(&payload, packet) == PACKET_UDP && packet->target_port == port &&
           packet->udp_length <= PACKET_DATAGRAM_MAX;
}

/* Turns a frame for which echo_frame_is_query() is true, and which ends with its datagram, into the
 * frame that goes back. Returns false when there is nothing to echo: see echo_message(). */
WIRE_FN int echo_frame(struct wire_cursor frame, const struct packet *packet)
{
    struct wire_cursor message = frame;

    message.pos += WIRE_BOUNDED(packet->udp_offset, 63) + PACKET_UDP_SIZE;
    return packet->source_port && echo_message(message) &&
           packet_complete(frame, packet, packet->udp_length - PACKET_UDP_SIZE, 1,
                           PACKET_DATAGRAM_MAX);
}

#endif
