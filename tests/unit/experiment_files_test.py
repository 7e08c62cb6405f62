#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every experiment that is shipped can be planned, and has the columns of the paper's table.

usage: experiment_files_test.py DNSGAUGE EXPERIMENTS DATA
"""

import re
import subprocess
import sys
from pathlib import Path

# The words that head a table's columns.
HEADS = ("setting", "duration", "aaaa", "cached")
# Sites, and files that others extend: no whole experiments.
NOT_WHOLE = {"base.toml", "site.toml", "lab.toml"}


def columns(path):
    """Returns the number of columns by the table's number."""
    found = {}
    number = None
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[0] == "table":
            number = int(cells[1])
        elif cells[0] in HEADS:
            found[number] = len(cells) - 1
    return found


def plan(dnsgauge, file):
    """Returns the number of cells of the plan, and a complaint or an empty text."""
    done = subprocess.run([dnsgauge, "experiment", file, "--plan"], capture_output=True, text=True,
                          check=False)
    searches = re.findall(r"^dnsgauge search ", done.stdout, re.MULTILINE)
    told = re.search(r"^(\d+) cells?, about ", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not told or int(told[1]) != len(searches):
        return 0, f"status {done.returncode}: {done.stderr or done.stdout}"
    return len(searches), ""


def deviations(text):
    """Returns the deviations from RFC 8219 that the lines of a text name."""
    lines = re.findall(r"^(?:- )?not compliant with RFC 8219: (.*?)\.?$", text, re.MULTILINE)
    return [line.split("; ") for line in lines]


def undocumented(dnsgauge, file, document):
    """Returns a complaint if tables in a document name other deviations than they would now."""
    name = f"small/{file.stem}"
    block = re.search(f"<!-- {name} -->(.*?)<!-- /{name} -->", document.read_text(encoding="utf-8"),
                      re.DOTALL)
    done = subprocess.run([dnsgauge, "experiment", file, "--plan"], capture_output=True, text=True,
                          check=False)
    planned = deviations(done.stdout)
    # A plan does not know of self-tests, nor of trials that were invalid: only some servers have those.
    told = []
    for line in deviations(block[1] if block else ""):
        known = [one for one in line
                 if "self-test" not in one and not one.startswith("invalid trials were made again")]
        if known not in told:
            told.append(known)
    if planned and planned == told:
        return ""
    return f"{document}: {name} is not compliant in {told}, but its plan in {planned}"


def main():
    dnsgauge, experiments, data = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    tables = {"paper-000": columns(data / "paper_000_tables.tsv"),
              "paper-002": columns(data / "paper_002_tables.tsv")}
    wanted = {experiments / paper / f"table-{n:02}.toml" if paper == "paper-000"
              else experiments / paper / f"table-{n}.toml": count
              for paper, found in tables.items() for n, count in found.items()}
    files = {f for f in experiments.rglob("*.toml") if f.name not in NOT_WHOLE}
    wrong = [f"{f}: is missing" for f in wanted if f not in files]
    if len(wanted) != 28:
        wrong.append(f"{len(wanted)} tables in {data}, not 28")
    for file in sorted(files):
        cells, complaint = plan(dnsgauge, file)
        if complaint:
            wrong.append(f"{file}: {complaint}")
        elif file in wanted and wanted[file] != cells:
            wrong.append(f"{file}: {cells} cells, the paper's table has {wanted[file]} columns")
    for file in sorted((experiments / "small").glob("*.toml")):
        complaint = undocumented(dnsgauge, file, experiments / "README.md")
        if complaint:
            wrong.append(complaint)
    print(*wrong, sep="\n")
    print(f"{len(files)} experiments, {len(wanted)} of them tables of the papers")
    sys.exit(1 if wrong else 0)


main()
