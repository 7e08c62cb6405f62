#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares a trial against faulty_server.py with what that server must have done, query by query.

    check_faults.py TRIAL.json PER-QUERY.csv SOURCE FIRST COUNT LATE_BEFORE      SOURCE: of faults.SOURCES
"""

import collections
import csv
import json
import sys

from faults import SOURCES, fault_of

def main():
    trial_file, csv_file, source = sys.argv[1:4]
    first, count, late_before = map(int, sys.argv[4:])
    faults = {number: fault_of(number, late_before) for number in range(first, first + count)}
    with open(trial_file, encoding="utf-8") as file:
        trial = json.load(file)
    with open(csv_file, encoding="ascii") as file:
        queries = list(csv.DictReader(file, delimiter=";"))

    assert source in SOURCES, source
    outcomes = collections.Counter(fault.class_of(source) for fault in faults.values())
    strays = collections.Counter(fault.stray for fault in faults.values() if fault.stray)
    rcodes = collections.Counter(fault.rcode_of(source) for fault in faults.values())
    del rcodes[None]
    figures = [("sent", trial["sent"], count), ("rcodes", trial["rcodes"], dict(rcodes))]
    figures += [(name, trial[name], outcomes[name]) for name in ("valid", "late", "lost")]
    figures += [(name, got, outcomes[name]) for name, got in trial["invalid"].items() if name != "total"]
    figures += [(name, trial[name], strays[name])
                for name in ("duplicate", "unexpected", "wrong_source")]
    figures += [("bad_checksum", trial["bad_checksum"], 0),
                ("rtt_ns.count", trial["rtt_ns"]["count"], outcomes["valid"]),
                ("the sum", trial["valid"] + trial["late"] + trial["invalid"]["total"] +
                 trial["lost"], count),
                ("lines of the per-query file", len(queries), count)]

    wrong = [query for query in queries if query["class"] !=
             faults[first + int(query["number"])].class_of(source)]
    figures.append(("queries of the wrong class in the per-query file", len(wrong), 0))
    failed = False
    for name, got, right in figures:
        good = got == right
        failed = failed or not good
        print(f"{'PASS' if good else 'FAIL'}: {name}: {got}" + ("" if good else f", not {right}"))
    for query in {faults[first + int(query["number"])].name: query for query in wrong}.items():
        print(f"      {query}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
