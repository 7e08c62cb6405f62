#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Asks fakedns, and checks what comes back. fakedns_test.sh runs this in the Tester's namespace.

Each check is a function; the command line names the checks to run. Exits 1 at the first wrong
answer and says which.
"""

import argparse
import itertools
import random
import socket
import struct
import sys

import dns.flags
import dns.message
import dns.query
import dns.rcode
import dns.rdatatype

ZONE = "dns64perf.test"
OTHER_ZONE = "other.example"
TIMEOUT = 5


def expect(condition, what):
    if not condition:
        sys.exit(f"fakedns_client: {what}")


def test_name(address, zone=ZONE):
    return "-".join(f"{octet:03}" for octet in struct.pack("!I", address)) + "." + zone


def ask(args, name, rdtype, tcp=False, **options):
    query = dns.message.make_query(name, rdtype, **options)
    over = dns.query.tcp if tcp else dns.query.udp
    # This raises unless the reply is to this query, from the address that was asked.
    return over(query, args.server, timeout=TIMEOUT, port=args.port)


def check_kinds(args):
    """Asks one question of each kind, with and without EDNS, over both transports."""
    rows = [
        ("010-000-000-255." + ZONE, "A", "NOERROR", "10.0.0.255"),
        ("010-000-000-040." + ZONE, "AAAA", "NOERROR", "2001:db8::a00:28"),
        (ZONE, "SOA", "NOERROR", None),
        (ZONE, "NS", "NOERROR", f"ns.{ZONE}."),
        (ZONE, "ANY", "NOERROR", '"RFC8482" ""'),
        ("ns." + ZONE, "A", "NOERROR", args.own_ipv4),
        ("ns." + ZONE, "AAAA", "NOERROR", args.own_ipv6),
        ("010-000-000-255." + ZONE, "TXT", "NODATA", None),
        ("www." + ZONE, "A", "NXDOMAIN", None),
        ("256-000-000-000." + ZONE, "A", "NXDOMAIN", None),
        ("www.example.com", "A", "REFUSED", None),
    ]
    for (name, rdtype, outcome, data), edns, tcp in itertools.product(rows, (-1, 0), (False, True)):
        what = f"{name} {rdtype} EDNS {edns} TCP {tcp}"
        reply = ask(args, name, rdtype, tcp=tcp, use_edns=edns, want_dnssec=edns == 0)
        rcode = "NOERROR" if outcome == "NODATA" else outcome
        expect(dns.rcode.to_text(reply.rcode()) == rcode, f"{what}: {reply.rcode()}")
        expect(reply.edns == edns, f"{what}: EDNS version {reply.edns} in the reply")
        expect(bool(reply.flags & dns.flags.AA) == (outcome != "REFUSED"), f"{what}: wrong AA")
        negative = outcome in ("NODATA", "NXDOMAIN")
        expect(len(reply.answer) == (0 if outcome == "REFUSED" or negative else 1),
               f"{what}: {reply.answer}")
        expect(len(reply.authority) == int(negative), f"{what}: {reply.authority}")
        if negative:
            soa = reply.authority[0]
            expect(soa.rdtype == dns.rdatatype.SOA and soa.ttl == soa[0].minimum == 7,
                   f"{what}: {soa}")
        if data:
            expect(reply.answer[0][0].to_text() == data, f"{what}: {reply.answer[0]}")
            expect(reply.answer[0].ttl == 123, f"{what}: TTL {reply.answer[0].ttl}")


def check_case(args):
    """Checks that the question comes back in the letters in which it was asked
    (draft-vixie-dnsext-dns0x20)."""
    name = "010-000-000-001.dNs64PeRf.TEst."
    for tcp in (False, True):
        reply = ask(args, name, "A", tcp=tcp)
        expect(reply.question[0].name.to_text() == name, f"case lost: {reply.question[0]}")
        expect(reply.answer[0][0].to_text() == "10.0.0.1", "no answer to a name in mixed case")


def check_share(args):
    """Checks that exactly 300 of 1000 names own an AAAA record, the same ones when asked again."""
    first = (10 << 24) // 100 * 100  # an aligned block
    owners = [
        [address for address in range(first, first + 1000)
         if ask(args, test_name(address), "AAAA").answer]
        for _ in range(2)
    ]
    expect(len(owners[0]) == 300, f"{len(owners[0])} of 1000 names own an AAAA record")
    expect(owners[0] == owners[1], "asked again, other names own an AAAA record")


def check_pipeline(args):
    """Writes 100 queries before reading the first answer, twice on one connection: each query by
    itself, then all together, in pieces that cut them anywhere."""
    queries = [dns.message.make_query(test_name((10 << 24) + i), "A", id=i) for i in range(100)]
    octets = b"".join(struct.pack("!H", len(w)) + w for w in (q.to_wire() for q in queries))
    cuts = sorted(random.Random(1).sample(range(1, len(octets)), 20))
    with socket.create_connection((args.server, args.port), timeout=TIMEOUT) as connection:
        for query in queries:
            dns.query.send_tcp(connection, query)
        expect_in_order(connection, queries)
        for begin, end in zip([0] + cuts, cuts + [len(octets)]):
            connection.sendall(octets[begin:end])
        connection.shutdown(socket.SHUT_WR)
        expect_in_order(connection, queries)
        expect(connection.recv(1) == b"", "more than the answers")


def expect_in_order(connection, queries):
    for i, query in enumerate(queries):
        reply, _ = dns.query.receive_tcp(connection)
        expect(query.is_response(reply), f"answer {reply.id} where {i} is due")
        expect(reply.answer[0][0].to_text() == f"10.0.0.{i}", f"query {i}: {reply.answer}")


def check_displace(args):
    """Checks that with a limit of 4 connections the fifth displaces the one idle longest."""
    query = dns.message.make_query(test_name(10 << 24), "A")
    connections = [socket.create_connection((args.server, args.port), timeout=TIMEOUT)
                   for _ in range(5)]
    expect(connections[0].recv(1) == b"", "the connection idle longest is still there")
    for connection in connections[1:]:
        dns.query.send_tcp(connection, query)
        dns.query.receive_tcp(connection)
        connection.close()


def check_idle(args):
    """Checks that a connection without a complete query is closed, whatever trickles in."""
    with socket.create_connection((args.server, args.port), timeout=10) as connection:
        connection.sendall(b"\0")
        expect(connection.recv(1) == b"", "an idle connection is still there")


def mutated(rng, message):
    octets = bytearray(message)
    for _ in range(rng.randrange(1, 4)):
        octets[rng.randrange(2, len(octets))] = rng.choice((0, 1, 12, 63, 64, 0xC0, 0xFF,
                                                            rng.randrange(256)))
    return bytes(octets)


def a_name(rng):
    name = rng.choice((
        test_name(rng.getrandbits(32)), test_name(rng.getrandbits(32)), ZONE, "ns." + ZONE,
        "x." + ZONE, "x." + test_name(rng.getrandbits(32)), "test", ".", "www.example.com",
        "n" * 63 + "." + ZONE, ".".join(["a"] * 110) + "." + ZONE, "256-1-2-3." + ZONE,
        "x" + ZONE, OTHER_ZONE, "ns." + OTHER_ZONE, "x." + OTHER_ZONE,
        test_name(rng.getrandbits(32), OTHER_ZONE), test_name(rng.getrandbits(32), OTHER_ZONE)))
    return "".join(rng.choice((c.upper(), c.lower())) for c in name)


def a_question(rng):
    """Returns a message that is a query, nearly one, or nothing like one."""
    kind = rng.randrange(10)
    if kind == 0:
        return rng.randbytes(rng.randrange(0, 600))
    query = dns.message.make_query(
        a_name(rng), rng.choice(("A", "AAAA", "SOA", "NS", "ANY", "TXT", "AXFR", "TYPE65000")),
        rdclass=rng.choice(("IN", "IN", "IN", "CH")), use_edns=rng.choice((-1, 0, 0, 1)),
        want_dnssec=rng.random() < 0.5)
    query.flags = rng.choice((0, dns.flags.RD, dns.flags.CD | dns.flags.RD, dns.flags.AD,
                              dns.flags.RD, 0x2000, dns.flags.QR))
    wire = query.to_wire()
    if kind == 1:
        return wire[:rng.randrange(len(wire))]
    if kind == 2:
        return wire + rng.randbytes(rng.randrange(1, 40))
    if kind <= 5:
        return mutated(rng, wire)
    return wire


def marker_socket(family):
    """Returns a socket whose queries carry IP options: fakedns' program leaves these to its
    sockets."""
    marker = socket.socket(family, socket.SOCK_DGRAM)
    if family == socket.AF_INET6:
        pad = bytes((0, 0, 1, 4, 0, 0, 0, 0))  # a PadN option
        marker.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_DSTOPTS, pad)
    else:
        marker.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, bytes((1, 1, 1, 1)))  # No Operation
    return marker


def replies(family, server, port, messages):
    """The reply to each message, None where there is none.

    After each message goes a marker by the slower of the two paths; once that is answered, so is
    the message, or never will be. Nothing depends on time.
    """
    found = []
    marker = dns.message.make_query(test_name(0), "A").to_wire()
    with socket.socket(family, socket.SOCK_DGRAM) as client, marker_socket(family) as fence:
        fence.settimeout(TIMEOUT)
        client.setblocking(False)
        client.connect((server, port))
        fence.connect((server, port))
        for message in messages:
            client.send(message)
            fence.send(marker)
            expect(fence.recv(65536)[:2] == marker[:2], "a marker is not answered")
            try:
                found.append(client.recv(65536))
            except BlockingIOError:
                found.append(None)
    return found


def check_equal(args):
    """Asks thousands of questions: the kernel's answers must be the sockets', byte for byte."""
    rng = random.Random(args.seed)
    messages = [a_question(rng) for _ in range(args.count)]
    family = socket.AF_INET6 if ":" in args.server else socket.AF_INET
    kernel = replies(family, args.server, args.port, messages)
    sockets = replies(family, args.server, args.other_port, messages)
    for message, one, other in zip(messages, kernel, sockets):
        expect(one == other, f"seed {args.seed}: {message.hex()} gets\n"
               f"  {one and one.hex()} by XDP\n  {other and other.hex()} by sockets")
    answered = sum(reply is not None for reply in kernel)
    expect(args.count // 2 < answered < args.count, f"{answered} answers: a poor set of questions")
    print(f"{args.count} questions, {answered} answered, all equal (seed {args.seed})")


def checksum(octets):
    octets += b"\0" * (len(octets) % 2)
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def check_vlan(args):
    """Checks that the answer to a tagged frame has the same tag, right lengths and right
    checksums."""
    from scapy.all import (DNS, DNSQR, DNSRROPT, EDNS0TLV, IP, UDP, Dot1Q, Ether, IPv6, raw)

    ip = (IPv6 if ":" in args.server else IP)(src=args.client, dst=args.server)
    # Padding (RFC 7830) makes the query longer than its answer, so that the driver has the room.
    padding = DNSRROPT(rclass=1232, rdata=[EDNS0TLV(optcode=12, optdata=bytes(64))])
    frame = (Ether(src=args.client_mac, dst=args.server_mac) / Dot1Q(vlan=5, prio=3) / ip /
             UDP(sport=4242, dport=args.port) / DNS(id=77, qd=DNSQR(qname=test_name(1), qtype="A"), ar=padding))
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as wire:
        wire.bind((args.interface, 3))  # ETH_P_ALL
        wire.settimeout(TIMEOUT)
        wire.setsockopt(263, 8, 1)  # SOL_PACKET, PACKET_AUXDATA: the tag comes beside the frame
        wire.send(raw(frame))
        while True:
            octets, control, _, _ = wire.recvmsg(2048, socket.CMSG_SPACE(20))
            reply = Ether(octets)
            if UDP in reply and reply[UDP].dport == 4242:
                break
    tag = struct.unpack("IIIHHHH", control[0][2])[5] if Dot1Q not in reply else None
    expect(tag == 3 << 13 | 5 or (tag is None and reply[Dot1Q].vlan == 5), f"tag {tag}")
    expect(reply[UDP].len == len(raw(reply[UDP])), "wrong UDP length")
    expect(reply[DNS].id == 77 and reply[DNS].an.rdata == "0.0.0.1", "wrong answer")
    rebuilt = reply.copy()
    del rebuilt[UDP].chksum
    expect(reply[UDP].chksum == Ether(raw(rebuilt))[UDP].chksum, "wrong UDP checksum")
    if IP in reply:
        expect(checksum(raw(reply[IP])[:20]) == 0, "wrong IP checksum")


def main():
    checks = {name[6:]: check for name, check in globals().items() if name.startswith("check_")}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    parser.add_argument("--port", type=int, default=53)
    parser.add_argument("--other-port", type=int, help="where the sockets answer (equal)")
    parser.add_argument("--count", type=int, default=4000, help="questions (equal)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--own-ipv4", help="what ns resolves to (kinds)")
    parser.add_argument("--own-ipv6")
    parser.add_argument("--interface", help="(vlan), and the next three")
    parser.add_argument("--client")
    parser.add_argument("--client-mac")
    parser.add_argument("--server-mac")
    parser.add_argument("checks", nargs="+", choices=sorted(checks))
    args = parser.parse_args()
    for name in args.checks:
        checks[name](args)


if __name__ == "__main__":
    main()
