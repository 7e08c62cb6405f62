# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two sets beside each other: results, ratios, response rates, and latencies with their shading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..document import Chart, Table
from ..drawing import FAINT, INK, SERIES, band, dots, legend_above, name_rows
from ..quantities import duration_text, plural, rate_axis, rate_text, shortened
from ..statistics.latency import Shading, SLOWEST_PERCENT
from ..statistics.samples import Comparison
from ..statistics.vectors import VectorComparison
from .latency import scale_slowest

A, B = SERIES[0], SERIES[1]
MARKS = {A: "o", B: "s"}
Group = Sequence[tuple[str, Sequence[float]]]


def spread(count: int) -> list[float]:
    """Returns places around 0 at which points do not lie on one another."""
    pattern = (0.0, 0.12, -0.12, 0.06, -0.06)
    return [pattern[number % len(pattern)] for number in range(count)]


def rates_chart(a: Group, b: Group, comparison: Comparison) -> Chart:
    """Returns the chart of all results of A and B, a row for each file, and the medians of both."""
    rows = [(A, "A", label, values) for label, values in a] + [
        (B, "B", label, values) for label, values in b
    ]

    def draw(axes: Any) -> None:
        for place, (colour, _, _, values) in enumerate(rows):
            heights = [-place + shift for shift in spread(len(values))]
            dots(axes, sorted(values), heights, colour, 14, alpha=0.75, marker=MARKS[colour])
        for colour, median, name in ((A, comparison.median_a, "A"), (B, comparison.median_b, "B")):
            axes.axvline(
                median,
                color=colour,
                linewidth=1,
                linestyle="-" if name == "A" else "--",
                label=f"median of {name}",
            )
        name_rows(axes, [f"{side}: {shortened(label, 16)}" for _, side, label, _ in rows])
        rate_axis(axes.xaxis)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("queries/s")
        legend_above(axes, 2)

    data = [(side, label, value) for _, side, label, values in rows for value in values]
    return Chart(
        "results",
        "All results of A and B",
        (
            f"Each result is a point; lines are the medians. N = {comparison.count_a} (A) and"
            f" {comparison.count_b} (B)."
        ),
        (
            f"A: median {rate_text(comparison.median_a)} of {comparison.count_a}; B: median"
            f" {rate_text(comparison.median_b)} of {comparison.count_b}."
        ),
        Table("Results", ("set", "file", "queries_per_second"), data),
        draw,
        min(1.6, 0.4 + 0.1 * len(rows)),
    )


def ratios_chart(rows: Sequence[tuple[str, Comparison, bool]], what: str) -> Chart:
    """Returns the chart of B's medians relative to A's, with their intervals. Each row has its
    name, and whether B differs from A."""

    def draw(axes: Any) -> None:
        for place, (_, one, differs) in enumerate(rows):
            colour = B if differs else FAINT
            if one.interval:
                axes.plot(
                    [100 * (one.interval.low - 1), 100 * (one.interval.high - 1)],
                    [-place, -place],
                    color=colour,
                )
            axes.scatter(
                [100 * (one.ratio - 1)],
                [-place],
                s=22,
                color=colour,
                marker="s" if differs else "o",
                zorder=3,
            )
        axes.axvline(0, color=INK, linewidth=0.8)
        name_rows(axes, [name for name, _, _ in rows])
        axes.set_xlabel("B against A, %")

    data = [
        (
            name,
            one.ratio,
            one.interval.low if one.interval else None,
            one.interval.high if one.interval else None,
        )
        for name, one, _ in rows
    ]
    return Chart(
        f"{what}-ratios",
        "B relative to A",
        (
            "Ratio of the medians with its 95 % bootstrap interval; squares differ (Mann-Whitney,"
            f" corrected by Holm). N = {plural(len(rows), 'comparison')}."
        ),
        "; ".join(f"{name}: {100 * (one.ratio - 1):+.1f} %" for name, one, _ in rows) + ".",
        Table("Ratios", ("what", "ratio", "from", "to"), data),
        draw,
        min(1.6, 0.35 + 0.09 * len(rows)),
    )


def response_chart(
    rates: Sequence[float],
    a: Sequence[Sequence[float]],
    b: Sequence[Sequence[float]],
    comparison: VectorComparison,
) -> Chart:
    """Returns the chart of response rates: means of A and B, all runs' range as shading."""

    def draw(axes: Any) -> None:
        for colour, name, runs in ((A, "A", a), (B, "B", b)):
            values = np.asarray(runs)
            band(axes, rates, values.min(axis=0), values.max(axis=0), colour, 0.25)
            axes.plot(
                rates,
                values.mean(axis=0),
                color=colour,
                marker=MARKS[colour],
                markersize=3.5,
                linestyle="-" if name == "A" else "--",
                label=name,
            )
        low, high = axes.get_ylim()
        differing = [rate for rate, step in zip(rates, comparison.components) if step.differs]
        if differing:
            axes.scatter(
                differing,
                [low] * len(differing),
                marker="^",
                s=18,
                color=INK,
                clip_on=False,
                zorder=4,
                label="differs",
            )
        axes.set_ylim(low, high)
        rate_axis(axes.xaxis)
        axes.locator_params(axis="x", nbins=6)
        axes.set(xlabel="queries/s sent", ylabel="% answered")
        legend_above(axes)

    data = [
        (name, number, rate, share)
        for name, runs in (("A", a), ("B", b))
        for number, run in enumerate(runs, 1)
        for rate, share in zip(rates, run)
    ]
    means = "; ".join(
        f"{rate_text(rate)}: A {step.mean_a:.4g} %, B {step.mean_b:.4g} %"
        for rate, step in zip(rates, comparison.components)
    )
    return Chart(
        "response-rates",
        "Response rates of A and B",
        (
            "Lines are means, shadings reach from the least to the greatest run."
            f" N = {comparison.count_a} (A) and {comparison.count_b} (B) runs."
        ),
        means + ".",
        Table("Response rates", ("set", "run", "rate", "percent_answered"), data),
        draw,
    )


def shading_chart(a: Shading, b: Shading, count_a: int, count_b: int, name: str) -> Chart:
    """Returns the logarithmic percentile histogram of A and B: means, and all runs' range as
    shading."""

    def draw(axes: Any) -> None:
        for colour, side, shading in ((A, "A", a), (B, "B", b)):
            known = np.isfinite(shading.mean)
            x = SLOWEST_PERCENT[known]
            band(axes, x, shading.low[known], shading.high[known], colour, 0.25)
            axes.plot(
                x,
                shading.mean[known],
                color=colour,
                linestyle="-" if side == "A" else "--",
                label=side,
            )
        known = np.isfinite(a.mean) | np.isfinite(b.mean)
        scale_slowest(axes, SLOWEST_PERCENT[known].min())
        legend_above(axes, 2)

    data = [
        (side, float(percent), float(low), float(mean), float(high))
        for side, shading in (("A", a), ("B", b))
        for percent, low, mean, high in zip(
            SLOWEST_PERCENT, shading.low, shading.mean, shading.high
        )
        if np.isfinite(mean)
    ]
    texts = []
    for side, shading in (("A", a), ("B", b)):
        half = shading.mean[np.argmin(np.abs(SLOWEST_PERCENT - 50))]
        slow = shading.mean[np.argmin(np.abs(SLOWEST_PERCENT - 1))]
        tail = f", 99 % within {duration_text(float(slow))}" if np.isfinite(slow) else ""
        texts.append(f"{side}: half of the queries within {duration_text(float(half))}{tail}")
    return Chart(
        name,
        "RTT by percentile of A and B",
        (
            "Lines are means of the runs, shadings reach from the fastest to the slowest; both"
            " axes logarithmic. Queries without a valid reply in time stand at the timeout. N ="
            f" {count_a} (A) and {count_b} (B) runs."
        ),
        "; ".join(texts) + ".",
        Table(
            "RTT by percentile",
            ("set", "slowest_percent", "least_ns", "mean_ns", "greatest_ns"),
            data,
        ),
        draw,
    )
