# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What happened when, from per-query files."""

from __future__ import annotations

from typing import Any

from ..document import Chart, Table
from ..drawing import DENSITY, SERIES, VERMILION, dots, legend_above, share_axis
from ..quantities import count_text, duration_axis, duration_text, plural
from ..results.classes import CLASSES
from ..results.per_query import PerQuery

COLUMNS = 72
ROWS_PER_DECADE = 10


def heat_chart(queries: PerQuery, name: str = "rtt-over-time") -> Chart:
    """Returns a heat map: RTTs of the valid replies over the time of sending."""
    import numpy

    is_valid = queries.fate == CLASSES.index("valid")
    rtt = numpy.maximum(queries.rtt_ns[is_valid], 1)
    seconds = queries.sent_ns[is_valid] / 1e9
    least, most = numpy.log10(rtt.min()), numpy.log10(rtt.max() + 1)
    low = numpy.floor(least * ROWS_PER_DECADE)
    levels = max(1, int(numpy.ceil(most * ROWS_PER_DECADE) - low))
    edges = 10 ** (numpy.arange(low, low + levels + 1) / ROWS_PER_DECADE)
    end = max(float(queries.sent_ns.max()) / 1e9, 1e-9)
    times = numpy.linspace(0, end * (1 + 1e-9), COLUMNS + 1)
    counts, _, _ = numpy.histogram2d(seconds, rtt, bins=(times, edges))
    # Each colour stands for three times as many queries as the one before.
    largest = max(counts.max(), 1)
    bounds = [largest / 3.0**power for power in range(len(DENSITY) - 1, -1, -1)]
    shade = numpy.searchsorted(bounds, counts)

    def draw(figure: Any) -> None:
        from matplotlib.patches import Patch, PathPatch
        from matplotlib.path import Path

        axes = figure.add_subplot()
        handles = []
        before = 0.0
        for number, colour in enumerate(DENSITY):
            corners = []
            for column, row in zip(*numpy.nonzero((counts > 0) & (shade == number))):
                left, right, lower, upper = (
                    times[column],
                    times[column + 1],
                    edges[row],
                    edges[row + 1],
                )
                corners += [
                    (left, lower),
                    (right, lower),
                    (right, upper),
                    (left, upper),
                    (left, lower),
                ]
            if corners:
                codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * (
                    len(corners) // 5
                )
                # One path for all rectangles of a colour keeps the file small.
                axes.add_patch(PathPatch(Path(corners, codes), facecolor=colour, edgecolor="none"))
                upto = int(bounds[number])
                label = f"{int(before) + 1}" if upto <= before + 1 else f"{int(before) + 1}–{upto}"
                handles.append(Patch(facecolor=colour, label=label))
            before = float(int(bounds[number]))
        axes.set_yscale("log")
        axes.set_xlim(0, end)
        axes.set_ylim(edges[0], edges[-1])
        duration_axis(axes.yaxis)
        axes.grid(False)
        axes.set(xlabel="seconds since the start", ylabel="RTT")
        legend_above(axes, 6, handles=handles, title="queries", title_fontsize=7.5)

    rows = [
        (
            float(times[column]),
            float(times[column + 1]),
            float(edges[row]),
            float(edges[row + 1]),
            int(counts[column, row]),
        )
        for column, row in zip(*numpy.nonzero(counts))
    ]
    caption = (
        f"How many queries had which RTT, by the time of sending. N = {count_text(len(rtt))} valid"
        " replies."
    )
    worst = int(numpy.argmax(rtt))
    text = (
        f"RTTs from {duration_text(float(rtt.min()))} to {duration_text(float(rtt.max()))}, the"
        f" longest of a query sent after {seconds[worst]:.3f} s."
    )
    heads = ("from_s", "to_s", "from_ns", "to_ns", "queries")
    return Chart(name, "RTT over time", caption, text, Table("RTT over time", heads, rows), draw)


def answered_chart(queries: PerQuery, name: str = "answered-over-time") -> Chart:
    """Returns the share of the queries that were answered right in time, by the time of sending."""
    import numpy

    is_valid = queries.fate == CLASSES.index("valid")
    end = max(float(queries.sent_ns.max()), 1.0)
    bins = max(1, min(COLUMNS, len(is_valid) // 20))
    place = numpy.minimum((queries.sent_ns / end * bins).astype("int64"), bins - 1)
    sent = numpy.bincount(place, minlength=bins)
    valid = numpy.bincount(place[is_valid], minlength=bins)
    shares = numpy.where(sent > 0, 100 * valid / numpy.maximum(sent, 1), numpy.nan)
    edges = numpy.linspace(0, end / 1e9, bins + 1)

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.stairs(shares, edges, baseline=None, color=SERIES[0], linewidth=1.3)
        poor = shares < 100
        middle = (edges[:-1] + edges[1:]) / 2
        dots(axes, middle[poor], shares[poor], VERMILION, 14, marker="X", zorder=3)
        share_axis(axes, float(numpy.nanmin(shares)))
        axes.set_xlim(0, end / 1e9)
        axes.set(xlabel="seconds since the start", ylabel="% answered right in time")

    step = end / 1e9 / bins
    caption = (
        "Share of the queries answered right and in time, by the time of sending, in steps of"
        f" {step:.3g} s; crosses: less than all. N = {count_text(len(is_valid))} queries."
    )
    rows = [
        (float(edges[bin]), float(edges[bin + 1]), int(sent[bin]), int(valid[bin]))
        for bin in range(bins)
    ]
    text = (
        f"The lowest share is {float(numpy.nanmin(shares)):.4g} %, in"
        f" {plural(int((shares < 100).sum()), 'step')} of {bins} not all were answered."
    )
    return Chart(
        name,
        "Answers over time",
        caption,
        text,
        Table("Answers over time", ("from_s", "to_s", "sent", "valid"), rows),
        draw,
        0.5,
    )
