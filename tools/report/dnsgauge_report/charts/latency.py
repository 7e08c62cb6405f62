# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""RTTs: logarithmic percentile histograms, and how the RTTs are distributed."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart, Table
from ..drawing import FAINT, SERIES, band, legend_above, spread
from ..quantities import (
    count_text,
    drawn_text,
    duration_axis,
    duration_text,
    log_ticks,
    shortened,
)

# Nobody can tell more lines than this apart.
MOST_LINES = len(SERIES)


@dataclass(frozen=True)
class Latency:
    """RTTs in nanoseconds of one result: (from, to, count), ascending. Of `asked` queries those
    without a valid reply in time count as the slowest ones. The timeout may not be known."""

    label: str
    rows: Sequence[tuple[float, float, int]]
    asked: int
    timeout_ns: float | None

    @property
    def end(self) -> float:
        """Returns where queries without an answer are drawn: at the timeout, if it is known."""
        return self.timeout_ns or (self.rows[-1][1] if self.rows else 1.0)

    @property
    def answered(self) -> int:
        return sum(row[2] for row in self.rows)

    def slowest(self) -> list[tuple[float, float]]:
        """Returns (percent, RTT) points: this percentage of the queries took longer than the RTT
        before the point, and at most the RTT at the point."""
        points = []
        above = self.asked
        for _, upper, count in self.rows:
            points.append((100 * above / self.asked, upper))
            above -= count
        if above:
            points.append((100 * above / self.asked, self.end))
        return points


def scale_slowest(axes: Any, least: float) -> None:
    """Makes the axes those of a logarithmic percentile histogram, down to the slowest `least`
    percent."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(100, least)
    duration_axis(axes.yaxis)
    log_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.6g}")
    axes.set(xlabel="slowest % of the queries", ylabel="RTT")


def percentile_chart(latencies: Sequence[Latency], name: str = "rtt-percentiles") -> Chart:
    """Returns the logarithmic percentile histogram: the RTT that the slowest x percent exceed."""
    shown = spread(latencies, MOST_LINES)
    curves = [(one, one.slowest()) for one in shown]

    def draw(axes: Any) -> None:
        least = min(100 / one.asked for one in shown)
        for (one, points), colour in zip(curves, SERIES):
            shares = [share for share, _ in points]
            rtts = [rtt for _, rtt in points]
            # The line ends where one query is all that is left.
            axes.step(
                [*shares, 100 / one.asked],
                [*rtts, rtts[-1]],
                where="pre",
                color=colour,
                label=shortened(one.label),
            )
        unanswered = [one for one in shown if one.answered < one.asked]
        for end, known in sorted({(one.end, bool(one.timeout_ns)) for one in unanswered}):
            axes.axhline(end, color=FAINT, linewidth=0.8, linestyle="--")
            text = "timeout" if known else "no answer"
            offset = {"xytext": (2, 2), "textcoords": "offset points"}
            axes.annotate(text, (100, end), fontsize=7, color=FAINT, **offset)
        scale_slowest(axes, max(least * 0.8, 1e-9))
        if len(shown) > 1:
            legend_above(axes, 2)

    rows = [(one.label, share, rtt) for one, points in curves for share, rtt in points]
    missing = [one for one in shown if one.answered < one.asked]
    caption = "RTT that the slowest queries exceed, both axes logarithmic. " + counts_of(shown)
    if missing:
        place = "at the timeout" if all(one.timeout_ns for one in missing) else "on the dashed line"
        caption += f" Queries without a valid reply in time count as slowest, and stand {place}."
    caption += drawn_text(len(shown), len(latencies), "result")
    worst = [
        f"{one.label}: half of the queries within {duration_text(at_share(points, 50))}, 99 %"
        f" within {duration_text(at_share(points, 1))}"
        for one, points in curves
    ]
    return Chart(
        name,
        "RTT by percentile",
        caption,
        "; ".join(worst) + ".",
        Table("RTT by percentile", ("result", "slowest_percent", "rtt_ns"), rows),
        draw,
    )


def shaded_chart(
    bands: Sequence[tuple[str, Sequence[Latency]]], name: str = "rtt-shading"
) -> Chart:
    """Returns the logarithmic percentile histogram of repeated runs, a band for each label: the
    line is the mean of the runs, the shading reaches from the fastest to the slowest. Every RTT
    must have a timeout."""
    import numpy

    from ..statistics import latency as of_latency

    shown = spread(bands, MOST_LINES)
    shadings = []
    for _, runs in shown:
        made = [
            of_latency.Run(
                [(int(row[0]), int(row[1]), row[2]) for row in run.rows],
                run.asked - run.answered,
                run.end,
            )
            for run in runs
        ]
        shadings.append(of_latency.shading_of(made))
    percents = of_latency.SLOWEST_PERCENT

    def draw(axes: Any) -> None:
        for (label, runs), shading, colour in zip(shown, shadings, SERIES):
            known = numpy.isfinite(shading.mean)
            band(axes, percents[known], shading.low[known], shading.high[known], colour, 0.25)
            axes.plot(
                percents[known],
                shading.mean[known],
                color=colour,
                label=f"{shortened(label, 22)} (N = {len(runs)})",
            )
        scale_slowest(axes, min(percents[numpy.isfinite(one.mean)].min() for one in shadings))
        legend_above(axes, 2)

    rows = [
        (label, float(percent), float(low), float(mean), float(high))
        for (label, _), shading in zip(shown, shadings)
        for percent, low, mean, high in zip(percents, shading.low, shading.mean, shading.high)
        if numpy.isfinite(mean)
    ]
    counts = ", ".join(f"{len(runs)} ({label})" for label, runs in shown)
    caption = (
        "Lines are means of the runs, shadings reach from the fastest to the slowest run; both axes"
        " logarithmic. Queries without a valid reply in time count as slowest, and stand at the"
        f" timeout. N = {counts} runs."
    )
    caption += drawn_text(len(shown), len(bands), "set")
    half = int(numpy.argmin(numpy.abs(percents - 50)))
    text = "; ".join(
        f"{label}: half of the queries within {duration_text(float(shading.low[half]))} to"
        f" {duration_text(float(shading.high[half]))}"
        for (label, _), shading in zip(shown, shadings)
    )
    heads = ("runs", "slowest_percent", "least_ns", "mean_ns", "greatest_ns")
    title = "RTT by percentile, repeated runs"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def at_share(points: Sequence[tuple[float, float]], share: float) -> float:
    """Returns the RTT that the slowest `share` percent exceed, or reach."""
    place = bisect.bisect_left([-point[0] for point in points], -share - 1e-12)
    # The last point that begins above the share holds it.
    return points[max(0, min(place, len(points)) - 1)][1]


def counts_of(latencies: Sequence[Latency]) -> str:
    """Returns "N = 100 queries", or N of each result."""
    if len(latencies) == 1:
        return f"N = {count_text(latencies[0].asked)} queries."
    return (
        "N = "
        + ", ".join(f"{count_text(one.asked)} ({one.label})" for one in latencies)
        + " queries."
    )


def log_bins(
    rows: Sequence[tuple[float, float, int]], per_decade: int = 20
) -> list[tuple[float, float, float]]:
    """Returns (from, to, count) of bins that are equally wide on a logarithmic axis. A row
    that lies in several bins is split evenly, as nobody knows better."""
    bins: dict[int, float] = {}
    for lower, upper, count in rows:
        first = math.log10(max(lower, 1)) * per_decade
        last = max(math.log10(max(upper + 1, 2)) * per_decade, first + 1e-12)
        for place in range(math.floor(first), math.ceil(last)):
            part = (min(last, place + 1) - max(first, place)) / (last - first)
            bins[place] = bins.get(place, 0.0) + count * part
    if not bins:
        return []
    return [
        (10 ** (place / per_decade), 10 ** ((place + 1) / per_decade), bins.get(place, 0.0))
        for place in range(min(bins), max(bins) + 1)
    ]


def distribution_chart(latencies: Sequence[Latency], name: str = "rtt-distribution") -> Chart:
    """Returns the histogram of the RTTs, as a share of the valid replies, on a logarithmic axis."""
    told = [one for one in latencies if one.answered]
    shown = spread(told, MOST_LINES)
    binned = [(one, log_bins(one.rows)) for one in shown]

    def draw(axes: Any) -> None:
        for (one, bins), colour in zip(binned, SERIES):
            edges = [bins[0][0], *(upper for _, upper, _ in bins)]
            shares = [100 * count / one.answered for _, _, count in bins]
            axes.stairs(
                shares,
                edges,
                color=colour,
                fill=len(shown) == 1,
                label=shortened(one.label),
                linewidth=1.3,
            )
        axes.set_xscale("log")
        duration_axis(axes.xaxis)
        axes.set_ylim(bottom=0)
        axes.set(xlabel="RTT", ylabel="% of the valid replies")
        if len(shown) > 1:
            legend_above(axes, 2)

    rows = [
        (one.label, lower, upper, count) for one, bins in binned for lower, upper, count in bins
    ]
    replies = ", ".join(
        f"{count_text(one.answered)}" + (f" ({one.label})" if len(shown) > 1 else "")
        for one in shown
    )
    caption = (
        f"How the RTTs are distributed: bins of a twentieth of a decade. N = {replies} valid"
        " replies."
        f"{drawn_text(len(shown), len(told), 'result')}"
    )
    text = "; ".join(
        f"{one.label}: most RTTs near {duration_text(max(bins, key=lambda each: each[2])[0])}"
        for one, bins in binned
    )
    return Chart(
        name,
        "Distribution of the RTTs",
        caption,
        text + ".",
        Table("RTTs by bin", ("result", "from_ns", "to_ns", "replies"), rows),
        draw,
    )
