#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""walk_internet.py ROOT-ADDRESS <PREDICTIONS: resolves each predicted name of "fakedns --internet" from the root, by
following referrals, and compares what it finds with the prediction. It knows nothing of how the Internet is made.
Prints each difference. Exit status 1 if there is one."""

from __future__ import annotations

import collections
import json
import socket
import sys
from collections.abc import Iterator

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdatatype
import dns.rrset

PATIENCE = 0.5  # seconds; the Internet that is walked has no latency
STEPS = 12  # more referrals than there are between the root and a name
ALIASES = 12

Record = tuple[str, str, int, str]


class Unreachable(Exception):
    """No server of a zone gives an answer that helps."""


class Walker:
    def __init__(self, root: str) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.settimeout(PATIENCE)
        self.servers: dict[dns.name.Name, list[str]] = {dns.name.root: [root]}
        self.useless: set[str] = set()
        self.asked: collections.Counter[str] = collections.Counter()

    def exchange(self, query: dns.message.Message, address: str) -> dns.message.Message | None:
        self.asked["udp"] += 1
        self.socket.sendto(query.to_wire(), (address, 53))
        while True:
            try:
                wire, sender = self.socket.recvfrom(65535)
            except TimeoutError:
                return None
            if sender[0] == address and wire[:2] == query.id.to_bytes(2, "big"):
                return dns.message.from_wire(wire)

    def ask(self, address: str, name: dns.name.Name, kind: str) -> dns.message.Message | None:
        """Returns a server's answer; None if there is none that helps."""
        reply = self.exchange(dns.message.make_query(name, kind, use_edns=0, payload=1232, flags=0), address)
        if reply is None or reply.rcode() == dns.rcode.FORMERR:
            # Large answers may be lost on their way, and EDNS may be unknown.
            reply = self.exchange(dns.message.make_query(name, kind, use_edns=-1, flags=0), address)
        if reply is not None and reply.flags & dns.flags.TC:
            self.asked["tcp"] += 1
            query = dns.message.make_query(name, kind, use_edns=-1, flags=0)
            try:
                reply = dns.query.tcp(query, address, timeout=PATIENCE)
            except (dns.exception.Timeout, OSError, EOFError):
                return None
        return reply

    def addresses(self, zone: dns.name.Name) -> Iterator[str]:
        """Yields the servers' addresses of a zone that a referral has named."""
        for server in self.servers[zone]:
            if server[0].isdigit():
                yield server
                continue
            try:
                rcode, records, _ = self.resolve(dns.name.from_text(server), "A")
            except Unreachable:
                continue
            if rcode == "NOERROR":
                yield from (data for _, kind, _, data in records if kind == "A")

    def remember(self, reply: dns.message.Message, referral: dns.rrset.RRset) -> None:
        glue = {rrset.name: rrset for rrset in reply.additional if rrset.rdtype == dns.rdatatype.A}
        self.servers[referral.name] = [
            glue[record.target][0].to_text() if record.target in glue else record.target.to_text()
            for record in referral
        ]

    def step(self, zone: dns.name.Name, name: dns.name.Name, kind: str) -> dns.message.Message | dns.name.Name:
        """Asks the servers of a zone in turn. Returns an authoritative answer, or the zone of a referral."""
        for address in self.addresses(zone):
            if address in self.useless:
                continue
            reply = self.ask(address, name, kind)
            if reply is None or reply.rcode() in (dns.rcode.SERVFAIL, dns.rcode.REFUSED):
                self.useless.add(address)
                continue
            if reply.flags & dns.flags.AA:
                return reply
            for rrset in reply.authority:
                below = rrset.name != zone and rrset.name.is_subdomain(zone) and name.is_subdomain(rrset.name)
                if rrset.rdtype == dns.rdatatype.NS and below:
                    self.remember(reply, rrset)
                    return rrset.name
            self.useless.add(address)  # a referral up
        raise Unreachable

    def resolve(self, name: dns.name.Name, kind: str) -> tuple[str, set[Record], str]:
        """Returns RCODE, records and the zone of the SOA record, if there is one."""
        records: set[Record] = set()
        for _ in range(ALIASES):
            reply = self.find(name, kind)
            for rrset in reply.answer:
                records |= {
                    (rrset.name.to_text(), dns.rdatatype.to_text(rrset.rdtype), rrset.ttl, text(record))
                    for record in rrset
                }
            alias = next((rrset for rrset in reply.answer if rrset.rdtype == dns.rdatatype.CNAME), None)
            if alias is None or kind == "CNAME":
                soa = next((rrset for rrset in reply.authority if rrset.rdtype == dns.rdatatype.SOA), None)
                return dns.rcode.to_text(reply.rcode()), records, soa.name.to_text() if soa else ""
            name = alias[0].target
        raise Unreachable

    def find(self, name: dns.name.Name, kind: str) -> dns.message.Message:
        zone = next(
            ancestor
            for ancestor in (dns.name.Name(name.labels[i:]) for i in range(len(name.labels)))
            if ancestor in self.servers
        )
        for _ in range(STEPS):
            step = self.step(zone, name, kind)
            if isinstance(step, dns.message.Message):
                return step
            zone = step
        raise Unreachable


def text(record: dns.rdata.Rdata) -> str:
    """Returns a record's data as a prediction has them."""
    if record.rdtype in (dns.rdatatype.HTTPS, dns.rdatatype.CAA, dns.rdatatype.SOA):
        wire = record.to_wire()
        return f"\\# {len(wire)} {wire.hex()}"
    return record.to_text()


def predicted(line: dict[str, object]) -> tuple[str, set[Record], str]:
    records = {(one["name"], one["type"], one["ttl"], one["data"]) for one in line["records"]}  # type: ignore[attr-defined]
    return str(line["rcode"]), records, str(line.get("soa", ""))


def main() -> int:
    walker = Walker(sys.argv[1])
    seen: collections.Counter[str] = collections.Counter()
    differences = 0
    for text_line in sys.stdin:
        line = json.loads(text_line)
        try:
            found = walker.resolve(dns.name.from_text(line["name"]), line["type"])
            reached = True
        except Unreachable:
            reached = False
        seen[f"{line['node']}, {line['reachable']}"] += 1
        if reached and found != predicted(line) and line["reachable"] != "no":
            differences += 1
            print(f"{line['name']} {line['type']}: found {found}, predicted {predicted(line)}")
        elif reached != (line["reachable"] == "yes") and line["reachable"] != "maybe":
            differences += 1
            print(f"{line['name']} {line['type']}: reached is {reached}, predicted {line['reachable']}")
    for what, count in sorted(seen.items()):
        print(f"{what}: {count}")
    print(f"asked: {walker.asked['udp']} by UDP, {walker.asked['tcp']} by TCP; {len(walker.useless)} servers did not help")
    print(f"walked: {sum(seen.values())}, different: {differences}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
