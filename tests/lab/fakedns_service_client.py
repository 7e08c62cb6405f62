#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What fakedns_service_test.sh asks of fakedns. The first word says what; exits 1, with a line that
says why, when something is not as it should be.

    steady SERVER TTLS        UDP and TCP without a pause, until answers had this number of TTLs (or for
                              half a minute); prints the number of queries, and then the TTLs; fails at
                              the first query that gets no answer within a second
    burst SERVER N            N UDP queries at once; prints how many were answered
    get WHERE                 GET /metrics of a Unix socket or of ADDRESS:PORT; prints the body
    crowd ADDRESS:PORT N      GET /metrics after N connections that ask slowly and stay
    storm SERVER N            N idle TCP connections, once more for as long as four seconds; then a
                              query by TCP and one by UDP; prints how many were answered
    notified SOCKET COMMAND…  runs the command as systemd would; prints what it notifies
"""

import os
import select
import socket
import subprocess
import sys
import time

import dns.message
import dns.query

NAME = "010-000-000-{:03}.dns64perf.test"


def steady(server, wanted):
    ttls, asked = set(), 0
    until = time.monotonic() + 30
    tcp = socket.create_connection((server, 53), timeout=1)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while len(ttls) < int(wanted) and time.monotonic() < until:
        query = dns.message.make_query(NAME.format(asked % 200), "A")
        if asked % 5:
            reply = dns.query.udp(query, server, timeout=1, sock=udp)
        else:
            dns.query.send_tcp(tcp, query)
            reply, _ = dns.query.receive_tcp(tcp, time.time() + 1)
        if not query.is_response(reply) or len(reply.answer) != 1:
            sys.exit(f"query {asked}: {reply}")
        ttls.add(reply.answer[0].ttl)
        asked += 1
    print(asked, *sorted(ttls))


def burst(server, count):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        for i in range(int(count)):
            udp.sendto(dns.message.make_query(NAME.format(i % 200), "A", id=i).to_wire(), (server, 53))
        answered = 0
        while select.select([udp], [], [], 0.5)[0]:
            udp.recv(65536)
            answered += 1
    print(answered)


def get(where, patience=5):
    if where.startswith("/"):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(where)
    else:
        host, port = where.rsplit(":", 1)
        connection = socket.create_connection((host.strip("[]"), int(port)))
    with connection:
        connection.settimeout(patience)
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head, _, body = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200 "):
        sys.exit(head.decode())
    print(body.decode(), end="")


def crowd(where, count):
    host, port = where.rsplit(":", 1)
    slow = [socket.create_connection((host, int(port))) for _ in range(int(count))]
    for connection in slow:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nX-Slow: ")
    get(where)
    for connection in slow:
        connection.close()


def storm(server, count, seconds=4):
    until = time.monotonic() + float(seconds)
    while time.monotonic() < until:
        idle = [socket.create_connection((server, 53), timeout=5) for _ in range(int(count))]
        time.sleep(1)
    answered = 0
    for ask in (dns.query.tcp, dns.query.udp):
        query = dns.message.make_query(NAME.format(1), "A")
        answered += len(ask(query, server, timeout=2).answer)
    for connection in idle:
        connection.close()
    print(answered)


def notified(path, *command):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
        notify.bind(path)
        notify.settimeout(20)
        server = subprocess.Popen(command, env={**os.environ, "NOTIFY_SOCKET": path},
                                  stdout=subprocess.DEVNULL)
        print(notify.recv(4096).decode().strip())
        server.terminate()
        print(notify.recv(4096).decode().strip())
        sys.exit(server.wait())


if __name__ == "__main__":
    checks = {"steady": steady, "burst": burst, "get": get, "crowd": crowd, "notified": notified,
              "storm": storm}
    checks[sys.argv[1]](*sys.argv[2:])
