# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Soaks: rate, loss, RTTs and memory over hours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..document import Chart, Table
from ..drawing import SERIES, VERMILION, dots, legend_above, spread
from ..quantities import (
    drawn_text,
    duration_axis,
    duration_text,
    plural,
    rate_axis,
    rate_text,
    shortened,
)
from ..results.soak import MEBI, Soak


def time_axis(axes: Any, soaks: Sequence[Soak]) -> tuple[float, str]:
    """Labels the horizontal axis in hours, or in minutes where there is no hour. Returns what an
    hour is on the axis, and the unit."""
    end = max(soak.since(soak.rows[-1]) for soak in soaks)
    scale, unit = (1.0, "hours") if end >= 1 else (60.0, "minutes")
    axes.set_xlabel(f"{unit} since the first row")
    return scale, unit


def number_of(soaks: Sequence[Soak], counts: Sequence[int]) -> str:
    """Returns "N = 480 rows of 60 s.", of several soaks each with its label."""
    told = ", ".join(
        f"{count} rows of {soak.row_s:.4g} s" + (f" ({soak.label})" if len(soaks) > 1 else "")
        for soak, count in zip(soaks, counts)
    )
    return f"N = {told}."


def loss_chart(soaks: Sequence[Soak], name: str = "loss-over-time") -> Chart:
    """Returns loss, and the rate of right answers, over time. Some row must count."""
    told = [soak for soak in soaks if soak.shown]
    shown = spread(told)

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1))
        scale, _ = time_axis(below, shown)
        for soak, colour in zip(shown, SERIES):
            times = [soak.since(row) * scale for row in soak.shown]
            few = "o" if len(times) < 60 else None
            above.plot(
                times,
                [row.answered / soak.row_s for row in soak.shown],
                color=colour,
                linewidth=1.2,
                marker=few,
                markersize=2.5,
                label=shortened(soak.label, 20),
            )
            below.plot(times, [row.loss for row in soak.shown], color=colour, linewidth=1.2,
                       marker=few, markersize=2.5)  # fmt: skip
            poor = [row for row in soak.shown if row.loss > 0]
            dots(
                below,
                [soak.since(row) * scale for row in poor],
                [row.loss for row in poor],
                VERMILION,
                14,
                marker="X",
                zorder=3,
            )
        above.set_ylim(bottom=0)
        rate_axis(above.yaxis)
        above.set_ylabel("answers/s")
        worst = max(row.loss for soak in shown for row in soak.shown)
        below.set_ylim(-worst * 0.04 - 1e-6, max(worst * 1.15, 0.001))
        below.set_ylabel("% lost")
        if len(shown) > 1:
            legend_above(above, 2)

    texts = []
    for soak in shown:
        worst = max(soak.shown, key=lambda row: row.loss)
        poor = plural(sum(row.loss > 0 for row in soak.shown), "row")
        texts.append(
            f"{soak.label}: the greatest loss of a row is {worst.loss:.4g} %, in row"
            f" {worst.number}; {poor} of {len(soak.shown)} lost something."
        )
    number = number_of(shown, [len(soak.shown) for soak in shown])
    number += drawn_text(len(shown), len(told), "soak")
    caption = (
        "Queries answered right and in time per second, and below the share of the queries that was"
        f" not, row by row; crosses: some were lost. {number}"
    )
    rows = [
        (soak.label, row.number, soak.since(row), row.sent, row.answered, row.loss)
        for soak in shown
        for row in soak.shown
    ]
    title = "Answers and loss over time"
    heads = ("soak", "row", "since_hours", "sent", "answered", "loss_percent")
    return Chart(name, title, caption, " ".join(texts), Table(title, heads, rows), draw, 0.85)


def memory_chart(soaks: Sequence[Soak], name: str = "memory-over-time") -> Chart:
    """Returns the memory of the server's processes over time. Some row must have it."""
    told = [soak for soak in soaks if soak.memories]
    shown = spread(told)

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        scale, _ = time_axis(axes, shown)
        for soak, colour in zip(shown, SERIES):
            axes.plot(
                [soak.since(row) * scale for row, _ in soak.memories],
                [memory / MEBI for _, memory in soak.memories],
                color=colour,
                linewidth=1.3,
                marker="o" if len(soak.memories) < 60 else None,
                markersize=2.5,
                label=shortened(soak.label, 20),
            )
            for row in soak.restarts():
                axes.axvline(soak.since(row) * scale, color=colour, linestyle=":", linewidth=1)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("MiB")
        if len(shown) > 1:
            legend_above(axes, 2)

    texts = []
    for soak in shown:
        found = [memory for _, memory in soak.memories]
        texts.append(
            f"{soak.label}: {found[0] / MEBI:.1f} MiB behind the first row, {found[-1] / MEBI:.1f}"
            f" MiB behind the last, {max(found) / MEBI:.1f} MiB at most."
        )
    number = number_of(shown, [len(soak.memories) for soak in shown])
    number += drawn_text(len(shown), len(told), "soak")
    caption = (
        "Memory of the server's processes, in memory or swapped out, behind each row; dotted lines:"
        f" the processes are others than before. {number}"
    )
    rows = [
        (soak.label, row.number, soak.since(row), memory)
        for soak in shown
        for row, memory in soak.memories
    ]
    title = "Memory of the server"
    heads = ("soak", "row", "since_hours", "memory_octets")
    return Chart(name, title, caption, " ".join(texts), Table(title, heads, rows), draw)


def rtt_chart(soaks: Sequence[Soak], name: str = "rtt-by-row") -> Chart:
    """Returns medians and 99th percentiles of the RTT over time. Some row must have them."""
    told = [soak for soak in soaks if any(row.rtt_p50_ns is not None for row in soak.shown)]
    shown = spread(told)

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        scale, _ = time_axis(axes, shown)
        for soak, colour in zip(shown, SERIES):
            rows = [row for row in soak.shown if row.rtt_p50_ns is not None]
            times = [soak.since(row) * scale for row in rows]
            alone = len(shown) == 1
            for values, dashes, told in (
                ([row.rtt_p50_ns or 1 for row in rows], "-", "median"),
                ([row.rtt_p99_ns or 1 for row in rows], "--", "99th percentile"),
            ):
                label = told if alone else shortened(soak.label, 20) if dashes == "-" else None
                axes.plot(times, values, color=colour, linestyle=dashes, linewidth=1.2, label=label)
        axes.set_yscale("log")
        duration_axis(axes.yaxis)
        axes.set_ylabel("RTT")
        legend_above(axes, 2)

    texts = []
    for soak in shown:
        found = [row.rtt_p50_ns for row in soak.shown if row.rtt_p50_ns is not None]
        texts.append(
            f"{soak.label}: medians of a row from {duration_text(min(found))} to"
            f" {duration_text(max(found))}."
        )
    number = number_of(shown, [len(soak.shown) for soak in shown])
    number += drawn_text(len(shown), len(told), "soak")
    caption = (
        "RTTs of the queries answered right and in time, row by row: medians (lines) and 99th"
        f" percentiles (dashes). {number}"
    )
    rows = [
        (soak.label, row.number, soak.since(row), row.rtt_p50_ns, row.rtt_p99_ns)
        for soak in shown
        for row in soak.shown
    ]
    title = "RTT over time"
    heads = ("soak", "row", "since_hours", "p50_ns", "p99_ns")
    return Chart(name, title, caption, " ".join(texts), Table(title, heads, rows), draw)


def charts_of(soaks: Sequence[Soak]) -> list[Chart]:
    """Returns the charts of what the soaks' rows tell."""
    charts = []
    if any(soak.shown for soak in soaks):
        charts.append(loss_chart(soaks))
    if any(soak.memories for soak in soaks):
        charts.append(memory_chart(soaks))
    if any(row.rtt_p50_ns is not None for soak in soaks for row in soak.shown):
        charts.append(rtt_chart(soaks))
    return charts


def load_text(soak: Soak) -> str:
    """Returns "5,000/s in rows of 60 s"."""
    return f"{rate_text(soak.rate)} in rows of {soak.row_s:.4g} s"
