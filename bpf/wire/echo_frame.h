/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The echo of a whole frame: for the kernel program, and for AF_XDP sockets. */
#ifndef DNSGAUGE_WIRE_ECHO_FRAME_H
#define DNSGAUGE_WIRE_ECHO_FRAME_H

#include "echo.h"
#include "packet.h"

/* Is the frame a UDP datagram to `port` of one host, in one plain packet, and at most
 * PACKET_DATAGRAM_MAX octets long? */
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
