#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A DNS server that is wrong in the way that the first label of a query's name says, on dnspython
and sockets: it shares nothing with the programs under test.

    listed_server.py ADDRESS
"""

import socket
import sys

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype


def about(query, **changes):
    """A good reply to the query that this would be with other fields of its question."""
    other = dns.message.from_wire(query.to_wire())
    for field, value in changes.items():
        setattr(other.question[0], field, value)
    return dns.message.make_response(other).to_wire()


def with_rcode(query, rcode):
    reply = dns.message.make_response(query)
    reply.set_rcode(rcode)
    return reply


def without_question(query):
    reply = with_rcode(query, dns.rcode.FORMERR)
    reply.question.clear()
    return reply.to_wire()


def truncated(query):
    reply = dns.message.make_response(query)
    reply.flags |= dns.flags.TC
    return reply.to_wire()


def reply_to(query):
    name = query.question[0].name
    return {
        "right": lambda: about(query),
        "capitals": lambda: about(query, name=dns.name.from_text(name.to_text().upper())),
        "wrong_name": lambda: about(query, name=dns.name.from_text("x" + name.to_text()[1:])),
        "wrong_type": lambda: about(query, rdtype=dns.rdatatype.TXT),
        "wrong_class": lambda: about(query, rdclass=dns.rdataclass.CH),
        "no_question": lambda: without_question(query),
        "servfail": lambda: with_rcode(query, dns.rcode.SERVFAIL).to_wire(),
        "truncated": lambda: truncated(query),
        "silent": lambda: None,
        "garbage": lambda: query.to_wire()[:2] + b"\x80",
    }[name.labels[0].decode()]()


def main():
    address = sys.argv[1]
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        server.bind((address, 53))
        print("ready", flush=True)
        while True:
            wire, client = server.recvfrom(4096)
            reply = reply_to(dns.message.from_wire(wire))
            if reply is not None:
                server.sendto(reply, client)


if __name__ == "__main__":
    main()
