#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A DNS server that answers queries before they arrive. It knows the questions, in their order; it guesses ports and
transaction IDs.

    lying_server.py ADDRESS NAMES AHEAD honest|silent

NAMES is a file of names, a line each. To each query the server answers the next AHEAD ones by each rule of guesses();
with `honest` it also answers the query itself.
"""

import collections
import socket
import struct
import sys

from udp_server import bound_socket

FIRST_PORT, PORTS = 1024, 4000  # of the Tester


def answer(question, number, name):
    """Returns the right answer of AuthDNS, with the transaction ID `number`."""
    address = socket.inet_pton(socket.AF_INET6, "2001:db8::") [:12] + bytes(map(int, name.split(".")[0].split("-")))
    record = struct.pack("!3HIH", 0xC00C, 28, 1, 60, len(address)) + address
    return struct.pack("!6H", number, 0x8400, 1, 1, 0, 0) + question + record


def in_order(port, number, steps):
    """Returns the identity `steps` after this one where ports follow each other, and then IDs."""
    place = port - FIRST_PORT + steps
    return FIRST_PORT + place % PORTS, (number + place // PORTS) % 65536


def going_on(one, other, times):
    """Returns the identity that lies as many times as far after `other` as `other` after `one`."""
    port = other[0] + times * (other[0] - one[0]) - FIRST_PORT
    return FIRST_PORT + port % PORTS, (other[1] + times * (other[1] - one[1])) % 65536


def guesses(seen, steps):
    """Returns the identities that the query `steps` after the last one may have, by what was seen so far."""
    last = seen[-1]
    found = {in_order(*last, steps)}
    if len(seen) > 1:
        before = seen[-2]
        found.add(going_on(before, last, steps))
        found.add((in_order(*last, steps)[0], before[1]))
    if len(seen) > PORTS:
        # What followed one pass through the ports ago follows again.
        then, behind = seen[-1 - PORTS], seen[steps - 1 - PORTS]
        port = last[0] + behind[0] - then[0] - FIRST_PORT
        found.add((FIRST_PORT + port % PORTS, last[1] ^ then[1] ^ behind[1]))
    return found


def main():
    address, file, ahead, manner = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    with open(file, encoding="ascii") as lines:
        names = [line.strip() for line in lines]
    questions = [b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0\0\x1c\0\1"
                 for name in names]
    place_of = {question: place for place, question in enumerate(questions)}
    server = bound_socket(address, 53)
    seen = collections.deque(maxlen=PORTS + 1)
    print("ready", flush=True)
    while True:
        message, client = server.recvfrom(4096)
        number = struct.unpack("!H", message[:2])[0]
        place = place_of.get(message[12:])
        if place is None:
            continue  # the Tester asks whether replies find a way back
        seen.append((client[1], number))
        for steps in range(1, ahead + 1):
            if place + steps == len(names):
                break
            for port, guess in guesses(seen, steps):
                reply = answer(questions[place + steps], guess, names[place + steps])
                server.sendto(reply, (client[0], port, *client[2:]))
        if manner == "honest":
            server.sendto(answer(questions[place], number, names[place]), client)


if __name__ == "__main__":
    main()
