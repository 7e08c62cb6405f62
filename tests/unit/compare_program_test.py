#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs dnsgauge compare on files: any number of them, each kind of series, and what it refuses.

usage: compare_program_test.py DNSGAUGE RESULT SERIES

SERIES is the folder of recorded results and journals of each kind of series.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

# The kinds of series, and for those that compare knows, figures that it prints.
SERIES = {
    "search": {"range": "100 to 1600", "searches": "3 of 3", "median": "1412", "trials": "16"},
    "replay": {"runs": "3 of 3", "answered %": "100.0000", "RCODEs %": "NOERROR 100.0000"},
    "sweep": {},
    "window-sweep": {},
    "soak": {},
    "loss-search": {},
}
NO_RESULT = ("is not the result of trials, a search, a replay, a self-test or a probe: give files that"
             " --json of these commands wrote")

failures = []


def run(program, *words):
    """Returns the exit status, the output and the messages of dnsgauge compare."""
    made = subprocess.run([program, "compare", *map(str, words)], capture_output=True, text=True,
                          check=False)
    return made.returncode, made.stdout, made.stderr


def check(what, is_so, said):
    """Notes a failure."""
    print(f"{'PASS' if is_so else 'FAIL'}: {what}")
    if not is_so:
        failures.append(what)
        print(said)


def verdicts(said):
    """Returns the verdicts of the table, one for each file."""
    return next(row.split()[1:] for row in said.splitlines() if row.startswith("verdict "))


def check_series(program, folder):
    """Compares the recorded results of each kind of series, and journals."""
    for kind, figures in SERIES.items():
        file, journal = folder / f"{kind}.json", folder / f"{kind}.jsonl"
        for wrong in (journal,) if figures else (file, journal):
            status, said, errors = run(program, wrong)
            check(f"{wrong.name} is refused by its name",
                  status == 2 and not said and errors == f"dnsgauge: {wrong} {NO_RESULT}\n", errors)
        if figures:
            status, said, errors = run(program, file, file)
            told = [" ".join(row.split()) for row in said.splitlines()]
            rows = {f"{name} {figure} {figure}" for name, figure in figures.items()}
            check(f"two results of a {kind} side by side", status == 0 and rows <= set(told),
                  said + errors)
    status, said, errors = run(program, folder / "search.json", folder / "replay.json")
    check("results of two kinds are refused", status == 2 and not said and errors ==
          "dnsgauge: search is the result of a search, replay the result of a replay: compare results"
          " of one kind\n", errors)


def main(program, result, series):
    """Exits with 1 if a check fails."""
    for count in (1, 2, 3):
        status, said, errors = run(program, *[result] * count)
        check(f"{count} results side by side", status == 0 and verdicts(said) == ["pass"] * count,
              said + errors)
    status, said, errors = run(program)
    check("no file is refused", status == 2 and not said and len(errors.splitlines()) == 1, errors)
    with tempfile.TemporaryDirectory() as scratch:
        other = Path(scratch) / "other.json"
        other.write_text('{"schema": "dnsgauge/doctor/1"}', encoding="ascii")
        status, said, errors = run(program, result, other)
        check("what is no result is refused by its name",
              status == 2 and "other.json is not the result of" in errors, errors)
        for name in ("a\033]0;b\a.json", "a\u009b2Jb.json"):
            status, _, errors = run(program, result, Path(scratch) / name)
            shown = name.translate(dict.fromkeys((0x1b, 0x07, 0x9b), "?"))
            check("an error shows a name without a terminal's commands",
                  status == 2 and shown in errors and name not in errors, repr(errors))
    check_series(program, Path(series))
    sys.exit(1 if failures else 0)


main(*sys.argv[1:])
