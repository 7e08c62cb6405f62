# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps: response rates by rate, of one sweep with its repetitions or of several beside each
other, and RTTs by rate."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from ..document import Chart, Table
from ..drawing import SERIES, band, legend_above, share_axis, spread
from ..quantities import (
    count_text,
    drawn_text,
    duration_axis,
    duration_text,
    plural,
    rate_text,
    shortened,
)
from ..results.sweep import Step, Sweep
from .rates import sent_scale

MARKERS = ("o", "s", "^", "D", "v", "P")


def by_rate(steps: Sequence[Step]) -> dict[float, list[Step]]:
    """Returns the steps of each rate, ascending."""
    found: dict[float, list[Step]] = {}
    for step in sorted(steps, key=lambda one: one.rate):
        found.setdefault(step.rate, []).append(step)
    return found


def share_of(steps: Sequence[Step]) -> float:
    """Returns the percentage answered of all steps together."""
    return 100 * sum(step.answered for step in steps) / sum(step.sent for step in steps)


def runs_of(steps: Sequence[Step]) -> list[list[Step]]:
    """Returns the steps of each repetition, where they tell theirs."""
    runs: dict[int, list[Step]] = {}
    for step in steps:
        runs.setdefault(step.repetition, []).append(step)
    runs.pop(0, None)
    return [sorted(run, key=lambda one: one.rate) for run in runs.values()]


def response_chart(sweeps: Sequence[Sweep], name: str = "response-rate") -> Chart:
    """Returns the response-rate curve. Of one sweep thin lines are its repetitions, and the thick
    one has their means; of several, a line has the means of a sweep, and its shading reaches from
    the least to the greatest repetition."""
    shown = spread(sweeps)
    alone = len(sweeps) == 1
    curves = [by_rate(sweep.steps) for sweep in shown]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, (sweep, curve) in enumerate(zip(shown, curves)):
            rates = list(curve)
            means = [share_of(steps) for steps in curve.values()]
            runs = runs_of(sweep.steps) if alone else []
            for number, run in enumerate(runs):
                axes.plot(
                    [step.rate for step in run],
                    [step.share for step in run],
                    color=SERIES[0],
                    alpha=0.4,
                    linewidth=0.8,
                    label="a repetition" if number == 0 else None,
                )
            if not alone:
                band(
                    axes,
                    rates,
                    [min(step.share for step in steps) for steps in curve.values()],
                    [max(step.share for step in steps) for steps in curve.values()],
                    SERIES[place],
                    0.2,
                )
            axes.plot(
                rates,
                means,
                color=SERIES[1] if alone else SERIES[place],
                marker=MARKERS[place],
                markersize=3.5,
                linewidth=1.5,
                label="mean" if alone else shortened(sweep.label, 20),
            )
        sent_scale(axes, [rate for curve in curves for rate in curve])
        share_axis(axes, min(step.share for sweep in shown for step in sweep.steps))
        axes.set_ylabel("% answered right in time")
        if not alone or runs_of(shown[0].steps):
            legend_above(axes, 2)

    counts = [len(sweep.steps) for sweep in shown]
    queries = count_text(sum(step.sent for sweep in shown for step in sweep.steps))
    if alone:
        lines = "thin lines are repetitions, the thick line is their mean. "
        number = f"{plural(counts[0], 'step')} at {plural(len(curves[0]), 'rate')}"
    else:
        lines = "lines are means, shadings reach from the least to the greatest repetition. "
        number = (
            ", ".join(f"{count} ({sweep.label})" for count, sweep in zip(counts, shown)) + " steps"
        )
    caption = (
        "Share of the queries answered right and in time, by the rate sent; "
        + (lines if max(counts) > len(curves[0]) or not alone else "")
        + f"N = {number}, {queries} queries."
    )
    caption += drawn_text(len(shown), len(sweeps), "sweep")
    text = "; ".join(
        f"{sweep.label}: "
        + ", ".join(
            f"{share_of(steps):.5g} % at {rate_text(rate)}" for rate, steps in curve.items()
        )
        for sweep, curve in zip(shown, curves)
    )
    rows = [
        (sweep.label, step.repetition, step.rate, step.sent, step.answered, step.share)
        for sweep in shown
        for step in sweep.steps
    ]
    heads = ("sweep", "repetition", "rate", "sent", "answered", "answered_percent")
    title = "Response rate"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def rtt_chart(sweeps: Sequence[Sweep], name: str = "rtt-by-rate") -> Chart:
    """Returns RTTs by rate, of the queries that were answered: medians over the repetitions. Some
    step must have an RTT."""
    told = [sweep for sweep in sweeps if any(step.rtt_p50_ns is not None for step in sweep.steps)]
    shown = spread(told)
    curves = []
    for sweep in shown:
        points = []
        for rate, steps in by_rate(sweep.steps).items():
            found = [step for step in steps if step.rtt_p50_ns is not None]
            if found:
                half, most = (
                    statistics.median(values)
                    for values in (
                        [step.rtt_p50_ns or 0.0 for step in found],
                        [step.rtt_p99_ns or step.rtt_p50_ns or 0.0 for step in found],
                    )
                )
                points.append((rate, half, most, len(found)))
        curves.append(points)

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, (sweep, points) in enumerate(zip(shown, curves)):
            rates, halves, mosts, _ = zip(*points)
            label = "median" if len(shown) == 1 else shortened(sweep.label, 20)
            for values, dashes, mark, told in (
                (halves, "-", "o", label),
                (mosts, "--", "s", "99th percentile" if len(shown) == 1 else None),
            ):
                axes.plot(
                    rates,
                    [max(value, 1) for value in values],
                    color=SERIES[place],
                    linestyle=dashes,
                    marker=mark,
                    markersize=3.5,
                    label=told,
                )
        axes.set_yscale("log")
        duration_axis(axes.yaxis)
        sent_scale(axes, [point[0] for points in curves for point in points])
        axes.set_ylabel("RTT")
        legend_above(axes, 2)

    rows = [(sweep.label, *point) for sweep, points in zip(shown, curves) for point in points]
    text = "; ".join(
        f"{sweep.label}: median {duration_text(points[0][1])} at {rate_text(points[0][0])},"
        f" {duration_text(points[-1][1])} at {rate_text(points[-1][0])}"
        for sweep, points in zip(shown, curves)
    )
    several = "" if len(shown) == 1 else ": medians (lines) and 99th percentiles (dashes)"
    counts = ", ".join(
        f"{sum(point[3] for point in points)}" + (f" ({sweep.label})" if several else "")
        for sweep, points in zip(shown, curves)
    )
    caption = (
        f"RTTs of the queries that were answered right and in time, by the rate sent{several}; of"
        f" repeated steps the median. N = {counts} steps."
        f"{drawn_text(len(shown), len(told), 'sweep')}"
    )
    heads = ("sweep", "rate", "p50_ns", "p99_ns", "steps")
    title = "RTT by rate"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def charts_of(sweeps: Sequence[Sweep]) -> list[Chart]:
    """Returns the charts of sweeps that have steps."""
    told = [sweep for sweep in sweeps if sweep.steps]
    if not told:
        return []
    charts = [response_chart(told)]
    if any(step.rtt_p50_ns is not None for sweep in told for step in sweep.steps):
        charts.append(rtt_chart(told))
    return charts
