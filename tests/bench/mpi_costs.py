#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the time that up to 64 Testers take to agree on a trial, to begin it, and to gather its parts: all of them
on this machine, with made-up parts and no packet. Needs ninja -C build mpi_costs. See README.md.
"""

import argparse
import json
import statistics

from errors import BenchError, run_benchmark
from lab import ROOT, run

PROGRAM = ROOT / "build/tests/mpi_costs"
MPIRUN = ("mpirun", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe", "-n")
TESTERS = (2, 4, 8, 16, 32, 64)
FIGURES = ("ready_ms", "start_early_ms", "gather_ms", "clock_bound_us")


def trials(testers, options):
    """Returns the costs of so many trials, one object each."""
    words = (PROGRAM, options.count, options.seconds, options.lanes)
    return [json.loads(line) for line in run(*MPIRUN, testers, *words).splitlines()]


def show(options):
    """Prints a row for each number of Testers, and how the costs grow with it."""
    if not PROGRAM.exists():
        raise BenchError(f"{PROGRAM} is not built: ninja -C build mpi_costs")
    print("Testers  ready ms  start early ms  gather ms  clock bound us  octets of a part")
    numbers = [testers for testers in TESTERS if testers <= options.most]
    medians = {name: [] for name in FIGURES}
    for testers in numbers:
        made = trials(testers, options)
        row = {name: statistics.median(one[name] for one in made) for name in FIGURES}
        for name in FIGURES:
            medians[name].append(row[name])
        print(f"{testers:7} {row['ready_ms']:9.1f} {row['start_early_ms']:15.1f} {row['gather_ms']:10.1f}"
              f" {row['clock_bound_us']:15.1f} {made[0]['part_octets']:17}", flush=True)
    for name in ("ready_ms", "gather_ms"):
        line = statistics.linear_regression(numbers, medians[name])
        print(f"{name}: {line.intercept:.1f} + {line.slope:.2f} for each Tester")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=9, help="trials of each number of Testers (default 9)")
    parser.add_argument("--most", type=int, default=64, help="most Testers, 4 or more (default 64)")
    parser.add_argument("--seconds", type=int, default=60,
                        help="duration of the trial that the parts are of, in intervals of 1 s (default 60)")
    parser.add_argument("--lanes", type=int, default=1,
                        help="senders of each Tester, of 20,000 queries/s each (default 1)")
    options = parser.parse_args()
    show(options)


if __name__ == "__main__":
    run_benchmark("mpi_costs.py", main)
