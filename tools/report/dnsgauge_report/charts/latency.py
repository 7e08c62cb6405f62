# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""RTTs: logarithmic percentile histograms, and how the RTTs are distributed."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..document import Chart
from ..drawing import BANDS, Curves, FAINT, SERIES, draw_curves, height_of, legend_above, name_rows
from ..drawing import rows_of, spread
from ..quantities import drawn_text, duration_axis, log_ticks, numbers_text, shortened
from ..statistics import Latency


def scale_slowest(axes: Any, least: float, across: str = "slowest", up: str = "RTT") -> None:
    """Gives the axes the form of a logarithmic percentile histogram, down to `least` percent."""
    axes.set_xlim(100, least)
    duration_axis(axes.yaxis)
    log_ticks(axes.xaxis)
    axes.set(xlabel=f"{across} % of the queries", ylabel=up)


def percentile_chart(
    latencies: Sequence[Latency],
    name: str = "rtt-percentiles",
    title: str = "RTT by percentile",
    what: str = "RTT",
    which: str = "slowest",
) -> Chart:
    """Returns the logarithmic percentile histogram: the RTT that the slowest x percent exceed, or
    another time, `what`, of queries that come last by it."""
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
        scale_slowest(axes, max(min(end[0] for end in ends) * 0.8, 1e-9), which, what)

    caption = f"{what} that the {which} queries exceed. "
    caption += numbers_text([(one.label, one.asked) for one in shown], "query", "queries")
    if missing:
        place = "at the timeout" if all(one.timeout_ns for one in missing) else "on the dashed line"
        caption += f" Queries without a valid reply in time count as slowest, and stand {place}."
    caption += drawn_text(len(shown), len(latencies), "result")
    heads = f"result {which}_percent {what.split()[0].lower()}_ns"
    return Chart(name, title, caption, heads, rows_of(curves), draw)


def shaded_chart(
    bands: Sequence[tuple[str, Sequence[Sequence[float]], int]],
    name: str = "rtt-shading",
    title: str = "RTT by percentile, repeated runs",
    more: str = "",
    head: str = "runs",
) -> Chart:
    """Returns the logarithmic percentile histogram of repeated runs. A band has its label, points
    (percent of the slowest queries, least, mean and greatest RTT), and the number of its runs."""
    shown = spread(bands)
    curves = [(label, points) for label, points, _ in shown]

    def draw(axes: Any) -> None:
        drawn = [(f"{shortened(one, 22)} (N = {runs})", points) for one, points, runs in shown]
        draw_curves(axes, drawn, (2,), [drawn[0][0]], (1, 3), dashed=True, marker=None)
        scale_slowest(axes, min(point[0] for _, points in curves for point in points))

    caption = f"{BANDS} Queries without a valid reply in time count as slowest, and stand at the"
    caption += f" timeout.{more} {numbers_text([(one, runs) for one, _, runs in shown], 'run')}"
    caption += drawn_text(len(shown), len(bands), "set")
    heads = f"{head} slowest_percent least_ns mean_ns greatest_ns"
    return Chart(name, title, caption, heads, rows_of(curves), draw)


def times_chart(
    named: tuple[str, str, str],
    marks: Sequence[tuple[str, str, str]],
    caption: str,
    rows: Sequence[tuple[str, str | int, Sequence[float]]],
    labels: Sequence[str],
) -> Chart:
    """Returns times of each row as points on a line. `named` are name and title of the chart and
    heads of its data; `marks` has name, form and colour of each time. A row has two cells, and its
    times; `labels` name the rows."""
    name, title, heads = named

    def draw(axes: Any) -> None:
        for place, (_, _, times) in enumerate(rows):
            values = [max(value, 1) for value in times]
            ends = [values[0], values[-1]]
            axes.plot(ends, [-place, -place], color=FAINT, linewidth=1, zorder=1)
            for (what, marker, colour), value in zip(marks, values):
                looks = {"marker": marker, "color": colour, "label": None if place else what}
                axes.scatter([value], [-place], s=30, zorder=3, **looks)
        duration_axis(axes.xaxis)
        name_rows(axes, labels, 18)
        axes.set_xlabel("time")
        legend_above(axes)

    data = [(one, other, *times) for one, other, times in rows]
    return Chart(name, title, caption, heads, data, draw, height_of(len(rows)))


def draw_rtts(axes: Any, curves: Curves, lines: Sequence[int] = (1, 2), **looks: Any) -> None:
    """Draws curves of RTTs: medians, 99th percentiles, and maxima if `lines` has these."""
    drawn = [
        (label, [(at, *(max(rtt, 1) for rtt in rtts)) for at, *rtts in points])
        for label, points in curves
    ]
    draw_curves(axes, drawn, lines, ("median", "99th percentile", "maximum"), **looks)
    duration_axis(axes.yaxis)
    axes.set_ylabel("RTT")


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
        draw_rtts(axes, [(label, [point[:3] for point in points]) for label, points in shown])
        scale(axes, [point[0] for _, points in shown for point in points])

    several = "" if len(shown) == 1 else ": medians (lines) and 99th percentiles (dashes)"
    counts = [(label, sum(len(point[3]) for point in points)) for label, points in shown]
    caption = f"RTTs of the queries that were answered right and in time, by {load}{several}; of"
    caption += " repeated steps the median."
    caption += f" {numbers_text(counts, 'step')}{drawn_text(len(shown), len(with_rtts), 'sweep')}"
    title = f"RTT by {load.removeprefix('the ').removesuffix(' sent')}"
    rows = [(label, *point[:3], len(point[3])) for label, points in shown for point in points]
    return Chart(name, title, caption, f"sweep {head} p50_ns p99_ns steps", rows, draw)


def log_bins(
    rows: Sequence[tuple[float, float, int]], per_decade: int = 20
) -> list[tuple[float, float, float]]:
    """Returns (from, to, count) of bins that are equally wide on a logarithmic axis. A row
    that lies in several bins is split evenly, for want of better knowledge."""
    import numpy

    ends = [end for lower, upper, _ in rows for end in (max(lower, 0.5), upper + 1)]
    places = numpy.maximum.accumulate(numpy.log10(ends) * per_decade)
    below = numpy.cumsum([part for _, _, count in rows for part in (0, count)])
    edges = numpy.arange(math.floor(places[0]), math.ceil(places[-1]) + 1)
    counts = numpy.diff(numpy.interp(edges, places, below)).tolist()
    bounds = (10 ** (edges / per_decade)).tolist()
    return list(zip(bounds, bounds[1:], counts))


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
        axes.set(ylim=(0, None), xlabel="RTT", ylabel="% of the valid replies")
        if len(shown) > 1:
            legend_above(axes, 2)

    caption = "How the RTTs are distributed: bins of a twentieth of a decade. "
    counts = [(one.label, one.answered) for one in shown]
    caption += numbers_text(counts, "valid reply", "valid replies")
    caption += drawn_text(len(shown), len(told), "result")
    rows = [(one.label, *bin) for one, bins in binned for bin in bins]
    heads = "result from_ns to_ns replies"
    return Chart("rtt-distribution", "Distribution of the RTTs", caption, heads, rows, draw)
