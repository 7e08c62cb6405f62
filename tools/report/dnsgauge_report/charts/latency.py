# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""RTTs: logarithmic percentile histograms, and how the RTTs are distributed."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..document import Chart, chart
from ..drawing import FAINT, SERIES, draw_curves, legend_above, rows_of, spread
from ..quantities import drawn_text, duration_axis, log_ticks, numbers_text
from ..quantities import shortened
from ..statistics import Latency


def scale_slowest(axes: Any, least: float, across: str = "slowest", up: str = "RTT") -> None:
    """Gives the axes the form of a logarithmic percentile histogram, down to `least` percent."""
    axes.set_xlim(100, least)
    duration_axis(axes.yaxis)
    log_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.6g}")
    axes.set(xlabel=f"{across} % of the queries", ylabel=up)


def percentile_chart(
    latencies: Sequence[Latency],
    name: str = "rtt-percentiles",
    title: str = "RTT by percentile",
) -> Chart:
    """Returns the logarithmic percentile histogram: the RTT that the slowest x percent exceed."""
    shown = spread(latencies)
    curves = [(one.label, one.slowest()) for one in shown]
    missing = [one for one in shown if one.answered < one.asked]

    def draw(axes: Any) -> None:
        # A line ends where one query is all that is left.
        ends = [(100 / one.asked, points[-1][1]) for one, (_, points) in zip(shown, curves)]
        drawn = [(label, [*points, end]) for (label, points), end in zip(curves, ends)]
        draw_curves(axes, drawn, (1,), drawstyle="steps-pre", marker=None, linewidth=1.5)
        for end, known in sorted({(one.end, bool(one.timeout_ns)) for one in missing}):
            axes.axhline(end, color=FAINT, linewidth=0.8, linestyle="--")
            text = "timeout" if known else "no answer"
            offset = {"xytext": (2, 2), "textcoords": "offset points"}
            axes.annotate(text, (100, end), fontsize=7, color=FAINT, **offset)
        scale_slowest(axes, max(min(end[0] for end in ends) * 0.8, 1e-9))

    caption = "RTT that the slowest queries exceed, both axes logarithmic. "
    caption += numbers_text([(one.label, one.asked) for one in shown], "query", "queries")
    if missing:
        place = "at the timeout" if all(one.timeout_ns for one in missing) else "on the dashed line"
        caption += f" Queries without a valid reply in time count as slowest, and stand {place}."
    caption += drawn_text(len(shown), len(latencies), "result")
    heads = "result slowest_percent rtt_ns"
    return chart(name, title, caption, heads, rows_of(curves), draw)


# How the charts of several runs' latencies are drawn, and what stands at the timeout.
SHADED = "Lines are means of the runs, shadings reach from the fastest to the slowest run; both"
SHADED += " axes logarithmic. Queries without a valid reply in time count as slowest, and stand at"
SHADED += " the timeout."


def shaded_chart(
    bands: Sequence[tuple[str, Sequence[Latency]]], name: str = "rtt-shading"
) -> Chart:
    """Returns the logarithmic percentile histogram of repeated runs, a band for each label."""
    from ..statistics.latency import shading_of

    shown = spread(bands)
    curves = [(label, shading_of(runs)) for label, runs in shown]

    def draw(axes: Any) -> None:
        names = [f"{shortened(label, 22)} (N = {len(runs)})" for label, runs in shown]
        drawn = [(name, points) for name, (_, points) in zip(names, curves)]
        draw_curves(axes, drawn, (2,), names[:1], (1, 3), dashed=True, marker=None)
        scale_slowest(axes, min(points[0][0] for _, points in curves))

    caption = f"{SHADED} N = {', '.join(f'{len(runs)} ({label})' for label, runs in shown)} runs."
    caption += drawn_text(len(shown), len(bands), "set")
    heads = "runs slowest_percent least_ns mean_ns greatest_ns"
    title = "RTT by percentile, repeated runs"
    return chart(name, title, caption, heads, rows_of(curves), draw)


def rtts_chart(
    told: Sequence[tuple[str, Sequence[tuple[Any, float, float, Sequence[Any]]]]],
    named: tuple[str, str, str],
    scale: Callable[[Any, Sequence[float]], None],
) -> Chart:
    """Returns RTTs by load of the sweeps that have any: points have the load, the median, the 99th
    percentile, and the steps. `named` are the chart's name, what the load is, and its head; `scale`
    makes the axis of loads."""
    name, load, head = named
    with_rtts = [(label, points) for label, points in told if points]
    shown = spread(with_rtts)

    def draw(axes: Any) -> None:
        drawn = [
            (label, [(at, max(half, 1), max(most, 1)) for at, half, most, _ in points])
            for label, points in shown
        ]
        draw_curves(axes, drawn, (1, 2), ("median", "99th percentile"))
        duration_axis(axes.yaxis)
        scale(axes, [point[0] for _, points in shown for point in points])
        axes.set_ylabel("RTT")

    several = "" if len(shown) == 1 else ": medians (lines) and 99th percentiles (dashes)"
    counts = [(label, sum(len(point[3]) for point in points)) for label, points in shown]
    caption = (
        f"RTTs of the queries that were answered right and in time, by {load}{several}; of"
        f" repeated steps the median. {numbers_text(counts, 'step')}"
        f"{drawn_text(len(shown), len(with_rtts), 'sweep')}"
    )
    title = f"RTT by {load.removeprefix('the ').removesuffix(' sent')}"
    rows = [(label, *point[:3], len(point[3])) for label, points in shown for point in points]
    return chart(name, title, caption, f"sweep {head} p50_ns p99_ns steps", rows, draw)


def log_bins(
    rows: Sequence[tuple[float, float, int]], per_decade: int = 20
) -> list[tuple[float, float, float]]:
    """Returns (from, to, count) of bins that are equally wide on a logarithmic axis. A row
    that lies in several bins is split evenly, for want of better knowledge."""
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


def distribution_chart(latencies: Sequence[Latency]) -> Chart:
    told = [one for one in latencies if one.answered]
    shown = spread(told)
    binned = [(one, log_bins(one.rows)) for one in shown]

    def draw(axes: Any) -> None:
        for (one, bins), colour in zip(binned, SERIES):
            edges = [bins[0][0], *(upper for _, upper, _ in bins)]
            shares = [100 * count / one.answered for _, _, count in bins]
            looks = {"fill": len(shown) == 1, "label": shortened(one.label), "linewidth": 1.3}
            axes.stairs(shares, edges, color=colour, **looks)
        duration_axis(axes.xaxis)
        axes.set_ylim(bottom=0)
        axes.set(xlabel="RTT", ylabel="% of the valid replies")
        if len(shown) > 1:
            legend_above(axes, 2)

    caption = "How the RTTs are distributed: bins of a twentieth of a decade. "
    counts = [(one.label, one.answered) for one in shown]
    caption += numbers_text(counts, "valid reply", "valid replies")
    caption += drawn_text(len(shown), len(told), "result")
    rows = [(one.label, *bin) for one, bins in binned for bin in bins]
    heads = "result from_ns to_ns replies"
    return chart("rtt-distribution", "Distribution of the RTTs", caption, heads, rows, draw)
