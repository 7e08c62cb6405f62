#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A client over QUIC that means harm.

    hostile_quic_client.py ADDRESS WAY

Prints, as JSON, what it sent and what came of it, once the way is done.
"""

import collections
import json
import select
import sys

from hostile_quic import (
    ALPN,
    MOST,
    NEW_CONNECTION_ID,
    PATH_CHALLENGE,
    PING,
    RESET_STREAM,
    RETIRE_CONNECTION_ID,
    STOP_SENDING,
    Connection,
    QuicConfiguration,
    crypto,
    message,
    now,
    numbers,
    random,
    stream,
    udp_socket,
)

PORT = 853
ADDRESS = sys.argv[1]
MANY = 1000  # streams of a connection
QUERY = message(
    b"\0\0\1\0\0\1\0\0\0\0\0\0\x0f010-000-000-001\x09dns64perf\x04test\0\0\x01\0\x01"
)
ADDRESS_OF_NAME = b"\x0a\0\0\x01"
did = collections.Counter()


class Client:
    """A connection, and its socket."""

    def __init__(self, **settings):
        self.socket = udp_socket(ADDRESS)
        self.socket.connect((ADDRESS, PORT))
        configuration = QuicConfiguration(is_client=True, alpn_protocols=ALPN, verify_mode=0, **settings)
        self.connection = Connection(configuration=configuration)
        self.connection.connect((ADDRESS, PORT), now=now())
        self.sent = self.received = 0

    def send(self, datagram):
        self.socket.send(datagram)
        self.sent += len(datagram)
        did["sent"] += 1

    def send_due(self):
        for datagram, _ in self.connection.datagrams_to_send(now=now()):
            self.send(datagram)

    def hear(self, seconds, has_ears=True, until=lambda: False):
        """Receives for so long, and answers as QUIC wants unless it has no ears."""
        end = now() + seconds
        while (left := end - now()) > 0 and not until():
            if not select.select([self.socket], [], [], min(left, 0.02))[0]:
                continue
            try:
                datagram = self.socket.recv(65536)
            except OSError:
                continue
            self.received += len(datagram)
            if has_ears:
                self.connection.receive_datagram(datagram, (ADDRESS, PORT), now=now())
                self.send_due()

    def open(self):
        self.send_due()
        self.hear(5, until=self.connection.is_open)
        assert self.connection.is_open(), "no handshake"
        self.hear(0.05)
        return self

    def say(self, *frames):
        """Sends frames, as many as fit into a datagram with each other."""
        room = MOST - 64
        some = b""
        for frame in frames:
            if len(some) + len(frame) > room:
                self.send(self.connection.packet(some))
                some = b""
                self.hear(0.001)  # the server's socket has room for what was sent so far
            some += frame
        self.send(self.connection.packet(some))

    def await_end(self, seconds=3):
        self.hear(seconds, until=lambda: self.connection.closed_with() is not None)
        did["closed"] = self.connection.closed_with()

    def await_answers(self, count, seconds=5):
        """Counts the answers that are right."""
        self.hear(seconds, until=lambda: len(self.connection.ended) >= count)
        heard = self.connection.heard.values()
        did["right"] = sum(octets.endswith(ADDRESS_OF_NAME) for octets in heard)


def note_share(client):
    """Notes the percentage of received octets over sent ones, if it is the highest."""
    did["share"] = max(did["share"], 100 * client.received // max(1, client.sent))


# ---- handshakes


def initials(count=1500):
    """First datagrams of many connections, of which none goes on, beside a connection that was there before."""
    before = Client().open()
    before.say(stream(0, QUERY, fin=True))
    before.await_answers(1)
    clients = collections.deque()
    for _ in range(count):
        clients.append(Client())
        clients[-1].send_due()
        if len(clients) > 100:
            client = clients.popleft()
            client.hear(0.001, has_ears=False)
            note_share(client)
    for client in clients:
        client.hear(0.01, has_ears=False)
        note_share(client)
    before.say(stream(4, QUERY, fin=True))
    before.await_answers(2)


def silent():
    """A client that never shows its address, and what the server repeats to it."""
    client = Client()
    client.send_due()
    client.hear(4, has_ears=False)
    note_share(client)
    did["received"] = client.received


def displaced():
    """Handshakes that others displace, and then short datagrams for them."""
    clients = [Client() for _ in range(150)]
    for client in clients:
        client.send_due()
        client.hear(0.005, has_ears=False)
    for client in clients[:20]:
        first_id = client.connection.original_destination_connection_id
        for _ in range(5):
            client.send(b"\xc0\0\0\0\1" + bytes([len(first_id)]) + first_id + b"\0\0\x10" + random(16))
            client.hear(0.005, has_ears=False)
        note_share(client)


def crypto_gaps():
    """Octets of TLS after a ClientHello, with gaps, from many connections."""
    for _ in range(100):
        client = Client()
        client.send_due()
        for piece in range(20):
            client.send(
                client.connection.initial(
                    b"".join(crypto(b"x", 2 * (piece * 100 + i) + 3000) for i in range(100))
                )
            )
        client.hear(0.001, has_ears=False)
        note_share(client)


def crypto_far():
    """No ClientHello, but octets far after it. ngtcp2 says nothing to clients whose first packet is wrong."""
    client = Client()
    client.send(client.connection.initial(crypto(b"x", 1 << 40)))
    client.hear(0.5, has_ears=False)
    note_share(client)


def crypto_beyond():
    """Octets of TLS far after all that came, on an open connection."""
    client = Client().open()
    client.say(crypto(b"x", 1 << 40))
    client.await_end()


def crypto_late():
    """Endless octets of TLS on an open connection."""
    client = Client().open()
    for i in range(2000):
        client.say(crypto(b"\xff" * 1000, 1000 * i))


def close_amid():
    """CONNECTION_CLOSE in answer to the server's first datagrams."""
    for _ in range(200):
        client = Client()
        client.send_due()
        client.hear(0.01, has_ears=False)
        client.connection.close(error_code=1)
        client.send_due()
        note_share(client)


def garbage():
    client = Client()
    for i in range(3000):
        octets = random(1 + i % 1400)
        client.send(octets)
        client.hear(0.0005, has_ears=False)
    client.hear(0.3, has_ears=False)
    note_share(client)


def versions():
    """Versions of QUIC that there are not, in datagrams of every length, with IDs of every length."""
    client = Client()
    for i in range(2000):
        head = b"\xc0" + random(4) + bytes([i % 256]) + random(i % 256) + bytes([20]) + random(20)
        client.send(head + bytes(max(0, (1200 if i % 2 else 100) - len(head))))
        client.hear(0.0005, has_ears=False)
    client.hear(0.3, has_ears=False)
    did["received"] = client.received
    note_share(client)


# ---- streams


def unfinished():
    """The greatest length, and one octet, on all streams of many connections."""
    for _ in range(20):
        client = Client().open()
        client.say(*(stream(4 * i, b"\xff\xff\0") for i in range(MANY)))
        client.hear(0.05)
        did["streams"] += MANY


def gaps():
    """Every second octet, as far as the server lets a client."""
    for _ in range(4):
        client = Client().open()
        for i in range(3):
            client.say(*(stream(4 * i, b"\0", 2 * k) for k in range(30_000)))
        client.await_end(1)


def octets():
    """Queries of which each octet has a frame of its own, backwards."""
    client = Client().open()
    for i in range(20):
        size = len(QUERY)
        client.say(*(stream(4 * i, QUERY[k : k + 1], k, k == size - 1) for k in reversed(range(size))))
    client.await_answers(20)


def two():
    client = Client().open()
    client.say(stream(0, QUERY + QUERY, 0, True))
    client.await_end()


def second_later():
    """The second query comes when the first has been answered."""
    client = Client().open()
    client.say(stream(0, QUERY))
    client.hear(0.1)
    client.say(stream(0, QUERY, len(QUERY), True))
    client.await_end()


def uni():
    client = Client().open()
    client.say(stream(2, QUERY, 0, True))
    client.await_end()


def servers_stream():
    client = Client().open()
    client.say(stream(1, QUERY, 0, True))
    client.await_end()


def too_many():
    client = Client().open()
    client.say(stream(4 * MANY, QUERY, 0, True))
    client.await_end()


def too_much():
    client = Client().open()
    client.say(stream(0, b"x", 1 << 20))
    client.await_end()


def resets():
    """Streams that are reset, or refused, before anything else is said of them; then an honest query."""
    client = Client().open()
    half = MANY // 2
    client.say(*(numbers(RESET_STREAM, 4 * i, 0, 0) for i in range(half)))
    client.say(*(numbers(STOP_SENDING, 4 * i, 0) for i in range(half, MANY - 1)))
    client.say(*(stream(4 * i, QUERY[:9]) + numbers(RESET_STREAM, 4 * i, 0, 9) for i in range(half, MANY - 1)))
    client.hear(0.1)
    client.say(stream(4 * (MANY - 1), QUERY, 0, True))
    client.hear(0.5, until=lambda: 4 * (MANY - 1) in client.connection.ended)
    did["right"] = client.connection.heard.get(4 * (MANY - 1), b"").endswith(ADDRESS_OF_NAME)


def deaf():
    """Queries whose answers have no room to come."""
    for _ in range(20):
        client = Client(max_data=0, max_stream_data=0).open()
        client.say(*(stream(4 * i, QUERY, 0, True) for i in range(MANY)))
        client.hear(0.05)
        did["streams"] += MANY


def frames():
    """Frames that make the server remember something, or answer."""
    client = Client().open()
    for i in range(300):
        client.say(*(numbers(PATH_CHALLENGE) + random(8) for _ in range(100)))
        client.say(*(numbers(PING) for _ in range(1000)))
        client.say(numbers(RETIRE_CONNECTION_ID, 1 + i % 6))
        client.hear(0.001)


def ids():
    """More IDs than the server wants."""
    client = Client().open()
    client.say(*(numbers(NEW_CONNECTION_ID, i, 0, 8) + random(8) + random(16) for i in range(1, 100)))
    client.await_end()


WAYS = (
    (initials, silent, displaced, crypto_gaps, crypto_far, crypto_beyond, crypto_late, close_amid, garbage, versions)
    + (unfinished, gaps, octets, two, second_later, uni, servers_stream, too_many, too_much)
    + (resets, deaf, frames, ids)
)

if __name__ == "__main__":
    {way.__name__.replace("_", "-"): way for way in WAYS}[sys.argv[2]]()
    print(json.dumps(did), flush=True)
