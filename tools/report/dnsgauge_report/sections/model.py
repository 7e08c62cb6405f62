# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is said of the break-point model of paper 003."""

from __future__ import annotations

from ..charts.model import model_chart
from ..document import Cell, Section, Table
from ..errors import ReportError
from ..quantities import rate_text
from ..results.sweep import Sweep
from ..statistics import breakpoint as of_breaks
from ..statistics.breakpoint import Fit, Hinge, Model
from .compare import p_text

WHERE = {Hinge.ABOVE: "above", Hinge.BELOW: "below"}
# A difference of AIC that is no reason to take one model and not another (Burnham and Anderson,
# 2002).
CLOSE = 2.0


def findings(sweep: Sweep, model: Model) -> list[str]:
    best, other = model.chosen, model.other
    if not model.breaks:
        return [
            (
                f"No break point of {sweep.server} is shown up to {rate_text(sweep.rates[-1])}: a"
                f" straight line does as well (wild bootstrap, {p_text(model.line_p)}; AIC"
                f" {model.line_aic:.1f}, bent {best.aic:.1f})."
            ),
            f"It answers {100 * model.line_alpha:.4g} % of what is sent.",
        ]
    low, high = (rate_text(round(bound)) for bound in (model.interval.low, model.interval.high))
    first = (
        f"The break point of {sweep.server} is {rate_text(round(best.breakpoint))} (95 %: {low} to"
        f" {high}): {WHERE[best.hinge]} it the line bends."
    )
    second = (
        f"The reading {best.hinge.value} fits better than {other.hinge.value} (AIC"
        f" {best.aic:.1f} and {other.aic:.1f})."
        if other.aic - best.aic > CLOSE
        else (
            f"The readings {best.hinge.value} and {other.hinge.value} fit alike (AIC"
            f" {best.aic:.1f} and {other.aic:.1f}): the other one's break point is"
            f" {rate_text(round(other.breakpoint))}."
        )
    )
    worst = max(zip(abs(model.residuals), model.fitted), key=lambda pair: float(pair[0]))
    third = (
        f"No step lies further than {rate_text(round(float(worst[0])))} from the model;"
        f" R² = {best.r_squared:.6f}."
    )
    return [first, second, third]


def doubts(sweep: Sweep, model: Model) -> list[str]:
    best = model.chosen
    found = list(sweep.doubts())
    if model.breaks and not best.is_inside:
        found.append(
            "The break point lies at an end of the rates, which says nothing: sweep a wider range."
        )
    kept = sweep.answered_whole
    if model.breaks and best.hinge is Hinge.ABOVE and kept > model.interval.high:
        found.append(
            f"The model's break point lies below {rate_text(kept)}, up to which every query was"
            " answered: above its break point this server saturates in another way than the model"
            " has it, and the steps say more."
        )
    if model.breaks and best.hinge is Hinge.ABOVE and best.beta > 0:
        found.append(
            "The line bends upwards above the break point: the server does not saturate in this"
            " range."
        )
    if model.breaks and best.hinge is Hinge.BELOW:
        found.append(
            "The line bends below the break point, as the paper prints its model; a server that"
            " saturates bends above it."
        )
    if model.points < 12:
        found.append(
            f"Four figures are found from {model.points} steps: more steps make them surer."
        )
    return found


def table_of(model: Model) -> Table:
    def row(fit: Fit) -> list[Cell]:
        chosen = fit is model.chosen
        bounds: list[Cell] = [None] * 6
        if chosen and model.breaks:
            intervals = (model.interval, model.alpha_interval, model.beta_interval)
            bounds = [
                bound
                for one in intervals
                for bound in ((one.low, one.high) if one else (None, None))
            ]
        return [
            fit.hinge.value,
            "yes" if chosen and model.breaks else "no",
            fit.aic,
            fit.r_squared,
            fit.breakpoint,
            *bounds[:2],
            fit.alpha,
            *bounds[2:4],
            fit.beta,
            *bounds[4:],
        ]

    rows: list[list[Cell]] = [
        row(model.chosen),
        row(model.other),
        [
            "none: Y = αX",
            "no" if model.breaks else "yes",
            model.line_aic,
            None,
            None,
            None,
            None,
            model.line_alpha,
            None,
            None,
            None,
            None,
            None,
        ],
    ]
    notes = [
        (
            "Intervals hold the truth 95 times of 100: c by wild bootstrap, α and β by Student's t"
            " with HC3 errors."
        ),
        "AIC counts c as a parameter; the lower one is chosen.",
        "R² is about 0, not about the mean, as the model has no constant.",
    ]
    heads = (
        "reading",
        "chosen",
        "AIC",
        "R²",
        "c",
        "c from",
        "c to",
        "α",
        "α from",
        "α to",
        "β",
        "β from",
        "β to",
    )
    return Table("Break-point model Y = αX + β·hinge² + e", heads, rows, notes)


def section(sweep: Sweep) -> Section:
    """Returns what is said of the model of a sweep. Throws ReportError where it cannot be
    fitted."""
    sent = [step.rate for step in sweep.steps]
    answered = [step.answered_rate for step in sweep.steps]
    try:
        model = of_breaks.fit(sent, answered)
    except ValueError as error:
        raise ReportError(
            f"{sweep.label}: {error}; there are steps at {len(sweep.rates)}"
        ) from error
    return Section(
        f"Break point of {sweep.label}",
        findings(sweep, model),
        doubts(sweep, model),
        [model_chart(sent, answered, model)],
        [table_of(model)],
    )
