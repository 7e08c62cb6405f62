#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Prints response-rate curves side by side: the percent answered at each rate, the mean size of the replies, and the
highest rate up to which 99 % were answered.

usage: curves.py DIRECTORY NAME...

The journals DIRECTORY/NAME.jsonl are journals of sweeps. A rate's percentage is taken over all its trials together.
"""

import json
import sys
from collections import Counter
from pathlib import Path

ENOUGH = 0.99
LINE = 10_000_000_000 / 8  # octets per second of 10 Gbit/s


def trials_of(path):
    """Yields the trials that taught something."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            trial = json.loads(line).get("trial")
            if trial and trial["verdict"] != "invalid":
                yield trial


def curve_of(path):
    """Returns the queries sent and answered by rate, and the mean size of the replies, as messages and on the wire."""
    counts, sums = {}, Counter()
    for trial in trials_of(path):
        sent, answered = counts.get(trial["rate"], (0, 0))
        counts[trial["rate"]] = (sent + trial["sent"], answered + trial["valid"])
        if count := trial["replies"]["count"]:
            sums += Counter(replies=count, octets=count * trial["replies"]["octets"]["mean"],
                            wire=count * trial["replies"]["wire_octets_mean"])
    return counts, [sums[size] / sums["replies"] for size in ("octets", "wire")] if sums else None


def kept_rate(counts):
    """Returns the highest rate such that enough was answered at it and at all lower rates."""
    kept = None
    for rate, (sent, answered) in sorted(counts.items()):
        if answered < ENOUGH * sent:
            break
        kept = rate
    return kept


def main():
    """Prints the table."""
    directory, *names = sys.argv[1:]
    curves = {name: curve_of(Path(directory) / f"{name}.jsonl") for name in names}
    rates = sorted({rate for counts, _ in curves.values() for rate in counts})
    rows = [["queries/s", *names]]
    for rate in rates:
        shares = (counts.get(rate, (0, 0)) for counts, _ in curves.values())
        rows.append([str(rate), *(f"{int(1e6 * answered / sent) / 1e4:.4f}" if sent else "-" for sent, answered in shares)])
    kept = [kept_rate(counts) for counts, _ in curves.values()]
    sizes = [size for _, size in curves.values()]
    rows.append(["99 % up to", *(str(rate or "-") for rate in kept)])
    rows.append(["octets of a reply", *(f"{size[0]:.1f}" if size else "-" for size in sizes)])
    rows.append(["10 Gbit/s carries", *(f"{LINE / size[1]:.0f}" if size else "-" for size in sizes)])
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


if __name__ == "__main__":
    main()
