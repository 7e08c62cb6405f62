# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How well the Tester kept its schedule."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart, chart
from ..drawing import BLUE, ORANGE, VERMILION, draw_curves, draw_spans, rows_of, spread
from ..quantities import drawn_text, numbers_text
from ..statistics import Latency
from .latency import scale_slowest

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
    def values(self) -> tuple[float, float, float]:
        return self.median, self.p99, self.max


def lateness_chart(all_of_them: Sequence[Lateness]) -> Chart:
    shown = spread(all_of_them, MOST_ROWS)

    def draw(axes: Any) -> None:
        draw_spans(axes, [(one.label, one.values) for one in shown], MARKS)
        axes.set_xlabel("lateness of sends")

    counts = [(one.label, one.queries) for one in shown]
    caption = "How late queries were handed to the kernel, against the schedule. "
    caption += numbers_text(counts, "query", "queries")
    caption += drawn_text(len(shown), len(all_of_them), "result")
    rows = [(one.label, one.queries, *one.values) for one in shown]
    heads = "result queries p50_ns p99_ns max_ns"
    height = min(1.6, 0.36 + 0.11 * len(shown))
    return chart("lateness", "Lateness of sends", caption, heads, rows, draw, height)


def lateness_curve(all_of_them: Sequence[Lateness]) -> Chart:
    shown = spread(all_of_them)
    curves = []
    for one in shown:
        rows = [(lower, float(max(upper, 1)), count) for lower, upper, count in one.histogram]
        total = sum(row[2] for row in rows)
        # The line ends where one query is all that is left.
        last = (100 / total, rows[-1][1])
        curves.append((one.label, [*Latency(one.label, rows, total, None).slowest(), last]))

    def draw(axes: Any) -> None:
        draw_curves(axes, curves, (1,), drawstyle="steps-pre", marker=None, linewidth=1.5)
        least = min(points[-1][0] for _, points in curves) * 0.8
        scale_slowest(axes, least, "latest", "lateness of sends")

    caption = (
        "Lateness that the latest queries exceed, against the schedule; both axes logarithmic. "
        + numbers_text([(one.label, one.queries) for one in shown], "query", "queries")
        + drawn_text(len(shown), len(all_of_them), "result")
    )
    title = "Lateness of sends by percentile"
    heads = "result latest_percent lateness_ns"
    return chart("lateness-percentiles", title, caption, heads, rows_of(curves), draw)
