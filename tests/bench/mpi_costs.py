#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the time that up to 64 Testers take to agree on a trial, to begin it, and to gather its parts: all of them
on this machine, with made-up parts and no packet.
"""

import json
import statistics

from program import TESTS, print_table, run, start

MPIRUN = ("mpirun", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe", "-n")
TESTERS = (2, 4, 8, 16, 32, 64)
FIGURES = ("ready_ms", "start_early_ms", "gather_ms", "clock_bound_us")


def main(options):
    numbers, medians, rows = [testers for testers in TESTERS if testers <= options.most], {}, []
    for testers in numbers:
        said = run(*MPIRUN, testers, TESTS / "mpi_costs", options.count, options.seconds, options.lanes)
        made = [json.loads(line) for line in said.splitlines()]
        for name in FIGURES:
            medians.setdefault(name, []).append(statistics.median(one[name] for one in made))
        rows.append((testers, *(f"{medians[name][-1]:.1f}" for name in FIGURES), made[0]["part_octets"]))
    print_table(("Testers", *(name.replace("_", " ") for name in FIGURES), "octets of a part"), rows)
    for name in ("ready_ms", "gather_ms"):
        line = statistics.linear_regression(numbers, medians[name])
        print(f"{name}: {line.intercept:.1f} + {line.slope:.2f} for each Tester")


if __name__ == "__main__":
    start(main, root=False, needs=["mpirun"], built="mpi_costs",
          count=(9, "trials of each number of Testers (default 9)"), most=(64, "most Testers, 4 or more (default 64)"),
          seconds=(60, "duration of the trial that the parts are of, in intervals of 1 s (default 60)"),
          lanes=(1, "senders of each Tester, of 20,000 queries/s each (default 1)"))
