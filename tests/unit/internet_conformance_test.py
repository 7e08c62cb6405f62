#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tools/internet-conformance says where no resolver answers, and where one does. Exit status 77: there is
no dnspython.

usage: internet_conformance_test.py SOURCE
"""

import json
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

FATE = {"name": "www.example.", "type": "A", "reachable": "yes", "node": "host", "rcode": "REFUSED", "records": [],
        "zones": []}
failures = []


def check(what, is_so, said=""):
    """Notes a failure."""
    print(f"{'PASS' if is_so else 'FAIL'}: {what}: {said}")
    if not is_so:
        failures.append(what)


def run(source, server, fates):
    """Returns the exit status, the output and the errors of a check that waits a second for an answer."""
    port = server.getsockname()[1]
    made = subprocess.run([Path(source) / "tools" / "internet-conformance", "check", "--server", "127.0.0.1",
                           "--port", str(port), "--fates", fates, "--patience", "1"], capture_output=True,
                          text=True, check=False, timeout=60)
    return made.returncode, made.stdout, made.stderr


def answer_refused(server, count):
    """Refuses this number of queries."""
    for _ in range(count):
        query, client = server.recvfrom(65535)
        server.sendto(query[:2] + bytes([query[2] | 0x80, 5]) + query[4:6] + bytes(6)
                      + query[12:query.index(0, 12) + 5], client)


def main(source):
    """Exits with 1 if a check fails."""
    try:
        import dns.message  # noqa: F401 pylint: disable=unused-import, import-outside-toplevel
    except ImportError:
        print("SKIP: no python3-dnspython on this machine")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        fates = Path(scratch) / "fates"
        fates.write_text(5 * (json.dumps(FATE) + "\n"), encoding="ascii")
        status, said, errors = run(source, server, fates)
        check("a server that says nothing is named in one line, before any name is asked for",
              status == 2 and not said and len(errors.splitlines()) == 1
              and "nothing answers at 127.0.0.1 port" in errors, errors)
        server.setblocking(False)
        asked = set()
        try:
            while True:
                asked.add(server.recv(65535)[12:22])
        except BlockingIOError:
            pass
        check("none of the names was asked for", asked and not any(b"www" in one.lower() for one in asked), asked)
        server.setblocking(True)
        threading.Thread(target=answer_refused, args=(server, 7), daemon=True).start()
        status, said, errors = run(source, server, fates)
        check("a server that answers anything is asked", status == 0 and "5" in said, said + errors)
    sys.exit(1 if failures else 0)


main(sys.argv[1])
