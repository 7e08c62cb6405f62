# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches: dnsgauge/search/1, and their journals: dnsgauge/search-journal/1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields
from .base import caveats_of, ended
from .journal import read_lines
from .series import Series, said, said_by_journal
from .trial import VERDICTS, Trial

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


@dataclass(frozen=True)
class SearchTrial:
    """A trial of a search."""

    rate: float
    verdict: str
    sent: int
    valid: int
    why: str

    @staticmethod
    def read(fields: Fields) -> SearchTrial:
        sent, valid = fields.count("sent"), fields.count("valid")
        if valid > sent:
            raise ReportError(
                f"{fields.where}: {fields.name('valid')} is above the queries sent: the file was"
                " changed"
            )
        verdict = fields.choice("verdict", VERDICTS)
        return SearchTrial(fields.positive("rate"), verdict, sent, valid, fields.text("why"))


@dataclass(frozen=True)
class Repetition:
    """One whole search: the highest rate that passed, none where it has not ended. What passed and
    failed bounds its result until then."""

    rate: float | None
    at_least: float | None
    highest_passed: float | None
    lowest_failed: float | None
    capped: bool
    trials: list[SearchTrial]


@dataclass(frozen=True)
class Search(Series):
    """A search. `journal` has the whole trials where a journal was read."""

    min_rate: float
    max_rate: float
    resolution: float
    repeat: int
    confirm: int
    accept_percent: float
    rates: list[float]
    at_least: float | None
    repetitions: list[Repetition]
    invalid_trials: int
    tester_limit: str
    journal: list[Trial]

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
        doubts += self.standing(caveats_of(self.fields))
        if not self.compliance and not self.is_journal:
            doubts.append(
                "The file is of an older version, and does not tell whether the search is compliant"
                " with RFC 8219."
            )
        return doubts


def read_repetition(fields: Fields) -> Repetition:
    return Repetition(
        fields.positive("rate") if fields.has("rate") else None,
        fields.number_or("at_least"),
        fields.number_or("highest_passed"),
        fields.number_or("lowest_failed"),
        fields.has("capped"),
        [SearchTrial.read(trial) for trial in fields.objects_or("trials")],
    )


def read(fields: Fields, label: str) -> Search:
    """Returns the search. Throws ReportError where its figures contradict each other."""
    repetitions = [read_repetition(one) for one in fields.objects_or("repetitions")]
    rates = fields.numbers_or("rates")
    told = [repetition.rate for repetition in repetitions if repetition.rate is not None]
    if rates != told:
        raise ReportError(
            f"{fields.where}: {fields.name('rates')} are not those of the repetitions: the file was"
            " changed"
        )
    statistics = fields.inner_or_none("statistics")
    if statistics and rates:
        middle = statistics.number("median")
        if statistics.count("count") != len(rates) or not math.isclose(middle, median(rates)):
            raise ReportError(
                f"{fields.where}: {fields.name('statistics')} are not those of the rates: the file"
                " was changed"
            )
    return Search(
        label,
        fields,
        *said(fields),
        fields.positive("min_rate"),
        fields.positive("max_rate"),
        fields.positive("resolution"),
        fields.count("repeat"),
        fields.count_or("confirm"),
        fields.number("accept_percent"),
        rates,
        fields.number_or("at_least"),
        repetitions,
        fields.count_or("invalid_trials"),
        fields.text_or("tester_limit"),
        [],
    )


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
    return Repetition(best if is_found else None, None, best, above, False, trials)


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
            SearchTrial(one.rate, one.verdict, one.sent, one.valid, one.why)
            for one in trials[number]
        ]
        repetitions.append(repetition_so_far(short, resolution, options.count_or("confirm")))
    made_trials = [one for number in sorted(trials) for one in trials[number]]
    return Search(
        label,
        header,
        *said_by_journal(header, made_trials[-1] if made_trials else None),
        options.number_or("min-rate", 1.0) or 1.0,
        max_rate,
        resolution,
        options.count_or("repeat", 20),
        options.count_or("confirm"),
        options.number_or("accept", 100.0) or 100.0,
        [repetition.rate for repetition in repetitions if repetition.rate is not None],
        at_least,
        repetitions,
        sum(one.verdict == "invalid" for one in made_trials),
        "",
        made_trials,
    )
