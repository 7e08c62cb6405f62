#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A DNS server that is wrong in exactly known ways: see faults.py. It is an implementation of its
own, on dnspython and sockets, and shares no code with the programs under test.

    faulty_server.py ADDRESS LATE_BEFORE
"""

import socket
import sys

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdataclass
import dns.rdatatype
import dns.rrset

from faults import LATENESS, fault_of
from udp_server import bound_socket, serve

ZONE = "dns64perf.test."
PREFIX = "2001:db8::"


def number_of(name):
    octets = [int(group) for group in name.to_text().split(".")[0].split("-")]
    return int.from_bytes(bytes(octets), "big")


def address_of(number):
    return PREFIX + socket.inet_ntoa(number.to_bytes(4, "big"))


def right(query, number):
    reply = dns.message.make_response(query)
    reply.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "AAAA",
                                            address_of(number)))
    return reply


def about_another_name(query, number):
    other = dns.message.from_wire(query.to_wire())
    text = query.question[0].name.to_text()
    # With another last digit in the third group it is still a name of the namespace.
    other.question[0].name = dns.name.from_text(text[:10] + ("1" if text[10] != "1" else "2") +
                                                text[11:])
    return right(other, number)


def behind_cname(query, number):
    reply = dns.message.make_response(query)
    name = query.question[0].name
    reply.answer.append(dns.rrset.from_text(name, 60, "IN", "CNAME", "alias." + ZONE))
    reply.answer.append(dns.rrset.from_text("alias." + ZONE, 60, "IN", "AAAA",
                                            address_of(number)))
    return reply


def with_type_a(query, number):
    reply = dns.message.make_response(query)
    reply.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "A",
                                            socket.inet_ntoa(number.to_bytes(4, "big"))))
    return reply


def refusal(query, rcode):
    reply = dns.message.make_response(query)
    reply.set_rcode(rcode)
    return reply


def truncated(query):
    reply = dns.message.make_response(query)
    reply.flags |= dns.flags.TC
    return reply


def in_capitals(query, number):
    other = dns.message.from_wire(query.to_wire())
    other.question[0].name = dns.name.from_text(query.question[0].name.to_text().upper())
    return right(other, number)


def wrong_and_right_address(query, number):
    reply = dns.message.make_response(query)
    reply.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "AAAA",
                                            address_of(number ^ 1), address_of(number)))
    return reply


def about_another_type(query):
    other = dns.message.from_wire(query.to_wire())
    other.question[0].rdtype = dns.rdatatype.TXT
    return dns.message.make_response(other)


def late_replies_to(fault, query, number):
    """Returns the datagrams that answer the query LATENESS seconds later."""
    if fault in ("late", "twice_late", "wrong_question_right_late"):
        return [right(query, number).to_wire()]
    if fault == "servfail_late":
        return [refusal(query, dns.rcode.SERVFAIL).to_wire()]
    return []


def replies_to(fault, query, number):
    """Returns the datagrams that answer the query now, from the server's own port."""
    wire = {
        "right": lambda: [right(query, number)],
        "twice_late": lambda: [right(query, number)],
        "wrong_question_right_late": lambda: [about_another_name(query, number)],
        "question_of_another_type": lambda: [about_another_type(query)],
        "in_capitals": lambda: [in_capitals(query, number)],
        "wrong_and_right_address": lambda: [wrong_and_right_address(query, number)],
        "echo": lambda: [query],
        "twice": lambda: [right(query, number)] * 2,
        "wrong_address": lambda: [right(query, number ^ 1)],
        "servfail": lambda: [refusal(query, dns.rcode.SERVFAIL)],
        "truncated": lambda: [truncated(query)],
        "wrong_question": lambda: [about_another_name(query, number)],
        "wrong_question_then_right": lambda: [about_another_name(query, number),
                                              right(query, number)],
        "empty": lambda: [dns.message.make_response(query)],
        "behind_cname": lambda: [behind_cname(query, number)],
        "wrong_type": lambda: [with_type_a(query, number)],
    }
    if fault in wire:
        return [message.to_wire() for message in wire[fault]()]
    answer = right(query, number).to_wire()
    raw = {
        "wrong_id": [bytes([answer[0] ^ 0x55, answer[1] ^ 0x55]) + answer[2:]],
        "garbage_with_id": [answer[:2] + b"\xff" * 40],
        "garbage": [bytes([answer[0] ^ 0x55, answer[1] ^ 0x55]) + b"\xa5" * 40],
        "formerr_without_question": [answer[:2] + b"\x80\x01" + bytes(8)],
        "garbage_then_servfail": [answer[:2] + b"\xff" * 40,
                                  refusal(query, dns.rcode.SERVFAIL).to_wire()],
        "one_octet": [b"\0"],
        "cut_off": [answer[:-3]],
    }
    return raw.get(fault, [])


def main():
    address, late_before = sys.argv[1], int(sys.argv[2])
    other_port = bound_socket(address, 54)

    def answer(datagram, client):
        query = dns.message.from_wire(datagram)
        number = number_of(query.question[0].name)
        fault = fault_of(number, late_before).name
        if fault == "other_port":
            other_port.sendto(right(query, number).to_wire(), client)
        return replies_to(fault, query, number), late_replies_to(fault, query, number)

    serve(address, LATENESS, answer)


if __name__ == "__main__":
    main()
