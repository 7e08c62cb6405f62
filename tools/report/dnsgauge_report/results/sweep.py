# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps, a range of rates each tried once or several times: dnsgauge/sweep/1, or CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields
from ..quantities import rate_text
from .base import Compliance, Result, caveats_of
from .search import Search
from .trial import Trial

SCHEMA = "dnsgauge/sweep/1"
HEADS = ("rate", "sent", "answered")
# Steps that a file may have: more are no sweep.
MOST_STEPS = 100_000


@dataclass(frozen=True)
class Step:
    """A rate that was tried: `answered` are the queries answered right and in time."""

    rate: float
    sent: int
    answered: int

    @property
    def answered_rate(self) -> float:
        return self.rate * self.answered / self.sent


@dataclass(frozen=True)
class Sweep(Result):
    """Steps in the order in which they were made. The steps of a rate are its repetitions."""

    server: str
    steps: list[Step]
    compliance: Compliance | None
    caveats: list[str]

    @property
    def rates(self) -> list[float]:
        return sorted({step.rate for step in self.steps})

    def shares(self) -> list[list[float]]:
        """Returns for each repetition the shares answered at all rates, in percent. Throws
        ReportError where not all rates have as many."""
        by_rate = {
            rate: [100 * step.answered / step.sent for step in self.steps if step.rate == rate]
            for rate in self.rates
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
        return [*self.caveats, *(self.compliance.doubts() if self.compliance else [])]


def read_step(fields: Fields) -> Step:
    return checked(
        Step(fields.positive("rate"), fields.count("sent"), fields.count("answered")),
        fields.where,
        fields.name(""),
    )


def checked(step: Step, where: str, name: str) -> Step:
    if step.sent == 0 or step.answered > step.sent:
        raise ReportError(
            f"{where}: {name}: {step.answered} of {step.sent} queries answered: a step sends"
            " queries, and has no more answers than queries"
        )
    return step


def read(fields: Fields, label: str) -> Sweep:
    """Returns the sweep. Throws ReportError."""
    steps = [read_step(step) for step in fields.objects_or("steps")]
    if not steps:
        raise ReportError(f"{fields.where}: there are no steps: has the sweep begun?")
    return Sweep(
        label,
        fields,
        fields.text_or("server", "the server"),
        steps,
        Compliance.read(fields),
        caveats_of(fields),
    )


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
        steps.append(read_step(Fields(values, place)))
        if len(steps) > MOST_STEPS:
            raise ReportError(f"{where}: more than {MOST_STEPS} steps: no sweep")
    if not steps:
        raise ReportError(f"{where}: there are no steps below the heads: has the sweep begun?")
    return Sweep(label, Fields({}, where), "the server", steps, None, [])


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
            steps += [Step(one.rate, one.sent, one.valid) for one in found]
        elif isinstance(result, Trial):
            if result.verdict != "invalid" and result.sent:
                steps.append(Step(result.rate, result.sent, result.valid))
        else:
            raise ReportError(
                f"{result.label}: no sweep, search or trial: it has no rates with answers"
            )
    if not steps:
        raise ReportError(f"{', '.join(labels)}: no valid trial: there is nothing to fit")
    servers = {getattr(result, "server") for result in results}
    return Sweep(
        ", ".join(labels),
        results[0].fields,
        ", ".join(sorted(servers)),
        steps,
        None,
        list(dict.fromkeys(caveats)),
    )
