#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a packet costs, and prints it beside the committed figures.

    sudo tests/bench/cost.py            print the table
    sudo tests/bench/cost.py --write    and make these the committed figures (tests/bench/cost.json)

Two kinds of figures: nanoseconds a packet of each kernel program over an empty one, with the verifier's instruction
count (build/tests/program_cost), and instructions a query of the senders in user space (build/tests/sender_rate, counts
of valgrind's callgrind: nearly the same on every machine). Needs a build and root. Exit status: 0, whatever the figures
are: time varies, and a person judges the table; 2 when something could not be measured.
"""

import json
from pathlib import Path

from program import TESTS, aligned, run, start
from sender_rate import SOURCES, instructions

COMMITTED = Path(__file__).with_name("cost.json")
NOISY = 5  # percent by which the time of twice the turns may differ from twice the time
NOTABLE = 10  # percent of change that marks a line


def table(title, now, before, remarks=None):
    """Returns the rows of a table of figures; `remarks` has two cells for each line."""
    rows = [(title, "now", "before", "change", "spread" if remarks else "", "")]
    for what, figure in now.items():
        was = before.get(what)
        percent = 100 * (figure / was - 1) if was else 0
        change = f"{percent:+.0f} %{' *' if abs(percent) >= NOTABLE else '  '}" if was else "-"
        rows.append((f"  {what}", f"{figure:.1f}", "-" if was is None else f"{was:.1f}", change,
                     *(remarks[what] if remarks else ("", ""))))
    return rows


def verified(figures):
    """Returns the most instructions of each program, the first word of a figure's name."""
    most = {}
    for what, figure in figures.items():
        program = what.split()[0]
        most[program] = max(most.get(program, 0), figure["verified"])
    return most


def main(options):
    before = {"programs": {}, "queries": {}} | (json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {})
    now = {"programs": json.loads(run(TESTS / "program_cost")),
           "queries": {source: round(instructions(source), 1) for source in SOURCES}}
    remarks = {what: (f"{one['spread_ns']:.1f}", f"noisy: {one['disproportion_percent']:+.0f} %"
                      if abs(one["disproportion_percent"]) > NOISY else "") for what, one in now["programs"].items()}
    times, times_before = ({what: one["ns"] for what, one in of["programs"].items()} for of in (now, before))
    print("\n".join(aligned([
        *table("ns a packet, over an empty program", times, times_before, remarks),
        *table("instructions the verifier looked at", verified(now["programs"]), verified(before["programs"])),
        *table("instructions a query, user space", now["queries"], before["queries"])])))
    print(f"* changed by {NOTABLE} % or more since tests/bench/cost.json was written; times vary with the machine, "
          "counts do not. noisy: twice the turns took so much more or less than twice the time")
    if options.write:
        COMMITTED.write_text(json.dumps(now, indent=2) + "\n")


if __name__ == "__main__":
    start(main, needs=["valgrind"], built="program_cost",
          write=(False, "make these the committed figures (tests/bench/cost.json)"))
