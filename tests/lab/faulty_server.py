#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A DNS server for names of the test namespace that is wrong in exactly known ways: see faults.py. It is an
implementation of its own, of octets and sockets, and shares no code with the programs under test.

    faulty_server.py serve ADDRESS OTHER-ADDRESS LATE_BEFORE [PREFIX]   PREFIX: of AAAA records, 96 bits
    faulty_server.py list FIRST COUNT data|list                         prints a list for --queries
    faulty_server.py capture FILE FIRST COUNT SECONDS                   writes queries and right answers
"""

import socket
import struct
import sys
from dataclasses import dataclass, replace

from faults import LATENESS, fault_of
from udp_server import bound_socket, serve

ZONE = b"\x09dns64perf\x04test\x00"
PREFIX = "2001:db8::"
QR, AA, TC, RD, RA, Z, AD, CD = 0x8000, 0x400, 0x200, 0x100, 0x80, 0x40, 0x20, 0x10
OPCODE_NOTIFY = 4 << 11
FORMERR, SERVFAIL, NXDOMAIN = 1, 2, 3
A, NS, CNAME, SOA, TXT, AAAA, DNAME, OPT, RRSIG = 1, 2, 5, 6, 16, 28, 39, 41, 46
IN, CHAOS = 1, 3
NSID, COOKIE, PADDING = 3, 10, 12
HEADER = 12
LABEL = 1 + 15  # octets of the label with the digits
QUESTION = LABEL + len(ZONE) + 4
NAME = struct.pack("!H", 0xc000 | HEADER)  # a pointer to the question's name
APEX = struct.pack("!H", 0xc000 | HEADER + LABEL)  # to the zone's


def text_of(number):
    return "-".join(f"{octet:03}" for octet in number.to_bytes(4, "big"))


def name_of(number):
    return b"\x0f" + text_of(number).encode() + ZONE


@dataclass(frozen=True)
class Query:
    octets: bytes

    @property
    def number(self):
        return int.from_bytes(bytes(map(int, self.octets[HEADER + 1:HEADER + LABEL].split(b"-"))), "big")

    @property
    def question(self):
        return self.octets[HEADER:HEADER + QUESTION]

    @property
    def type(self):
        return int.from_bytes(self.question[-4:-2], "big")

    @property
    def has_opt(self):
        return self.octets[11] > 0


class Addresses:
    """The right data of each name."""

    def __init__(self, prefix=PREFIX):
        self.prefix = socket.inet_pton(socket.AF_INET6, prefix)[:12]

    def of(self, number, kind):
        ipv4 = number.to_bytes(4, "big")
        return ipv4 if kind == A else self.prefix + ipv4


def record(owner, kind, data, ttl=60, of_class=IN, length=None):
    return owner + struct.pack("!HHIH", kind, of_class, ttl, len(data) if length is None else length) + data


def opt(*options, upper_rcode=0):
    data = b"".join(struct.pack("!HH", code, len(value)) + value for code, value in options)
    return record(b"\0", OPT, data, upper_rcode << 24 | 0x8000, 1232)


def rrsig(owner, kind):
    return record(owner, RRSIG, struct.pack("!HBBIIIH", kind, 13, 3, 60, 1893456000, 1577836800, 1) + ZONE +
                  bytes(range(64)))


def soa():
    return record(APEX, SOA, b"\2ns" + APEX + b"\4host" + APEX + struct.pack("!5I", 1, 2, 3, 4, 60))


@dataclass(frozen=True)
class Reply:
    """A reply whose header says what the sections hold, plus `off` by count."""

    id: int
    flags: int
    questions: tuple = ()
    answers: tuple = ()
    authorities: tuple = ()
    additionals: tuple = ()
    off: tuple = (0, 0, 0, 0)
    behind: bytes = b""

    def octets(self):
        sections = (self.questions, self.answers, self.authorities, self.additionals)
        counts = (len(section) + off for section, off in zip(sections, self.off))
        return struct.pack("!6H", self.id, self.flags, *counts) + b"".join(map(b"".join, sections)) + self.behind


class Maker:
    """Makes the replies to one query: a method for each fault, which returns a Reply, octets, or a list of those."""

    def __init__(self, query, addresses):
        self.query = query
        self.addresses = addresses
        self.data = addresses.of(query.number, query.type)
        self.wrong_data = addresses.of(query.number ^ 1, query.type)

    def address(self, owner=NAME, data=None, **changes):
        return record(owner, self.query.type, self.data if data is None else data, **changes)

    def reply(self, *answers, flags=0, without=0, **changes):
        flags |= QR | AA | int.from_bytes(self.query.octets[2:4], "big") & RD
        made = Reply(int.from_bytes(self.query.octets[:2], "big"), flags & ~without, (self.query.question,), answers,
                     additionals=(opt(),) if self.query.has_opt else ())
        return replace(made, **changes)

    def right(self, **changes):
        return self.reply(self.address(), **changes)

    def owned(self, owner, **changes):
        return self.reply(self.address(owner), **changes)

    def asked(self, name=None, kind=None, of_class=IN, **changes):
        """Returns the right answer to another question."""
        question = (name or self.query.question[:-4]) + struct.pack("!HH", kind or self.query.type, of_class)
        return self.right(questions=(question,), **changes)

    def cut(self, octets):
        """Returns this number of octets of a reply without OPT."""
        return self.right(additionals=()).octets()[:octets]

    # What a server may do once or later.

    def drop(self):
        return []

    def twice(self):
        return [self.right(), self.right()]

    late = drop
    twice_late = right

    def wrong_question_then_right(self):
        return [self.wrong_question(), self.right()]

    def wrong_question_right_late(self):
        return self.wrong_question()

    def garbage_then_servfail(self):
        return [self.garbage_with_id(), self.servfail()]

    servfail_late = drop

    # From elsewhere, or to something else.

    other_port = drop
    other_address = drop

    def with_other_id(self, octets):
        return bytes([octets[0] ^ 0x55, octets[1] ^ 0x55]) + octets[2:]

    def wrong_id(self):
        return self.with_other_id(self.right().octets())

    def garbage(self):
        return self.with_other_id(self.query.octets[:2] + b"\xa5" * 40)

    def one_octet(self):
        return b"\0"

    # The header.

    def echo(self):
        return self.query.octets

    def qr_clear(self):
        return self.right(without=QR)

    def opcode_notify(self):
        return self.right(flags=OPCODE_NOTIFY)

    def aa_clear(self):
        return self.right(without=AA)

    def z_set(self):
        return self.right(flags=Z)

    def ra_set(self):
        return self.right(flags=RA)

    def cd_set(self):
        return self.right(flags=CD)

    def ad_set(self):
        return self.right(flags=AD)

    def truncated(self):
        return self.reply(flags=TC)

    def truncated_with_answer(self):
        return self.right(flags=TC)

    def servfail(self):
        return self.reply(flags=SERVFAIL, without=AA)

    def nxdomain(self):
        return self.reply(flags=NXDOMAIN, authorities=(soa(),))

    def nxdomain_with_answer(self):
        return self.right(flags=NXDOMAIN)

    def extended_rcode(self):
        return self.right(additionals=(opt(upper_rcode=1),))

    def formerr_without_question(self):
        return self.reply(flags=FORMERR, without=AA, questions=(), additionals=())

    def garbage_with_id(self):
        return self.query.octets[:2] + b"\xff" * 40

    # The question.

    def no_question(self):
        return self.reply(self.address(self.query.question[:-4]), questions=())

    def two_questions(self):
        return self.right(questions=(self.query.question,) * 2)

    def wrong_question(self):
        number = self.query.number
        # With another third octet it is a name that the trial may ask for, too.
        return self.asked(name_of(number ^ 0x100))

    def question_of_another_type(self):
        return self.asked(kind=TXT)

    def question_of_another_class(self):
        return self.asked(of_class=CHAOS)

    def in_capitals(self):
        return self.asked(self.query.question[:-4].upper())

    # The record's owner.

    def owner_uncompressed(self):
        return self.owned(self.query.question[:-4])

    def owner_in_parts(self):
        return self.owned(self.query.question[:LABEL] + APEX)

    def owner_in_capitals(self):
        return self.owned(self.query.question[:-4].upper())

    def owner_pointer_to_pointer(self):
        return self.reply(rrsig(NAME, self.query.type), self.address(self.pointer(0)))

    def pointer(self, behind_question):
        return struct.pack("!H", 0xc000 | HEADER + QUESTION + behind_question)

    def owner_neighbour(self):
        return self.owned(name_of(self.query.number ^ 1))

    def owner_zone(self):
        return self.owned(APEX)

    def owner_root(self):
        return self.owned(b"\0")

    def owner_below(self):
        return self.owned(b"\1x" + NAME)

    def owner_in_another_zone(self):
        return self.owned(self.query.question[:LABEL] + b"\7example\0")

    def owner_cut(self):
        return self.owned(self.query.question[:LABEL] + b"\0")

    def owner_loop(self):
        return self.owned(self.pointer(0))

    def owner_loop_of_two(self):
        first = self.address(self.pointer(len(self.address())))
        return self.reply(first, self.address(self.pointer(0)))

    def owner_ahead(self):
        owner = self.query.question[:-4]
        return self.owned(self.pointer(len(self.address())),
                          authorities=(record(owner, NS, b"\2ns" + APEX),))

    def owner_beyond(self):
        return self.owned(b"\xff\xff")

    def owner_reserved_label(self):
        return self.owned(b"\x8f" + self.query.question[1:-4])

    # The record.

    def wrong_address(self):
        return self.reply(self.address(data=self.wrong_data))

    def wrong_type(self):
        other = A if self.query.type == AAAA else AAAA
        return self.reply(record(NAME, other, self.addresses.of(self.query.number, other)))

    def wrong_class(self):
        return self.reply(self.address(of_class=CHAOS))

    def ttl_zero(self):
        return self.reply(self.address(ttl=0))

    def ttl_largest(self):
        return self.reply(self.address(ttl=0x7fffffff))

    def ttl_negative(self):
        # It counts as zero (RFC 2181 section 8).
        return self.reply(self.address(ttl=0xffffffff))

    def data_short(self):
        return self.reply(self.address(data=self.data[:-1]))

    def data_long(self):
        return self.reply(self.address(data=self.data + b"\0"))

    def data_none(self):
        return self.reply(self.address(data=b""))

    def data_beyond_end(self):
        return self.reply(self.address(length=200), additionals=())

    # Records beside it in the answer section.

    def empty(self):
        return self.reply()

    def nodata(self):
        return self.reply(authorities=(soa(),))

    def wrong_and_right_address(self):
        return self.reply(self.address(data=self.wrong_data), self.address())

    def right_and_wrong_address(self):
        return self.reply(self.address(), self.address(data=self.wrong_data))

    def right_twice(self):
        return self.reply(self.address(), self.address())

    def beside_text(self):
        return self.reply(self.address(), record(NAME, TXT, b"\4text"))

    def beside_cname_to_itself(self):
        return self.reply(record(NAME, CNAME, NAME), self.address())

    def before_cname(self):
        return self.reply(self.address(), record(NAME, CNAME, b"\5alias" + APEX))

    def cname_to_itself(self):
        return self.reply(record(NAME, CNAME, NAME), additionals=())

    def cnames_to_each_other(self):
        alias = b"\5alias" + APEX
        return self.reply(record(NAME, CNAME, alias), record(alias, CNAME, self.query.question[:-4]), additionals=())

    def behind_dname(self, owner=APEX):
        alias = self.query.question[:LABEL] + b"\7example\0"
        return self.reply(record(owner, DNAME, b"\7example\0"), record(NAME, CNAME, alias), self.address(alias))

    def behind_dname_of_another_zone(self):
        return self.behind_dname(b"\7example\0")

    def beside_dname(self):
        return self.reply(record(APEX, DNAME, b"\7example\0"), self.address())

    def behind_cname(self):
        alias = b"\5alias" + APEX
        return self.reply(record(NAME, CNAME, alias), self.address(alias))

    def beside_rrsig(self):
        return self.reply(self.address(), rrsig(NAME, self.query.type))

    def beside_rrsig_of_neighbour(self):
        return self.reply(self.address(), rrsig(name_of(self.query.number ^ 1), self.query.type))

    def behind_rrsig(self):
        return self.reply(rrsig(NAME, self.query.type), self.address())

    # The other sections.

    def servers(self):
        return tuple(record(APEX, NS, bytes([2]) + server + APEX) for server in (b"ns", b"n2"))

    def with_authority(self):
        return self.right(authorities=self.servers())

    def with_glue(self):
        glue = (record(b"\2ns" + APEX, A, b"\xc0\0\2\1"), record(b"\2n2" + ZONE, AAAA, bytes(15) + b"\1"))
        made = self.right()
        return replace(made, authorities=self.servers(), additionals=glue + made.additionals)

    def answer_in_authority(self):
        return self.reply(authorities=(self.address(),))

    def answer_in_additional(self):
        made = self.reply()
        return replace(made, additionals=(self.address(),) + made.additionals)

    # Counts.

    def ancount_high(self):
        return self.right(off=(0, 1, 0, 0))

    def ancount_low(self):
        return self.right(off=(0, -1, 0, 0), additionals=())

    def nscount_high(self):
        return self.right(off=(0, 0, 1, 0))

    def nscount_low(self):
        return self.right(authorities=self.servers(), additionals=(), off=(0, 0, -1, 0))

    def arcount_high(self):
        return self.right(off=(0, 0, 0, 1))

    def arcount_low(self):
        return self.right(additionals=(opt(),), off=(0, 0, 0, -1))

    # EDNS.

    def without_opt(self):
        return self.right(additionals=())

    def with_option(self, code, value):
        return self.right(additionals=(opt((code, value)),))

    def opt_with_nsid(self):
        return self.with_option(NSID, b"faulty")

    def opt_with_cookie(self):
        return self.with_option(COOKIE, bytes(range(24)))

    def opt_with_padding(self):
        return self.with_option(PADDING, bytes(200))

    def two_opts(self):
        return self.right(additionals=(opt(), opt()))

    def opt_among_answers(self):
        return self.reply(self.address(), opt(), additionals=())

    # The end.

    def one_octet_behind(self):
        return self.right(behind=b"\xff")

    def octets_behind(self):
        return self.right(behind=b"\xff" * 12)

    def zeros_behind(self):
        return self.right(behind=bytes(4))

    def cut_to_id(self):
        return self.cut(2)

    def cut_in_header(self):
        return self.cut(HEADER - 1)

    def cut_in_question(self):
        return self.cut(HEADER + LABEL + 3)

    def cut_behind_question(self):
        return self.cut(HEADER + QUESTION)

    def cut_in_owner(self):
        return self.cut(HEADER + QUESTION + 1)

    def cut_in_type(self):
        return self.cut(HEADER + QUESTION + 3)

    def cut_in_ttl(self):
        return self.cut(HEADER + QUESTION + 8)

    def cut_before_data(self):
        return self.cut(HEADER + QUESTION + 12)

    def cut_off(self):
        return self.cut(-3)

    def cut_in_opt(self):
        return self.right(additionals=(opt(),)).octets()[:-3]

    def now(self, fault):
        """Returns the datagrams that answer the query at once, from the server's own port."""
        made = getattr(self, fault)()
        replies = made if isinstance(made, list) else [made]
        return [reply.octets() if isinstance(reply, Reply) else reply for reply in replies]

    def later(self, fault):
        """Returns the datagrams that answer the query LATENESS seconds later."""
        if fault in ("late", "twice_late", "wrong_question_right_late"):
            return [self.right().octets()]
        return [self.servfail().octets()] if fault == "servfail_late" else []


def serve_faults(address, other_address, late_before, prefix=PREFIX):
    addresses = Addresses(prefix)
    elsewhere = {"other_port": bound_socket(address, 54), "other_address": bound_socket(other_address, 53)}

    def answer(datagram, client):
        maker = Maker(Query(datagram), addresses)
        fault = fault_of(maker.query.number, late_before).name
        if fault in elsewhere:
            elsewhere[fault].sendto(maker.right().octets(), client)
        return maker.now(fault), maker.later(fault)

    serve(address, LATENESS, answer)


def lines(first, count, kind):
    addresses = Addresses()
    for number in range(first, first + count):
        data = socket.inet_ntop(socket.AF_INET6, addresses.of(number, AAAA))
        yield f"{text_of(number)}.dns64perf.test AAAA D" + (f" aa data={data}" if kind == "data" else "")


def write_capture(file, first, count, seconds):
    from scapy.all import IP, UDP, PcapWriter
    from scapy.layers.l2 import Ether
    writer = PcapWriter(file, linktype=1)
    for number in range(first, first + count):
        query = Query(struct.pack("!6H", number & 0xffff, RD, 1, 0, 0, 1) + name_of(number) +
                      struct.pack("!HH", AAAA, IN) + opt())
        there = {"src": "192.0.2.1", "dst": "192.0.2.53"}, {"sport": 1024 + number % 50000, "dport": 53}
        back = {"src": "192.0.2.53", "dst": "192.0.2.1"}, {"sport": 53, "dport": there[1]["sport"]}
        for (ip, udp), octets in ((there, query.octets), (back, Maker(query, Addresses()).right().octets())):
            packet = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(**ip) / UDP(**udp) / octets
            packet.time = 1e9 + (number - first) * seconds / count
            writer.write(packet)
    writer.close()


def main():
    mode, *rest = sys.argv[1:]
    if mode == "serve":
        serve_faults(rest[0], rest[1], int(rest[2]), *rest[3:])
    elif mode == "list":
        print("\n".join(lines(int(rest[0]), int(rest[1]), rest[2])))
    else:
        write_capture(rest[0], int(rest[1]), int(rest[2]), float(rest[3]))


if __name__ == "__main__":
    main()
