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

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "build" / "tests"
COMMITTED = Path(__file__).with_name("cost.json")
PARTS = ["names", "identities", "schedule", "slots", "patch-ipv4", "patch-ipv6", "query", "name-stream",
         "list-stream", "mix-stream", "capture-stream", "intervals"]
FEW, MANY = 1000, 21000
NOISY = 5  # percent by which the time of twice the turns may differ from twice the time
NOTABLE = 10  # percent of change that marks a line


class CannotMeasure(Exception):
    pass


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode == 77:
        return None
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["no word why"])[-1]
        raise CannotMeasure(f"{words[0]} failed: {said}")
    return done


def program_figures():
    """Returns {what: {ns, spread_ns, disproportion_percent, verified}}, or None: no program loads."""
    done = run([str(TESTS / "program_cost")])
    return json.loads(done.stdout) if done else None


def instructions(part, queries):
    with tempfile.NamedTemporaryFile() as out:
        done = run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
                    str(TESTS / "query_cost"), part, str(queries)])
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if not counted:
        raise CannotMeasure("valgrind did not say how many instructions it counted")
    return int(counted[1])


def query_figures():
    return {part: round((instructions(part, MANY) - instructions(part, FEW)) / (MANY - FEW), 1)
            for part in PARTS}


def changed(now, before):
    if not before:
        return ""
    percent = 100 * (now / before - 1)
    return f"{percent:+5.0f} %" + (" *" if abs(percent) >= NOTABLE else "")


def shown(figure, form=""):
    return "-" if figure is None else format(figure, form)


def most_verified(figures):
    """Groups figures by program, the first word of a figure's name."""
    most = {}
    for what, figure in figures.items():
        program = what.split()[0]
        most[program] = max(most.get(program, 0), figure["verified"])
    return most


def print_programs(now, before):
    print(f"{'ns a packet, over an empty program':36} {'now':>8} {'spread':>7} {'before':>8}  change")
    for what, figure in now.items():
        was = before.get(what, {}).get("ns")
        noise = figure["disproportion_percent"]
        print(f"  {what:34} {figure['ns']:8.1f} {figure['spread_ns']:7.1f} "
              f"{shown(was, '.1f'):>8}  {changed(figure['ns'], was)}"
              + (f"  noisy: twice the turns took {noise:+.0f} % of twice the time"
                 if abs(noise) > NOISY else ""))
    print(f"{'instructions the verifier looked at':36} {'now':>8} {'':7} {'before':>8}  change")
    now_most, was_most = most_verified(now), most_verified(before)
    for program, count in now_most.items():
        was = was_most.get(program)
        print(f"  {program:34} {count:8} {'':7} {shown(was):>8}  {changed(count, was)}")


def print_queries(now, before):
    print(f"{'instructions a query, user space':36} {'now':>8} {'':7} {'before':>8}  change")
    for part, count in now.items():
        was = before.get(part)
        print(f"  {part:34} {count:8.1f} {'':7} {shown(was):>8}  {changed(count, was)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true",
                        help="make these the committed figures (tests/bench/cost.json)")
    options = parser.parse_args()
    before = json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {}
    figures = {"programs": program_figures(), "queries": query_figures()}
    if figures["programs"] is None:
        print("no BPF program can be loaded here: their costs are not measured")
    else:
        print_programs(figures["programs"], before.get("programs", {}))
    print_queries(figures["queries"], before.get("queries", {}))
    print(f"* changed by {NOTABLE} % or more since tests/bench/cost.json was written; "
          "times vary with the machine, counts do not")
    if options.write:
        if figures["programs"] is None:
            raise CannotMeasure("half of the figures are missing: not written")
        COMMITTED.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    try:
        main()
    except (CannotMeasure, OSError, ValueError) as error:
        print(f"cost.py: {error}", file=sys.stderr)
        sys.exit(2)
