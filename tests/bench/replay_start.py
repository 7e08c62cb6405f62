#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how long a replay of millions of queries takes to start, and how much memory it takes.

    sudo tests/bench/replay_start.py --queries 10000000 --duration 120

A capture of so many queries in that time is made, and prepared. A replay of the capture and one of the prepared file
play it to FakeDNS. Of each: seconds from the command to the first queries on the DUT's interface, the largest memory
that the kernel saw the program take, and the memory that the result tells of queries. --play ends a replay after so
many seconds. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import json
import os
import signal
import subprocess
import time

from errors import BenchError, run_benchmark
from lab import BIN, SERVER_ADDRESS, generator_cpu, run
from reference import describe_machine, fakedns_lab, need_two_cpus

CLIENTS = "10.128.0.0/9"
STARTED = 1000  # frames on the DUT's interface: more than what asks whether the server is ready
PATIENCE = 300  # seconds


def received(lab):
    """Returns how many frames the DUT's interface has got."""
    row, = json.loads(run("ip", "-n", f"{lab.name}-dut", "-s", "-j", "link", "show", "d0"))
    return row["stats64"]["rx"]["packets"]


def replayed(lab, scratch, file, options):
    """Returns the row of one replay."""
    journal = scratch / "replay.jsonl"
    journal.unlink(missing_ok=True)
    before = received(lab)
    began = time.monotonic()
    with subprocess.Popen(
            lab.command("tester", generator_cpu(), BIN / "dnsgauge", "replay", "--interface", "g0", "--server",
                        SERVER_ADDRESS, "--capture", file, "--clients", CLIENTS, "--duration", options.duration,
                        "--runs", 1, "--invalid-retries", 0, "--beyond-selftest", "--journal", journal,
                        "--cpus", generator_cpu(), "--max-others", 100),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        while received(lab) - before < STARTED:
            if process.poll() is not None or time.monotonic() - began > PATIENCE:
                process.kill()
                raise BenchError(f"the replay does not start: {process.stdout.read()[-300:]}")
        row = {"form": file.suffix[1:], "start_s": time.monotonic() - began}
        if options.play:
            time.sleep(options.play)
            process.send_signal(signal.SIGINT)
        said = process.stdout.read()
        row["status"], usage = os.wait4(process.pid, 0)[1:]
        process.returncode = os.waitstatus_to_exitcode(row["status"])
    row["peak_octets"] = usage.ru_maxrss * 1024
    trials = [json.loads(line) for line in journal.read_text().splitlines()[1:]]
    results = [trial["trial"] for trial in trials if "trial" in trial]
    workloads = [result["workload"] for result in results]
    if not workloads and not options.play:
        raise BenchError(f"the replay has no result: {said[-300:]}")
    row["told_octets"] = workloads[0]["memory_octets"] if workloads else None
    row["verdict"] = results[0]["verdict"] if results else "interrupted"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--queries", type=int, default=10_000_000)
    parser.add_argument("--duration", type=int, default=120, help="seconds that the queries take")
    parser.add_argument("--clients", type=int, default=100_000)
    parser.add_argument("--play", type=float, help="seconds after which a replay is ended")
    options = parser.parse_args()
    need_two_cpus()

    with fakedns_lab("dgstart") as (lab, scratch):
        run("ip", "-n", f"{lab.name}-dut", "route", "add", CLIENTS, "via", "198.18.0.1")
        capture, prepared = scratch / "made.pcap", scratch / "made.prepared"
        run(BIN / "dnsgauge-queries", "make", "--rate", -(-options.queries // options.duration), "--duration",
            options.duration, "--clients", options.clients, "--client-prefix", "10.64.0.0/10", "--names",
            "10.0.0.0/10", "--server", SERVER_ADDRESS, "--output", capture)
        began = time.monotonic()
        run(BIN / "dnsgauge-queries", "convert", capture, "--output", prepared)
        took = time.monotonic() - began
        rows = [replayed(lab, scratch, file, options) for file in (capture, prepared)]
        sizes = {file.suffix[1:]: file.stat().st_size for file in (capture, prepared)}
    print(describe_machine())
    print(f"{options.queries} queries of {options.clients} clients in {options.duration} s; prepared in {took:.1f} s")
    print(f"{'':<10} {'file, MiB':>10} {'start, s':>10} {'peak, MiB':>10} {'told, MiB':>10}  verdict")
    for row in rows:
        told = f"{row['told_octets'] / 2**20:.0f}" if row["told_octets"] else "-"
        print(f"{row['form']:<10} {sizes[row['form']] / 2**20:>10.0f} {row['start_s']:>10.1f} "
              f"{row['peak_octets'] / 2**20:>10.0f} {told:>10}  {row['verdict']}")


if __name__ == "__main__":
    run_benchmark("replay_start.py", main)
