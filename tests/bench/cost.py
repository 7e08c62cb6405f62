#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a packet costs, and prints it beside the committed figures.

    tests/bench/cost.py            print the table
    tests/bench/cost.py --write    and make these the committed figures (tests/bench/cost.json)

Two kinds of figures: nanoseconds a packet of each kernel program over an empty one, with the
verifier's instruction count (build/tests/program_cost), and instructions a query of the Tester's own
work in user space (build/tests/query_cost, counted by valgrind's callgrind: exact, and the same on
every machine). Needs a build; the programs need root.

Exit status: 0, whatever the figures are: time varies, and a person judges the table. 2 when something
could not be measured at all.
"""

import json
from pathlib import Path

from program import TESTS, BenchError, instructions_each, run, start

COMMITTED = Path(__file__).with_name("cost.json")
PARTS = ["names", "identities", "schedule", "slots", "patch-ipv4", "patch-ipv6", "query", "name-stream",
         "list-stream", "mix-stream", "capture-stream", "intervals"]
QUERIES = (1000, 21000)  # of two runs, whose difference counts
NOISY = 5  # percent by which the time of twice the turns may differ from twice the time
NOTABLE = 10  # percent of change that marks a line


def changed(now, before):
    if not before:
        return ""
    percent = 100 * (now / before - 1)
    return f"{percent:+5.0f} %" + (" *" if abs(percent) >= NOTABLE else "")


def most_verified(figures):
    """Groups figures by program, the first word of a figure's name."""
    most = {}
    for what, figure in figures.items():
        program = what.split()[0]
        most[program] = max(most.get(program, 0), figure["verified"])
    return most


def print_table(title, now, before, form="", spreads=None):
    """`spreads` has for each line the spread, and a remark."""
    spread_title = "spread" if spreads else ""
    print(f"{title:36} {'now':>8} {spread_title:>7} {'before':>8}  change")
    for what, figure in now.items():
        spread, remark = spreads[what] if spreads else ("", "")
        was = before.get(what)
        print(f"  {what:34} {figure:8{form}} {spread:>7} {'-' if was is None else format(was, form):>8}  "
              f"{changed(figure, was)}{remark}")


def print_programs(now, before):
    spreads = {what: (f"{figure['spread_ns']:.1f}",
                      f"  noisy: twice the turns took {figure['disproportion_percent']:+.0f} % of twice the time"
                      if abs(figure["disproportion_percent"]) > NOISY else "") for what, figure in now.items()}
    times, times_before = ({what: figure["ns"] for what, figure in one.items()} for one in (now, before))
    print_table("ns a packet, over an empty program", times, times_before, ".1f", spreads)
    print_table("instructions the verifier looked at", most_verified(now), most_verified(before))


def main(options):
    before = json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {}
    # Nothing is printed where no program can be loaded.
    programs = json.loads(run(TESTS / "program_cost", good=(0, 77)) or "null")
    queries = {part: round(instructions_each(*QUERIES, TESTS / "query_cost", part), 1) for part in PARTS}
    if programs is None:
        print("no BPF program can be loaded here: their costs are not measured")
    else:
        print_programs(programs, before.get("programs", {}))
    print_table("instructions a query, user space", queries, before.get("queries", {}), ".1f")
    print(f"* changed by {NOTABLE} % or more since tests/bench/cost.json was written; "
          "times vary with the machine, counts do not")
    if options.write:
        if programs is None:
            raise BenchError("half of the figures are missing: not written")
        COMMITTED.write_text(json.dumps({"programs": programs, "queries": queries}, indent=2) + "\n")


if __name__ == "__main__":
    start(main, root=False, needs=["valgrind"], built="program_cost",
          write=(False, "make these the committed figures (tests/bench/cost.json)"))
