#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how long a replay of millions of queries takes to start, and how much memory it takes.

A capture is made, and prepared. One replay plays the capture to FakeDNS, and another the prepared file. "start": until
queries reach the DUT; "peak": by the kernel; "told": of queries, by the result. Needs root and two CPUs.
"""

import json
import signal
import subprocess
import time

from lab import KINDS, SERVER_ADDRESS, Lab, Server, dnsgauge_words, generator_cpu, option_words, reap
from program import BIN, BenchError, child, print_table, run, start

CLIENTS = "10.128.0.0/9"
STARTED = 1000  # frames on the DUT's interface: more than what asks whether the server is ready
PATIENCE = 300  # seconds
MIB = 2**20


def replayed(lab, file, options):
    journal = lab.scratch / "replay.jsonl"
    journal.unlink(missing_ok=True)
    words = dnsgauge_words("replay", capture=file, clients=CLIENTS, duration=options.duration, runs=1, max_others=100,
                           invalid_retries=0, beyond_selftest=True, journal=journal)
    before, began = lab.packets("dut", "d0", "rx"), time.monotonic()
    with child(lab.command("tester", generator_cpu(), *words), stdout=subprocess.PIPE,
               stderr=subprocess.STDOUT) as process:
        while lab.packets("dut", "d0", "rx") - before < STARTED:
            if process.poll() is not None or time.monotonic() - began > PATIENCE:
                process.kill()
                raise BenchError(f"the replay does not start: {process.stdout.read()[-300:]}")
        took = time.monotonic() - began
        if options.play:
            time.sleep(options.play)
            process.send_signal(signal.SIGINT)
        said = process.stdout.read()
        peak = reap(process).ru_maxrss * 1024
    results = [trial["trial"] for trial in map(json.loads, journal.read_text().splitlines()[1:]) if "trial" in trial]
    if not results and not options.play:
        raise BenchError(f"the replay has no result: {said[-300:]}")
    told = f"{results[0]['workload']['memory_octets'] / MIB:.0f}" if results else "-"
    return (file.suffix[1:], f"{file.stat().st_size / MIB:.0f}", f"{took:.1f}", f"{peak / MIB:.0f}", told,
            results[0]["verdict"] if results else "interrupted")


def main(options):
    with Lab("dgstart") as lab, Server(KINDS[0], lab):
        run("ip", "-n", f"{lab.name}-dut", "route", "add", CLIENTS, "via", "198.18.0.1")
        capture, prepared = lab.scratch / "made.pcap", lab.scratch / "made.prepared"
        run(BIN / "dnsgauge-queries", "make", *option_words({
            "rate": -(-options.queries // options.duration), "duration": options.duration, "clients": options.clients,
            "client_prefix": "10.64.0.0/10", "names": "10.0.0.0/10", "server": SERVER_ADDRESS, "output": capture}))
        began = time.monotonic()
        run(BIN / "dnsgauge-queries", "convert", capture, "--output", prepared)
        took = time.monotonic() - began
        rows = [replayed(lab, file, options) for file in (capture, prepared)]
    print_table(("", "file, MiB", "start, s", "peak, MiB", "told, MiB", "verdict"), rows,
                about=f"{options.queries} queries of {options.clients} clients in {options.duration} s; "
                f"prepared in {took:.1f} s")


if __name__ == "__main__":
    start(main, queries=10_000_000, duration=(120, "seconds that the queries take"), clients=100_000,
          play=(float, "seconds after which a replay is ended"))
