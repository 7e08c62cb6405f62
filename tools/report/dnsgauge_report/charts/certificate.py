# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The certificate of a Tester: what its RTTs and its pace are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..document import Chart, Table
from ..drawing import FAINT, INK, SERIES, legend_above
from ..quantities import (
    count_text,
    duration_axis,
    duration_text,
    log_ticks,
    plural,
    rate_axis,
    short_duration,
)
from ..results.calibration import Delay, Pacing
from .sending import MARKS


def bias_chart(baseline: float, delays: Sequence[Delay], limit: float, name: str = "bias") -> Chart:
    """Returns bias and spread of the RTTs, by the delay that was injected.

    An RTT's error is the RTT less the delay, less the smallest RTT of replies held for no time."""
    shown = sorted(
        (one for one in delays if one.valid and one.delay_ns is not None),
        key=lambda one: one.delay_ns or 0,
    )
    errors = [
        (
            one,
            [
                value - (one.delay_ns or 0) - baseline
                for value in (one.rtt_ns.min, one.rtt_ns.mean, one.rtt_ns.p99)
            ],
        )
        for one in shown
    ]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, (one, (least, mean, p99)) in enumerate(errors):
            first = place == 0
            axes.plot([place, place], [least, p99], color=FAINT, linewidth=1, zorder=2)
            for (label, value), (_, marker, colour) in zip(
                (("smallest: the bias", least), ("mean", mean), ("99th percentile", p99)), MARKS
            ):
                axes.scatter(
                    [place],
                    [value],
                    s=26,
                    marker=marker,
                    color=colour,
                    label=label if first else None,
                    zorder=3,
                )
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.axhspan(-limit, limit, color=SERIES[2], alpha=0.15, linewidth=0)
        axes.set_yscale("symlog", linthresh=10_000)
        axes.yaxis.set_major_formatter(lambda value, _: short_duration(value))
        # Many labels take turns on two lines.
        lower = "\n" if len(errors) > 5 else ""
        labels = [
            lower * (place % 2) + short_duration(one.delay_ns or 0)
            for place, (one, _) in enumerate(errors)
        ]
        axes.set_xticks(range(len(errors)), labels)
        axes.set_xlim(-0.5, len(errors) - 0.5)
        axes.grid(axis="x", visible=False)
        axes.set(xlabel="injected delay", ylabel="error of the RTT")
        legend_above(axes)

    replies = sum(one.valid for one in shown)
    caption = (
        "RTT less injected delay, less the smallest RTT of replies held for no time"
        f" ({duration_text(baseline)}). The band is the allowed bias, ±{duration_text(limit)}."
        f" Linear within ±10 µs, logarithmic beyond. N = {count_text(replies)} replies at"
        f" {plural(len(shown), 'delay')}."
    )
    text = "; ".join(
        f"delay {duration_text(one.delay_ns)}: bias {duration_text(least)}, mean error"
        f" {duration_text(mean)}, 99th percentile {duration_text(p99)}"
        for one, (least, mean, p99) in errors
    )
    rows = [(one.name, one.delay_ns, one.valid, *values) for one, values in errors]
    heads = ("check", "delay_ns", "replies", "bias_ns", "mean_error_ns", "p99_error_ns")
    return Chart(
        name, "Bias and spread of the RTT", caption, text + ".", Table("Bias", heads, rows), draw
    )


def pacing_chart(checks: Sequence[Pacing], name: str = "pacing") -> Chart:
    """Returns how late queries arrived at the link's other end, by rate."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        rates = [one.rate for one in checks]
        kinds = (
            [one.lateness_ns.p50 for one in checks],
            [one.lateness_ns.p99 for one in checks],
            [one.lateness_ns.max for one in checks],
        )
        for (label, marker, colour), values in zip(MARKS, kinds):
            axes.plot(
                rates,
                [max(value, 1) for value in values],
                color=colour,
                linewidth=1,
                marker=marker,
                markersize=5,
                label=label,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        log_ticks(axes.xaxis)
        rate_axis(axes.xaxis)
        duration_axis(axes.yaxis)
        axes.set(xlabel="queries per second", ylabel="lateness of arrival")
        legend_above(axes)

    caption = (
        "How late queries arrived at the link's other end, against the schedule. N ="
        f" {', '.join(count_text(one.arrived) for one in checks)} queries."
    )
    text = "; ".join(
        f"{one.rate:,.0f}/s: median {duration_text(one.lateness_ns.p50)}, 99th percentile"
        f" {duration_text(one.lateness_ns.p99)}, maximum {duration_text(one.lateness_ns.max)}"
        for one in checks
    )
    rows = [
        (
            one.rate,
            one.sent,
            one.arrived,
            one.lateness_ns.p50,
            one.lateness_ns.p99,
            one.lateness_ns.max,
            one.rate_error,
            one.burst_share,
        )
        for one in checks
    ]
    heads = ("rate", "sent", "arrived", "p50_ns", "p99_ns", "max_ns", "rate_error", "burst_share")
    return Chart(
        name, "Pace at the other end", caption, text + ".", Table("Pacing", heads, rows), draw
    )
