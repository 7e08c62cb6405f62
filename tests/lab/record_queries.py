#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A server that answers nothing and prints who asks: record_queries.py ADDRESS PORT COUNT

Prints "ready", and when COUNT queries have come, of each its source port, transaction ID and name.
"""

import socket
import sys

SO_RCVBUFFORCE = 33  # of <asm-generic/socket.h>


def name_of(message):
    labels, at = [], 12
    while message[at]:
        labels.append(message[at + 1 : at + 1 + message[at]].decode("ascii"))
        at += 1 + message[at]
    return ".".join(labels)


address, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
# All queries fit the buffer, however late this process runs.
server.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 4096 * count)
server.bind((address, port))
print("ready", flush=True)
queries = [server.recvfrom(512) for _ in range(count)]
for message, client in queries:
    print(client[1], int.from_bytes(message[:2], "big"), name_of(message))
