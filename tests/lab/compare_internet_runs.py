#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares what "fakedns --internet" counted in several runs of a resolver, by kind of server, and by what the answers
say or the type asked for.

usage: compare_internet_runs.py SHARE CHANCES LOG...

Each LOG is what fakedns of one run said; its last table counts. A counter's spread is its greatest value less its least
one. Chance is the spread that a counter would have if its queries came by chance, each on its own (the spread of as many
draws of a Poisson distribution). Exit status 1: a counter spreads by more than SHARE percent of its median and CHANCES
times chance.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path
from typing import NamedTuple

SERVERS = ("root", "registry", "other")
# The mean range of N draws, by N, from a normal distribution with a standard deviation of 1.
RANGES = {2: 1.128, 3: 1.693, 4: 2.059, 5: 2.326, 6: 2.534, 7: 2.704, 8: 2.847, 9: 2.970, 10: 3.078}


class Counter(NamedTuple):
    """What was counted in each run."""

    name: str
    values: list[int]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def spread(self) -> int:
        return max(self.values) - min(self.values)

    @property
    def chance(self) -> float:
        return RANGES[len(self.values)] * math.sqrt(max(self.median, 1))

    @property
    def percent(self) -> float:
        return 100 * self.spread / max(self.median, 1)

    def told(self) -> str:
        return (f"{self.name:<22}{self.median:>9,.0f}{min(self.values):>9,}{max(self.values):>9,}"
                f"{self.spread:>8,}{self.percent:>8.2f}{self.chance:>8.0f}")


def counted(log: Path) -> dict[str, int]:
    """Returns the last table: by "kind of server, row"."""
    counters: dict[str, int] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words == [*SERVERS, "total"]:
            counters = {}
        elif len(words) == 5 and words[1].isdigit():
            counters |= {f"{server}, {words[0]}": int(value) for server, value in zip(SERVERS, words[1:])}
    if not counters:
        raise SystemExit(f"{log}: no table: {log.read_text(encoding='utf-8')[-300:]}")
    return counters


def main() -> int:
    share, chances = float(sys.argv[1]), float(sys.argv[2])
    runs = [counted(Path(name)) for name in sys.argv[3:]]
    counters = [Counter(name, [run[name] for run in runs]) for name in runs[0] if any(run[name] for run in runs)]
    in_all = Counter("all queries", [sum(value for name, value in run.items() if ", type-" in name) for run in runs])
    print(f"{len(runs)} runs{'':<16}{'median':>9}{'least':>9}{'greatest':>9}{'spread':>8}{'%':>8}{'chance':>8}")
    for counter in [in_all, *counters]:
        print(counter.told())
    beyond_chance = [counter for counter in counters if counter.spread > counter.chance]
    wide = [counter for counter in counters
            if counter.spread > share * counter.median / 100 + chances * counter.chance]
    widest = max((counter for counter in counters if counter.median >= 100), key=lambda counter: counter.percent)
    print(f"all queries: {in_all.median:,.0f}, spread {in_all.percent:.2f} %; {len(counters)} counters, "
          f"{len(beyond_chance)} spread by more than chance; widest of those from 100 on: {widest.name}: "
          f"{widest.percent:.1f} % of {widest.median:,.0f}, chance {100 * widest.chance / widest.median:.1f} %")
    for counter in wide:
        print(f"too wide: {counter.name}: {counter.values}")
    return 1 if wide else 0


if __name__ == "__main__":
    sys.exit(main())
