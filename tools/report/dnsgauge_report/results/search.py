# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches: dnsgauge/search/1, and their journals: dnsgauge/search-journal/1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from ..fields import Fields
from ..view import Made, Positive, View, Word
from .base import contradiction, ended
from .journal import read_lines
from .series import Series, said_by_journal
from .trial import Trial

SCHEMA = "dnsgauge/search/1"
JOURNAL_SCHEMA = "dnsgauge/search-journal/1"


def percentile(values: Sequence[float], percent: float) -> float:
    """Returns the percentile of RFC 2330 section 11.3: the smallest value with at least that
    percentage of all values at or below it. Nothing is interpolated."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100 - 1e-9) - 1)]


def median(values: Sequence[float]) -> float:
    """Returns the median: of an even number of values the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@dataclass(frozen=True, kw_only=True)
class SearchTrial(View):
    """A trial of a search."""

    rate: Positive
    verdict: Word
    sent: int
    valid: int
    why: str

    def check(self, fields: Fields) -> None:
        if self.valid > self.sent:
            raise contradiction(fields, f"{fields.name('valid')} is above the queries sent")


@dataclass(frozen=True, kw_only=True)
class Repetition(View):
    """One whole search: the highest rate that passed, none where it has not ended. What passed and
    failed bounds its result until then."""

    rate: Positive | None = None
    at_least: float | None = None
    highest_passed: float | None = None
    lowest_failed: float | None = None
    capped: Annotated[bool, Fields.has] = False
    trials: list[SearchTrial]


@dataclass(frozen=True, kw_only=True)
class Search(Series):
    """A search. `journal` has the whole trials where a journal was read."""

    min_rate: Positive
    max_rate: Positive
    resolution: Positive
    repeat: int
    confirm: int = 0
    accept_percent: float
    rates: list[float]
    at_least: float | None = None
    repetitions: list[Repetition]
    tester_limit: str = ""
    journal: Made[list[Trial]] = field(default_factory=list)

    @property
    def trials(self) -> list[SearchTrial]:
        return [trial for repetition in self.repetitions for trial in repetition.trials]

    def doubts(self) -> list[str]:
        made = f"{len(self.rates)} of {self.repeat} repetitions have a result"
        doubts = self.unfinished("search", "trials", made)
        if self.tester_limit:
            doubts.append(f"The Tester was the limit: {ended(self.tester_limit)}")
        if self.invalid_trials:
            doubts.append(
                f"{self.invalid_trials} of {len(self.trials)} trials were invalid and made again."
            )
        capped = sum(repetition.capped for repetition in self.repetitions)
        if capped:
            doubts.append(
                f"In {capped} of {len(self.repetitions)} repetitions one unlucky trial may have"
                " capped the result."
            )
        doubts += self.standing()
        if not self.rfc8219 and not self.is_journal:
            doubts.append(
                "The file is of an older version, and does not tell whether the search is compliant"
                " with RFC 8219."
            )
        return doubts


def read(fields: Fields, label: str) -> Search:
    """Returns the search. Throws ReportError where its figures contradict each other."""
    made = Search.of(fields, label)
    if made.rates != [one.rate for one in made.repetitions if one.rate is not None]:
        raise contradiction(fields, f"{fields.name('rates')} are not those of the repetitions")
    statistics = fields.inner_or_none("statistics")
    if statistics and made.rates:
        middle = statistics.number("median")
        if statistics.count("count") != len(made.rates) or not math.isclose(
            middle, median(made.rates)
        ):
            raise contradiction(fields, f"{fields.name('statistics')} are not those of the rates")
    return made


def repetition_so_far(trials: list[SearchTrial], resolution: float, confirm: int) -> Repetition:
    """Returns what a journal's trials tell of a search. There is a result where a rate that failed
    lies above the highest that passed, within the resolution. A rate that passed at any try has
    passed: --confirm tries again."""
    passed = {trial.rate for trial in trials if trial.verdict == "pass"}
    fails = [trial.rate for trial in trials if trial.verdict == "fail"]
    failed = {rate for rate in fails if fails.count(rate) > confirm} - passed
    best = max(passed, default=None)
    above = min((rate for rate in failed if best is None or rate > best), default=None)
    is_found = best is not None and above is not None and above - best <= resolution
    rate = best if is_found else None
    return Repetition(rate=rate, highest_passed=best, lowest_failed=above, trials=trials)


def read_journal(text: str, where: str, label: str) -> Search:
    """Returns the search as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    options = header.inner("options")
    trials: dict[int, list[Trial]] = {}
    max_rate = options.positive("max-rate")
    at_least = None
    for record in records:
        if record.trial:
            trials.setdefault(record.fields.count("repetition"), []).append(record.trial)
        elif record.kind == "range":
            max_rate = record.fields.positive("max_rate")
        elif record.kind == "result":
            at_least = record.fields.number_or("at_least")
    resolution = options.number_or("resolution", 1.0) or 1.0
    repetitions = []
    for number in sorted(trials):
        short = [
            SearchTrial(
                rate=one.rate, verdict=one.verdict, sent=one.sent, valid=one.valid, why=one.why
            )
            for one in trials[number]
        ]
        repetitions.append(repetition_so_far(short, resolution, options.count_or("confirm")))
    made = [one for number in sorted(trials) for one in trials[number]]
    return Search(
        label=label,
        min_rate=options.number_or("min-rate", 1.0) or 1.0,
        max_rate=max_rate,
        resolution=resolution,
        repeat=options.count_or("repeat", 20),
        confirm=options.count_or("confirm"),
        accept_percent=options.number_or("accept", 100.0) or 100.0,
        rates=[repetition.rate for repetition in repetitions if repetition.rate is not None],
        at_least=at_least,
        repetitions=repetitions,
        journal=made,
        **said_by_journal(header, made),
    )
