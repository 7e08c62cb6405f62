#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How fast the Tester and FakeDNS are together, and kxdpgun against the same FakeDNS.

Lays a lab of its own, runs fakedns in it, and lets dnsgauge and kxdpgun take turns at the same
rates, so that whatever else the machine does hits both alike. Prints, for each rate, the median
over the rounds. Must be root; needs the programs built and kxdpgun (package knot-dnsutils).

    tests/bench/speed.py --rates 500000 1000000 --duration 10 --rounds 3
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "bin"
LAB = f"dnsgauge-bench-{os.getpid()}"
SERVER = "198.18.0.2"
TIMEOUT = 0.25


def lab(*words):
    subprocess.run([ROOT / "tools" / "lab", "--name", LAB, *words], check=True,
                   stdout=subprocess.DEVNULL)


def in_namespace(host, *command):
    return ["ip", "netns", "exec", f"{LAB}-{host}", *map(str, command)]


def start_fakedns():
    server = subprocess.Popen(in_namespace("dut", BIN / "fakedns", "--interface", "d0"),
                              stdout=subprocess.PIPE, text=True)
    if "ready" not in server.stdout.readline():
        sys.exit("speed.py: fakedns did not start")
    lab("settle")
    return server


def peak_memory_kib(pid):
    """Peak resident memory so far, or 0 when the process has gone."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def run_dnsgauge(rate, duration, scratch):
    result = scratch / "trial.json"
    started = time.monotonic()
    trial = subprocess.Popen(
        in_namespace("tester", BIN / "dnsgauge", "trial", "--interface", "g0", "--server", SERVER,
                     "--names", "0.0.0.0/1", "--rate", rate, "--duration", duration, "--timeout",
                     TIMEOUT, "--cpus", "0", "--json", result),
        stdout=subprocess.DEVNULL)
    memory = 0
    while trial.poll() is None:
        memory = max(memory, peak_memory_kib(trial.pid))
        time.sleep(0.02)
    if trial.returncode not in (0, 1, 3):
        sys.exit(f"speed.py: dnsgauge ended with {trial.returncode}")
    taken = time.monotonic() - started
    figures = json.loads(result.read_text())
    sending = figures["sending"]
    return {
        "sent_rate": sending["achieved_rate"],
        "answered": 100 * figures["valid"] / figures["sent"],
        "missing": figures["sent"] - figures["valid"],
        "verdict": figures["verdict"],
        "memory_mib": memory / 1024,
        "lateness_p99_us": sending["lateness_ns"]["p99"] / 1000,
        # All but sending and the last timeout: start, set-up, result.
        "overhead_s": taken - sending["duration_ns"] / 1e9 - TIMEOUT,
    }


def run_kxdpgun(rate, duration, queries):
    output = subprocess.run(
        in_namespace("tester", "kxdpgun", "-i", queries, "-t", duration, "-Q", rate, "-F", "0",
                     "-I", "g0", SERVER),
        check=True, capture_output=True, text=True)
    # It leaves its program on the interface.
    subprocess.run(in_namespace("tester", "ip", "link", "set", "g0", "xdp", "off"), check=True)
    text = output.stdout + output.stderr
    sent = re.search(r"total queries:\s+(\d+) \((\d+) pps\)", text)
    replies = re.search(r"total replies:\s+(\d+)", text)
    if not sent or not replies:
        sys.exit(f"speed.py: kxdpgun said something unexpected:\n{text}")
    return {
        "sent_rate": int(sent[2]),
        "answered": 100 * int(replies[1]) / max(int(sent[1]), 1),
        "missing": int(sent[1]) - int(replies[1]),
    }


def write_queries(path, count):
    with open(path, "w", encoding="ascii") as file:
        for i in range(count):
            octets = (10, i >> 16 & 255, i >> 8 & 255, i & 255)
            file.write("-".join(f"{octet:03}" for octet in octets) + ".dns64perf.test. AAAA\n")


def median(rounds, figure):
    return statistics.median(one[figure] for one in rounds)


def report(rate, tester, peer):
    verdicts = ", ".join(one["verdict"] for one in tester)
    print(f"{rate:>9} queries/s asked for, {len(tester)} rounds in turn")
    print(f"    dnsgauge  sent {median(tester, 'sent_rate'):>9.0f}/s   right in time "
          f"{median(tester, 'answered'):8.4f} %   missing {median(tester, 'missing'):>7.0f}   "
          f"({verdicts})")
    print(f"    kxdpgun   sent {median(peer, 'sent_rate'):>9.0f}/s   any reply     "
          f"{median(peer, 'answered'):8.4f} %   missing {median(peer, 'missing'):>7.0f}")
    print(f"    dnsgauge  lateness p99 {median(tester, 'lateness_p99_us'):.1f} us, peak memory "
          f"{median(tester, 'memory_mib'):.0f} MiB, set-up and result "
          f"{median(tester, 'overhead_s'):.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", type=int, nargs="+", default=[500000])
    parser.add_argument("--duration", type=int, default=10, help="seconds of each run")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()

    server = None
    lab("up")
    try:
        server = start_fakedns()
        with tempfile.TemporaryDirectory() as folder:
            scratch = Path(folder)
            queries = scratch / "queries.txt"
            write_queries(queries, 1 << 20)
            for rate in options.rates:
                tester, peer = [], []
                for _ in range(options.rounds):
                    tester.append(run_dnsgauge(rate, options.duration, scratch))
                    peer.append(run_kxdpgun(rate, options.duration, queries))
                report(rate, tester, peer)
    finally:
        if server:
            server.terminate()
            server.wait()
        lab("down")


if __name__ == "__main__":
    main()
