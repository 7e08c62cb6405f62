#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counts the instructions that each step of the kernel programs' own code takes for a packet: bpf/wire, compiled
for this CPU and run in user space below valgrind's callgrind. Maps and helpers are not in it: see
helpers_cost.py. Needs ninja -C build packet_cost. See README.md.
"""

import re
import subprocess

from errors import BenchError, run_benchmark
from lab import ROOT

PROGRAM = ROOT / "build/tests/packet_cost"
STEPS = {"fakedns": ("restore", "read", "plan", "write", "turn"),
         "reply_clock": ("restore", "read", "checksum", "judge")}
FEW, MANY = 1000, 5000  # packets of two runs, whose difference counts


def executed(step, family, packets):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, step, family,
                           str(packets)], capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise BenchError((done.stderr.strip().splitlines() or ["valgrind says nothing"])[-1])
    return int(found[1])


def each(step, family):
    return (executed(step, family, MANY) - executed(step, family, FEW)) / (MANY - FEW)


def main():
    if not PROGRAM.exists():
        raise BenchError("is not built: ninja -C build packet_cost")
    for program, steps in STEPS.items():
        for family in ("4", "6"):
            sums = [each(f"{program}-{step}", family) for step in steps]
            costs = [f"{step} {after - before:.0f}" for step, before, after in zip(steps[1:], sums, sums[1:])]
            print(f"{program:12} IPv{family}  {', '.join(costs)}; all {sums[-1] - sums[0]:.0f}")


if __name__ == "__main__":
    run_benchmark("packet_cost.py", main)
