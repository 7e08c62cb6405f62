#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A server over HTTPS that means harm. It says something without an end when a client's first request has come, and
never reads again.

    hostile_http_server.py ADDRESS KEY CERTIFICATE WAY

SIGTERM ends the server, which then prints, as JSON, its connections and how many octets all of them took.
"""

import collections
import itertools
import json
import signal
import socket
import ssl
import sys
import threading
import time

MOST = 16 << 20  # octets to one connection
PREFACE = 24  # octets of a client
HEADERS, SETTINGS, PING, CONTINUATION, DATA = 1, 4, 6, 9, 0
END_HEADERS = 4
TYPE = b"\x5f\x17application/dns-message"


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def fields():
    """Yields header fields that all differ, in pieces for a frame."""
    for number in itertools.count():
        yield b"".join(b"\x00\x08%08d\x7f\x01%s" % (number * 100 + i, b"x" * 128) for i in range(100))


def of_headers():
    yield frame(HEADERS, 0, 1, b"\x88" + TYPE)
    yield from (frame(CONTINUATION, 0, 1, some) for some in fields())


def of_empty_frames():
    yield frame(HEADERS, 0, 1, b"\x88" + TYPE)
    yield from itertools.repeat(frame(CONTINUATION, 0, 1) * 1000)


def of_bomb():
    """One field of 3 KiB, which each further octet repeats."""
    yield frame(HEADERS, 0, 1, b"\x88\x40\x01x\x7f\x81\x17" + b"y" * 3072)
    yield from itertools.repeat(frame(CONTINUATION, 0, 1, b"\xbe" * 16_000))


def of_body():
    yield frame(HEADERS, END_HEADERS, 1, b"\x88" + TYPE)
    yield from itertools.repeat(frame(DATA, 0, 1, bytes(16_000)))


WAYS = {
    "headers": of_headers(),
    "empty-frames": of_empty_frames(),
    "bomb": of_bomb(),
    "body": of_body(),
    "informed": itertools.repeat(frame(HEADERS, END_HEADERS, 1, b"\x08\x03103") * 1000),
    "pings": itertools.repeat(frame(PING, 0, 0, bytes(8)) * 900),
    "settings": itertools.repeat(frame(SETTINGS, 0, 0, b"\0\1\0\0\x10\0") * 900),
    "octets": ...,
    "drip": ...,
}
done = collections.Counter()


def await_request(tls):
    stream = tls.makefile("rb")
    stream.read(PREFACE)
    while head := stream.read(9):
        stream.read(int.from_bytes(head[:3], "big"))
        if head[3] == HEADERS:
            return
    raise OSError("no request")


def send(tls, way):
    if way == "drip":  # the settings take longer than the trial
        for octet in frame(SETTINGS, 0, 0, b"\0\1\0\0\x10\0" * 30):
            tls.sendall(bytes([octet]))
            time.sleep(0.2)
        return
    tls.sendall(frame(SETTINGS, 0, 0))
    await_request(tls)
    if way == "octets":  # each in a record
        for octet in frame(PING, 0, 0, bytes(8)) * 964:
            tls.sendall(bytes([octet]))
            done["octets"] += 1
        return
    sent = 0
    for octets in WAYS[way]:
        tls.sendall(octets)
        sent += len(octets)
        done["octets"] += len(octets)
        if sent > MOST:
            done["taken whole"] += 1
            return


def harm(taken, context, way):
    try:
        with context.wrap_socket(taken, server_side=True) as tls:
            done["connections"] += 1
            send(tls, way)
            time.sleep(60)
    except OSError:
        done["ended"] += 1


def stop(*_):
    raise SystemExit


def main():
    signal.signal(signal.SIGTERM, stop)
    address, key, certificate, way = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keyfile=key, certfile=certificate)
    context.set_alpn_protocols(["h2"])
    listener = socket.create_server((address, 443), family=socket.AF_INET, backlog=1000)
    print("ready", flush=True)
    try:
        while True:
            taken, _ = listener.accept()
            threading.Thread(target=harm, args=(taken, context, way), daemon=True).start()
    finally:
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main()
