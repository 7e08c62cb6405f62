# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How well the Tester kept its schedule."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..document import Chart
from ..drawing import BLUE, ORANGE, VERMILION, spread
from ..quantities import drawn_text, numbers_text
from ..statistics import Latency
from .latency import percentile_chart, times_chart

MARKS = (("median", "o", BLUE), ("99th percentile", "s", ORANGE), ("maximum", "D", VERMILION))


# More rows than this leave no place for their labels.
MOST_ROWS = 40


@dataclass(frozen=True)
class Lateness:
    """How late queries were handed over after their due times, in nanoseconds. `histogram` has rows
    (from, to, count), and is empty in files of older versions."""

    label: str
    queries: int
    median: float
    p99: float
    max: float
    histogram: Sequence[tuple[int, int, int]] = ()

    @property
    def latency(self) -> Latency:
        rows = [(lower, float(max(upper, 1)), count) for lower, upper, count in self.histogram]
        return Latency(self.label, rows, sum(row[2] for row in rows), None)


def lateness_chart(all_of_them: Sequence[Lateness]) -> Chart:
    shown = spread(all_of_them, MOST_ROWS)
    labels = [one.label for one in shown]
    rows = [(one.label, one.queries, (one.median, one.p99, one.max)) for one in shown]
    caption = "How late queries were handed to the kernel, against the schedule. "
    caption += numbers_text([row[:2] for row in rows], "query", "queries")
    caption += drawn_text(len(shown), len(all_of_them), "result")
    named = ("lateness", "Lateness of sends", "result queries p50_ns p99_ns max_ns")
    return times_chart(named, MARKS, caption, rows, labels)


def lateness_curve(all_of_them: Sequence[Lateness]) -> Chart:
    latencies = [one.latency for one in all_of_them]
    named = ("lateness-percentiles", "Lateness of sends by percentile")
    return percentile_chart(latencies, *named, "Lateness of sends", "latest")
