# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches for several loss ratios: their trials in turn, the loss by rate, and the bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..document import Chart, Table
from ..drawing import FAINT, INK, SERIES, beside, dots, legend_above, name_rows
from ..quantities import log_ticks, plural, rate_axis, rate_text
from ..results.loss_search import Goal, LossStep
from .rates import rate_scale, sent_scale


def goal_name(goal: Goal) -> str:
    return goal.name


def mark_of(step: LossStep, goals: Sequence[Goal]) -> tuple[str, str]:
    """Returns colour and form: the loss ratio that asked for the trial, and whether the trial lost
    more."""
    if not step.goal or step.goal > len(goals):
        return FAINT, "o"
    is_good = step.loss <= goals[step.goal - 1].loss_percent
    return SERIES[(step.goal - 1) % len(SERIES)], "o" if is_good else "X"


def steps_chart(steps: Sequence[LossStep], goals: Sequence[Goal], name: str = "trials") -> Chart:
    """Returns the search as a picture: each trial in its turn, its rate, and the loss ratio that
    asked for it."""

    def draw(figure: Any) -> None:
        from matplotlib.lines import Line2D

        axes = figure.add_subplot()
        turns = range(1, len(steps) + 1)
        axes.plot(turns, [step.rate for step in steps], color=FAINT, linewidth=0.6, zorder=2)
        for turn, step in zip(turns, steps):
            colour, mark = mark_of(step, goals)
            dots(axes, [turn], [step.rate], colour, 24, marker=mark, zorder=3)
        handles = []
        for place, goal in enumerate(goals):
            colour = SERIES[place % len(SERIES)]
            if goal.lower_bound is not None:
                axes.axhline(goal.lower_bound, color=colour, linewidth=0.8, linestyle="--")
            handles.append(
                Line2D([], [], color=colour, linestyle="--", marker="o", label=goal_name(goal))
            )
        rate_scale(axes, [step.rate for step in steps])
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.grid(axis="x", visible=False)
        axes.set(xlabel="trial", ylabel="queries per second")
        legend_above(axes, 4, handles=handles, title="most that may be lost", title_fontsize=7.5)

    caption = (
        "Each trial at its rate, in the order in which they were made; colours: the loss ratio that"
        " asked for it; crosses: it lost more than that; dashes: the rate that is kept."
        f" N = {plural(len(steps), 'trial')}."
    )
    text = f"{plural(len(steps), 'trial')}" + "".join(
        f"; {goal_name(goal)}: {rate_text(goal.lower_bound)}"
        for goal in goals
        if goal.lower_bound is not None
    )
    rows = [
        (turn, step.rate, step.duration_s, step.sent, step.valid, step.loss, step.goal)
        for turn, step in enumerate(steps, 1)
    ]
    heads = ("trial", "rate", "duration_s", "sent", "valid", "loss_percent", "goal")
    title = "The search, trial by trial"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def losses_chart(
    steps: Sequence[LossStep], goals: Sequence[Goal], name: str = "loss-by-rate"
) -> Chart:
    """Returns the loss of each trial by its rate, and the loss ratios as lines."""
    positive = [step.loss for step in steps if step.loss] + [
        goal.loss_percent for goal in goals if goal.loss_percent
    ]
    floor = min(positive, default=1.0) / 4

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        dots(
            axes,
            [step.rate for step in steps],
            [step.loss or floor for step in steps],
            SERIES[0],
            [12 if step.loss else 18 for step in steps],
            alpha=0.7,
            zorder=3,
        )
        for goal in goals:
            axes.axhline(goal.loss_percent or floor, color=FAINT, linewidth=0.8, linestyle="--")
        axes.set_yscale("log")
        axes.set_ylim(floor * 0.6, 150)
        log_ticks(axes.yaxis)
        ticks = [tick for tick in axes.get_yticks() if floor * 2 < tick <= 100]
        axes.set_yticks([floor, *ticks], ["none", *(f"{tick:.6g}" for tick in ticks)])
        sent_scale(axes, [step.rate for step in steps])
        axes.set_ylabel("% not answered right in time")

    caption = (
        "Queries without a right answer in time, by the rate sent; dashes: the loss ratios. The"
        f" axis of losses is logarithmic. N = {plural(len(steps), 'trial')}."
    )
    lossless = [step.rate for step in steps if not step.loss]
    text = f"{len(lossless)} of {plural(len(steps), 'trial')} lost nothing" + (
        f", the fastest at {rate_text(max(lossless))}" if lossless else ""
    )
    rows = [(step.rate, step.sent, step.valid, step.loss) for step in steps]
    heads = ("rate", "sent", "valid", "loss_percent")
    title = "Loss by rate"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def bounds_chart(goals: Sequence[Goal], steps: int, name: str = "bounds") -> Chart:
    """Returns the rates found for each loss ratio: the bounds, and the answers per second."""

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, goal in enumerate(goals):
            first = place == 0
            if goal.lower_bound is not None:
                axes.plot(
                    [goal.lower_bound, goal.upper_bound or goal.lower_bound],
                    [-place, -place],
                    color=SERIES[0],
                    linewidth=3,
                )
                axes.scatter(
                    [goal.lower_bound], [-place], s=34, color=SERIES[0], zorder=3,
                    label="rate kept" if first else None,
                )  # fmt: skip
                beside(
                    axes,
                    rate_text(round(goal.lower_bound)),
                    (goal.upper_bound or goal.lower_bound, -place),
                    shift=(6, 0),
                )
            else:
                axes.text(0, -place, " no bound", va="center", fontsize=7, color=FAINT)
            if goal.conditional_throughput is not None:
                axes.scatter(
                    [goal.conditional_throughput], [-place], s=26, marker="|", color=INK, zorder=4,
                    label="answers per second" if first else None,
                )  # fmt: skip
        axes.set_xlim(
            0, 1.22 * max([goal.upper_bound or goal.lower_bound or 0.0 for goal in goals])
        )
        name_rows(axes, [goal_name(one) for one in goals])
        axes.locator_params(axis="x", nbins=5)
        rate_axis(axes.xaxis)
        axes.set(xlabel="queries per second", ylabel="may be lost")
        if goals[0].lower_bound is not None:
            legend_above(axes, 2)

    caption = (
        "Points: the highest rate that is kept with each loss ratio; bars reach to the least rate"
        f" that is not. N = {plural(steps, 'trial')}."
    )
    text = "; ".join(
        f"{goal_name(goal)}: from {rate_text(goal.lower_bound)} to {rate_text(goal.upper_bound)}"
        for goal in goals
    )
    rows = [
        (goal.loss_percent, goal.lower_bound, goal.upper_bound, goal.conditional_throughput)
        for goal in goals
    ]
    heads = ("loss_percent", "lower_bound", "upper_bound", "answers_per_second")
    title = "Rates by loss ratio"
    height = min(1.2, 0.36 + 0.09 * len(goals))
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw, height)


def charts_of(steps: Sequence[LossStep], goals: Sequence[Goal]) -> list[Chart]:
    """Returns the charts of a search: none before its first trial has ended."""
    if not steps:
        return []
    charts = [steps_chart(steps, goals), losses_chart(steps, goals)]
    if any(goal.lower_bound is not None for goal in goals):
        charts.insert(0, bounds_chart(goals, len(steps)))
    return charts
