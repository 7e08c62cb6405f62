#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A DNS server over TCP or TLS whose replies are wrong in known ways: the last number of a name says how. The server is
an implementation of its own, on sockets, and knows the names of dns64perf.test alone.

    stream_server.py ADDRESS [--tls KEY CERTIFICATE] WAY...

Name 10.0.0.N is answered in the way N modulo the number of ways. SIGTERM ends the server, which then prints what it
did, as JSON: connections that it accepted, queries that it read, how often it went each way, and how many late replies
one connection awaited at most.
"""

import collections
import heapq
import json
import selectors
import signal
import socket
import ssl
import struct
import sys
import time

DELAY = 0.3  # seconds
ZEROS = 20_000  # messages without an octet
UNASKED = 100


def reply_to(query, data=b"\x20\x01\x0d\xb8" + bytes(8), rcode=0, flags=0x8400, number=None):
    """Returns the answer with the address in the name, after these 12 octets."""
    octets = bytes(map(int, query[13 : 13 + query[12]].split(b"-")))
    question = query[12 : query.index(0, 12) + 5]
    record = struct.pack("!3HIH", 0xC00C, 28, 1, 60, 16) + data + octets if rcode == 0 else b""
    number = struct.unpack("!H", query[:2])[0] if number is None else number
    return struct.pack("!6H", number, flags | rcode, 1, 1 if record else 0, 0, 0) + question + record


def framed(*messages):
    return b"".join(struct.pack("!H", len(message)) + message for message in messages)


class Connection:
    """A client's connection, and what it has sent of its next queries."""

    def __init__(self, taken):
        self.socket = taken
        self.rest = b""
        self.held = []  # answers that wait for the next query's
        self.late = 0  # answers that wait for their time

    def queries(self):
        """Returns the whole queries that came; None where the client has closed."""
        try:
            received = self.socket.recv(65536)
        except ssl.SSLWantReadError:
            return []
        if not received:
            return None
        self.rest += received
        found = []
        while len(self.rest) >= 2:
            size = struct.unpack("!H", self.rest[:2])[0]
            if len(self.rest) < 2 + size:
                break
            found.append(self.rest[2 : 2 + size])
            self.rest = self.rest[2 + size :]
        return found

    def send(self, octets):
        self.socket.setblocking(True)
        self.socket.sendall(octets)
        self.socket.setblocking(False)

    def reset(self):
        """Has the kernel send RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Server:
    def __init__(self, address, ways, files):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.listener = socket.create_server((address, 853 if files else 53), family=family, backlog=1000)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if files else None
        if self.tls:
            self.tls.load_cert_chain(keyfile=files[0], certfile=files[1])
        self.ways = ways
        self.done = collections.Counter()
        self.later = []  # (when, number, connection, octets)

    def answer(self, connection, query):
        """Goes the query's way. Returns whether the connection is still open."""
        last = int(query[13 : 13 + query[12]].split(b"-")[3])
        way = self.ways[last % len(self.ways)]
        self.done[way] += 1
        if way == "late":
            connection.late += 1
            self.done["most_late"] = max(self.done["most_late"], connection.late)
            heapq.heappush(self.later, (time.monotonic() + DELAY, self.done[way], connection,
                                        framed(reply_to(query))))
        elif way in ("octets", "pieces"):  # each octet in a segment, or a record
            for octet in framed(reply_to(query)) + bytes(ZEROS // 20 if way == "pieces" else 0):
                connection.send(bytes([octet]))
        elif way == "halves":  # the second write waits until the first one is acknowledged
            connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 0)
            connection.send(framed(reply_to(query))[:2])
            connection.send(framed(reply_to(query))[2:])
        elif way == "swapped":
            connection.held.append(reply_to(query))
            if len(connection.held) == 2:
                connection.send(framed(*reversed(connection.held)))
                connection.held.clear()
        elif way == "reset":
            connection.reset()
            return False
        elif way != "closed":
            connection.send({
                "right": lambda: framed(reply_to(query)),
                "data": lambda: framed(reply_to(query, data=b"\x20\x01\x0d\xb9" + bytes(8))),
                "servfail": lambda: framed(reply_to(query, rcode=2)),
                "truncated": lambda: framed(reply_to(query, flags=0x8600)),
                "cut": lambda: framed(reply_to(query)[:-3]),
                "garbage": lambda: framed(query[:2] + b"garbage"),
                "twice": lambda: framed(reply_to(query), reply_to(query)),
                "silent": lambda: b"",
                "big": lambda: framed(query[:2] + bytes(65533)),
                "zeros": lambda: framed(reply_to(query)) + bytes(2 * ZEROS),
                "unasked": lambda: framed(reply_to(query), *self.unasked(query)),
            }[way]())
        return way != "closed"

    @staticmethod
    def unasked(query):
        """Returns right answers with the transaction IDs of other queries."""
        number = struct.unpack("!H", query[:2])[0]
        return [reply_to(query, number=number ^ (1 + other)) for other in range(UNASKED)]

    def drop(self, connection):
        self.selector.unregister(connection.socket)
        connection.socket.close()

    def read(self, connection):
        try:
            queries = connection.queries()
            if queries is None:
                self.drop(connection)
                return
            for query in queries:
                self.done["queries"] += 1
                if not self.answer(connection, query):
                    self.drop(connection)
                    return
        except (ConnectionError, ssl.SSLError):
            self.drop(connection)

    def serve(self):
        print("ready", flush=True)
        while True:
            patience = max(0, self.later[0][0] - time.monotonic()) if self.later else None
            for key, _ in self.selector.select(patience):
                if key.data:
                    self.read(key.data)
                    continue
                taken, _ = self.listener.accept()
                taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.done["connections"] += 1
                if self.tls:
                    try:
                        taken = self.tls.wrap_socket(taken, server_side=True)
                    except OSError:
                        self.done["no_tls"] += 1
                        continue
                taken.setblocking(False)
                self.selector.register(taken, selectors.EVENT_READ, Connection(taken))
            while self.later and self.later[0][0] <= time.monotonic():
                _, _, connection, octets = heapq.heappop(self.later)
                connection.late -= 1
                if connection.socket.fileno() >= 0:
                    connection.send(octets)


def stop(*_):
    raise SystemExit


def main():
    signal.signal(signal.SIGTERM, stop)
    has_tls = sys.argv[2] == "--tls"
    server = Server(sys.argv[1], sys.argv[5 if has_tls else 2 :], sys.argv[3:5] if has_tls else [])
    try:
        server.serve()
    finally:
        print(json.dumps(server.done), flush=True)


if __name__ == "__main__":
    main()
