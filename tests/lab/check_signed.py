#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Asks a server every query of a signed data set's list, and checks every RCODE, signature and denial in its replies.

usage: check_signed.py DATASET nsec|nsec3 SERVER...

Each server is asked every line of DATASET/queries.txt. A reply must have the RCODE, the number of answers and the AA
flag that the line says, and so the line's kind of answer or denial. If the query has DO:

- an RRSIG by the zone's key, which DATASET/anchors has, covers each RRset that the zone has authority for;
- NSEC or NSEC3 records, as the data set has them, prove that a name, a type, or the DS records of a delegation do not
  exist (RFC 4035 section 3.1.3, RFC 5155 section 7.2); the reply has none of the other kind.

Without DO the reply has no such record. dnspython does the cryptography: nothing here is dnsgauge's.

What was found once is not computed again: a signature over the same RRset, and a reply of the same octets to the same
line, have the same outcome.

Exit status: 0; 1 where a reply is wrong.
"""

from __future__ import annotations

import base64
import collections
import re
import select
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import dns.dnssec
import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype as types
import dns.rrset

ANCHOR = re.compile(r'"(\S+)" static-key (\d+) (\d+) (\d+) "([^"]+)"')
OPT_OUT = 1
TRIES = 5
PATIENCE = 1  # seconds
WINDOW = 100  # queries that wait for replies at once; the smallest socket buffers take 277
UDP_SIZE = 1232  # as in a trial
DNSSEC_TYPES = (types.RRSIG, types.NSEC, types.NSEC3)


def keys_of(dataset: Path) -> dict[dns.name.Name, dns.rrset.RRset]:
    """Returns {zone: the zone's key as an RRset}."""
    keys = {}
    for zone, *key in ANCHOR.findall((dataset / "anchors").read_text(encoding="ascii")):
        name = dns.name.from_text(zone)
        keys[name] = dns.rrset.from_text(name, 3600, "IN", "DNSKEY", " ".join(key))
    return keys


class Line(NamedTuple):
    """A line of the list."""

    name: dns.name.Name
    kind: types.RdataType
    with_opt: bool
    with_do: bool
    rcode: str
    answers: int
    is_authoritative: bool

    def expected(self) -> tuple[str, ...]:
        """Returns what kinds of replies fit the line."""
        if self.rcode == "NXDOMAIN":
            return ("NXDOMAIN",)
        if self.answers:
            return ("answer",)
        return ("no data",) if self.is_authoritative else ("signed delegation", "unsigned delegation")

    def query(self, ident: int) -> bytes:
        query = dns.message.make_query(self.name, self.kind, flags=0, use_edns=0 if self.with_opt else -1,
                                       want_dnssec=self.with_do, payload=UDP_SIZE)
        query.id = ident
        return query.to_wire()

    def told(self) -> str:
        return f"{self.name} {types.to_text(self.kind)}"


def lines_of(dataset: Path) -> list[Line]:
    lines = []
    with open(dataset / "queries.txt", encoding="ascii") as texts:
        for text in texts:
            name, kind, *words = text.split()
            wanted = dict(word.split("=") for word in words if "=" in word)
            lines.append(Line(dns.name.from_text(name), types.from_text(kind), "D" in words or "E" in words,
                              "D" in words, wanted["rcode"], int(wanted["answers"]), "aa" in words))
    return lines


def has_type(rdata: Any, kind: int) -> bool:
    """Returns whether a record of NSEC or NSEC3 has the type in its bitmap."""
    window, at = divmod(kind, 256)
    return any(number == window and at // 8 < len(bitmap) and bitmap[at // 8] & 0x80 >> at % 8
               for number, bitmap in rdata.windows)


class Nsec:
    """The proofs that a reply's NSEC records give."""

    def __init__(self, zone: dns.name.Name, authority: list[dns.rrset.RRset]) -> None:
        self.zone = zone
        self.records = [(rrset.name, rrset[0]) for rrset in authority if rrset.rdtype == types.NSEC]

    def covering(self, name: dns.name.Name) -> tuple[dns.name.Name, dns.name.Name] | None:
        """Returns the owner and the next name of the record that covers the name, or nothing."""
        for owner, rdata in self.records:
            if owner < name and (name < rdata.next or rdata.next == self.zone):
                return owner, rdata.next
        return None

    def denies_name(self, name: dns.name.Name) -> bool:
        """Returns whether neither the name nor a wildcard in its place exists."""
        found = self.covering(name)
        if not found:
            return False
        encloser = max((name.fullcompare(other)[2] for other in found))
        return self.covering(dns.name.Name([b"*", *name.labels[len(name.labels) - encloser:]])) is not None

    def denies_type(self, name: dns.name.Name, kind: int) -> bool:
        """Returns whether the name exists, without records of that type."""
        return any(owner == name and not has_type(rdata, kind) and not has_type(rdata, types.CNAME)
                   for owner, rdata in self.records)


class Nsec3:
    """The same for NSEC3 records."""

    def __init__(self, zone: dns.name.Name, authority: list[dns.rrset.RRset]) -> None:
        self.zone = zone
        self.records = [(rrset.name.labels[0].decode().upper(), rrset[0]) for rrset in authority
                        if rrset.rdtype == types.NSEC3]

    def matching(self, name: dns.name.Name) -> Any:
        """Returns the record of the name, or nothing."""
        return next((rdata for owner, rdata in self.records if owner == self.hash(name, rdata)), None)

    def covering(self, name: dns.name.Name) -> Any:
        """Returns the record that covers the name, or nothing."""
        for owner, rdata in self.records:
            digest, end = self.hash(name, rdata), base64.b32hexencode(rdata.next).decode().rstrip("=")
            if owner < digest < end or end <= owner and (digest > owner or digest < end):
                return rdata
        return None

    @staticmethod
    def hash(name: dns.name.Name, rdata: Any) -> str:
        """Returns the name's digest with the record's parameters."""
        return str(dns.dnssec.nsec3_hash(name, rdata.salt or None, rdata.iterations, rdata.algorithm))

    def enclosed(self, name: dns.name.Name) -> tuple[dns.name.Name, dns.name.Name] | None:
        """Returns the closest encloser that is proven, and the name below it; or nothing."""
        below = name
        while below != self.zone:
            encloser = below.parent()
            if self.matching(encloser):
                return encloser, below
            below = encloser
        return None

    def denies_name(self, name: dns.name.Name) -> bool:
        """Returns whether neither the name nor a wildcard in its place exists."""
        found = self.enclosed(name)
        return found is not None and self.covering(found[1]) is not None and \
            self.covering(dns.name.Name([b"*", *found[0].labels])) is not None

    def denies_type(self, name: dns.name.Name, kind: int) -> bool:
        """Returns whether the name exists without records of that type, or is a delegation that opt-out leaves out."""
        if rdata := self.matching(name):
            return not has_type(rdata, kind) and not has_type(rdata, types.CNAME)
        found = self.enclosed(name) if kind == types.DS else None
        rdata = self.covering(found[1]) if found else None
        return rdata is not None and bool(rdata.flags & OPT_OUT)


Verdict = tuple[str, list[str]]  # what kind of reply it is, and what is wrong with it


class Judge:
    """Says what is wrong with replies from a data set's zones."""

    def __init__(self, dataset: Path, denial: str) -> None:
        self.keys = keys_of(dataset)
        self.prover: type[Nsec | Nsec3] = Nsec if denial == "nsec" else Nsec3
        self.other = types.NSEC3 if denial == "nsec" else types.NSEC
        self.denial = denial
        self.signatures: dict[tuple[object, ...], str | None] = {}  # why each is wrong
        self.replies: dict[tuple[Line, bytes], Verdict] = {}

    def judge(self, line: Line, wire: bytes) -> Verdict:
        """Returns what kind of reply it is, and a list of what is wrong."""
        same = line, wire[2:]  # but for the transaction ID
        if same not in self.replies:
            self.replies[same] = self.judge_anew(line, wire)
        return self.replies[same]

    def judge_anew(self, line: Line, wire: bytes) -> Verdict:
        try:
            reply, behind = message_of(wire)
        except dns.exception.DNSException as error:
            return "unreadable", [f"{error!r}"]
        if reply.flags & dns.flags.TC or not reply.question:
            return "truncated", ["truncated, or without the question"]
        if (reply.question[0].name, reply.question[0].rdtype) != (line.name, line.kind):
            return "another's", ["the reply to another question"]
        zone = next(each for each in ancestors(line.name) if each in self.keys)
        what, proven = kind_of(reply, zone, line, self.prover(zone, reply.authority))
        told = (what if line.with_do else what.removeprefix("unsigned ") + " without DO") + behind
        answers = sum(len(rrset) for rrset in reply.answer)
        wrong = []
        rcode = dns.rcode.to_text(reply.rcode())
        if rcode != line.rcode or what not in line.expected():
            wrong.append(f"{rcode}, {what}, not {line.rcode}, {' or '.join(line.expected())}")
        if answers != line.answers or bool(reply.flags & dns.flags.AA) != line.is_authoritative:
            wrong.append(f"{answers} answers, not {line.answers}, or AA is wrong")
        if not line.with_do:
            return told, wrong + unasked(reply)
        wrong += self.unsigned(zone, reply)
        if not proven:
            wrong.append(f"no proof of: {what}")
        if any(rrset.rdtype == self.other for rrset in reply.authority):
            wrong.append(f"{types.to_text(self.other)} records in a zone with {self.denial}")
        return told, wrong

    def unsigned(self, zone: dns.name.Name, reply: dns.message.Message) -> list[str]:
        """Returns what is wrong with the signatures of a reply."""
        wrong = []
        for section in (reply.answer, reply.authority):
            signatures = {(rrset.name, rrset.covers): rrset for rrset in section if rrset.rdtype == types.RRSIG}
            for rrset in section:
                if rrset.rdtype == types.RRSIG or rrset.rdtype == types.NS and rrset.name != zone:
                    continue
                signature = signatures.get((rrset.name, rrset.rdtype))
                why = self.invalid(zone, rrset, signature) if signature else "no RRSIG"
                if why:
                    wrong.append(f"{rrset.name} {types.to_text(rrset.rdtype)}: {why}")
        return wrong

    def invalid(self, zone: dns.name.Name, rrset: dns.rrset.RRset, signature: dns.rrset.RRset) -> str | None:
        """Returns why a signature is wrong, or nothing."""
        same = zone, rrset.name, rrset.rdtype, frozenset(rrset), frozenset(signature)
        if same not in self.signatures:
            try:
                dns.dnssec.validate(rrset, signature, {zone: self.keys[zone]})  # type: ignore[no-untyped-call]
                self.signatures[same] = None
            except dns.dnssec.ValidationFailure as error:
                self.signatures[same] = f"wrong RRSIG: {error}"
        return self.signatures[same]


def ancestors(name: dns.name.Name) -> Iterator[dns.name.Name]:
    """Yields the name and the names above it, the root last."""
    while True:
        yield name
        if name == dns.name.root:
            return
        name = name.parent()


def message_of(wire: bytes) -> tuple[dns.message.Message, str]:
    """Returns the message, and whether octets follow it, in words. Throws DNSException if it cannot be read."""
    try:
        return dns.message.from_wire(wire), ""
    except dns.message.TrailingJunk:
        return dns.message.from_wire(wire, ignore_trailing=True), ", octets after the message"


def unasked(reply: dns.message.Message) -> list[str]:
    """Returns the records in a reply that only a query with DO asks for."""
    return [f"{types.to_text(rrset.rdtype)} without DO" for section in (reply.answer, reply.authority)
            for rrset in section if rrset.rdtype in DNSSEC_TYPES]


def kind_of(reply: dns.message.Message, zone: dns.name.Name, line: Line, proofs: Nsec | Nsec3) -> tuple[str, bool]:
    """Returns the kind of the reply, and whether its proofs fit the kind."""
    if reply.rcode() == dns.rcode.NXDOMAIN:
        return "NXDOMAIN", proofs.denies_name(line.name)
    cut = next((rrset.name for rrset in reply.authority if rrset.rdtype == types.NS and rrset.name != zone), None)
    if reply.answer:
        return "answer", True
    if cut is None:
        return "no data", proofs.denies_type(line.name, line.kind)
    if any(rrset.rdtype == types.DS and rrset.name == cut for rrset in reply.authority):
        return "signed delegation", True
    return "unsigned delegation", proofs.denies_type(cut, types.DS)


def ask(server: str, lines: list[Line]) -> Iterator[tuple[Line, bytes]]:
    """Yields each line with its reply. Asks some at once, again where no reply comes, and gives up after some time."""
    with socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.connect((server, 53))
        for begin in range(0, len(lines), WINDOW):
            # No ID comes again soon: a late reply is not taken for another's.
            waiting = {(begin + at) % 0x10000: line for at, line in enumerate(lines[begin:begin + WINDOW])}
            for _ in range(TRIES):
                for ident, line in waiting.items():
                    client.send(line.query(ident))
                yield from received(client, waiting)
            if waiting:
                raise SystemExit(f"{next(iter(waiting.values())).told()}: no reply from {server}")


def received(client: socket.socket, waiting: dict[int, Line]) -> Iterator[tuple[Line, bytes]]:
    """Yields lines with their replies, and takes them from those that wait, until none waits or no reply comes."""
    deadline = time.monotonic() + PATIENCE
    while waiting and select.select([client], [], [], max(deadline - time.monotonic(), 0))[0]:
        wire = client.recv(65535)
        line = waiting.pop(int.from_bytes(wire[:2], "big"), None)
        if line:
            yield line, wire


def main() -> int:
    dataset, denial, servers = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    judge, lines = Judge(dataset, denial), lines_of(dataset)
    kinds: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for server in servers:
        for line, wire in ask(server, lines):
            what, faults = judge.judge(line, wire)
            kinds[what] += 1
            wrong += [f"{server}: {line.told()}: {fault}" for fault in faults]
    print(f"{kinds.total()} replies, {len(judge.signatures)} different signatures: "
          + ", ".join(f"{number} {what}" for what, number in sorted(kinds.items())))
    for each in wrong[:10]:
        print(each)
    if not any(what.startswith(("NXDOMAIN", "no data", "unsigned delegation")) for what in kinds):
        print("no reply denies anything")
        return 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
