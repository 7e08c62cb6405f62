# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is said of a server's break point, and of the models that tell it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..document import Cell, Chart, Section, Table
from ..drawing import FAINT, GREY, SERIES, dots, legend_above, mark_estimate
from ..errors import ReportError
from ..kinds.sweep import Sweep
from ..quantities import listing, p_text, rate_axis, rate_text
from ..statistics import breakpoint as of_breaks
from ..statistics.breakpoint import Fit, Model, Shape
from ..tables import members


def model_chart(sent: Sequence[float], answered: Sequence[float], model: Model) -> Chart:
    best = model.chosen
    told = model.breaks and model.holds

    def draw(axes: Any) -> None:
        x = np.linspace(min(sent), max(sent), 300)
        ends = [0, max(sent)]
        axes.plot(ends, ends, color=GREY, linewidth=0.8, linestyle=":", label="all answered")
        dots(axes, zip(sent, answered), SERIES[0], 12, alpha=0.8, label="measured", zorder=3)
        for other, dashes in zip(model.fits[1:], ("-.", "--", ":")):
            looks = {"color": FAINT, "linewidth": 1, "linestyle": dashes}
            axes.plot(x, other.at(x), label=other.shape.value, **looks)
        label = f"{best.shape.value}, {'chosen' if told else 'best'}"
        axes.plot(x, best.at(x), color=SERIES[1], label=label)
        if told:
            ends = members(model.interval, "low high")
            mark_estimate(axes, "break point", best.breakpoint, *ends)
        axes.set(xlim=(0, None), ylim=(0, None))
        rate_axis(axes.xaxis, "queries/s sent", 6)
        rate_axis(axes.yaxis, "queries/s answered", 6)
        legend_above(axes, 2)

    columns = zip(sent, answered, *(fit.at(sent) for fit in model.fits))
    rows = [tuple(map(float, row)) for row in columns]
    caption = "Both readings of paper 003's Y = αX + β·hinge², a linear hinge and a hard limit. N"
    caption += f" = {model.points} steps."
    heads = ("sent", "answered", *(fit.shape.name.lower() for fit in model.fits))
    title = "Rate answered by rate sent, with models of the break point"
    return Chart("break-point", title, caption, heads, rows, draw)


# AICc of a model of four figures is infinite for fewer.
RATES_LEAST = 6
# What a server does that is right by the shape.
SAYS = {
    Shape.BELOW: "below it the line bends, by the model as paper 003 prints it",
    Shape.ABOVE: "above it ever more queries are lost, by the model of paper 003",
    Shape.HINGE: "above it a share of what is sent more is lost",
    Shape.LIMIT: "it answers that many and no more",
}


def known(sweep: Sweep) -> str:
    kept = sweep.answered_whole
    above = [rate for rate in sweep.rates if rate > kept]
    if not above:
        return "It answered every query."
    if not kept:
        return f"It did not answer every query even at {rate_text(above[0])}."
    kept_text, lost_text = rate_text(kept), rate_text(above[0])
    return f"It answered every query up to {kept_text}, and not every one at {lost_text}."


def others_text(models: Sequence[Fit]) -> str:
    told = [(one.shape.value, rate_text(round(one.breakpoint)), one.aicc) for one in models]
    return listing([f"{shape} ({rate}, AICc {aicc:.1f})" for shape, rate, aicc in told])


def findings(sweep: Sweep, model: Model) -> list[str]:
    best, by_chance = model.chosen, f"(wild bootstrap, {p_text(model.line_p)})"
    none = f"No break point of {sweep.server} is"
    if model.line_is_wrong and not model.breaks:
        first = f"{none} told: a straight line is shown to be wrong {by_chance}, and"
        first += f" {len(sweep.rates)} rates are too few to tell how the line bends."
        return [first, known(sweep)]
    if not model.breaks:
        first = f"{none} shown up to {rate_text(sweep.rates[-1])}: a straight line does as well"
        first += f" {by_chance}."
        found = [first, f"It answers {100 * model.line_alpha:.4g} % of what is sent."]
        return found if sweep.answered_whole >= sweep.rates[-1] else [*found, known(sweep)]
    if not model.holds:
        why = f"what the best leaves follows the rate ({p_text(model.residuals_p)})"
        if best.is_at_odds:
            why = "the best has its break point below rates at which every query was answered"
        elif best.p <= of_breaks.REFUSED:
            why = f"the best by AICc is shown to be wrong by how others fit ({p_text(best.p)})"
        return [f"{none} told: no model fits, as {why}.", known(sweep)]
    low, high = (rate_text(round(bound)) for bound in (model.interval.low, model.interval.high))
    first = f"The break point of {sweep.server} is {rate_text(round(best.breakpoint))} (95 %: {low}"
    first += f" to {high}): {SAYS[best.shape]}."
    aicc = f"AICc {best.aicc:.1f}"
    second = f"{best.shape.value} ({aicc}) fits better than {others_text(model.fits[1:])}."
    if model.others:
        second = f"{best.shape.value} ({aicc}) fits best. The interval also spans the intervals of"
        second += f" models not shown to be wrong: {others_text(model.others)}."
    worst = max(zip(abs(model.residuals), model.fitted), key=lambda pair: float(pair[0]))
    third = f"No step lies further than {rate_text(round(float(worst[0])))} from the model; R² ="
    third += f" {best.r_squared:.6f}."
    return [first, second, third]


def doubts(sweep: Sweep, model: Model) -> list[str]:
    best = model.chosen
    found = list(sweep.doubts())
    told = model.breaks and model.holds
    if told and not best.is_inside:
        found.append("The break point lies at an end of the rates: sweep a wider range.")
    if model.breaks and not model.holds:
        found.append("No model of a break point fits this server: do not use figures of the table.")
    if told and best.shape in (Shape.ABOVE, Shape.HINGE) and best.beta > 0:
        found.append("The line bends upwards above the break point: the server does not saturate.")
    if told and best.shape is Shape.BELOW:
        found.append("The line bends below the break point; servers that saturate bend above it.")
    if model.line_is_wrong and not model.breaks:
        more = max(RATES_LEAST, len(sweep.rates) + 1)
        found.append(f"The rates are too few for a model of a break point: sweep {more} or more.")
    elif model.points < 12:
        found.append(f"Up to four figures are found from {model.points} steps: make more.")
    return found


def table_of(model: Model) -> Table:
    def row(fit: Fit) -> list[Cell]:
        chosen = fit is model.chosen and model.breaks and model.holds
        alpha, beta = (model.alpha_interval, model.beta_interval) if chosen else (None, None)
        return [
            fit.shape.value,
            "yes" if chosen else "no",
            *members(fit, "aicc r_squared breakpoint interval.low interval.high alpha"),
            *members(alpha, "low high"),
            None if fit.shape is Shape.LIMIT else fit.beta,
            *members(beta, "low high"),
        ]

    line: list[Cell] = ["αX", "no" if model.line_is_wrong else "yes", model.line_aicc, *[None] * 4]
    rows = [*(row(fit) for fit in model.fits), [*line, model.line_alpha, *[None] * 5]]
    notes = [
        "Intervals are 95 % ones: c by wild bootstrap, α and β by Student's t with HC3 errors.",
        "AICc counts c as a parameter; the model with the lowest is chosen.",
        "A model whose c lies below rates at which all was answered stands last.",
        "R² is about 0, not about the mean, as the models have no constant.",
    ]
    heads = "model;chosen;AICc;R²;c;c from;c to;α;α from;α to;β;β from;β to".split(";")
    return Table("Models of the rate answered by the rate sent", heads, rows, notes)


def section(sweep: Sweep) -> Section:
    """Returns what is said of the model of a sweep. Throws ReportError without one."""
    sent = [step.rate for step in sweep.trials]
    answered = [step.answered_rate for step in sweep.trials]
    try:
        model = of_breaks.fit(sent, answered)
    except ValueError as error:
        raise ReportError(f"{sweep.label}: {error}; it has {len(sweep.rates)}") from error
    said = (f"Break point of {sweep.label}", findings(sweep, model), doubts(sweep, model))
    return Section(*said, [model_chart(sent, answered, model)], [table_of(model)])
