#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what the unavoidable steps of a packet cost in the kernel: the clock, a counter, finding and claiming
a query's slot, moving the packet's end. Nanoseconds a step, by bpftool's test runs. Needs root, clang and
bpftool. See README.md.
"""

import argparse
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

from errors import BenchError, run_benchmark
from lab import run
from reference import describe_machine

SOURCE = Path(__file__).with_name("helpers_cost.bpf.c")
TURNS = 64  # of a step in a program
REPEAT = 20_000
# What a program times: text, and how many steps a turn has.
STEPS = {
    "clock_read": ("reading the clock", 1),
    "slot_read": ("finding a query's slot", 1),
    "slot_claimed": ("finding and claiming it (compare and swap)", 1),
    "counter_raised": ("finding and raising a counter of this CPU", 1),
    "tail_moved_twice": ("moving the packet's end", 2),
}


def nanoseconds(pinned, packet, step):
    said = run("bpftool", "prog", "run", "pinned", pinned / f"time_{step}", "data_in", packet, "repeat", REPEAT)
    found = re.search(r"duration \(average\): (\d+)ns", said)
    if not found:
        raise BenchError(f"bpftool says something unexpected: {said.strip()!r}")
    return int(found[1]) / TURNS


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--mounts-apart", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise BenchError("must be root: it loads programs")
    if not options.mounts_apart:
        # In a mount namespace of its own the mount of the programs ends with this process, even after kill -9.
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv, "--mounts-apart"])
    found = {step: [] for step in STEPS}
    with tempfile.TemporaryDirectory(prefix="dnsgauge-bench.") as folder:
        program, packet = Path(folder) / "program.o", Path(folder) / "packet"
        packet.write_bytes(bytes(90))
        run("clang", "-O2", "-g", "-target", "bpf", f"-I/usr/include/{os.uname().machine}-linux-gnu", "-c", SOURCE,
            "-o", program)
        pinned = Path(folder) / "bpf"
        pinned.mkdir()
        run("mount", "-t", "bpf", "bpf", pinned)
        try:
            run("bpftool", "prog", "loadall", program, pinned / "programs")
            for _ in range(options.rounds):
                for step, costs in found.items():
                    costs.append(nanoseconds(pinned / "programs", packet, step)
                                 - nanoseconds(pinned / "programs", packet, "nothing"))
        finally:
            run("umount", pinned)
    print(describe_machine())
    print(f"ns a step, median of {options.rounds} rounds (lowest..highest)")
    for step, (text, steps) in STEPS.items():
        values = [cost / steps for cost in found[step]]
        print(f"{text:45}{statistics.median(values):6.1f} ({min(values):.1f}..{max(values):.1f})")


if __name__ == "__main__":
    run_benchmark("helpers_cost.py", main)
