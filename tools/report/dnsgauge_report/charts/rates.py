# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rates: trials of a search over time, the results of searches, bars, response rates."""

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart
from ..drawing import FAINT, INK, SERIES, VERDICTS, beside, dots, draw_line, draw_tiles
from ..drawing import height_of, legend_above, name_rows, share_axis, spread
from ..quantities import count_text, drawn_text, log_ticks, plural, rate_axis, reach_text
from ..quantities import short_rate, shortened
from ..tables import data_of, members
from ..view import View

# How a line at a rate looks.
LEVEL = {"color": SERIES[2], "linewidth": 1, "linestyle": "--"}
# Rates that lie further apart than this get a logarithmic axis.
WIDE = 30


def rate_scale(axis: Any, rates: Sequence[float], label: str, ticks: int | None = None) -> None:
    """Makes the axis one of rates: logarithmic where the rates lie far apart."""
    is_wide = max(rates) > WIDE * min(rates)
    if is_wide:
        log_ticks(axis)
    else:
        axis.axes.set(**{f"{axis.axis_name}lim": (0, None)})
    rate_axis(axis, label, None if is_wide else ticks)


def sent_scale(axes: Any, rates: Sequence[float], ticks: int | None = 6) -> None:
    """Makes the horizontal axis one of rates sent."""
    rate_scale(axes.xaxis, rates, "queries sent per second", ticks)


def trials_chart(
    trials: Sequence[View],
    title: str,
    levels: Sequence[tuple[str, float]] = (),
    right: str = "answered",
) -> Chart:
    """Returns the search as a picture: each trial in its turn, its rate and its verdict. A trial
    has `rate`, `verdict`, `repetition`, `sent`, and as `right` its right answers in time."""

    def draw(axes: Any) -> None:
        turns = range(1, len(trials) + 1)
        for first in starts(trials):
            if first > 1:
                axes.axvline(first - 0.5, color=FAINT, linewidth=0.6, linestyle=":")
        axes.plot(turns, [trial.rate for trial in trials], color=FAINT, linewidth=0.6, zorder=2)
        for verdict, (colour, marker) in VERDICTS.items():
            those = [(turn, one.rate) for turn, one in zip(turns, trials) if one.verdict == verdict]
            if those:
                looks = {"marker": marker, "label": f"{verdict} ({len(those)})", "zorder": 3}
                dots(axes, those, colour, 34 if len(trials) < 60 else 14, **looks)
        for label, rate in levels:
            axes.axhline(rate, label=f"{label} {short_rate(rate)}/s", **LEVEL)
        turns_scale(axes, [trial.rate for trial in trials])
        axes.set_xlim(0.3, len(trials) + 0.7)
        legend_above(axes)

    repetitions = len(starts(trials))
    caption = "Each trial at its rate, in the order in which they were made; dotted lines part the"
    caption += f" repetitions. N = {plural(len(trials), 'trial')} in"
    caption += f" {plural(repetitions, 'repetition')}."
    data = data_of(trials, f"trial=# repetition rate verdict sent valid={right}")
    return Chart("trials", title, caption, *data, draw)


def turns_scale(axes: Any, rates: Sequence[float]) -> None:
    """Makes the axes of trials in their turn, at these rates."""
    rate_scale(axes.yaxis, rates, "queries per second")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(axis="x", visible=False)
    axes.set_xlabel("trial")


def starts(trials: Sequence[View]) -> list[int]:
    """Returns the turn of the first trial of each repetition, turns from 1."""
    turns = enumerate((trial.repetition for trial in trials), 1)
    return [next(group)[0] for _, group in itertools.groupby(turns, operator.itemgetter(1))]


@dataclass(frozen=True)
class Bar:
    """A bar: the middle of several results, the least and the greatest of them."""

    label: str
    middle: float
    least: float
    greatest: float
    results: int
    tester_limited: int = 0
    failure: str = ""


def bar_looks(colour: str, tester_limited: int) -> dict[str, str]:
    hatched = {"hatch": "////", "facecolor": "none", "edgecolor": colour}
    return hatched if tester_limited else {"color": colour}


def bars_chart(
    bars: Sequence[Bar],
    title: str,
    name: str = "rates",
    unit: str = "queries per second",
    what: str = "Bars: medians; lines: lowest to highest result.",
) -> Chart:
    def draw(axes: Any) -> None:
        limit = max((bar.greatest for bar in bars), default=1.0) or 1.0
        for place, bar in enumerate(bars):
            if bar.failure:
                beside(axes, f" {shortened(bar.failure, 44)}", (0, -place), (0, 0), color=FAINT)
                continue
            axes.barh(-place, bar.middle, height=0.62, **bar_looks(SERIES[0], bar.tester_limited))
            axes.plot([bar.least, bar.greatest], [-place, -place], color=INK, linewidth=1.2)
            for end in {bar.least, bar.greatest}:
                axes.plot([end, end], [-place - 0.15, -place + 0.15], color=INK, linewidth=1.2)
            beside(axes, short_rate(bar.middle), (bar.greatest, -place))
        axes.set_xlim(0, limit * 1.17)
        name_rows(axes, [bar.label for bar in bars], bare=True)
        rate_axis(axes.xaxis, unit, 5)

    caption = f"{what} N = {results_each(bar.results for bar in bars if not bar.failure)}."
    if any(bar.tester_limited for bar in bars):
        caption += " Hatched: the Tester was the limit, so the server may keep more."
    columns = "what=label results median=middle lowest=least highest=greatest tester_limited"
    data = data_of([bar for bar in bars if not bar.failure], columns)
    return Chart(name, title, caption, *data, draw, height_of(len(bars)))


def distribution_chart(rates: Sequence[float], middle: float) -> Chart:
    ordered = sorted(rates)
    shares = [100 * place / len(ordered) for place in range(1, len(ordered) + 1)]

    def draw(axes: Any) -> None:
        axes.step([ordered[0], *ordered], [0, *shares], where="post", color=SERIES[0])
        axes.scatter(ordered, shares, s=14, color=SERIES[0], zorder=3, linewidths=0)
        axes.axvline(middle, label=f"median {short_rate(middle)}/s", **LEVEL)
        axes.set_ylim(0, 104)
        axes.margins(x=0.08)
        if ordered[0] == ordered[-1]:
            axes.set_xlim(ordered[0] * 0.9, ordered[0] * 1.1)
        rate_axis(axes.xaxis, "queries per second", 5)
        axes.set_ylabel("% of the results")
        legend_above(axes)

    caption = f"Share of the results at or below each rate. N = {plural(len(ordered), 'result')}."
    rows = zip(ordered, shares)
    heads = "rate percent_at_or_below"
    return Chart("results", "Distribution of the results", caption, heads, rows, draw)


@dataclass(frozen=True)
class Answered:
    """How many queries of a rate, in all its trials, were answered right in time."""

    label: str
    rate: float
    sent: int
    valid: int
    verdict: str
    trials: int = 1

    @property
    def share(self) -> float:
        return 100 * self.valid / self.sent if self.sent else 0.0


def response_chart(groups: Sequence[tuple[str, Sequence[Answered]]]) -> Chart:
    shown = spread(groups)
    every = [trial for _, trials in shown for trial in trials]

    def draw(axes: Any) -> None:
        for (label, trials), colour in zip(shown, SERIES):
            ordered = sorted(trials, key=lambda trial: trial.rate)
            rates = [trial.rate for trial in ordered]
            shares = [trial.share for trial in ordered]
            draw_line(axes, rates, shares, colour, shortened(label), linewidth=1, marker=None)
            for verdict, (_, marker) in VERDICTS.items():
                chosen = [(one.rate, one.share) for one in ordered if one.verdict == verdict]
                dots(axes, chosen, colour, 20, marker=marker, zorder=3)
        sent_scale(axes, [trial.rate for trial in every], None)
        share_axis(axes, min(trial.share for trial in every))
        axes.set_ylabel("% answered right in time")
        if len(shown) > 1:
            legend_above(axes, 2)

    number, sent = (sum(getattr(one, name) for one in every) for name in ("trials", "sent"))
    caption = "Share of the queries answered right and in time, by rate; circle: passed, cross:"
    caption += f" failed at least once, triangle: invalid. N = {plural(number, 'trial')},"
    caption += f" {count_text(sent)} queries.{drawn_text(len(shown), len(groups), 'curve')}"
    paths = "label rate trials sent valid share verdict"
    rows = [[label, *members(one, paths)] for label, trials in shown for one in trials]
    heads = "server result rate trials sent valid valid_percent verdict"
    return Chart("response-rate", "Response rate", caption, heads, rows, draw)


def grid_chart(
    rates: Mapping[tuple[str, str], float], title: str, across: str, down: str, name: str = "grid"
) -> Chart:
    columns, rows = (sorted(set(places), key=number_of) for places in zip(*rates))

    def draw(axes: Any) -> None:
        draw_tiles(axes, rates, columns, rows, 6.5)
        axes.set(xlabel=across, ylabel=down)

    cells = plural(len(rates), "cell")
    caption = f"Numbers and shades: median rates, queries per second. N = {cells}."
    caption += " An empty cell was not measured." if len(rates) < len(rows) * len(columns) else ""
    data = [(*place, rate) for place, rate in rates.items()]
    height = min(1.2, 0.25 + 0.09 * len(rows))
    return Chart(name, title, caption, (across, down, "median_rate"), data, draw, height)


def results_each(counts: Iterable[int]) -> str:
    """Returns "3 results each", or "1 to 3 results each" where the counts differ."""
    number = reach_text([*counts] or [0], str)
    return f"{number} {'result' if number == '1' else 'results'} each"


def number_of(text: str) -> tuple[float, str]:
    """Returns what sorts texts as numbers, where they are numbers."""
    try:
        return float(text), text
    except ValueError:
        return 0.0, text
