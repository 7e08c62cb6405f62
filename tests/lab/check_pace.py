#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The per-query file of a trial has the times of the trial's pace. A sender may be late, and never early.

usage: check_pace.py RESULT PER_QUERY
       check_pace.py same|other PER_QUERY PER_QUERY
"""

import csv
import json
import math
import statistics
import sys


def times_of(path):
    """Returns when the queries were sent, nanoseconds, by their number."""
    with open(path, encoding="ascii", newline="") as file:
        sent = {int(query["number"]): int(query["sent_ns"]) for query in csv.DictReader(file, delimiter=";")}
    assert sorted(sent) == list(range(len(sent)))
    return [sent[number] for number in range(len(sent))]


def steps_of(result):
    """Returns when queries are due at steps, nanoseconds, counted with fractions of none."""
    pace = result["pace"]
    rates = list(range(pace["from"], pace["to"] + 1, pace["step"]))
    length = result["duration_s"] / len(rates)
    return [round(1e9 * (step * length + i / rate))
            for step, rate in enumerate(rates) for i in range(math.floor(rate * length + 1e-9))]


def check_late(times, due, most):
    late = [time - at for time, at in zip(times, due, strict=True)]
    assert min(late) >= -1, min(late)
    assert max(late) <= most + 1, (max(late), most)


def check_poisson(times, result):
    """Four standard errors are allowed."""
    n = len(times)
    mean = 1e9 / result["rate"]
    assert n == result["rate"] * result["duration_s"]
    assert times == sorted(times)
    gaps = [after - before for before, after in zip(times, times[1:])]
    assert abs(statistics.fmean(gaps) / mean - 1) < 0.1, statistics.fmean(gaps)
    for times_mean in (0.5, 1, 2):
        right = math.exp(-times_mean)
        share = sum(gap > times_mean * mean for gap in gaps) / len(gaps)
        # A sender that was late makes a gap longer and the next ones shorter.
        assert abs(share - right) < 4 * math.sqrt(right * (1 - right) / n) + 0.03, (times_mean, share, right)


def main():
    if sys.argv[1] in ("same", "other"):
        apart = [abs(a - b) for a, b in zip(times_of(sys.argv[2]), times_of(sys.argv[3]), strict=True)]
        assert (statistics.median(apart) < 1e5) == (sys.argv[1] == "same"), statistics.median(apart)
        return
    with open(sys.argv[1], encoding="ascii") as file:
        result = json.load(file)
    times = times_of(sys.argv[2])
    most = result["sending"]["lateness_ns"]["max"]
    kind = result["pace"]["kind"]
    if kind == "poisson":
        check_poisson(times, result)
    elif kind == "steps":
        check_late(times, steps_of(result), most)
    else:
        check_late(times, [i * 10**9 // result["rate"] for i in range(len(times))], most)


if __name__ == "__main__":
    main()
