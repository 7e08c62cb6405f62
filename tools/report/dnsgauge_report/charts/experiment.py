# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Experiments as the papers draw them: bars by CPU cores and server, all results of each cell, and
rates by shares with the model's curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart, Table
from ..drawing import INK, SERIES, dots, legend_above, name_rows, spread
from ..quantities import drawn_text, rate_axis, rate_text, shortened
from ..results.search import median
from .rates import number_of, results_each


@dataclass(frozen=True)
class Place:
    """What one cell found, drawn at `across` (CPU cores) in the colour of `series` (the server)."""

    across: str
    series: str
    rates: Sequence[float]
    tester_limited: bool


def grouped_chart(
    places: Sequence[Place],
    statistic: Callable[[Sequence[float]], float],
    title: str,
    across: str,
    name: str,
) -> Chart:
    """Returns bars of a statistic of the rates, a group for each place across. Those that the
    Tester limited are hatched."""
    columns = sorted({one.across for one in places}, key=number_of)
    told = list(dict.fromkeys(one.series for one in places))
    series = spread(told)
    shown = [one for one in places if one.series in series]
    width = 0.8 / len(series)

    def draw(figure: Any) -> None:
        from matplotlib.patches import Patch

        axes = figure.add_subplot()
        for one in shown:
            order = series.index(one.series)
            left = columns.index(one.across) - 0.4 + (order + 0.5) * width
            colour = SERIES[order]
            look = (
                {"facecolor": "none", "edgecolor": colour, "hatch": "////"}
                if one.tester_limited
                else {"color": colour}
            )
            axes.bar(left, statistic(one.rates), width=width * 0.92, **look)
        handles = [
            Patch(color=SERIES[order], label=shortened(label, 18))
            for order, label in enumerate(series)
        ]
        axes.set_xticks(range(len(columns)), columns)
        axes.set_xlim(-0.6, len(columns) - 0.4)
        axes.grid(axis="x", visible=False)
        axes.tick_params(axis="x", length=0)
        axes.set_ylim(bottom=0)
        rate_axis(axes.yaxis)
        axes.set(xlabel=across, ylabel="queries per second")
        legend_above(axes, 3, handles=handles)

    caption = f"N = {results_each(len(one.rates) for one in shown)}."
    caption += drawn_text(len(series), len(told), "server")
    if any(one.tester_limited for one in shown):
        caption += " Hatched: the Tester was the limit, so the server may keep more."
    fewer = max(len(one.rates) for one in shown) < 100
    if fewer and statistic(list(range(1, 101))) == 1:
        caption += " Below 100 results the 1st percentile is the lowest result."
    rows = [
        (one.across, one.series, statistic(one.rates), len(one.rates), int(one.tester_limited))
        for one in shown
    ]
    text = "; ".join(
        f"{one.series}, {across} {one.across}: {rate_text(statistic(one.rates))}" for one in shown
    )
    heads = (across, "server", "rate", "results", "tester_limited")
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def results_chart(cells: Sequence[tuple[str, Sequence[float]]], name: str = "results") -> Chart:
    """Returns how the results of each cell lie around their median, which lets cells of any rate be
    compared. Every rate must be above 0."""
    middles = [median(rates) for _, rates in cells]
    moved = [
        [100 * (rate / middle - 1) for rate in sorted(rates)]
        for (_, rates), middle in zip(cells, middles)
    ]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        axes.axvline(0, color=INK, linewidth=0.8)
        for row, values in enumerate(moved):
            # Results that are nearly equal stand above each other.
            widest = max(abs(value) for one in moved for value in one) or 1.0
            seen: dict[int, int] = {}
            for value in values:
                bin = round(40 * value / widest)
                turn = seen[bin] = seen.get(bin, -1) + 1
                shift = (0.0, 0.13, -0.13, 0.26, -0.26, 0.39, -0.39)[turn % 7]
                dots(axes, [value], [-row + shift], SERIES[0], 11, alpha=0.7)
        name_rows(axes, [label for label, _ in cells], bare=True)
        axes.margins(x=0.06)
        axes.xaxis.get_major_locator().set_params(nbins=6)
        axes.set_xlabel("% from the median of the cell")

    title = "How the results scatter"
    caption = (
        "Each result is a point, against the median of its cell."
        f" N = {results_each(len(rates) for _, rates in cells)}."
    )
    rows = [
        (label, rate, share)
        for (label, rates), shares in zip(cells, moved)
        for rate, share in zip(sorted(rates), shares)
    ]
    text = "; ".join(
        f"{label}: from {min(shares):+.3g} to {max(shares):+.3g} % of {rate_text(middle)}"
        for (label, _), shares, middle in zip(cells, moved, middles)
    )
    height = min(3.0, 0.3 + 0.085 * len(cells))
    data = Table(title, ("what", "rate", "percent_from_median"), rows)
    return Chart(name, title, caption, text + ".", data, draw, height)


@dataclass(frozen=True)
class SharePoint:
    """What a cell found at shares of cached names and of names with an AAAA record, in percent."""

    cached: float
    aaaa: float
    median: float
    least: float
    greatest: float
    results: int
    tester_limited: bool


def shares_chart(
    points: Sequence[SharePoint], title: str, name: str, has_model: bool = True
) -> Chart:
    """Returns rates by the share that varies, with the curve of paper 002's model of a DNS64 server
    if `has_model`; where both shares vary, by that of AAAA records, a line for each share of cached
    names. Two shares at least must differ."""
    from ..statistics import dns64

    by_cached = len({one.aaaa for one in points}) == 1
    across = "% of the queries cached" if by_cached else "% of the names with an AAAA record"
    series = [0.0] if by_cached else sorted({one.cached for one in points})
    fitted = [one for one in points if not one.tester_limited]
    model = None
    if has_model and len({(one.cached, one.aaaa) for one in fitted}) > 1:
        model = dns64.fit([(one.cached / 100, one.aaaa / 100, one.median) for one in fitted])

    def of(line: float) -> list[SharePoint]:
        chosen = [one for one in points if by_cached or one.cached == line]
        return sorted(chosen, key=lambda one: one.cached if by_cached else one.aaaa)

    def curve(line: float) -> list[tuple[float, float]]:
        shares = [one.cached if by_cached else one.aaaa for one in of(line)]
        if model is None or len(shares) < 2:
            return []
        steps = [shares[0] + (shares[-1] - shares[0]) * step / 60 for step in range(61)]
        other = points[0].aaaa if by_cached else line
        return [
            (
                share,
                model.rate(share / 100, other / 100)
                if by_cached
                else model.rate(other / 100, share / 100),
            )
            for share in steps
        ]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for order, line in enumerate(series):
            colour = SERIES[order % len(SERIES)]
            shown = of(line)
            x = [one.cached if by_cached else one.aaaa for one in shown]
            for place, one in zip(x, shown):
                axes.plot([place, place], [one.least, one.greatest], color=INK, linewidth=1)
                axes.scatter(
                    [place],
                    [one.median],
                    s=24,
                    zorder=3,
                    facecolor="none" if one.tester_limited else colour,
                    edgecolor=colour,
                )
            drawn = curve(line)
            if drawn:
                label = "model" if len(series) == 1 else f"{line:g} % cached"
                axes.plot(*zip(*drawn), color=colour, linewidth=1.2, label=label)
        axes.set_ylim(bottom=0)
        axes.set_xlim(-4, 104)
        rate_axis(axes.yaxis)
        axes.set(xlabel=across, ylabel="queries per second")
        if axes.get_legend_handles_labels()[0]:
            legend_above(axes, 3)

    caption = (
        "Points: medians; bars: lowest to highest result"
        + ("; curve: the model of paper 002, fitted to the medians" if model else "")
        + f". N = {results_each(one.results for one in points)}."
    )
    if any(one.tester_limited for one in points):
        caption += " Hollow: the Tester was the limit; the model is not fitted to these."
    rows = [
        (
            one.cached,
            one.aaaa,
            one.median,
            one.least,
            one.greatest,
            one.results,
            int(one.tester_limited),
            round(model.rate(one.cached / 100, one.aaaa / 100), 1) if model else None,
        )
        for one in points
    ]
    text = "; ".join(
        f"{one.cached:g} % cached, {one.aaaa:g} % AAAA: {rate_text(one.median)}" for one in points
    )
    heads = (
        "cached_percent", "aaaa_percent", "median", "lowest", "highest", "results",
        "tester_limited", "model",
    )  # fmt: skip
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)
