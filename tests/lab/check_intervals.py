#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The intervals of a trial's result, of its CSV file and of its dns-metrics file are those of its per-query
file, from which this script counts them anew.

usage: check_intervals.py RESULT PER_QUERY INTERVALS METRICS
"""

import collections
import csv
import json
import math
import sys


def percentile(rtts, per_mille):
    """RFC 2330 section 11.3."""
    return sorted(rtts)[(len(rtts) * per_mille + 999) // 1000 - 1]


def rows_of(path, length):
    """Returns what the per-query file says of each interval: the classes' counts, and the valid RTTs."""
    found = collections.defaultdict(lambda: (collections.Counter(), []))
    with open(path, encoding="ascii", newline="") as file:
        for query in csv.DictReader(file, delimiter=";"):
            classes, rtts = found[int(query["sent_ns"]) // length]
            classes[query["class"]] += 1
            if query["class"] == "valid":
                rtts.append(int(query["rtt_ns"]))
    return found


def check(interval, classes, rtts):
    invalid = {reason: count for reason, count in interval["invalid"].items() if count and reason != "total"}
    counts = {name: interval[name] for name in ("valid", "late", "lost") if interval[name]}
    assert counts | invalid == dict(classes), (interval, classes)
    assert interval["sent"] == sum(classes.values()), interval
    told = interval["rtt_ns"]
    assert told["count"] == len(rtts), interval
    if not rtts:
        assert told["p50"] is None, interval
        return
    assert (told["min"], told["max"]) == (min(rtts), max(rtts)), (interval, min(rtts), max(rtts))
    assert math.isclose(told["mean"], sum(rtts) / len(rtts), rel_tol=1e-9), interval
    for name, per_mille in {"p50": 500, "p90": 900, "p99": 990, "p99_9": 999}.items():
        right = percentile(rtts, per_mille)
        assert right <= told[name] <= right * 1.008 + 1, (name, told[name], right)


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        result = json.load(file)
    length = round(result["interval_s"] * 1e9)
    counted = rows_of(sys.argv[2], length)
    intervals = result["intervals"]
    assert max(counted) < len(intervals), (max(counted), len(intervals))
    for number, interval in enumerate(intervals):
        assert interval["since_s"] * 1e9 == number * length, interval
        check(interval, *counted[number])
    with open(sys.argv[3], encoding="ascii", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == len(intervals)
    for row, interval in zip(table, intervals):
        for name in ("sent", "valid", "late", "lost"):
            assert int(row[name]) == interval[name], row
        for reason, count in interval["invalid"].items():
            assert int(row["invalid" if reason == "total" else f"invalid_{reason}"]) == count, row
        told = {head[6:]: int(cell) for head, cell in row.items()
                if head.startswith("rcode_") and cell != "0"}
        assert told == interval["rcodes"], row
        assert (row["rtt_p99_ns"] or None) == (interval["rtt_ns"]["p99"] and str(interval["rtt_ns"]["p99"])), row
    with open(sys.argv[4], encoding="ascii") as file:
        periods = [line for line in map(json.loads, file) if line["type"] == "stats_periodic"]
    assert [period["queries"] for period in periods] == [interval["sent"] for interval in intervals]
    for period in periods:
        assert period["queries"] == period["responses"] + period["timeouts"], period
        assert sum(period["response_rcodes"].values()) == period["responses"], period


if __name__ == "__main__":
    main()
