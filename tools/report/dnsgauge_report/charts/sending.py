# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How well the Tester kept its schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart, Table
from ..drawing import FAINT, SERIES, legend_above
from ..quantities import count_text, duration_axis, duration_text, shortened

MARKS = (
    ("median", "o", SERIES[0]),
    ("99th percentile", "s", SERIES[3]),
    ("maximum", "D", SERIES[1]),
)


@dataclass(frozen=True)
class Lateness:
    """How late queries were handed over after their due times, in nanoseconds."""

    label: str
    queries: int
    median: float
    p99: float
    max: float
    rtt_median: float | None = None

    @property
    def values(self) -> tuple[float, float, float]:
        return self.median, self.p99, self.max


def lateness_chart(all_of_them: Sequence[Lateness], name: str = "lateness") -> Chart:
    """Returns the chart of how late queries were sent."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, one in enumerate(all_of_them):
            shown = [max(value, 1) for value in one.values]
            axes.plot([shown[0], shown[-1]], [-place, -place], color=FAINT, linewidth=1, zorder=1)
            for (what, marker, colour), value in zip(MARKS, shown):
                label = what if place == 0 else None
                axes.scatter(
                    [value], [-place], marker=marker, s=30, color=colour, label=label, zorder=3
                )
        axes.set_xscale("log")
        duration_axis(axes.xaxis)
        axes.set_yticks(
            [-place for place in range(len(all_of_them))],
            [shortened(one.label, 18) for one in all_of_them],
        )
        axes.set_ylim(-len(all_of_them) + 0.4, 0.6)
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("lateness of sends")
        legend_above(axes)

    caption = (
        "How late queries were handed to the kernel, against the schedule. N = "
        + ", ".join(
            count_text(one.queries) + (f" ({one.label})" if len(all_of_them) > 1 else "")
            for one in all_of_them
        )
        + " queries."
    )
    text = "; ".join(
        f"{one.label}: median {duration_text(one.median)}, 99th percentile"
        f" {duration_text(one.p99)}, maximum {duration_text(one.max)}"
        for one in all_of_them
    )
    rows = [(one.label, one.queries, *one.values) for one in all_of_them]
    heads = ("result", "queries", "p50_ns", "p99_ns", "max_ns")
    height = min(1.6, 0.36 + 0.11 * len(all_of_them))
    return Chart(
        name,
        "Lateness of sends",
        caption,
        text + ".",
        Table("Lateness of sends", heads, rows),
        draw,
        height,
    )
