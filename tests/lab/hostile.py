#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sends what nobody asked for to the Tester, from the DUT's end of the link, and writes down as JSON
what it was: packets by what the Tester must count them as.

    hostile.py flood INTERFACE 4|6 SECONDS RATE      every kind below; RATE 0: as fast as it goes
    hostile.py noise INTERFACE 4|6 SECONDS RATE      no reply: lies about neighbours, routes and MTUs
    hostile.py syn INTERFACE 4|6 SECONDS PORT        from the Tester's end: beginnings of TCP connections to
                                                     the server, from addresses that nobody has
    hostile.py replay INTERFACE 4|6 SECONDS FILE     the replies that leave INTERFACE, again; into FILE
    hostile.py again INTERFACE 4|6 FILE              those in FILE

An implementation of its own that shares nothing with the programs under test.
"""

import collections
import errno
import json
import pickle
import random
import socket
import struct
import sys
import time

TESTER_MAC, DUT_MAC = bytes.fromhex("0200c6120001"), bytes.fromhex("0200c6120002")
OURS = {4: socket.inet_aton("198.18.0.1"), 6: socket.inet_pton(socket.AF_INET6, "2001:2::1")}
SERVER = {4: socket.inet_aton("198.18.0.2"), 6: socket.inet_pton(socket.AF_INET6, "2001:2::2")}
OTHER = {4: socket.inet_aton("198.18.0.77"), 6: socket.inet_pton(socket.AF_INET6, "2001:2::77")}
TYPE = {4: 0x0800, 6: 0x86dd}
FIRST_PORT, PORTS = 1024, 4000  # of the Tester, by default
ZONE = b"\x0adns64perf\x04test\x00"
FRAMES = 4096  # frames made before the first one leaves
BURST = 32
PACKET_OUTGOING = 4


def checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


class Forger:
    """Makes frames of one address family. Fields that are not given are as in a reply of the
    server's."""

    def __init__(self, family):
        self.family = family
        self.random = random.Random(family)

    def port(self):
        return self.random.randrange(FIRST_PORT, FIRST_PORT + PORTS)

    def octets(self, least, most):
        return self.random.randbytes(self.random.randint(least, most))

    def message(self):
        """Returns a right answer to a question that was not asked."""
        name = "-".join(f"{octet:03}" for octet in (11, *self.random.randbytes(3))).encode()
        question = bytes([len(name)]) + name + ZONE + struct.pack("!HH", 28, 1)
        answer = struct.pack("!HHHIH", 0xc00c, 28, 1, 60, 16) + self.random.randbytes(16)
        return self.random.randbytes(2) + struct.pack("!5H", 0x8400, 1, 1, 0, 0) + question + answer

    def udp(self, payload, source_port=53, port=None, source=None, target=None, length=None,
            field=None):
        """Returns a frame; `field` changes the right checksum."""
        source, target = source or SERVER[self.family], target or OURS[self.family]
        port = self.port() if port is None else port
        size = 8 + len(payload)
        head = struct.pack("!HHH", source_port, port, size if length is None else length)
        pseudo = source + target + struct.pack("!IHH", size, 0, 17)
        right = checksum(pseudo + head + b"\0\0" + payload) or 0xffff
        return head + struct.pack("!H", right if field is None else field(right, pseudo)) + payload

    def ip(self, payload, protocol=17, source=None, target=None, length=None, fragment=0,
           options=b""):
        source, target = source or SERVER[self.family], target or OURS[self.family]
        if self.family == 6:
            size = len(options) + len(payload) if length is None else length
            return struct.pack("!IHBB", 6 << 28, size, protocol, 64) + source + target + \
                options + payload
        words = 5 + len(options) // 4
        size = 4 * words + len(payload) if length is None else length
        head = struct.pack("!BBHHHBBH", 0x40 | words, 0, size, self.random.getrandbits(16), fragment,
                           64, protocol, 0) + source + target + options
        return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + payload

    def frame(self, payload, kind=None):
        kind = TYPE[self.family] if kind is None else kind
        return TESTER_MAC + DUT_MAC + struct.pack("!H", kind) + payload

    def reply(self, payload, **udp):
        return self.frame(self.ip(self.udp(payload, **udp)))

    # Frames that the Tester takes for replies to no query.

    def spoofed(self):
        return "unexpected", self.reply(self.message())

    def garbage(self):
        return "unexpected", self.reply(self.octets(2, 600))

    def too_short(self):
        return "unexpected", self.reply(self.octets(0, 1))

    def large(self):
        return "unexpected", self.reply(self.message() + self.octets(1300, 1370))

    def padded(self):
        return "unexpected", self.reply(self.message()) + self.octets(1, 50)

    def tagged(self):
        tag = struct.pack("!HH", self.random.getrandbits(12), TYPE[self.family])
        return "unexpected", self.frame(tag + self.ip(self.udp(self.message())), 0x8100)

    def without_checksum(self):
        return ("unexpected" if self.family == 4 else "bad_checksum",
                self.reply(self.message(), field=lambda right, pseudo: 0))

    # Frames that the Tester counts in other classes.

    def broken_checksum(self):
        def broken(right, pseudo):
            partial = checksum(pseudo) ^ 0xffff
            return next(field for field in (right ^ 0x5555, right ^ 0x3333)
                        if field not in (0, partial))
        return "bad_checksum", self.reply(self.message(), field=broken)

    def oversized(self):
        """Returns a reply with more octets than the Tester reads."""
        return "bad_checksum", self.reply(self.message() + self.octets(2100, 2800))

    def foreign(self):
        where = self.random.choice([{"source": OTHER[self.family]}, {"source_port": 54}])
        return "wrong_source", self.frame(self.ip(self.udp(self.message(), **where),
                                                  source=where.get("source")))

    def fragment(self):
        payload = self.udp(self.message())
        if self.family == 4:
            return "fragments", self.frame(self.ip(payload, fragment=self.random.choice(
                [0x2000, 0x2010, 0x0010])))
        extension = struct.pack("!BBHI", 17, 0, self.random.choice([1, 0x81, 0x80]), 1)
        return "fragments", self.frame(self.ip(extension + payload, protocol=44))

    # Frames that the Tester must leave alone.

    def other_port(self):
        return "ignored", self.reply(self.message(), port=self.random.choice([9, FIRST_PORT - 1,
                                                                              FIRST_PORT + PORTS]))

    def other_target(self):
        target = OTHER[self.family]
        return "ignored", self.frame(self.ip(self.udp(self.message(), target=target),
                                             target=target))

    def other_family(self):
        return "ignored", Forger(10 - self.family).spoofed()[1]

    def stacked(self):
        tags = struct.pack("!HHHH", 100, 0x8100, 200, TYPE[self.family])
        return "ignored", self.frame(tags + self.ip(self.udp(self.message())),
                                     self.random.choice([0x88a8, 0x8100]))

    def lying(self):
        payload = self.udp(self.message())
        other = self.udp(self.message(), length=self.random.choice([0, 7, 9, 0xffff]))
        claims = 60000  # octets, in both headers alike
        agreed = self.ip(self.udp(self.message(), length=claims),
                         length=claims + (20 if self.family == 4 else 0))
        return "ignored", self.frame(self.random.choice([
            self.ip(other), self.ip(payload, length=0xffff), self.ip(payload, length=3), agreed]))

    def with_options(self):
        if self.family == 4:
            return "ignored", self.frame(self.ip(self.udp(self.message()), options=b"\1\1\1\0"))
        return "ignored", self.frame(self.ip(self.udp(self.message()), protocol=0,
                                             options=b"\x11\0\1\4\0\0\0\0"))

    def other_protocol(self):
        return "ignored", self.frame(self.ip(self.octets(0, 100),
                                             protocol=self.random.choice([6, 47, 132, 253])))

    def random_octets(self):
        """Returns a frame that has IP's type, but no version of IP."""
        kind = self.random.choice([TYPE[4], TYPE[6], 0x0806, 0x8100,
                                   self.random.randrange(0x9000, 0xffff)])
        return "ignored", self.frame(b"\xff\xff\xff" + self.octets(0, 1400), kind)

    def runt(self):
        whole = self.spoofed()[1]
        return "ignored", whole[:self.random.randrange(14, 42 if self.family == 4 else 62)]

    # Frames about neighbours, routes and the size of packets, for the Tester's kernel alone. They claim
    # the server's address for a station that is not there.

    def lie(self):
        """Returns the MAC address of no station."""
        return b"\x02" + self.random.randbytes(5)

    def arp(self):
        operation, sender, target = self.random.choice([
            (1, SERVER[4], OURS[4]), (2, SERVER[4], OURS[4]), (1, SERVER[4], SERVER[4]),
            (2, OURS[4], OURS[4]), (1, b"\xc6\x12" + self.random.randbytes(2), OURS[4])])
        where = self.random.choice([TESTER_MAC, b"\xff" * 6])
        return "ignored", where + self.lie() + struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, operation) + \
            self.lie() + sender + TESTER_MAC + target + bytes(18)

    def icmp6(self, kind, code, rest, source=SERVER[6], hops=255):
        target = OURS[6]
        body = struct.pack("!BBH", kind, code, 0) + rest
        pseudo = source + target + struct.pack("!II", len(body), 58)
        body = body[:2] + struct.pack("!H", checksum(pseudo + body)) + body[4:]
        head = struct.pack("!IHBB", 6 << 28, len(body), 58, hops) + source + target
        return "ignored", self.frame(head + body, TYPE[6])

    def neighbour(self):
        stranger = SERVER[6][:8] + self.random.randbytes(8)
        link = self.lie()
        return self.random.choice([
            self.icmp6(136, 0, struct.pack("!I", 0x60000000) + SERVER[6] + b"\2\1" + link),
            self.icmp6(136, 0, struct.pack("!I", 0xa0000000) + OURS[6] + b"\2\1" + link),
            self.icmp6(135, 0, bytes(4) + OURS[6] + b"\1\1" + link, source=stranger),
            self.icmp6(137, 0, bytes(4) + stranger + SERVER[6] + b"\2\1" + link)])

    def own_query(self):
        """Returns the beginning of what could be a packet of the Tester's, for errors about it."""
        other = Forger(self.family)
        other.random = self.random
        query = other.udp(self.message(), source_port=self.port(), port=53, source=OURS[self.family],
                          target=SERVER[self.family])
        return other.ip(query, source=OURS[self.family], target=SERVER[self.family])

    def icmp(self):
        """Returns an error: unreachable, too large for the next link, a better route, too old."""
        query = self.own_query()
        if self.family == 6:
            kind, code, word = self.random.choice([(1, 0, 0), (1, 4, 0), (2, 0, 1280), (2, 0, 0), (3, 0, 0)])
            return self.icmp6(kind, code, struct.pack("!I", word) + query)
        kind, code, word = self.random.choice([(3, 0, 0), (3, 1, 0), (3, 3, 0), (3, 4, 552), (3, 4, 0),
                                               (5, 1, 0xc6120063), (11, 0, 0)])
        body = struct.pack("!BBHI", kind, code, 0, word) + query
        body = body[:2] + struct.pack("!H", checksum(body)) + body[4:]
        return "ignored", self.frame(self.ip(body, protocol=1))

    def jumbo(self):
        """Returns a frame as large as the link takes, of a protocol that is nobody's."""
        return "ignored", self.frame(self.ip(self.octets(2800, 2900), protocol=253))

    def noise(self):
        return [self.arp, self.neighbour, self.icmp, self.jumbo, self.random_octets, self.lying]

    def all(self):
        return [self.spoofed, self.garbage, self.too_short, self.large, self.padded, self.tagged,
                self.without_checksum, self.broken_checksum, self.oversized, self.foreign,
                self.fragment, self.other_port, self.other_target, self.other_family, self.stacked,
                self.lying, self.with_options, self.other_protocol, self.random_octets, self.runt]


class Link:
    def __init__(self, interface):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.bind((interface, 3))
        self.sent = collections.Counter()

    def send(self, counted_as, frame):
        try:
            self.socket.send(frame)
        except OSError as error:
            # The link had no room.
            if error.errno != errno.ENOBUFS:
                raise
            self.sent["refused"] += 1
            return
        self.sent[counted_as] += 1


def flood(link, family, seconds, rate, kinds_of):
    forger = Forger(family)
    kinds = kinds_of(forger)
    frames = [kinds[i % len(kinds)]() for i in range(FRAMES)]
    forger.random.shuffle(frames)
    start = time.monotonic()
    sent = 0
    while time.monotonic() - start < seconds:
        if rate and sent > rate * (time.monotonic() - start):
            continue
        for i in range(sent, sent + BURST):
            link.send(*frames[i % FRAMES])
        sent += BURST
    link.sent["rate"] = round(sent / (time.monotonic() - start))


def begin_connections(link, family, seconds, port):
    forger = Forger(family)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        source = OURS[family][:-1] + bytes([forger.random.randrange(100, 250)])
        head = struct.pack("!HHIIBBHHH", forger.port(), port, forger.random.getrandbits(32), 0, 0x50, 2, 1000, 0, 0)
        pseudo = source + SERVER[family] + struct.pack("!IHH", len(head), 0, 6)
        head = head[:16] + struct.pack("!H", checksum(pseudo + head)) + head[18:]
        packet = forger.ip(head, protocol=6, source=source, target=SERVER[family])
        link.send("syn", DUT_MAC + TESTER_MAC + struct.pack("!H", TYPE[family]) + packet)


def replies(link, family, seconds):
    """Returns the frames that the server sends meanwhile."""
    offset = 34 if family == 4 else 54
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        link.socket.settimeout(left)
        try:
            frame, origin = link.socket.recvfrom(4096)
        except TimeoutError:
            return
        if origin[2] == PACKET_OUTGOING and frame[offset:offset + 2] == b"\0\x35":
            yield frame


def replay(link, family, seconds, path):
    recorded = []
    transaction_id = 42 if family == 4 else 62
    for frame in replies(link, family, seconds):
        recorded.append(frame)
        link.send("duplicate", frame)
        link.send("duplicate", frame)
        other = bytearray(frame)
        other[transaction_id] ^= 0x55
        link.send("unexpected", bytes(other))
    # Older queries have lost their slots to others by now.
    for frame in recorded[-3000:]:
        link.send("duplicate", frame)
    with open(path, "wb") as file:
        pickle.dump(recorded, file)


def main():
    mode, interface, family = sys.argv[1], sys.argv[2], int(sys.argv[3])
    link = Link(interface)
    # A test that begins its trial after this program waits for this line.
    print("ready", flush=True)
    if mode in ("flood", "noise"):
        kinds_of = Forger.all if mode == "flood" else Forger.noise
        flood(link, family, float(sys.argv[4]), int(sys.argv[5]), kinds_of)
    elif mode == "syn":
        begin_connections(link, family, float(sys.argv[4]), int(sys.argv[5]))
    elif mode == "replay":
        replay(link, family, float(sys.argv[4]), sys.argv[5])
    else:
        with open(sys.argv[4], "rb") as file:
            for frame in pickle.load(file):
                link.send("stale", frame)
    print(json.dumps(link.sent))


if __name__ == "__main__":
    main()
