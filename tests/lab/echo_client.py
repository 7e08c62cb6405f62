#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sends queries to an echo server and checks every octet that comes back.

echo_client.py ADDRESS PORT QUERIES LONGEST: from 16 sockets; exit status 1 with a line that says
what is wrong. Sizes go up to LONGEST octets. Each socket also sends what must not be echoed: a
reply, and 3 octets; the server then has ignored 32.
"""

import random
import select
import socket
import struct
import sys

SOCKETS = 16
WINDOW = 8  # open queries of a socket: they fill no buffer on the way
PATIENCE = 5.0

AA_TC = 0x0600
Z_AD_CD_RCODE = 0x007F
QR = 0x8000


def query(number, longest):
    """Returns a message with random flags, except for QR."""
    flags = random.getrandbits(16) & ~QR
    size = random.choice((4, 12, 47, 48, random.randint(4, longest), longest))
    return struct.pack("!HH", number & 0xFFFF, flags) + random.randbytes(size - 4)


def expected(message):
    (flags,) = struct.unpack_from("!H", message, 2)
    flags = flags & ~(AA_TC | Z_AD_CD_RCODE) | QR
    return message[:2] + struct.pack("!H", flags) + message[4:]


class Asker:
    def __init__(self, address, port, count, longest):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.connect((address, port))
        self.socket.send(struct.pack("!HH", 0, QR))
        self.socket.send(b"\0\0\0")
        self.count, self.longest = count, longest
        self.sent, self.open = 0, {}

    def send(self):
        while self.sent < self.count and len(self.open) < WINDOW:
            message = query(self.sent, self.longest)
            self.open[message[:2]] = expected(message)
            self.socket.send(message)
            self.sent += 1

    def receive(self):
        reply = self.socket.recv(65536)
        wanted = self.open.pop(reply[:2], None)
        if reply != wanted:
            sys.exit(f"got {reply.hex()} for {wanted.hex() if wanted else 'nothing asked'}")
        self.send()


def main():
    address, port, count, longest = sys.argv[1], *map(int, sys.argv[2:])
    random.seed(f"{address} {port} {count}")
    askers = {}
    for _ in range(SOCKETS):
        asker = Asker(address, port, count // SOCKETS, longest)
        askers[asker.socket] = asker
        asker.send()
    while any(asker.open for asker in askers.values()):
        ready, _, _ = select.select(askers, [], [], PATIENCE)
        if not ready:
            sys.exit(f"{sum(len(asker.open) for asker in askers.values())} queries without an echo")
        for one in ready:
            askers[one].receive()


main()
