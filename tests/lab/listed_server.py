#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A DNS server for any names whose replies are wrong in known ways: a name's first label says how,
as in servfail-17.example.org. The server is an implementation of its own, on dnspython and sockets.

    listed_server.py list COUNT          prints a list for --queries: COUNT lines of each way
    listed_server.py counts COUNT WAY... prints, as JSON, what a trial of the list must count; the
                                         replies of these ways are to a wrong question
    listed_server.py serve ADDRESS
"""

import json
import sys

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

from udp_server import serve

LATENESS = 3  # seconds, with a timeout of 2

# Each way has the type that is asked for and the rest of the line, the query's class, the RCODE
# that decides the query, and the stray packet that each query adds.
WAYS = {
    "right": ("A", "valid", "NOERROR", None),
    "capitals": ("MX", "valid", "NOERROR", None),
    "small": ("NS", "valid", "NOERROR", None),
    "nxdomain": ("TYPE731", "valid", "NXDOMAIN", None),
    "wanted": ("TXT D rcode=REFUSED|SERVFAIL", "valid", "REFUSED", None),
    "unwanted": ("A rcode=NXDOMAIN", "rcode", "NOERROR", None),
    "servfail": ("HTTPS E", "rcode", "SERVFAIL", None),
    "noquestion": ("A", "rcode", "FORMERR", None),
    "bare": ("A rcode=FORMERR", "valid", "FORMERR", None),
    "truncated": ("SRV", "truncated", "NOERROR", None),
    "two": ("A answers=2", "valid", "NOERROR", None),
    "few": ("A answers=2", "no_answer", "NOERROR", None),
    "many": ("A answers=1", "wrong_data", "NOERROR", None),
    "flags": ("A aa ad", "valid", "NOERROR", None),
    "noaa": ("A aa", "wrong_flags", "NOERROR", None),
    "noad": ("A ad", "wrong_flags", "NOERROR", None),
    "signed": ("A D rrsig", "valid", "NOERROR", None),
    "unsigned": ("A D rrsig", "no_answer", "NOERROR", None),
    "badvers": ("A E", "rcode", "BADVERS", None),  # the lower four bits are NOERROR's
    "othername": ("AAAA", "wrong_question", None, None),
    "othertype": ("AAAA", "wrong_question", None, None),
    "otherclass": ("CH TXT", "wrong_question", None, None),
    "misfit": ("A", "valid", "NOERROR", "unexpected"),
    "garbage": ("A", "malformed", None, None),
    "cut": ("A", "malformed", None, None),
    "twice": ("A", "valid", "NOERROR", "duplicate"),
    "late": ("A", "late", "NXDOMAIN", None),
    "drop": ("A", "lost", None, None),
}


def lines(count):
    for number in range(count):
        for way, (rest, _, _, _) in WAYS.items():
            yield f"{way}-{number}.example.org {rest}"


def counts(count, wrong_case=()):
    right = {"sent": len(WAYS) * count, "valid": 0, "late": 0, "lost": 0, "duplicate": 0,
             "unexpected": 0, "invalid": {}, "rcodes": {}, "signed": count, "no_question": 2 * count,
             "flags": {"aa": 2 * count, "ad": 2 * count, "tc": count}}
    for way, (_, outcome, rcode, stray) in WAYS.items():
        if way in wrong_case:
            outcome, rcode = "wrong_question", None
        into = right if outcome in right else right["invalid"]
        into[outcome] = into.get(outcome, 0) + count
        if rcode:
            right["rcodes"][rcode] = right["rcodes"].get(rcode, 0) + count
        if stray:
            right[stray] += count
    return right


def asked_otherwise(query, name=None, rdtype=None, rdclass=None):
    other = dns.message.from_wire(query.to_wire())
    question = other.question[0]
    other.question[0] = dns.rrset.RRset(name or question.name, rdclass or question.rdclass,
                                        rdtype or question.rdtype)
    return dns.message.make_response(other)


def with_answers(query, count):
    reply = dns.message.make_response(query)
    reply.answer.append(dns.rrset.from_text(query.question[0].name, 60, "IN", "A",
                                            *(f"192.0.2.{i + 1}" for i in range(count))))
    return reply


def signed(query):
    reply = with_answers(query, 1)
    reply.answer.append(dns.rrset.from_text(
        query.question[0].name, 60, "IN", "RRSIG",
        "A 13 3 60 20300101000000 20200101000000 1 example.org. c2lnbmVk"))
    return reply


def refusal(query, rcode):
    reply = dns.message.make_response(query)
    reply.set_rcode(rcode)
    return reply


def flagged(query, flags):
    reply = dns.message.make_response(query)
    reply.flags |= flags
    return reply


def replies_to(way, query):
    """Returns the datagrams that answer the query."""
    name = query.question[0].name
    capitals = dns.name.from_text(name.to_text().upper())
    small = dns.name.from_text(name.to_text().lower())
    other = dns.name.from_text("x" + name.to_text())
    made = {
        "right": lambda: [dns.message.make_response(query)],
        "capitals": lambda: [asked_otherwise(query, name=capitals)],
        "small": lambda: [asked_otherwise(query, name=small)],
        "nxdomain": lambda: [refusal(query, dns.rcode.NXDOMAIN)],
        "wanted": lambda: [refusal(query, dns.rcode.REFUSED)],
        "unwanted": lambda: [dns.message.make_response(query)],
        "servfail": lambda: [refusal(query, dns.rcode.SERVFAIL)],
        "truncated": lambda: [flagged(query, dns.flags.TC)],
        "two": lambda: [with_answers(query, 2)],
        "few": lambda: [with_answers(query, 1)],
        "many": lambda: [with_answers(query, 2)],
        "signed": lambda: [signed(query)],
        "unsigned": lambda: [with_answers(query, 1)],
        "badvers": lambda: [refusal(query, dns.rcode.BADVERS)],
        "flags": lambda: [flagged(query, dns.flags.AA | dns.flags.AD)],
        "noaa": lambda: [flagged(query, dns.flags.AD)],
        "noad": lambda: [flagged(query, dns.flags.AA)],
        "othername": lambda: [asked_otherwise(query, name=other)],
        "othertype": lambda: [asked_otherwise(query, rdtype=dns.rdatatype.A)],
        "otherclass": lambda: [asked_otherwise(query, rdclass=1)],
        "misfit": lambda: [asked_otherwise(query, name=other), dns.message.make_response(query)],
        "twice": lambda: [dns.message.make_response(query)] * 2,
        "late": lambda: [refusal(query, dns.rcode.NXDOMAIN)],
    }
    if way in made:
        return [message.to_wire() for message in made[way]()]
    right = dns.message.make_response(query).to_wire()
    bare = right[:2] + b"\x80\x01" + bytes(8)
    return {"noquestion": [bare],
            "bare": [bare],
            "garbage": [right[:2] + b"\xff" * 40],
            "cut": [right[:11]]}.get(way, [])


def answer(datagram, _client):
    query = dns.message.from_wire(datagram)
    way = query.question[0].name.to_text().lower().split("-")[0]
    replies = replies_to(way, query)
    return ([], replies) if way == "late" else (replies, [])


if __name__ == "__main__":
    if sys.argv[1] == "list":
        print("\n".join(lines(int(sys.argv[2]))))
    elif sys.argv[1] == "counts":
        print(json.dumps(counts(int(sys.argv[2]), sys.argv[3:])))
    else:
        serve(sys.argv[2], LATENESS, answer)
