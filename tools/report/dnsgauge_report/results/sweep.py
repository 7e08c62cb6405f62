# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps, a range of rates each tried once or several times: dnsgauge/sweep/1, their journals, or
CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields
from ..quantities import plural, rate_text
from ..view import Positive, View
from .base import Result
from .journal import read_lines, trials_of
from .search import Search
from .series import Series, said_by_journal
from .trial import Trial

SCHEMA = "dnsgauge/sweep/1"
JOURNAL_SCHEMA = "dnsgauge/sweep-journal/1"
HEADS = ("rate", "sent", "answered")
# Columns that dnsgauge sweep --form csv has besides.
MORE_HEADS = ("repetition", "rtt_p50_ns", "rtt_p99_ns")
# Steps that a file may have: more are no sweep.
MOST_STEPS = 100_000


@dataclass(frozen=True, kw_only=True)
class Step(View):
    """A rate that was tried: `answered` are the queries answered right and in time. RTTs are of the
    answered ones, and not always known. `repetition` is 0 where nobody told it."""

    rate: Positive
    sent: int
    answered: int
    rtt_p50_ns: float | None = None
    rtt_p99_ns: float | None = None
    repetition: int = 0

    def check(self, fields: Fields) -> None:
        if self.sent == 0 or self.answered > self.sent:
            place = f"{fields.where}: {fields.path}" if fields.path else fields.where
            raise ReportError(
                f"{place}: {self.answered} of {self.sent} queries answered: a step sends queries,"
                " and has no more answers than queries"
            )

    @property
    def share(self) -> float:
        """Returns the percentage answered."""
        return 100 * self.answered / self.sent

    @property
    def answered_rate(self) -> float:
        return self.rate * self.answered / self.sent


@dataclass(frozen=True, kw_only=True)
class Sweep(Series):
    """Steps in the order in which they were made. The steps of a rate are its repetitions."""

    # Whoever makes a sweep need not say more than its steps.
    server: str = "the server"
    end: str = ""
    steps: list[Step]

    @property
    def rates(self) -> list[float]:
        return sorted({step.rate for step in self.steps})

    @property
    def answered_whole(self) -> float:
        """Returns the highest rate at and below which every query of every step was answered; 0 if
        there is none."""
        failed = [step.rate for step in self.steps if step.answered < step.sent]
        return max((rate for rate in self.rates if not failed or rate < min(failed)), default=0.0)

    def shares(self) -> list[list[float]]:
        """Returns for each repetition the shares answered at all rates, in percent. Throws
        ReportError where not all rates have as many."""
        by_rate = {
            rate: [step.share for step in self.steps if step.rate == rate] for rate in self.rates
        }
        counts = {len(shares) for shares in by_rate.values()}
        if len(counts) > 1:
            fewest = min(by_rate, key=lambda rate: len(by_rate[rate]))
            raise ReportError(
                f"{self.label}: {len(by_rate[fewest])} steps at {rate_text(fewest)}, and"
                f" {max(counts)} at another rate: a run is a step at each rate"
            )
        return [list(run) for run in zip(*by_rate.values())]

    def doubts(self) -> list[str]:
        made = f"{plural(len(self.steps), 'step')} were made"
        doubts = self.unfinished("sweep", "trials", made)
        if self.invalid_trials:
            doubts.append(
                f"{plural(self.invalid_trials, 'invalid trial')} had to be made again; no step has"
                " them."
            )
        return [*doubts, *self.standing()]


def read(fields: Fields, label: str) -> Sweep:
    """Returns the sweep. Throws ReportError."""
    made = Sweep.of(fields, label)
    if not made.steps:
        raise ReportError(f"{fields.where}: there are no steps: has the sweep begun?")
    return made


def read_journal(text: str, where: str, label: str) -> Sweep:
    """Returns the sweep as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    steps = [
        step_of(record.trial, record.fields.count("repetition"))
        for record in records
        if record.trial and record.trial.verdict != "invalid" and record.trial.sent
    ]
    return Sweep(label=label, steps=steps, **said_by_journal(header, trials_of(records)))


def step_of(trial: Trial, repetition: int = 0) -> Step:
    """Returns a trial that sent something as a step."""
    half, most = (trial.rtt_ns.p50, trial.rtt_ns.p99) if trial.rtt_ns else (None, None)
    return Step(
        rate=trial.rate, sent=trial.sent, answered=trial.valid, rtt_p50_ns=half, rtt_p99_ns=most,
        repetition=repetition,
    )  # fmt: skip


def is_csv(first_line: str) -> bool:
    """Returns whether a file that begins with this line is a sweep in CSV."""
    return set(HEADS) <= {head.strip() for head in first_line.split(",")}


def read_csv(text: str, where: str, label: str) -> Sweep:
    """Returns the sweep of a CSV file with the columns rate, sent and answered; others are left
    alone. Throws ReportError."""
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    steps = []
    for row in reader:
        place = f"{where} line {reader.line_num}"
        texts = [str(row.get(head) or "").strip() for head in HEADS]
        if not all(
            text.replace(".", "", 1).isdecimal() and text.isascii() and len(text) < 19
            for text in texts
        ):
            raise ReportError(
                f"{place}: {', '.join(HEADS)} are {', '.join(texts)!r}: write numbers, without"
                " units"
            )
        values = dict(zip(HEADS, map(float, texts)))
        values |= {
            head: float(row[head])
            for head in MORE_HEADS
            if isinstance(row.get(head), str) and row[head].isascii() and row[head].isdecimal()
        }
        steps.append(Step.read(Fields(values, place)))
        if len(steps) > MOST_STEPS:
            raise ReportError(f"{where}: more than {MOST_STEPS} steps: no sweep")
    if not steps:
        raise ReportError(f"{where}: there are no steps below the heads: has the sweep begun?")
    return Sweep(label=label, fields=Fields({}, where), steps=steps)


def sweep_of(results: Iterable[Result]) -> Sweep:
    """Returns the steps of all results as one sweep: sweeps, and the trials of searches. Invalid
    trials are left out. Throws ReportError where a result has no steps."""
    steps: list[Step] = []
    labels, caveats = [], []
    results = list(results)
    for result in results:
        labels.append(result.label)
        caveats += result.doubts()
        if isinstance(result, Sweep):
            steps += result.steps
        elif isinstance(result, Search):
            found = [one for one in result.trials if one.verdict != "invalid" and one.sent]
            steps += [Step(rate=one.rate, sent=one.sent, answered=one.valid) for one in found]
        elif isinstance(result, Trial):
            if result.verdict != "invalid" and result.sent:
                steps.append(step_of(result))
        else:
            raise ReportError(
                f"{result.label}: no sweep, search or trial: it has no rates with answers"
            )
    if not steps:
        raise ReportError(f"{', '.join(labels)}: no valid trial: there is nothing to fit")
    servers = {getattr(result, "server") for result in results}
    return Sweep(
        label=", ".join(labels),
        fields=results[0].fields,
        server=", ".join(sorted(servers)),
        steps=steps,
        caveats=list(dict.fromkeys(caveats)),
    )
