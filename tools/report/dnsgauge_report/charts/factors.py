# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Levels of a factor with their letters, and plots of residuals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from ..document import Chart, Table
from ..drawing import FAINT, INK, SERIES, dots, name_rows
from ..quantities import rate_axis
from ..statistics.factors import Analysis, Levels


def levels_chart(
    levels: Levels, values: Sequence[float], groups: Sequence[str], name: str
) -> Chart:
    """Returns the chart of all values of each level, with the means and the letters."""
    by_level = {
        level: [value for value, group in zip(values, groups) if group == level]
        for level in levels.names
    }

    def draw(axes: Any) -> None:
        rows = zip(levels.names, levels.letters, levels.means)
        for place, (level, letters, mean) in enumerate(rows):
            shown = sorted(by_level[level])
            shifts = [(-0.1, 0.0, 0.1)[number % 3] for number in range(len(shown))]
            dots(axes, shown, [-place + shift for shift in shifts], SERIES[0], 12, alpha=0.6)
            axes.scatter([mean], [-place], s=40, marker="D", color=SERIES[1], zorder=3)
            axes.annotate(
                letters,
                (1, -place),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                color=INK,
            )
        name_rows(axes, [level for level in levels.names], 20)
        rate_axis(axes.xaxis)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("queries/s")

    rows = [(level, value) for level in levels.names for value in by_level[level]]
    counts = ", ".join(f"{count} ({level})" for level, count in zip(levels.names, levels.counts))
    return Chart(
        name,
        f"Rates by {levels.factor}",
        (
            "Points are results, diamonds means; levels that share a letter do not differ (Tukey's"
            f" HSD). N = {counts}."
        ),
        "; ".join(f"{level}: {letters}" for level, letters in zip(levels.names, levels.letters))
        + ".",
        Table(f"Rates by {levels.factor}", (levels.factor, "queries_per_second"), rows),
        draw,
        min(1.6, 0.35 + 0.1 * len(levels.names)),
    )


def residuals_chart(analysis: Analysis) -> Chart:
    """Returns residuals by fitted value, and against the quantiles of a normal distribution."""
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

    rows = [
        (float(fitted), float(residual))
        for fitted, residual in zip(analysis.fitted, analysis.residuals)
    ]
    return Chart(
        "residuals",
        "Residuals of the ANOVA",
        (
            "Left: a funnel means that scatter grows with the rate. Right: off the line, they are"
            f" not normal. N = {len(rows)} residuals."
        ),
        (
            f"Residuals reach from {min(analysis.residuals):.4g} to"
            f" {max(analysis.residuals):.4g} {unit}."
        ),
        Table("Residuals", ("fitted", "residual"), rows),
        draw,
        0.55,
        several=True,
    )
