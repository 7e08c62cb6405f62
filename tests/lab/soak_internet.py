#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What internet_soak_test.sh asks of "fakedns --internet", of whose names it reads predictions.

soak_internet.py list PREDICTIONS FILE: writes a list of queries for one sound name server, with what is predicted of
each answer, and prints the server's addresses, IPv4 and IPv6.

soak_internet.py ask PREDICTIONS SECONDS RATE FAMILY EXCEPT: asks the servers of all names for so long, in turns a sound
one and one of another character, and compares what each answers with the prediction. FAMILY is ipv4 or ipv6; EXCEPT is
a server that is left out. Prints each difference, and a line of counts by character. Exit status 1 if there is a
difference, or if more queries than the Internet loses had no answer.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import json
import select
import socket
import struct
import sys
import time
from collections.abc import Iterator
from typing import Any

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype

Fate = dict[str, Any]
Question = tuple[Fate, str, str]  # a name's fate, the character and the address of a server

PAYLOAD = 1232  # octets of an answer by UDP, as the queries say
SMALL = 512  # octets that "drops-large" does not lose
PATIENCE = 6.0  # seconds: more than any server of the default Internet takes
LOST_MOST = 0.02  # of the queries to servers that answer: the default Internet loses 0.5 %
TOLD_MOST = 20  # differences
ANSWERING = ("sound", "slow", "truncating", "no-edns", "lame", "servfail", "refused")


def fates_of(predictions: str) -> Iterator[Fate]:
    with open(predictions, encoding="ascii") as file:
        yield from map(json.loads, file)


def zone_of(fate: Fate) -> dict[str, Any] | None:
    """Returns the deepest zone that the name lies in; None for names of the root."""
    name = dns.name.from_text(fate["name"])
    zones: list[dict[str, Any]] = [
        zone for zone in fate["zones"] if name.is_subdomain(dns.name.from_text(zone["zone"]))
    ]
    return max(zones, key=lambda zone: len(dns.name.from_text(zone["zone"]))) if zones else None


def text(record: Any) -> str:
    """Returns a record's data as a prediction has them."""
    if record.rdtype in (dns.rdatatype.HTTPS, dns.rdatatype.CAA, dns.rdatatype.SOA):
        wire = record.to_digestable()
        return f"\\# {len(wire)} {wire.hex()}"
    return str(record.to_text())


# ---- the list

def wishes(fate: Fate) -> str | None:
    """Returns what a list says of the answer; None where a list cannot say it."""
    records = fate["records"]
    if fate["node"] == "alias" or (fate["type"] == "TXT" and sum(len(r["data"]) for r in records) > 900):
        return None
    if not records:
        return f"rcode={fate['rcode']} answers=0"
    if fate["type"] in ("A", "AAAA"):
        return "data=" + "|".join(record["data"] for record in records)
    if fate["type"] in ("HTTPS", "CAA"):
        return "data=" + "|".join(record["data"].split()[2] for record in records)
    return f"rcode={fate['rcode']} answers={len(records)}"


def write_list(predictions: str, path: str) -> int:
    """Writes the list of the server that is asked for most."""
    lists: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for fate in fates_of(predictions):
        zone, wish = zone_of(fate), wishes(fate)
        if zone is None or wish is None:
            continue
        for server in zone["servers"]:
            # Servers with a number below 2048 are registries'.
            is_hoster = server["name"].split(".")[1].startswith("dns-") and zone["zone"].count(".") > 1
            if is_hoster and server["character"] == "sound" and "ipv6" in server and server["latency_ms"] < 200:
                lists[(server["ipv4"], server["ipv6"])].append(f"{fate['name']} {fate['type']} E {wish} aa\n")
    server, queries = max(lists.items(), key=lambda item: len(item[1]))
    with open(path, "w", encoding="ascii") as file:
        file.writelines(queries)
    print(*server)
    return 0


# ---- the client

@dataclasses.dataclass
class Asked:
    """A query, and whom it went to."""

    fate: Fate
    character: str
    address: str
    due: float


def is_referral_up(reply: dns.message.Message) -> bool:
    return not reply.answer and any(rrset.name == dns.name.root and rrset.rdtype == dns.rdatatype.NS
                                    for rrset in reply.authority)


def why_wrong(fate: Fate, reply: dns.message.Message) -> str | None:
    """Returns what of a sound server's answer is not as predicted."""
    if not reply.flags & dns.flags.AA:
        return "it is not authoritative"
    wanted = {(dns.name.from_text(r["name"]), r["type"], r["ttl"], r["data"]) for r in fate["records"]}
    found = {(rrset.name, dns.rdatatype.to_text(rrset.rdtype), rrset.ttl, text(record))
             for rrset in reply.answer for record in rrset}
    if reply.flags & dns.flags.TC:
        return None if sum(len(r["data"]) for r in fate["records"]) > SMALL else "it is truncated"
    if fate["node"] == "alias" and fate["type"] != "CNAME":
        # A server has that part of a chain that lies in its own zones.
        return None if found and found <= wanted else f"found {found}, predicted {wanted}"
    if found != wanted:
        return f"found {found}, predicted {wanted}"
    if dns.rcode.to_text(reply.rcode()) != fate["rcode"]:
        return f"found {dns.rcode.to_text(reply.rcode())}, predicted {fate['rcode']}"
    soas = [rrset.name.to_text() for rrset in reply.authority if rrset.rdtype == dns.rdatatype.SOA]
    return None if found or soas == [fate["soa"]] else f"found SOA of {soas}, predicted {fate['soa']}"


def complaint(asked: Asked, reply: dns.message.Message) -> str | None:
    """Returns what is wrong with an answer of a server of this character."""
    rcode = dns.rcode.to_text(reply.rcode())
    verdicts = {
        "servfail": rcode == "SERVFAIL",
        "refused": rcode == "REFUSED",
        "no-edns": rcode == "FORMERR",
        "truncating": bool(reply.flags & dns.flags.TC),
        "lame": rcode == "NOERROR" and is_referral_up(reply),
        "silent": False,
    }
    if asked.character in verdicts:
        return None if verdicts[asked.character] else f"it answered {rcode}"
    return why_wrong(asked.fate, reply)


class Client:
    def __init__(self, family: str, rate: float) -> None:
        self.socket = socket.socket(socket.AF_INET6 if family == "ipv6" else socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.gap = 1 / rate
        self.waiting: dict[tuple[str, int], Asked] = {}
        self.order: collections.deque[tuple[str, int]] = collections.deque()
        self.asked: collections.Counter[str] = collections.Counter()
        self.silent: collections.Counter[str] = collections.Counter()
        self.late = 0
        self.differences: list[str] = []

    def send(self, number: int, one: Asked) -> None:
        query = dns.message.make_query(one.fate["name"], one.fate["type"], use_edns=0, payload=PAYLOAD, flags=0)
        key = (one.address, number % 65536)
        self.waiting[key] = one
        self.order.append(key)
        self.asked[one.character] += 1
        self.socket.sendto(struct.pack("!H", key[1]) + query.to_wire()[2:], (one.address, 53))

    def receive(self, patience: float) -> None:
        """Judges what arrives within that many seconds."""
        until = time.monotonic() + patience
        while select.select([self.socket], [], [], max(0.0, until - time.monotonic()))[0]:
            wire, sender = self.socket.recvfrom(65535)
            one = self.waiting.pop((sender[0], struct.unpack("!H", wire[:2])[0]), None)
            if one is None:
                self.late += 1
                continue
            try:
                why = complaint(one, dns.message.from_wire(wire))
            except dns.exception.DNSException as error:
                why = f"no message: {error}"
            if why:
                self.differences.append(f"{one.fate['name']} {one.fate['type']}, of {one.address}, "
                                        f"{one.character}: {why}")

    def give_up(self, now: float) -> None:
        while self.order and (self.order[0] not in self.waiting or self.waiting[self.order[0]].due < now):
            one = self.waiting.pop(self.order.popleft(), None)
            if one is not None:
                self.silent[one.character] += 1

    def run(self, asked: Iterator[Question], seconds: float) -> None:
        began = time.monotonic()
        for number, question in enumerate(asked):
            due = began + number * self.gap
            if due - began > seconds:
                break
            self.receive(max(0.0, due - time.monotonic()))
            self.send(number, Asked(*question, time.monotonic() + PATIENCE))
            self.give_up(time.monotonic())
        while self.waiting:
            self.receive(0.2)
            self.give_up(time.monotonic())

    def tell(self) -> int:
        for difference in self.differences[:TOLD_MOST]:
            print(difference)
        print("asked: " + ", ".join(f"{kind} {count} ({self.silent[kind]} without answer)"
                                    for kind, count in sorted(self.asked.items())))
        asked = sum(self.asked[kind] for kind in ANSWERING)
        lost = sum(self.silent[kind] for kind in ANSWERING)
        print(f"asked {sum(self.asked.values())}, different {len(self.differences)}, unexpected {self.late}, "
              f"lost {lost} of {asked}")
        return 1 if self.differences or self.late or lost > LOST_MOST * asked else 0


def questions(predictions: str, family: str, left_out: str) -> Iterator[Question]:
    """Yields questions without end: in turns for a sound server and for another."""
    sound: list[Question] = []
    others: list[Question] = []
    for fate in fates_of(predictions):
        zone = zone_of(fate)
        for server in zone["servers"] if zone else ():
            if server.get(family, left_out) != left_out:
                kind = sound if server["character"] == "sound" else others
                kind.append((fate, server["character"], server[family]))
    return itertools.chain.from_iterable(zip(itertools.cycle(sound), itertools.cycle(others)))


def ask(predictions: str, seconds: str, rate: str, family: str, left_out: str) -> int:
    client = Client(family, float(rate))
    client.run(questions(predictions, family, left_out), float(seconds))
    return client.tell()


def main() -> int:
    verb, *words = sys.argv[1:]
    return write_list(*words) if verb == "list" else ask(*words)


if __name__ == "__main__":
    sys.exit(main())
