#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how fast FakeDNS' own AF_XDP code answers where receiving and sending cost nothing: the worker of
fakedns echo --io af_xdp, on a real AF_XDP socket of a veth interface whose system calls reach a driver of
the benchmark instead of the kernel. Nanoseconds of CPU time, and instructions (by valgrind's callgrind), an
answer, without the driver's. Needs root and ninja -C build answer_rate. See README.md.
"""

import argparse
import os

from errors import BenchError, run_benchmark
from lab import ROOT
from reference import describe_machine
from sender_rate import instructions_in, need_valgrind, on_link, spread

PROGRAM = ROOT / "build/tests/answer_rate"
FAMILIES = {"4": "IPv4", "6": "IPv6"}
# Answers of the two runs whose difference is counted: what starts and ends the program cancels.
COUNTED = (20_000, 120_000)


def instructions_each(family):
    """Returns the instructions an answer, without the driver's."""
    own, made = [], []
    for count in COUNTED:
        whole, printed = instructions_in(PROGRAM, family, count)
        drivers, _ = instructions_in(PROGRAM, family, count, toggles=("*Driver::turn*",))
        own.append(whole - drivers)
        made.append(printed["answers"])
    return (own[1] - own[0]) / (made[1] - made[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--answers", type=int, default=8_000_000)
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise BenchError("must be root: it opens AF_XDP sockets")
    if not PROGRAM.exists():
        raise BenchError("is not built: ninja -C build answer_rate")
    need_valgrind()
    found = {family: [] for family in FAMILIES}
    for _ in range(options.rounds):
        for family, costs in found.items():
            costs.append(on_link(PROGRAM, family, options.answers)["ns_per_answer"])
    print(describe_machine())
    print(f"an answer of echo --io af_xdp: ns of CPU time, median of {options.rounds} rounds (lowest..highest); "
          "instructions\n")
    for family, costs in found.items():
        print(f"{FAMILIES[family]:6}{spread(costs):>22}{instructions_each(family):>10.0f}")


if __name__ == "__main__":
    run_benchmark("answer_rate.py", main)
