#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how fast the Tester's senders are where sending costs nothing: what a card with zero-copy could get.

    sudo tests/bench/sender_rate.py --rounds 5

The senders are a trial's own, on AF_XDP sockets in a network namespace of the benchmark's. A driver of the
benchmark's completes all frames at each kick; the kernel sends nothing, and nobody answers. Of each kind of
queries: nanoseconds of CPU time a query, the median over the rounds (lowest to highest), of one lane, and of as
many lanes as --lanes says, each of which has a CPU as long as there are CPUs. Needs root, and a build:
ninja -C build sender_rate. See README.md.
"""

import argparse
import json
import os
import statistics
import subprocess

from errors import BenchError, run_benchmark
from lab import ROOT
from reference import describe_machine

PROGRAM = ROOT / "build/tests/sender_rate"
SOURCES = {"names": "names of the namespace", "list": "a list of a million names", "capture": "a capture", "mix": "a mix"}
# The driver's end of the pair is never used.
LINK = ("ip link add v0 numtxqueues 4 numrxqueues 4 type veth peer name v1 numtxqueues 4 numrxqueues 4 && "
        "ip link set v0 up && ip link set v1 up && exec \"$@\"")


def on_link(program, *words, before=()):
    """Runs the program on v0 of LINK, behind the words `before`. Returns what it prints, as JSON."""
    done = subprocess.run(["unshare", "--net", "sh", "-c", LINK, "sh", *before, program, "v0", *map(str, words)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError((done.stderr.strip().splitlines() or [f"{program.name} says nothing"])[-1])
    return json.loads(done.stdout)


def costs(source, lanes, queries, logs):
    """Returns nanoseconds of CPU time a query, of each lane."""
    return on_link(PROGRAM, source, lanes, queries, *(["log"] if logs else []))["ns_per_query"]


def spread(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f}..{max(values):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--queries", type=int, default=8_000_000, help="of each lane")
    parser.add_argument("--lanes", type=int, default=2, choices=(2, 3, 4))
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise BenchError("must be root: it opens AF_XDP sockets")
    if not PROGRAM.exists():
        raise BenchError("is not built: ninja -C build sender_rate")
    cases = [(source, lanes, logs) for source in SOURCES
             for lanes, logs in ((1, False), (1, True), (options.lanes, False))]
    found = {case: [] for case in cases}
    for _ in range(options.rounds):
        for case in cases:
            source, lanes, logs = case
            found[case] += costs(source, lanes, options.queries, logs)
    print(describe_machine())
    print(f"ns of CPU time a query, median of {options.rounds} rounds (lowest..highest)\n")
    print(f"{'queries':28}{'1 lane':>22}{'1 lane, per-query log':>24}{f'{options.lanes} lanes':>22}")
    for source, text in SOURCES.items():
        of_source = [found[case] for case in cases if case[0] == source]
        print(f"{text:28}{spread(of_source[0]):>22}{spread(of_source[1]):>24}{spread(of_source[2]):>22}")


if __name__ == "__main__":
    run_benchmark("sender_rate.py", main)
