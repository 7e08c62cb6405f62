# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How well the Tester kept its schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart, Table
from ..drawing import FAINT, SERIES, legend_above, name_rows, spread
from ..quantities import (
    count_text,
    drawn_text,
    duration_axis,
    duration_text,
    log_ticks,
    shortened,
)

MARKS = (
    ("median", "o", SERIES[0]),
    ("99th percentile", "s", SERIES[3]),
    ("maximum", "D", SERIES[1]),
)


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


def lateness_chart(all_of_them: Sequence[Lateness], name: str = "lateness") -> Chart:
    """Returns the chart of how late queries were sent, a row for each result."""
    shown = spread(all_of_them, MOST_ROWS)

    def draw(axes: Any) -> None:
        for place, one in enumerate(shown):
            values = [max(value, 1) for value in one.values]
            axes.plot([values[0], values[-1]], [-place, -place], color=FAINT, linewidth=1, zorder=1)
            for (what, marker, colour), value in zip(MARKS, values):
                label = what if place == 0 else None
                axes.scatter(
                    [value], [-place], marker=marker, s=30, color=colour, label=label, zorder=3
                )
        axes.set_xscale("log")
        duration_axis(axes.xaxis)
        name_rows(axes, [one.label for one in shown], 18)
        axes.set_xlabel("lateness of sends")
        legend_above(axes)

    caption = (
        "How late queries were handed to the kernel, against the schedule. N = "
        + ", ".join(
            count_text(one.queries) + (f" ({one.label})" if len(shown) > 1 else "") for one in shown
        )
        + " queries."
        + drawn_text(len(shown), len(all_of_them), "result")
    )
    text = "; ".join(
        f"{one.label}: median {duration_text(one.median)}, 99th percentile"
        f" {duration_text(one.p99)}, maximum {duration_text(one.max)}"
        for one in shown
    )
    rows = [(one.label, one.queries, *one.values) for one in shown]
    heads = ("result", "queries", "p50_ns", "p99_ns", "max_ns")
    height = min(1.6, 0.36 + 0.11 * len(shown))
    return Chart(
        name,
        "Lateness of sends",
        caption,
        text + ".",
        Table("Lateness of sends", heads, rows),
        draw,
        height,
    )


def lateness_curve(all_of_them: Sequence[Lateness], name: str = "lateness-percentiles") -> Chart:
    """Returns the lateness that the latest x percent of the queries exceed, as the RTTs are drawn.
    Each must have a histogram."""
    shown = spread(all_of_them)
    curves = []
    for one in shown:
        left = total = sum(row[2] for row in one.histogram)
        points = []
        for _, upper, count in one.histogram:
            points.append((100 * left / total, float(max(upper, 1))))
            left -= count
        # The line ends where one query is all that is left.
        curves.append([*points, (100 / total, points[-1][1])])

    def draw(axes: Any) -> None:
        for one, points, colour in zip(shown, curves, SERIES):
            shares, times = zip(*points)
            axes.step(shares, times, where="pre", color=colour, label=shortened(one.label))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(100, min(points[-1][0] for points in curves) * 0.8)
        duration_axis(axes.yaxis)
        log_ticks(axes.xaxis)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.6g}")
        axes.set(xlabel="latest % of the queries", ylabel="lateness of sends")
        if len(shown) > 1:
            legend_above(axes, 2)

    counts = ", ".join(
        count_text(one.queries) + (f" ({one.label})" if len(shown) > 1 else "") for one in shown
    )
    caption = (
        "Lateness that the latest queries exceed, against the schedule; both axes logarithmic."
        f" N = {counts} queries."
    )
    caption += drawn_text(len(shown), len(all_of_them), "result")
    text = "; ".join(
        f"{one.label}: half of the queries at most {duration_text(one.median)} late, the latest"
        f" {duration_text(one.max)}"
        for one in shown
    )
    rows = [
        (one.label, share, late) for one, points in zip(shown, curves) for share, late in points
    ]
    title = "Lateness of sends by percentile"
    heads = ("result", "latest_percent", "lateness_ns")
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)
