#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Asks the servers of "fakedns --internet" by UDP, and prints what each answers: internet_paths_test.sh compares what
two ways of answering say.

Reads the lines of "fakedns --predict" from standard input, and asks each server of each zone for the name, by both IP
versions, and some servers for what is no proper question. Prints a line for each query: server, ID and answer, in
hexadecimal digits, "none" where there was none. The IDs are the same in every run. Then, on standard error, how many
queries there were, and how many answers.
"""

import itertools
import json
import select
import socket
import struct
import sys
import time

import dns.edns
import dns.flags
import dns.message
import dns.rdataclass

PATIENCE = 2.5  # seconds after the last query
GAP = 0.0002  # seconds between queries, so that no buffer overflows


def proper(line, number):
    """Yields messages, without ID, for the name of a prediction."""
    fate = json.loads(line)
    edns = ({"use_edns": -1}, {"use_edns": 0, "payload": 1232}, {"use_edns": 0, "payload": 4096, "want_dnssec": True})
    query = dns.message.make_query(fate["name"], fate["type"], **edns[number % 3])
    query.flags = (0, dns.flags.RD, dns.flags.CD)[number % 3]
    yield query.to_wire()


def improper():
    """Yields messages that are no proper questions, without ID."""
    good = dns.message.make_query("wWw.eXample.COM", "A").to_wire()
    yield good[:11]
    yield good[:12]
    yield good[:-3]
    yield good + b"behind"
    yield good[:2] + b"\x80" + good[3:]  # an answer
    yield good[:2] + b"\x20" + good[3:]  # opcode NOTIFY
    yield good[:5] + b"\x02" + good[6:]  # two questions
    yield good[:12] + b"\xc0\x0c" + good[14:]
    yield dns.message.make_query("example.com", "A", rdclass=dns.rdataclass.CH).to_wire()
    yield dns.message.make_query(".", "ANY").to_wire()
    for kind in ("ANY", "AXFR", "DS", "NS", "SOA", "TYPE65280"):
        yield dns.message.make_query("com", kind).to_wire()
    with_edns = dns.message.make_query(".", "NS", use_edns=0).to_wire()
    yield with_edns[:-5] + b"\x01" + with_edns[-4:]  # version 1
    yield dns.message.make_query(".", "NS", use_edns=0, options=[dns.edns.GenericOption(65001, bytes(900))]).to_wire()
    yield dns.message.make_query(".".join(["x" * 63] * 3 + ["y" * 61]), "TXT").to_wire()


def exchanges():
    """Yields (server's address, message without ID)."""
    for number, line in enumerate(sys.stdin):
        servers = {server[family] for zone in json.loads(line)["zones"] for server in zone["servers"]
                   for family in ("ipv4", "ipv6") if server.get(family)}
        for message, server in itertools.product(proper(line, number), sorted(servers)):
            yield server, message
    for message, server in itertools.product(improper(), ("198.18.128.1", "2001:2:0:80::1", "198.18.128.0",
                                                          "198.18.200.7", "2001:2:0:80::4807")):
        yield server, message


def receive(sockets, answers, patience):
    """Notes what arrives until nothing has for `patience` seconds."""
    while True:
        ready, _, _ = select.select(sockets, [], [], patience)
        if not ready:
            return
        for one in ready:
            message, server = one.recvfrom(65535)
            key = (server[0], struct.unpack("!H", message[:2])[0])
            answers.setdefault(key, []).append(message.hex())


def main():
    sockets = {family: socket.socket(family, socket.SOCK_DGRAM) for family in (socket.AF_INET, socket.AF_INET6)}
    asked, answers = [], {}
    for number, (server, message) in enumerate(exchanges()):
        query = struct.pack("!H", number % 65536) + message[2:]
        sockets[socket.AF_INET6 if ":" in server else socket.AF_INET].sendto(query, (server, 53))
        asked.append((server, number % 65536))
        receive(list(sockets.values()), answers, 0)
        time.sleep(GAP)
    receive(list(sockets.values()), answers, PATIENCE)
    for server, number in asked:
        print(server, number, *answers.get((server, number), ["none"]))
    print(f"asked {len(asked)}, answered {sum(map(len, answers.values()))}", file=sys.stderr)


if __name__ == "__main__":
    main()
