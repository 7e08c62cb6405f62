# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is said of the factors of an experiment."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from ..document import Cell, Chart, Section, Table
from ..drawing import FAINT, INK, SERIES, beside, dots_in_row, height_of, name_rows
from ..errors import ReportError
from ..grouped import grouped
from ..kinds.experiment import Experiment
from ..quantities import listing, p_text, rate_axis
from ..statistics import ALPHA, factors as of_factors
from ..statistics.factors import Analysis, Effect, Levels
from ..tables import members


def levels_chart(
    levels: Levels, values: Sequence[float], groups: Sequence[str], name: str
) -> Chart:
    by_level = grouped(zip(groups, values))

    def draw(axes: Any) -> None:
        rows = zip(levels.names, levels.letters, levels.means)
        for place, (level, letters, mean) in enumerate(rows):
            dots_in_row(axes, by_level[level], -place, SERIES[0], 12, alpha=0.6)
            axes.scatter([mean], [-place], s=40, marker="D", color=SERIES[1], zorder=3)
            looks = {"xycoords": ("axes fraction", "data"), "fontsize": 8, "color": INK}
            beside(axes, letters, (1, -place), **looks)
        name_rows(axes, [level for level in levels.names], 20)
        rate_axis(axes.xaxis, "queries/s", 5)

    rows = [(level, value) for level in levels.names for value in by_level[level]]
    counts = ", ".join(f"{count} ({level})" for level, count in zip(levels.names, levels.counts))
    caption = "Points are results, diamonds means; levels that share a letter do not differ"
    caption += f" (Tukey's HSD). N = {counts}."
    heads = (levels.factor, "queries_per_second")
    title, height = f"Rates by {levels.factor}", height_of(len(levels.names))
    return Chart(name, title, caption, heads, rows, draw, height)


def residuals_chart(analysis: Analysis) -> Chart:
    unit = "log(queries/s)" if analysis.logarithm else "queries/s"
    quantiles, ordered = stats.probplot(analysis.residuals, fit=False)

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        left.axhline(0, color=FAINT, linewidth=0.8)
        left.scatter(analysis.fitted, analysis.residuals, s=10, color=SERIES[0], linewidths=0)
        left.set(xlabel=f"fitted, {unit}", ylabel="residual")
        right.scatter(quantiles, ordered, s=10, color=SERIES[0], linewidths=0)
        slope = float(np.std(ordered))
        ends = np.array([quantiles[0], quantiles[-1]])
        right.plot(ends, slope * ends, color=SERIES[1], linewidth=1)
        right.set_xlabel("normal quantile")
        for axes in (left, right):
            axes.locator_params(nbins=4)
            if not analysis.logarithm:
                rate_axis(axes.yaxis)
        if not analysis.logarithm:
            rate_axis(left.xaxis)

    rows = list(zip(map(float, analysis.fitted), map(float, analysis.residuals)))
    caption = "Left: a funnel means that scatter grows with the rate. Right: points off the line"
    caption += f" mean that residuals are not normal. N = {len(rows)} residuals."
    title = "Residuals of the ANOVA"
    return Chart("residuals", title, caption, "fitted residual", rows, draw, 0.55, several=True)


# Settings that follow from others, or from the rate that is looked for: no factors.
NO_FACTORS = {"max-rate", "min-rate", "resolution", "cpu-list"}


def name_of(effect: Effect) -> str:
    return " with ".join(effect.factors)


def findings(analysis: Analysis, count: int) -> list[str]:
    ranked = sorted(analysis.effects, key=lambda one: -one.omega)
    mattering = [one for one in ranked if one.matters]
    if not mattering:
        least = min(one.p_value for one in analysis.effects)
        return [f"No factor is shown to matter (ANOVA, least {p_text(least)}, N = {count})."]
    said = [f"{name_of(one)} (ω² = {one.omega:.2f}, {p_text(one.p_value)})" for one in mattering]
    texts = [f"What matters, most first: {listing(said)}; N = {count}."]
    rest = [name_of(one) for one in ranked if not one.matters]
    if rest:
        texts.append(f"Not shown to matter: {listing(rest)}.")
    for levels in analysis.levels:
        if any(one.factors == (levels.factor,) and one.matters for one in mattering):
            texts.append(level_sentence(levels))
    if any(len(one.factors) > 1 for one in mattering):
        texts.append("Where factors matter together, what one does depends on the other.")
    return texts


def level_sentence(levels: Levels) -> str:
    differing = sum(pair.differs for pair in levels.pairs)
    marked = listing([f"{name} ({letters})" for name, letters in zip(levels.names, levels.letters)])
    pairs = f"{differing} of {len(levels.pairs)} pairs"
    return f"{levels.factor}: {pairs} differ; levels that share a letter do not: {marked}."


ASSUMED = {
    "equal": ("cells that scatter alike", "Cells do not scatter alike", "Levene with medians"),
    "normal": ("normal residuals", "Residuals are not normal", "Shapiro-Wilk"),
}


def holding_sentence(analysis: Analysis) -> list[str]:
    """Returns that nothing speaks against the assumptions; nothing where something does."""
    found = analysis.assumptions
    tests = [(what, test, getattr(found, name)) for name, (what, _, test) in ASSUMED.items()]
    told = [f"{what} ({test}, {p_text(p)})" for what, test, p in tests if p is not None]
    if not found.hold or not told:
        return []
    return [f"Nothing speaks against what ANOVA and Tukey's HSD assume: {listing(told)}."]


def assumption_sentences(analysis: Analysis, could_log: bool) -> list[str]:
    found = analysis.assumptions
    texts = []
    for name, (_, what, test) in ASSUMED.items():
        p_value = getattr(found, name)
        if p_value is not None and p_value <= ALPHA:
            tested = f"{test}, {p_text(p_value)}"
            texts.append(f"{what} ({tested}), which ANOVA and Tukey's HSD assume.")
    if texts and found.welch is not None:
        means = "differ" if found.welch <= ALPHA else "are not shown to differ"
        texts.append(
            "Welch's ANOVA, which assumes no equal scatter, says that the cells' means"
            f" {means} ({p_text(found.welch)})."
        )
    if texts and could_log:
        texts.append("With --log the assumptions hold.")
    return texts


def anova_table(analysis: Analysis) -> Table:
    rows: list[list[Cell]] = [
        [name_of(one), *members(one, "squares freedom f_value|6g p_value|4g eta|4 omega|4")]
        for one in analysis.effects
    ]
    rows.append(["residual", analysis.residual_squares, analysis.residual_freedom, *[None] * 4])
    notes = ["Type II. η², ω²: partial; ω² without what chance alone explains."]
    if analysis.why_no_interactions:
        notes.append(f"Without interactions: {analysis.why_no_interactions}.")
    if analysis.logarithm:
        notes.append("Figures are of the logarithms of the rates.")
    heads = ("factor", "sum of squares", "df", "F", "p", "partial η²", "partial ω²")
    return Table("ANOVA", heads, rows, notes)


def levels_table(analysis: Analysis) -> Table:
    paths = "names counts means letters"
    found = [(one.factor, zip(*members(one, paths))) for one in analysis.levels]
    rows = [(factor, *row) for factor, levels in found for row in levels]
    notes = [
        "Levels of a factor that share a letter do not differ by Tukey's HSD at 5 %.",
        "A mean is over all combinations of the other factors' levels alike"
        + (", and geometric." if analysis.logarithm else "."),
    ]
    heads = ("factor", "level", "N", "mean", "letters")
    return Table("Levels, with compact letters", heads, rows, notes)


def pairs_table(analysis: Analysis) -> Table:
    scale = 100 if analysis.logarithm else 1
    rows: list[list[Cell]] = []
    for levels in analysis.levels:
        for pair in levels.pairs:
            figures = members(pair, "difference interval.low interval.high")
            ends = [*(scale * figure for figure in figures), *members(pair, "p_value|4g")]
            rows.append([levels.factor, pair.first, pair.second, *ends])
    unit = "%" if analysis.logarithm else "queries/s"
    caption = f"Tukey's HSD: how much the first level is above the second, {unit}"
    heads = ("factor", "first", "second", "difference", "from", "to", "p")
    return Table(caption, heads, rows, ["Intervals and p hold for all pairs of a factor at once."])


def section(experiment: Experiment, logarithm: bool) -> Section:
    """Returns what is said of an experiment's factors. Throws ReportError where nothing can be."""
    names = [name for name in experiment.varied if name not in NO_FACTORS]
    values: list[float] = []
    factors: dict[str, list[str]] = {name: [] for name in names}
    left_out = []
    for cell in experiment.cells:
        rates = cell.search.rates if cell.search else []
        if not rates:
            left_out.append(cell.name)
        values += rates
        for name in names:
            factors[name] += [cell.settings.get(name, "")] * len(rates)
    try:
        analysis = of_factors.analyse(factors, values, logarithm)
        other = of_factors.analyse(factors, values, True) if not logarithm else None
    except ValueError as error:
        raise ReportError(f"{experiment.label}: factors cannot be told apart: {error}") from error
    could_log = other is not None and other.assumptions.hold
    doubts = assumption_sentences(analysis, could_log)
    if left_out:
        doubts.append(f"Cells without a result are left out: {listing(left_out)}.")
    drawn = [(one, values, factors[one.factor]) for one in analysis.levels]
    charts = [levels_chart(*one, f"levels-{number}") for number, one in enumerate(drawn, 1)]
    tables = [anova_table(analysis), levels_table(analysis), pairs_table(analysis)]
    said = [*findings(analysis, len(values)), *holding_sentence(analysis)]
    doubts += experiment.doubts()
    charts.append(residuals_chart(analysis))
    return Section(f"Factors of {experiment.title}", said, doubts, charts, tables)
