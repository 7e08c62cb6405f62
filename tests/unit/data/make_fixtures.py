#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the fixtures next to this file: frames by scapy, DNS messages by dnspython.

Both are written by others than us, which is what makes them worth comparing with. The fixtures are
committed; run this again after changing it. Each line is "name hexadecimal-bytes".
"""

import pathlib
import struct

import dns.flags
import dns.message
import dns.name
import dns.rdatatype
import dns.rrset
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether

HERE = pathlib.Path(__file__).parent
HEAD = "# Made by make_fixtures.py: change that, not this.\n"

# The zone of tests/unit/answer_test.cpp.
ZONE = "dns64perf.test."
TTL = 3600
NEGATIVE_TTL = 300
NEGATIVE_SOA = f"ns.{ZONE} hostmaster.{ZONE} 1 86400 7200 3600000 {NEGATIVE_TTL}"
TEST_NAME = "010-000-000-001." + ZONE  # 10.0.0.1 owns an AAAA record at a share of 50 percent
TEST_ADDRESS = "10.0.0.1"
TEST_AAAA = "2001:db8:64::a00:1"
BARE_NAME = "010-000-000-002." + ZONE  # and this one does not
SERVER_IPV4 = "198.18.0.53"
SERVER_IPV6 = "2001:db8::53"


def write(file, fixtures):
    lines = [f"{name} {data.hex()}\n" for name, data in fixtures.items()]
    (HERE / file).write_text(HEAD + "".join(lines), encoding="ascii")


def frames():
    """Returns pairs of frames: a frame, and the frame that goes back with another payload."""
    there = dict(src="02:00:00:00:00:01", dst="02:00:00:00:00:53")
    back = dict(src=there["dst"], dst=there["src"])
    asking, answering = b"a question", b"an answer of odd length"
    v4 = dict(src="198.18.0.1", dst="198.18.0.53")
    v6 = dict(src="2001:db8::1", dst="2001:db8::53")
    ports = dict(sport=40001, dport=53)

    def turned(addresses):
        return dict(src=addresses["dst"], dst=addresses["src"])

    def pair(layers_there, layers_back):
        return (
            Ether(**there) / layers_there / UDP(**ports) / asking,
            Ether(**back) / layers_back / UDP(sport=53, dport=40001) / answering,
        )

    ipv4 = (IP(ttl=3, id=7, flags="DF", **v4), IP(ttl=64, id=7, flags="DF", **turned(v4)))
    ipv6 = (IPv6(hlim=3, fl=0x12345, **v6), IPv6(hlim=64, fl=0x12345, **turned(v6)))
    pairs = {
        "ipv4": pair(*ipv4),
        "ipv6": pair(*ipv6),
        "vlan_ipv4": pair(Dot1Q(vlan=7) / ipv4[0], Dot1Q(vlan=7) / ipv4[1]),
        "vlan_ipv6": pair(Dot1Q(vlan=7) / ipv6[0], Dot1Q(vlan=7) / ipv6[1]),
    }
    made = {}
    for name, (one, other) in pairs.items():
        made[name + ".there"] = bytes(one)
        made[name + ".back"] = bytes(other)

    # This payload makes the sum all ones, so that the field would be zero and is sent as 0xffff.
    bare = bytearray(bytes(Ether(**there) / IP(**v4) / UDP(**ports) / b"\0\0"))
    missing = struct.unpack_from("!H", bare, 14 + 20 + 6)[0]
    zero_sum = Ether(**there) / IP(**v4) / UDP(**ports) / struct.pack("!H", missing)
    made["checksum_zero"] = bytes(zero_sum)
    return made


def question(name, rdtype, **settings):
    return dns.message.make_query(
        name, rdtype, settings.pop("rdclass", "IN"), id=0xBEEF, **settings)


def question_of_edns_1(name, rdtype):
    query = question(name, rdtype)
    query.use_edns(1, 1 << 16)
    return query


def reply(query, *, aa=True, rcode=0, answer=(), authority=()):
    """Returns the right answer, put together here from the query's parts."""
    message = dns.message.Message(id=query.id)
    kept = query.flags & (dns.flags.RD | dns.flags.CD)
    message.flags = kept | dns.flags.QR | (dns.flags.AA if aa else 0)
    message.question = list(query.question)
    message.answer = [dns.rrset.from_text(*record) for record in answer]
    message.authority = [dns.rrset.from_text(*record) for record in authority]
    if query.edns >= 0:
        message.use_edns(0, query.ednsflags & dns.flags.DO, payload=1232)
    message.set_rcode(rcode)
    return message


def header_only(query_wire, rcode, flags):
    return query_wire[:2] + struct.pack("!HHHHH", flags | rcode, 0, 0, 0, 0)


def answers():
    negative = [(ZONE, NEGATIVE_TTL, "IN", "SOA", NEGATIVE_SOA)]
    server = "NS." + ZONE
    mixed = "010-000-000-001.dNs64PeRf.TeSt."

    def record(name, rdtype, data, ttl=TTL):
        return [(name, ttl, "IN", rdtype, data)]

    def hinfo(name):
        return record(name, "HINFO", '"RFC8482" ""')

    cases = {
        "a": (question(TEST_NAME, "A"), dict(answer=record(TEST_NAME, "A", TEST_ADDRESS))),
        "a_edns": (question(TEST_NAME, "A", use_edns=0),
                   dict(answer=record(TEST_NAME, "A", TEST_ADDRESS))),
        "a_edns_do": (question(TEST_NAME, "A", want_dnssec=True),
                      dict(answer=record(TEST_NAME, "A", TEST_ADDRESS))),
        "a_no_rd": (question(TEST_NAME, "A", flags=0),
                    dict(answer=record(TEST_NAME, "A", TEST_ADDRESS))),
        "a_cd": (question(TEST_NAME, "A", flags=dns.flags.CD),
                 dict(answer=record(TEST_NAME, "A", TEST_ADDRESS))),
        "a_mixed_case": (question(mixed, "A"), dict(answer=record(mixed, "A", TEST_ADDRESS))),
        "aaaa": (question(TEST_NAME, "AAAA"), dict(answer=record(TEST_NAME, "AAAA", TEST_AAAA))),
        "aaaa_edns_do": (question(TEST_NAME, "AAAA", want_dnssec=True),
                         dict(answer=record(TEST_NAME, "AAAA", TEST_AAAA))),
        "aaaa_none": (question(BARE_NAME, "AAAA"), dict(authority=negative)),
        "aaaa_none_edns": (question(BARE_NAME, "AAAA", use_edns=0), dict(authority=negative)),
        "any": (question(TEST_NAME, "ANY"), dict(answer=hinfo(TEST_NAME))),
        "txt": (question(TEST_NAME, "TXT"), dict(authority=negative)),
        "apex_soa": (question(ZONE, "SOA"),
                     dict(answer=record(ZONE, "SOA", NEGATIVE_SOA, NEGATIVE_TTL))),
        "apex_ns": (question(ZONE, "NS"), dict(answer=record(ZONE, "NS", "ns." + ZONE))),
        "apex_any": (question(ZONE, "ANY"), dict(answer=hinfo(ZONE))),
        "apex_a": (question(ZONE, "A"), dict(authority=negative)),
        "apex_a_edns": (question(ZONE, "A", want_dnssec=True), dict(authority=negative)),
        "server_a": (question(server, "A"), dict(answer=record(server, "A", SERVER_IPV4))),
        "server_aaaa": (question(server, "AAAA"),
                        dict(answer=record(server, "AAAA", SERVER_IPV6))),
        "server_any": (question(server, "ANY"), dict(answer=hinfo(server))),
        "nxdomain": (question("nowhere." + ZONE, "A"), dict(rcode=3, authority=negative)),
        "nxdomain_deep": (question("a." + TEST_NAME, "A", use_edns=0),
                          dict(rcode=3, authority=negative)),
        "refused": (question("www.example.", "A"), dict(aa=False, rcode=5)),
        "refused_root_edns": (question(".", "NS", use_edns=0), dict(aa=False, rcode=5)),
        "refused_axfr": (question(ZONE, "AXFR"), dict(aa=False, rcode=5)),
        "refused_ixfr": (question(ZONE, "IXFR"), dict(aa=False, rcode=5)),
        "refused_chaos": (question(TEST_NAME, "A", rdclass="CH"), dict(aa=False, rcode=5)),
        "badvers": (question_of_edns_1(TEST_NAME, "A"), dict(aa=False, rcode=16)),
    }
    made = {}
    for name, (query, parts) in cases.items():
        made[name + ".query"] = query.to_wire()
        made[name + ".answer"] = reply(query, **parts).to_wire()

    wire = question(TEST_NAME, "A").to_wire()
    made["formerr.query"] = wire + b"\0"
    made["formerr.answer"] = header_only(wire, 1, dns.flags.QR | dns.flags.RD)
    status = wire[:2] + b"\x11\x00" + wire[4:]  # opcode STATUS, RD
    made["notimp.query"] = status
    made["notimp.answer"] = header_only(status, 4, dns.flags.QR | 0x1000 | dns.flags.RD)
    return made


if __name__ == "__main__":
    write("frames.hex", frames())
    write("answers.hex", answers())
