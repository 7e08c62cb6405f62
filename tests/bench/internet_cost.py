#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what an answer of fakedns --internet takes, without receiving and sending: nanoseconds of CPU time, and
instructions, which valgrind's callgrind counts. Needs ninja -C build internet_cost. See README.md.
"""

import argparse
import re
import statistics
import subprocess

from errors import BenchError, run_benchmark
from lab import ROOT

PROGRAM = ROOT / "build/tests/internet_cost"
PARTS = ("referral", "nxdomain", "address")
FEW, MANY = 2048, 10240  # answers of two runs, whose difference counts


def said(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError((done.stderr.strip().splitlines() or [f"{words[0]} says nothing"])[-1])
    return done


def executed(part, answers):
    done = said(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", PROGRAM, part, str(answers)])
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        raise BenchError("valgrind did not say how many instructions it counted")
    return int(found[1])


def instructions(part):
    return (executed(part, MANY) - executed(part, FEW)) / (MANY - FEW)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--answers", type=int, default=500_000, help="of a round")
    options = parser.parse_args()
    if not PROGRAM.exists():
        raise BenchError("is not built: ninja -C build internet_cost")
    print(f"an answer: ns of CPU time, median of {options.rounds} rounds (lowest..highest); instructions")
    copying = instructions("copy")
    for part in PARTS:
        times = [float(said([PROGRAM, part, str(options.answers)]).stdout) for _ in range(options.rounds)]
        shown = f"{statistics.median(times):.0f} ({min(times):.0f}..{max(times):.0f})"
        print(f"{part:10}{shown:>20}{instructions(part) - copying:10.0f}")


if __name__ == "__main__":
    run_benchmark("internet_cost.py", main)
