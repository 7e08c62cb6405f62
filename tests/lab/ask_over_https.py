#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ask_over_https.py SERVER CERTIFICATE CONNECTIONS QUERIES: asks over HTTPS (RFC 8484), by POST and GET in turn, on one
connection after the other, with all queries of a connection at once. Prints as JSON what became of the queries: right,
another query's answer (wrong), of another content type, a status but 200 (refused), cut or unanswered; how many answers
came before an earlier query's; and for connections what GOAWAY said, and whether they were closed or reset.
"""

import base64
import json
import socket
import ssl
import sys
from collections import Counter

import dns.message
import h2.config
import h2.connection
import h2.events

PATIENCE = 10  # seconds
QUIET = 0.5  # seconds without an octet, after which a server that is silent has nothing to say


class Connection:
    """One connection, and what came on it."""

    def __init__(self, server: str, context: ssl.SSLContext, said: Counter[str]) -> None:
        plain = socket.create_connection((server, 443), PATIENCE)
        # Otherwise recv() takes a reset for an end.
        self.tls = context.wrap_socket(
            plain, server_hostname="dns64perf.test", suppress_ragged_eofs=False
        )
        assert self.tls.selected_alpn_protocol() == "h2"
        self.tls.settimeout(QUIET)
        config = h2.config.H2Configuration(client_side=True, header_encoding="utf-8")
        self.http = h2.connection.H2Connection(config)
        self.http.initiate_connection()
        self.said = said
        self.asked: dict[int, int] = {}  # the number in the name, by stream
        self.heads: dict[int, dict[str, str]] = {}
        self.bodies: dict[int, bytes] = {}

    def ask(self, number: int) -> None:
        """Puts a query, which send() sends."""
        name = f"010-000-000-{number % 256:03}.dns64perf.test"
        wire = dns.message.make_query(name, "A", id=0, use_edns=False).to_wire()
        stream = self.http.get_next_available_stream_id()
        self.asked[stream] = number % 256
        head = [(":scheme", "https"), (":authority", "dns64perf.test")]
        if number % 2:
            text = base64.urlsafe_b64encode(wire).decode().rstrip("=")
            head += [(":method", "GET"), (":path", f"/dns-query?dns={text}")]
            self.http.send_headers(stream, head, end_stream=True)
        else:
            head += [(":method", "POST"), (":path", "/dns-query")]
            head += [("content-type", "application/dns-message")]
            self.http.send_headers(stream, head)
            self.http.send_data(stream, wire, end_stream=True)

    def send(self) -> None:
        """Sends what waits."""
        self.tls.sendall(self.http.data_to_send())

    def count(self, stream: int) -> None:
        """Counts a response that is whole."""
        asked = self.asked.pop(stream)
        self.said["early"] += any(other < stream for other in self.asked)
        head = self.heads[stream]
        if head[":status"] != "200":
            self.said["refused"] += 1
            return
        if head["content-type"] != "application/dns-message":
            self.said["typed"] += 1
            return
        assert head["cache-control"] == "max-age=3600", head
        reply = dns.message.from_wire(self.bodies[stream])
        right = reply.answer[0][0].address == f"10.0.0.{asked}"
        self.said["right" if right else "wrong"] += 1

    def take(self, octets: bytes) -> None:
        """Takes what came."""
        for event in self.http.receive_data(octets):
            if isinstance(event, h2.events.ResponseReceived):
                self.heads[event.stream_id] = dict(event.headers)
                self.bodies[event.stream_id] = b""
            elif isinstance(event, h2.events.DataReceived):
                self.bodies[event.stream_id] += event.data
            elif isinstance(event, h2.events.StreamEnded):
                self.count(event.stream_id)
            elif isinstance(event, h2.events.ConnectionTerminated):
                self.said["goaway"] += 1
                self.said["last"] += event.last_stream_id

    def read(self) -> None:
        """Reads until all queries have their answers, or none comes."""
        while self.asked:
            try:
                octets = self.tls.recv(65536)
            except TimeoutError:
                self.said["silent"] += len(self.asked)
                return
            except (ConnectionResetError, ssl.SSLError):
                octets = b""
                self.said["reset"] += 1
            else:
                self.said["closed"] += not octets
            if not octets:
                self.said["cut"] += len(self.asked)
                return
            self.take(octets)


def main() -> None:
    """Asks, and says what came."""
    server, certificate = sys.argv[1:3]
    connections, queries = map(int, sys.argv[3:])
    context = ssl.create_default_context(cafile=certificate)
    context.set_alpn_protocols(["h2"])
    said: Counter[str] = Counter()
    for _ in range(connections):
        try:
            one = Connection(server, context, said)
        except (ConnectionResetError, ssl.SSLError, OSError):
            said["no connection"] += 1
            continue
        with one.tls:
            for number in range(queries):
                one.ask(number)
            one.send()
            one.read()
    print(json.dumps({what: count for what, count in said.items() if count}))


if __name__ == "__main__":
    main()
