# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The loop of the tests' own DNS servers: one socket, and datagrams that leave at once or later."""

import heapq
import selectors
import socket
import time

SO_RCVBUFFORCE = 33  # which Python's socket does not name


def bound_socket(address, port):
    """Returns a UDP socket of the address' family, bound to it. It holds seconds of a trial's queries."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_DGRAM)
    bound.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
    bound.bind((address, port))
    return bound


def serve(address, lateness, answer):
    """Serves port 53 of the address. answer(datagram, client) returns the datagrams that are sent at
    once, and those that are sent `lateness` seconds later."""
    server = bound_socket(address, 53)
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)
    print("ready", flush=True)
    waiting = []
    while True:
        ready = selector.select(max(0, waiting[0][0] - time.monotonic()) if waiting else None)
        while waiting and waiting[0][0] <= time.monotonic():
            _, wire, client = heapq.heappop(waiting)
            server.sendto(wire, client)
        if not ready:
            continue
        datagram, client = server.recvfrom(4096)
        now, later = answer(datagram, client)
        for wire in later:
            heapq.heappush(waiting, (time.monotonic() + lateness, wire, client))
        for wire in now:
            server.sendto(wire, client)
