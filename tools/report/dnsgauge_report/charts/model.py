# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The models of a break point over the points that it was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..document import Chart, Table
from ..drawing import FAINT, GREY, SERIES, dots, legend_above
from ..quantities import rate_axis, rate_text
from ..statistics.breakpoint import Model


def model_chart(sent: Sequence[float], answered: Sequence[float], model: Model) -> Chart:
    """Returns the chart of points, all models, and the break point with its interval."""
    best = model.chosen
    told = model.breaks and model.holds

    def draw(axes: Any) -> None:
        x = np.linspace(min(sent), max(sent), 300)
        axes.plot(
            [0, max(sent)],
            [0, max(sent)],
            color=GREY,
            linewidth=0.8,
            linestyle=":",
            label="all answered",
        )
        dots(axes, sent, answered, SERIES[0], 12, alpha=0.8, label="measured", zorder=3)
        for other, style in zip(model.fits[1:], ("-.", "--", ":")):
            axes.plot(
                x,
                other.at(x),
                color=FAINT,
                linewidth=1,
                linestyle=style,
                label=other.shape.value,
            )
        axes.plot(
            x,
            best.at(x),
            color=SERIES[1],
            label=f"{best.shape.value}, {'chosen' if told else 'best'}",
        )
        if told:
            axes.axvspan(
                model.interval.low, model.interval.high, color=SERIES[2], alpha=0.2, linewidth=0
            )
            axes.axvline(
                best.breakpoint,
                color=SERIES[2],
                linestyle="--",
                linewidth=1,
                label="break point, 95 %",
            )
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        rate_axis(axes.xaxis)
        rate_axis(axes.yaxis)
        axes.locator_params(nbins=6)
        axes.set(xlabel="queries/s sent", ylabel="queries/s answered")
        legend_above(axes, 2)

    rows = [
        tuple(map(float, row)) for row in zip(sent, answered, *(fit.at(sent) for fit in model.fits))
    ]
    found = (
        f"break point {rate_text(round(best.breakpoint))}, from"
        f" {rate_text(round(model.interval.low))} to {rate_text(round(model.interval.high))}"
        if told
        else "no break point is told"
    )
    return Chart(
        "break-point",
        "Rate answered by rate sent, with models of the break point",
        (
            "Both readings of paper 003's Y = αX + β·hinge², a linear hinge and a hard limit."
            f" N = {model.points} steps."
        ),
        f"The model {best.shape.value}: {found}.",
        Table(
            "Points and models",
            ("sent", "answered", *(fit.shape.name.lower() for fit in model.fits)),
            rows,
        ),
        draw,
    )
