#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A server over QUIC that means harm, or has odd manners.

    hostile_quic_server.py ADDRESS KEY CERTIFICATE WAY

SIGTERM ends the server, which then prints, as JSON, its connections and queries.
"""

import collections
import json
import select
import signal
import sys

from aioquic.buffer import Buffer
from aioquic.quic.packet import encode_quic_version_negotiation, pull_quic_header
from hostile_quic import (
    ALPN,
    CID_SIZE,
    CLOSE,
    CLOSE_BY_APPLICATION,
    MOST,
    PATH_CHALLENGE,
    RESET_STREAM,
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

MANY = 1 << 60
PIECE = 1000  # octets
CHALLENGES = [numbers(PATH_CHALLENGE) + random(8) for _ in range(100)]
did = collections.Counter()


def answer_to(query):
    """The right answer of type A to a query with its length, whose name has the address."""
    question = query[14 : query.index(b"\0", 14) + 5]
    address = bytes(map(int, question[1:16].split(b"-")))
    record = b"\xc0\x0c\0\x01\0\x01\0\0\x0e\x10\0\x04" + address
    return message(b"\0\0\x85\0\0\x01\0\x01\0\0\0\0" + question + record)


class Served(Connection):
    """Offers the client as much as QUIC lets a server offer."""

    more_parameters = b""

    def _serialize_transport_parameters(self):
        self._local_max_streams_bidi.value = self._local_max_streams_bidi.sent = MANY
        self._local_max_data.value = self._local_max_data.sent = MANY
        return super()._serialize_transport_parameters() + self.more_parameters


# ---- what answers a query: frames, in a packet each


def right(number, query):
    yield stream(number, answer_to(query), fin=True)


def other_stream(number, query):
    """After the client's first query each answer comes in the stream of the query before."""
    if number >= 4:
        yield stream(number - 4, answer_to(query), fin=True)


def endless(number, query):
    """As much as the client lets a stream bring, of a message that ends later."""
    for offset in range(0, 65_000, PIECE):
        yield stream(number, b"\xff" * PIECE, offset)


def too_much(number, query):
    yield stream(number, b"\xff" * PIECE, 65_537)


def gaps(number, query):
    """Every second octet of the longest message."""
    for offset in range(0, 60_000, 200):
        yield b"".join(stream(number, b"\xff", offset + i) for i in range(0, 200, 2))


def too_long(number, query):
    """The length says more than comes."""
    yield stream(number, b"\xff\xff" + answer_to(query)[2:], fin=True)


def too_short(number, query):
    """The length says less than comes."""
    yield stream(number, b"\0\x0c" + answer_to(query)[2:], fin=True)


def no_length(number, query):
    yield stream(number, b"\0", fin=True)


def nothing(number, query):
    yield stream(number, b"\0\0", fin=True)


def twice(number, query):
    yield stream(number, 2 * answer_to(query), fin=True)


def other_id(number, query):
    answer = answer_to(query)
    yield stream(number, answer[:2] + b"\x12\x34" + answer[4:], fin=True)


def unended(number, query):
    """Right answers, whose streams never end."""
    yield stream(number, answer_to(query))


def no_end(number, query):
    """Right answers of the longest length, whose streams never end."""
    answer = answer_to(query)[2:]
    answer = answer[:6] + b"\0\x01" + answer[8:11] + b"\x01" + answer[12:]
    answer += b"\0\xff\xfe\0\0\0\0\0\0" + (65_535 - len(answer) - 11).to_bytes(2, "big")
    whole = message(answer + bytes(65_535 - len(answer)))
    for offset in range(0, len(whole), PIECE):
        yield stream(number, whole[offset : offset + PIECE], offset)


def reset(number, query):
    yield numbers(RESET_STREAM, number, 0x1234, 0)


def refuse(number, query):
    """STOP_SENDING, and no answer."""
    yield numbers(STOP_SENDING, number, 0x1234)


def reset_lying(number, query):
    """RESET_STREAM with a final size that contradicts what came."""
    yield stream(number, answer_to(query)[:20])
    yield numbers(RESET_STREAM, number, 0, 5)


def own_stream(number, query):
    yield stream(1, answer_to(query), fin=True)


def own_uni(number, query):
    yield stream(3, answer_to(query), fin=True)


def unopened(number, query):
    """A stream that the client did not open yet."""
    yield stream(4000, answer_to(query), fin=True)


def close_odd(number, query):
    yield numbers(CLOSE_BY_APPLICATION, (1 << 62) - 1, 20) + b"\x1b[31m no \n good \0\xff\xfe" + b"!" * 1


def close_quic(number, query):
    yield numbers(CLOSE, 0x15C, 0, 3) + b"who"


def close_load(number, query):
    yield numbers(CLOSE_BY_APPLICATION, 4, 0)


def broken_frame(number, query):
    yield numbers(0x3F)


def tickets(number, query):
    """Endless octets of TLS."""
    for offset in range(0, 1 << 20, PIECE):
        yield crypto(b"\x04\0\xff\xff" + bytes(PIECE - 4), offset)


def crypto_far(number, query):
    yield crypto(b"x", 1 << 40)


def challenges(number, query):
    """Many PATH_CHALLENGE frames, and the right answer."""
    for _ in range(300):
        yield b"".join(CHALLENGES)
    yield stream(number, answer_to(query), fin=True)


ANSWERS = {
    way.__name__.replace("_", "-"): way
    for way in (
        (right, other_stream, endless, too_much, gaps, too_long, too_short, no_length, nothing, twice)
        + (other_id, unended, no_end, reset, refuse, reset_lying, own_stream, own_uni, unopened)
        + (close_odd, close_quic, close_load, broken_frame, tickets)
        + (crypto_far, challenges)
    )
}


class Server:
    def __init__(self, address, key, certificate, way):
        self.way = way
        self.socket = udp_socket(address)
        self.socket.bind((address, 853))
        self.configuration = QuicConfiguration(
            is_client=False,
            alpn_protocols=["h3"] if way == "other-alpn" else ALPN,
            max_data=1 << 60,
        )
        self.configuration.load_cert_chain(certificate, key)
        self.connections = {}
        self.begun = set()

    def begin(self, datagram, sender):
        header = pull_quic_header(Buffer(data=datagram), host_cid_length=CID_SIZE)
        did["connections"] += 1
        made = Served(
            configuration=self.configuration,
            original_destination_connection_id=header.destination_cid,
        )
        if self.way == "parameters":  # an unknown one, of 8,000 octets
            made.more_parameters = numbers(0x1F, 8000) + bytes(8000)
        if self.way == "idle":  # 1 ms
            made.more_parameters = numbers(1, 1, 1)
        return made

    def send(self, sender, datagram):
        try:
            self.socket.sendto(datagram, sender)
            did["octets"] += len(datagram)
        except OSError:
            did["unsent"] += 1

    def reply(self, sender, datagram):
        """Returns whether QUIC is to have the datagram, after the answer that the way has."""
        head = datagram[0]
        if self.way == "versions" and head & 0x80:
            header = pull_quic_header(Buffer(data=datagram), host_cid_length=CID_SIZE)
            self.send(
                sender,
                encode_quic_version_negotiation(
                    source_cid=header.destination_cid,
                    destination_cid=header.source_cid,
                    supported_versions=[0x1A2A3A4A],
                ),
            )
            return False
        if self.way == "garbage":
            self.send(sender, random(MOST))
            return False
        if self.way == "forged-reset":
            self.send(sender, b"\x40" + random(40))
        return True

    def answer(self, sender, connection):
        for number in sorted(connection.ended):
            did["queries"] += 1
            way = ANSWERS.get(self.way, right)
            for some in way(number, bytes(connection.heard.pop(number))):
                self.send(sender, connection.packet(some))
        connection.ended.clear()

    def take(self, datagram, sender):
        if not self.reply(sender, datagram):
            did["connections"] += 1
            return
        connection = self.connections.get(sender)
        if connection is None:
            if datagram[0] & 0x80 == 0:
                return
            connection = self.connections[sender] = self.begin(datagram, sender)
        connection.receive_datagram(datagram, sender, now=now())
        due = [octets for octets, _ in connection.datagrams_to_send(now=now())]
        if self.way == "no-handshake":  # never more than the first datagram, cut
            due = [] if connection in self.begun else [due[0][:600]]
            self.begun.add(connection)
        for octets in due:
            self.send(sender, octets)
        if connection.is_open() and connection.closed_with() is None:
            self.answer(sender, connection)

    def run(self):
        print("ready", flush=True)
        while True:
            if select.select([self.socket], [], [], 1)[0]:
                datagram, sender = self.socket.recvfrom(65536)
                self.take(datagram, sender)


def stop(*_):
    raise SystemExit


def main():
    signal.signal(signal.SIGTERM, stop)
    server = Server(*sys.argv[1:])
    try:
        server.run()
    finally:
        print(json.dumps(did), flush=True)


if __name__ == "__main__":
    main()
