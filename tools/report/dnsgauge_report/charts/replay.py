# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Replays as paper 004 draws them: latency with its shading, response rates of several replays over
time, and how many queries were how slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..document import Cell, Chart, Table
from ..drawing import DENSITY, GREY, SERIES, VERMILION, legend_above, name_rows, share_axis, spread
from ..quantities import drawn_text, duration_text, plural, shortened
from ..results.replay import Replay, ReplayRun
from .latency import scale_slowest

# Between two limits, and those without an answer.
SLOWNESS = ("≤ 1 ms", "to 10 ms", "to 100 ms", "to 1 s", "slower", "no answer")


def band_of(values: Sequence[float]) -> tuple[float, float, float]:
    """Returns least, mean and greatest."""
    return min(values), sum(values) / len(values), max(values)


def latency_band(runs: Sequence[ReplayRun]) -> list[tuple[float, float, float, float]]:
    """Returns (percent of the slowest queries, least, mean and greatest RTT) at the shares that all
    runs have."""
    curves = [dict(run.later_part.points) for run in runs]
    shares = sorted(set.intersection(*(set(curve) for curve in curves)), reverse=True)
    return [(100 * share, *band_of([curve[share] for curve in curves])) for share in shares]


def counts_of(replays: Sequence[Replay]) -> str:
    """Returns "N = 9 runs.", or N of each replay."""
    if len(replays) == 1:
        return f"N = {plural(len(replays[0].runs), 'run')}."
    return "N = " + ", ".join(f"{len(one.runs)} ({one.label})" for one in replays) + " runs."


def latency_chart(replays: Sequence[Replay], name: str = "latency") -> Chart:
    """Returns the logarithmic percentile histogram: lines are means of the runs, shadings reach
    from the fastest to the slowest. Some replay must have a curve."""
    shown = spread([one for one in replays if latency_band(one.runs)])
    bands = [latency_band(one.runs) for one in shown]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for replay, band, colour in zip(shown, bands, SERIES):
            percents, low, mean, high = (list(column) for column in zip(*band))
            axes.fill_between(percents, low, high, color=colour, alpha=0.25, linewidth=0)
            axes.plot(percents, mean, color=colour, label=shortened(replay.label, 20))
        scale_slowest(axes, min(band[-1][0] for band in bands))
        if len(shown) > 1:
            legend_above(axes, 2)

    since = sorted({one.since_s for one in shown})
    later = f" Queries sent from {since[0]:g} s on." if len(since) == 1 and since[0] else ""
    caption = (
        "RTT that the slowest queries need at least, both axes logarithmic; lines are means of the"
        " runs, shadings reach from the fastest to the slowest. Queries without an answer stand at"
        f" the timeout.{later} {counts_of(shown)}"
        f"{drawn_text(len(shown), len(replays), 'replay')}"
    )
    text = "; ".join(
        f"{replay.label}: the slowest {at[0]:.3g} % need {duration_text(at[2])} or more"
        for replay, band in zip(shown, bands)
        for at in [min(band, key=lambda one: abs(one[0] - 1))]
    )
    rows = [(replay.label, *point) for replay, band in zip(shown, bands) for point in band]
    heads = ("replay", "slowest_percent", "least_ns", "mean_ns", "greatest_ns")
    title = "Latency"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def slow_shares(run: ReplayRun) -> list[float] | None:
    """Returns the percentages of SLOWNESS; none where the run does not tell them all."""
    later = run.later_part
    known = [share for share in later.slower if share is not None]
    if later.unanswered is None or len(known) < len(later.slower):
        return None
    # A query without an answer is slower than any limit.
    bounds = [1.0, *(max(share, later.unanswered) for share in known), later.unanswered, 0.0]
    return [100 * max(0.0, above - below) for above, below in zip(bounds, bounds[1:])]


def slowness_chart(replays: Sequence[Replay], name: str = "slowness") -> Chart:
    """Returns how many queries were how slow, as parts of a bar: of one replay for each run, of
    several for the mean of their runs. Some run must tell it."""
    bars: list[tuple[str, list[float]]] = []
    for replay in replays:
        told = [(run.label, slow_shares(run)) for run in replay.runs]
        known = [(label, shares) for label, shares in told if shares]
        if len(replays) == 1:
            bars += known
        elif known:
            means = [sum(column) / len(known) for column in zip(*(shares for _, shares in known))]
            bars.append((replay.label, means))
    colours = [*DENSITY[:5], GREY]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for row, (_, shares) in enumerate(bars):
            left = 0.0
            for part, (share, colour) in enumerate(zip(shares, colours)):
                axes.barh(
                    -row,
                    share,
                    left=left,
                    height=0.66,
                    color=colour,
                    hatch="////" if part == 5 else None,
                    label=SLOWNESS[part] if row == 0 else None,
                )
                left += share
        name_rows(axes, [one[0] for one in bars], 18)
        axes.set_xlim(0, 100)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("% of the queries")
        legend_above(axes, 3)

    title = "How slow the answers were"
    of = "each run" if len(replays) == 1 else "each replay, means of the runs"
    caption = f"Shares of the queries by the time of their answer, of {of}. {counts_of(replays)}"
    rows: list[Sequence[Cell]] = [
        (label, *(round(share, 6) for share in shares)) for label, shares in bars
    ]
    text = "; ".join(
        f"{label}: {shares[0]:.4g} % within 1 ms, {shares[5]:.4g} % without an answer"
        for label, shares in bars
    )
    heads = ("what", "to_1ms", "to_10ms", "to_100ms", "to_1s", "slower", "unanswered")
    height = min(1.6, 0.42 + 0.08 * len(bars))
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw, height)


def response_chart(replays: Sequence[Replay], name: str = "response-bands") -> Chart:
    """Returns the response rates of several replays over time: lines are means of the runs,
    shadings reach from the least to the greatest. Each must have intervals."""
    shown = spread(replays)
    bands = []
    for replay in shown:
        by_time: dict[float, list[float]] = {}
        for run in replay.runs:
            for one in run.intervals:
                if one.share is not None:
                    by_time.setdefault(round(one.since_s, 6), []).append(one.share)
        bands.append([(time, *band_of(shares)) for time, shares in sorted(by_time.items())])

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for replay, band, colour in zip(shown, bands, SERIES):
            times, low, mean, high = (list(column) for column in zip(*band))
            axes.fill_between(times, low, high, color=colour, alpha=0.25, linewidth=0)
            axes.plot(times, mean, color=colour, linewidth=1.2, label=shortened(replay.label, 20))
        share_axis(axes, min(point[1] for band in bands for point in band))
        axes.set(xlabel="seconds since the start", ylabel="% answered in time")
        legend_above(axes, 2)

    caption = (
        "Share of the queries answered in time, by the time of sending; lines are means of the"
        f" runs, shadings reach from the least to the greatest. {counts_of(shown)}"
        f"{drawn_text(len(shown), len(replays), 'replay')}"
    )
    text = "; ".join(
        f"{replay.label}: from {min(point[1] for point in band):.4g} % up"
        for replay, band in zip(shown, bands)
    )
    rows = [(replay.label, *point) for replay, band in zip(shown, bands) for point in band]
    heads = ("replay", "since_s", "least_percent", "mean_percent", "greatest_percent")
    title = "Response rate over time"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def unanswered_chart(
    replays: Sequence[tuple[int, Replay]], margin: float, name: str = "unanswered"
) -> Chart:
    """Returns the share of the queries without an answer by load factor: a point for each run, and
    a line through the means. The first replay is the baseline, which the others may exceed by
    `margin` percent of the queries."""
    shares = [
        (
            factor,
            [
                100 * run.later_part.unanswered
                for run in replay.runs
                if run.later_part.unanswered is not None
            ],
        )
        for factor, replay in replays
    ]
    shares = [(factor, values) for factor, values in shares if values]
    means = [sum(values) / len(values) for _, values in shares]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        factors = [factor for factor, _ in shares]
        axes.plot(factors, means, color=SERIES[0], linewidth=1.2, label="mean")
        for factor, values in shares:
            axes.scatter([factor] * len(values), values, s=14, color=SERIES[0], linewidths=0)
        if shares and factors[0] == replays[0][0]:
            axes.axhline(
                means[0] + margin, color=VERMILION, linestyle="--", linewidth=1, label="overload"
            )
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set(xlabel="load factor", ylabel="% of the queries unanswered")
        legend_above(axes, 2)

    caption = (
        "Queries of the later part without an answer, by load factor: a point for each run. Above"
        f" the dashed line, {margin:g} % of the queries over the baseline's mean, the resolver is"
        f" overloaded. N = {plural(sum(len(values) for _, values in shares), 'run')}."
    )
    text = "; ".join(
        f"load factor {factor}: {mean:.4g} %" for (factor, _), mean in zip(shares, means)
    )
    rows = [(factor, value) for factor, values in shares for value in values]
    title = "Unanswered queries by load factor"
    data = Table(title, ("load_factor", "unanswered_percent"), rows)
    return Chart(name, title, caption, text + ".", data, draw)
