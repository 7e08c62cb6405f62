# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches for several loss ratios at once: dnsgauge/loss-search/1, and their journals."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields
from ..quantities import plural
from .base import caveats_of
from .journal import read_lines
from .series import Series, said, said_by_journal

SCHEMA = "dnsgauge/loss-search/1"
JOURNAL_SCHEMA = "dnsgauge/loss-search-journal/1"


@dataclass(frozen=True)
class Goal:
    """A loss ratio in percent, and the rates between which the server begins to lose more.
    `answers` are the answers per second at the lower bound, in the worst trial that counts."""

    loss: float
    lower: float | None
    upper: float | None
    answers: float | None


@dataclass(frozen=True)
class LossStep:
    """A trial that counts. `goal`: the loss ratio that asked for it, from 1; 0 in journals."""

    rate: float
    duration_s: float
    sent: int
    valid: int
    goal: int

    @property
    def loss(self) -> float:
        """Returns the percentage of the queries without a valid answer in time."""
        return 100 * (self.sent - self.valid) / self.sent if self.sent else 0.0


@dataclass(frozen=True)
class LossSearch(Series):
    """A search. The goals of journals have no bounds."""

    min_rate: float
    max_rate: float
    exceed_percent: float
    width_percent: float
    duration_s: float
    duration_sum_s: float
    goals: list[Goal]
    steps: list[LossStep]
    invalid_trials: int

    def doubts(self) -> list[str]:
        doubts = self.unfinished("search", "trials", "bounds are missing")
        if self.invalid_trials:
            doubts.append(f"{plural(self.invalid_trials, 'invalid trial')} had to be made again.")
        return [*doubts, *self.standing(caveats_of(self.fields))]


def read_goal(fields: Fields) -> Goal:
    goal = Goal(
        fields.number("loss_percent"),
        fields.number_or("lower_bound"),
        fields.number_or("upper_bound"),
        fields.number_or("conditional_throughput"),
    )
    if goal.lower is not None and goal.upper is not None and goal.lower > goal.upper:
        raise ReportError(
            f"{fields.where}: {fields.name('lower_bound')} is above the upper bound: the file was"
            " changed"
        )
    return goal


def read_step(fields: Fields) -> LossStep:
    step = LossStep(
        fields.positive("rate"),
        fields.positive("duration_s"),
        fields.count("sent"),
        fields.count("valid"),
        fields.count("goal"),
    )
    if step.valid > step.sent:
        raise ReportError(
            f"{fields.where}: {fields.name('valid')} is above the queries sent: the file was"
            " changed"
        )
    return step


def read(fields: Fields, label: str) -> LossSearch:
    """Returns the search. Throws ReportError."""
    goals = [read_goal(goal) for goal in fields.objects_or("goals")]
    if not goals:
        raise fields.wrong("goals", "a list of one loss ratio at least", fields.get("goals"))
    return LossSearch(
        label,
        fields,
        *said(fields),
        fields.positive("min_rate"),
        fields.positive("max_rate"),
        fields.number("exceed_percent"),
        fields.number("width_percent"),
        fields.number("duration_s"),
        fields.number("duration_sum_s"),
        goals,
        [read_step(step) for step in fields.objects_or("steps")],
        fields.count_or("invalid_trials"),
    )


def loss_ratios(options: Fields) -> list[float]:
    """Returns the loss ratios of a text such as "0,0.01,1", in percent. Throws ReportError."""
    text = options.text_or("loss-ratios")
    try:
        found = [float(word) for word in text.split(",") if word]
    except ValueError as error:
        raise options.wrong("loss-ratios", "a list of percentages", text) from error
    if not all(0 <= loss <= 100 for loss in found):
        raise options.wrong("loss-ratios", "a list of percentages", text)
    return found


def read_journal(text: str, where: str, label: str) -> LossSearch:
    """Returns the search as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    options = header.inner("options")
    made = [record.trial for record in records if record.trial]
    return LossSearch(
        label,
        header,
        *said_by_journal(header, made[-1] if made else None),
        options.number_or("min-rate", 1.0) or 1.0,
        options.positive("max-rate"),
        options.number_or("exceed", 0.0) or 0.0,
        options.number_or("width", 0.0) or 0.0,
        options.number_or("duration", 0.0) or 0.0,
        options.number_or("duration-sum", 0.0) or 0.0,
        [Goal(loss, None, None, None) for loss in loss_ratios(options)],
        [
            LossStep(one.rate, one.duration_s, one.sent, one.valid, 0)
            for one in made
            if one.verdict != "invalid" and one.sent
        ],
        sum(one.verdict == "invalid" for one in made),
    )
