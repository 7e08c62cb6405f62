#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""time_tcp.py SERVER [OTHERS]: asks two questions at once by a new connection, and a third one afterwards. Prints after
how many milliseconds each was answered, counted from the connection's begin and from the third question. Before that,
OTHERS connections ask a question each, which the server has time to read, and do not wait for the answer."""

import socket
import struct
import sys
import time

import dns.message

PATIENCE = 10  # seconds
READING = 0.1  # seconds


def send(connection: socket.socket, *names: str) -> None:
    wires = [dns.message.make_query(name, "NS", flags=0).to_wire() for name in names]
    connection.sendall(b"".join(struct.pack("!H", len(wire)) + wire for wire in wires))


def receive(connection: socket.socket) -> None:
    size = struct.unpack("!H", connection.recv(2, socket.MSG_WAITALL))[0]
    dns.message.from_wire(connection.recv(size, socket.MSG_WAITALL))


def main() -> int:
    others = [socket.create_connection((sys.argv[1], 53), PATIENCE) for _ in range(int((sys.argv + ["0"])[2]))]
    for other in others:
        send(other, "com")
    time.sleep(READING if others else 0)
    began = time.monotonic()
    with socket.create_connection((sys.argv[1], 53), PATIENCE) as connection:
        send(connection, "com", "org")
        for which in ("first", "second"):
            receive(connection)
            print(which, round(1000 * (time.monotonic() - began)))
        began = time.monotonic()
        send(connection, "net")
        receive(connection)
        print("third", round(1000 * (time.monotonic() - began)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
