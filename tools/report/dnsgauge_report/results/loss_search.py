# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches for several loss ratios at once: dnsgauge/loss-search/1, and their journals."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..fields import Fields
from ..quantities import plural
from ..view import Positive, View
from .base import contradiction
from .journal import read_lines, trials_of
from .series import Series, said_by_journal

SCHEMA = "dnsgauge/loss-search/1"
JOURNAL_SCHEMA = "dnsgauge/loss-search-journal/1"


@dataclass(frozen=True, kw_only=True)
class Goal(View):
    """A loss ratio, and the rates between which the server begins to lose more.
    `conditional_throughput` are the answers per second at the lower bound, in the worst trial that
    counts."""

    loss_percent: float
    lower_bound: float | None = None
    upper_bound: float | None = None
    conditional_throughput: float | None = None

    @property
    def name(self) -> str:
        return f"{self.loss_percent:.6g} %"

    @property
    def answers(self) -> float | None:
        found = self.conditional_throughput
        return None if found is None else round(found, 1)

    def check(self, fields: Fields) -> None:
        if (self.lower_bound or 0.0) > (self.upper_bound or math.inf):
            raise contradiction(fields, f"{fields.name('lower_bound')} is above the upper bound")


@dataclass(frozen=True, kw_only=True)
class LossStep(View):
    """A trial that counts. `goal`: the loss ratio that asked for it, from 1; 0 in journals."""

    rate: Positive
    duration_s: Positive
    sent: int
    valid: int
    goal: int

    def check(self, fields: Fields) -> None:
        if self.valid > self.sent:
            raise contradiction(fields, f"{fields.name('valid')} is above the queries sent")

    @property
    def loss(self) -> float:
        """Returns the percentage of the queries without a valid answer in time."""
        return 100 * (self.sent - self.valid) / self.sent if self.sent else 0.0


@dataclass(frozen=True, kw_only=True)
class LossSearch(Series):
    """A search. The goals of journals have no bounds."""

    min_rate: Positive
    max_rate: Positive
    exceed_percent: float
    width_percent: float
    duration_s: float
    duration_sum_s: float
    goals: list[Goal]
    steps: list[LossStep]

    def doubts(self) -> list[str]:
        doubts = self.unfinished("search", "trials", "bounds are missing")
        if self.invalid_trials:
            doubts.append(f"{plural(self.invalid_trials, 'invalid trial')} had to be made again.")
        return [*doubts, *self.standing()]


def read(fields: Fields, label: str) -> LossSearch:
    """Returns the search. Throws ReportError."""
    made = LossSearch.of(fields, label)
    if not made.goals:
        raise fields.wrong("goals", "a list of one loss ratio at least", fields.get("goals"))
    return made


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
    made = trials_of(records)
    return LossSearch(
        label=label,
        min_rate=options.number_or("min-rate", 1.0) or 1.0,
        max_rate=options.positive("max-rate"),
        exceed_percent=options.number_or("exceed", 0.0) or 0.0,
        width_percent=options.number_or("width", 0.0) or 0.0,
        duration_s=options.number_or("duration", 0.0) or 0.0,
        duration_sum_s=options.number_or("duration-sum", 0.0) or 0.0,
        goals=[Goal(loss_percent=loss) for loss in loss_ratios(options)],
        steps=[
            LossStep(
                rate=one.rate, duration_s=one.duration_s, sent=one.sent, valid=one.valid, goal=0
            )
            for one in made
            if one.verdict != "invalid" and one.sent
        ],
        **said_by_journal(header, made),
    )
