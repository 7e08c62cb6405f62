# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures of the runs of A and of B, a test of each, and what these tell: in words, in a table, and
as a chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Cell, Chart, Section, Table
from ..drawing import FAINT, INK, SERIES, height_of, name_rows
from ..quantities import MICRO, duration_text, log_ticks, p_text, plural, rate_text
from ..statistics import ALPHA, POWER, Tested, samples
from ..statistics.samples import Comparison
from ..tables import members

TITLE = "B against A"
# The differences for which the number of runs needed is given.
WANTED_SHARES = (0.01, 0.03, 0.1, 0.3)
HEADS = "what;unit;n A;n B;median A;median B;B to A, %;from, %;to, %;p;chance B > A;tellable, %"
HEADS += ";runs for 1 %"
# Ratios above this are told as such, and not in percent.
MANY_TIMES = 10


@dataclass(frozen=True)
class Figures:
    """A figure of each run, of A and of B. `resolution`: the least share to differ by."""

    what: str
    unit: str
    a: Sequence[float]
    b: Sequence[float]
    more_is_better: bool = True
    resolution: float = 0.0


@dataclass(frozen=True)
class Told(Tested):
    """Figures and what they tell. `p_value` allows for all of the `compared` figures."""

    figures: Figures
    comparison: Comparison
    p_value: float
    compared: int

    @property
    def alpha(self) -> float:
        """Returns up to which p value, uncorrected, the figure surely differs."""
        return ALPHA / self.compared


def tell_all(figures: Sequence[Figures]) -> list[Told]:
    """Returns what can be said of all figures, by Holm's correction of their p values."""
    alpha = ALPHA / max(len(figures), 1)
    comparisons = [samples.compare(one.a, one.b, one.resolution, alpha) for one in figures]
    found = zip(figures, comparisons, samples.holm([one.p_value for one in comparisons]))
    return [Told(*all_of, len(figures)) for all_of in found]


# What is said of A and B, and the figures that decide whether B is slower.
Judged = tuple[list[Section], list[Figures]]


def percent(share: float) -> str:
    """Returns the share in percent, with two digits that count."""
    value = abs(100 * share)
    if value == 0:
        return "0"
    digits = max(0, 1 - math.floor(math.log10(value)))
    return f"{value:.{min(digits, 6)}f}".rstrip("0").rstrip(".") if digits else f"{value:,.0f}"


def span(low: float, high: float) -> str:
    """Returns "4 to 9 % more" of two ratios."""
    if low >= 1:
        return f"{percent(low - 1)} to {percent(high - 1)} % more"
    if high <= 1:
        return f"{percent(1 - high)} to {percent(1 - low)} % less"
    return f"{percent(1 - low)} % less to {percent(high - 1)} % more"


def rounded(value: float) -> str:
    """Returns the value with three digits that count, its thousands set apart."""
    return f"{float(f'{value:.3g}'):,.10g}"


def amount(value: float, unit: str) -> str:
    if unit == "ns":
        return duration_text(value)
    return rate_text(round(value, 1)) if unit == "queries/s" else f"{value:.6g} {unit}"


def figures_text(told: Told) -> str:
    """Returns what a verdict rests on: medians, numbers of results, and the test."""
    one, unit = told.comparison, told.figures.unit
    corrected = f" corrected by Holm for {told.compared} figures" if told.compared > 1 else ""
    return (
        f"B: median {amount(one.median_b, unit)}, N = {one.count_b}; A: median"
        f" {amount(one.median_a, unit)}, N = {one.count_a}; Mann-Whitney,"
        f" {p_text(told.p_value)}{corrected}"
    )


def sentences(told: Told) -> list[str]:
    """Returns the verdict on rates in words, with its uncertainty."""
    one, interval = told.comparison, told.comparison.interval
    where = f"{told.figures.what}: " if told.figures.what else ""
    if not told.differs:
        shown = f"{where}No difference between A and B is shown ({figures_text(told)})."
        return [shown, *power_sentences(told)]
    if interval is None or interval.holds(1):
        way = "more" if one.b_is_greater > 0.5 else "less"
        by = f": from {span(interval.low, interval.high)}" if interval else ""
        return [f"{where}B keeps {way} than A ({figures_text(told)}); how much is not known{by}."]
    by = span(interval.low, interval.high)
    return [f"{where}B keeps {by} than A ({figures_text(told)})."]


def change_sentence(told: Told) -> str:
    """Returns how a figure of B that differs from A's does, in words, with its uncertainty."""
    one, interval = told.comparison, told.comparison.interval
    way = "higher" if one.b_is_greater > 0.5 else "lower"
    if interval is None or interval.holds(1):
        change = f"{way} than A's"
    elif interval.low > MANY_TIMES:
        change = f"{rounded(interval.low)} to {rounded(interval.high)} times A's"
    else:
        change = f"{span(interval.low, interval.high).rsplit(' ', 1)[0]} {way} than A's"
    return f"B's {told.figures.what} is {change} ({figures_text(told)})."


def power_sentences(told: Told) -> list[str]:
    """Returns which difference the runs could have shown, and how many runs a smaller one takes."""
    one = told.comparison
    counts = f"{one.count_a} and {one.count_b} results"
    if not one.can_differ:
        fewest = samples.fewest_runs(told.alpha)
        several = f" for {told.compared} figures" if told.compared > 1 else ""
        none = f"With {counts} no difference can be shown, however large"
        return [f"{none}: {fewest} and {fewest} are needed{several}."]
    if one.tellable is None or one.scatter is None:
        return []
    if one.scatter < 1e-9:
        return [f"All results of a set are equal: {counts} show what is above the resolution."]
    least = f"above {percent(one.tellable)} %"
    if one.tellable > MANY_TIMES:
        least = f"by a factor above {rounded(1 + one.tellable)}"
    text = f"With {counts} a difference {least} would be shown {100 * POWER:.0f} times of 100"
    for share in WANTED_SHARES:
        needed = samples.runs_needed(share, one.scatter, told.alpha)
        if share < one.tellable and share > told.figures.resolution and needed:
            return [f"{text}; {percent(share)} % would take {needed:,} of each."]
    return [f"{text}."]


def change_sentences(told: Sequence[Told], none: str) -> list[str]:
    """Returns which figures differ and how; where none does, `none` and what could be shown."""
    found = [change_sentence(one) for one in told if one.differs]
    if found or not told:
        return found or [none]
    return [none, *power_sentences(max(told, key=lambda one: one.comparison.tellable or 0))]


def rounded_percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 4)


def table_of(all_of_them: Sequence[Told], caption: str) -> Table:
    rows: list[Sequence[Cell]] = []
    medians = [max(members(one.comparison, "median_a median_b")) for one in all_of_them]
    # Sentences have milliseconds, too.
    times = ("ms", 1e6) if max(medians, default=0) >= 1e6 else (f"{MICRO}s", 1e3)
    for told in all_of_them:
        one = told.comparison
        unit, scale = times if told.figures.unit == "ns" else (told.figures.unit, 1)
        changes = [
            share and share - 1 for share in members(one, "ratio interval.low interval.high")
        ]
        rows.append(
            [
                *(told.figures.what or "rate", unit, one.count_a, one.count_b),
                *(one.median_a / scale, one.median_b / scale, *map(rounded_percent, changes)),
                *members(told, "p_value|4g comparison.b_is_greater|4"),
                rounded_percent(one.tellable),
                samples.runs_needed(0.01, one.scatter, told.alpha) if one.scatter else None,
            ]
        )
    notes = [
        "from, to: 95 % interval of the ratio of medians, by bootstrap.",
        "p: Mann-Whitney" + (", corrected by Holm for all rows." if len(rows) > 1 else "."),
        f"tellable: the least difference that these numbers show {100 * POWER:.0f} times of 100.",
    ]
    counts = (min(members(one.comparison, "count_a count_b")) for one in all_of_them)
    fewest = min(counts, default=0)
    if 1 < fewest < 6:
        notes.append(f"Intervals of {fewest} results hold the truth less often than 95 of 100.")
    return Table(caption, HEADS.split(";"), rows, notes)


def ratios_chart(told: Sequence[Told], what: str) -> Chart:
    paths = "figures.what comparison.ratio comparison.interval.low comparison.interval.high"
    rows = [members(one, paths) for one in told]
    is_wide = max((ratio for _, ratio, *_ in rows), default=0) > MANY_TIMES

    def draw(axes: Any) -> None:
        for place, (one, (_, ratio, *ends)) in enumerate(zip(told, rows)):
            colour, mark = (SERIES[1], "s") if one.differs else (FAINT, "o")
            found = (ratio, *ends)
            point, *reach = (x if x is None or is_wide else 100 * (x - 1) for x in found)
            if None not in reach:
                axes.plot(reach, [-place, -place], color=colour)
            axes.scatter([point], [-place], s=22, color=colour, marker=mark, zorder=3)
        axes.axvline(1 if is_wide else 0, color=INK, linewidth=0.8)
        name_rows(axes, [name for name, *_ in rows])
        axes.set_xlabel("B against A, times" if is_wide else "B against A, %")
        if is_wide:
            log_ticks(axes.xaxis)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")

    caption = "Ratio of the medians with its 95 % bootstrap interval; squares differ"
    caption += f" (Mann-Whitney, corrected by Holm). N = {plural(len(rows), 'comparison')}."
    height = height_of(len(rows))
    title = "B relative to A"
    return Chart(f"{what}-ratios", title, caption, "what ratio from to", rows, draw, height)
