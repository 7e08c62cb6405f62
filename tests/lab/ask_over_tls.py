#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ask_over_tls.py SERVER CERTIFICATE CONNECTIONS QUERIES: asks over TLS, on one connection after the other, which go on
from the session of the connection before. Prints as JSON how many queries were answered right, how many connections
lacked an answer, and how many handshakes were resumed."""

import json
import socket
import ssl
import struct
import sys

import dns.message

PATIENCE = 10  # seconds


def query(number: int) -> bytes:
    name = f"010-000-000-{number % 256:03}.dns64perf.test"
    wire = dns.message.make_query(name, "A", id=number, use_edns=False).to_wire()
    return struct.pack("!H", len(wire)) + wire


def read(tls: ssl.SSLSocket, size: int) -> bytes:
    """Returns this number of octets; fewer if the server closes the connection."""
    octets = b""
    while len(octets) < size:
        more = tls.recv(size - len(octets))
        if not more:
            break
        octets += more
    return octets


def ask(tls: ssl.SSLSocket, queries: int) -> int:
    """Returns how many queries were answered right."""
    tls.sendall(b"".join(query(number) for number in range(queries)))
    right = set()
    while len(right) < queries:
        head = read(tls, 2)
        if len(head) < 2:
            break
        reply = dns.message.from_wire(read(tls, struct.unpack("!H", head)[0]))
        assert reply.answer[0][0].address == f"10.0.0.{reply.id % 256}", reply
        right.add(reply.id)
    return len(right)


def main() -> None:
    server, certificate = sys.argv[1:3]
    connections, queries = map(int, sys.argv[3:])
    context = ssl.create_default_context(cafile=certificate)
    said = {"right": 0, "cut": 0, "resumed": 0}
    session = None
    for _ in range(connections):
        with context.wrap_socket(
            socket.create_connection((server, 853), PATIENCE),
            server_hostname="dns64perf.test",
            session=session,
        ) as tls:
            right = ask(tls, queries)
            said["right"] += right
            said["cut"] += right < queries
            said["resumed"] += bool(tls.session_reused)
            session = tls.session
    print(json.dumps(said))


if __name__ == "__main__":
    main()
