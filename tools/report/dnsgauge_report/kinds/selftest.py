# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Self-tests of the Tester: dnsgauge/selftest/1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from ..charts.rates import Bar, RatedTrial, bars_chart, trials_chart
from ..document import Chart, Section, Table
from ..fields import Fields
from ..quantities import plural, rate_text
from ..tables import rows_of, table_of
from ..view import Positive, View
from .base import Compliance, Result, SomeCover, asked_tables, ended, sentence, standing
from .search import SearchTrial, median

SCHEMA = "dnsgauge/selftest/1"


def read_texts(fields: Fields, name: str) -> dict[str, str]:
    inner = fields.inner(name)
    return {key: inner.text(key) for key in inner.value}


def read_sentence(fields: Fields, name: str) -> str:
    return sentence(fields.text(name))


@dataclass(frozen=True, kw_only=True)
class Walked(View):
    """A placement of the Tester, and the rates that the searches with it found; 0: no rate.
    Without a `sender_queue` the sender had the usual one."""

    sender_cpu: int
    sender_queue: float | None = None
    settings: Annotated[dict[str, str], read_texts]
    rates: list[float]

    @property
    def placement(self) -> str:
        queue = [] if self.sender_queue is None else [f"transmit queue {self.sender_queue:.0f}"]
        settings = (f"{name} {value}" for name, value in self.settings.items())
        return ", ".join([f"CPU {self.sender_cpu}", *queue, *settings])

    @property
    def median(self) -> float:
        return median(self.rates)

    @property
    def lowest(self) -> float:
        return min(self.rates)

    @property
    def highest(self) -> float:
        return max(self.rates)

    @property
    def searches(self) -> int:
        return len(self.rates)


@dataclass(frozen=True, kw_only=True)
class Stage(View):
    """A part of the Tester that was placed in several ways. `best` is a place in `walked`, from 1,
    and `found` says in words what it gains."""

    part: str
    walked: list[Walked]
    best: int
    found: Annotated[str, read_sentence]

    def check(self, fields: Fields) -> None:
        if not 0 < self.best <= len(self.walked) or not all(one.rates for one in self.walked):
            raise fields.wrong("best", "the place of a placement that was walked", self.best)


@dataclass(frozen=True, kw_only=True)
class Placements(View):
    stages: list[Stage] = field(default_factory=list)
    not_walked: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Asked(SearchTrial):
    """A trial; `r` is the rate that the Tester is to be used at."""

    r: Positive


@dataclass(frozen=True, kw_only=True)
class Stopped(View):
    """The trial that failed right above `allowed_rate`."""

    r: Positive
    why: str


@dataclass(frozen=True, kw_only=True)
class Selftest(Result):
    """A self-test."""

    server: str
    end: str
    delta: float
    timeout_s: Positive
    duration_s: Positive
    allowed_rate: float | None = None
    passed_rate: float | None = None
    trials: list[Asked]
    stopped_by: Stopped | None = None
    finished: str = ""
    rfc8219: Compliance | None = None
    certificate: SomeCover = None
    placements: Placements = Placements()

    @property
    def decides(self) -> bool:
        """Returns whether the self-test came to its end."""
        return self.end not in ("interrupted", "invalid trial")

    def doubts(self) -> list[str]:
        doubts = []
        if not self.decides:
            doubts.append(
                f"The self-test did not come to its end ({self.end}): it decides nothing."
            )
        return [*doubts, *standing([], [self.certificate], self.rfc8219)]


read = Selftest.of


def findings(test: Selftest) -> list[str]:
    made = (
        f"The self-test took {plural(len(test.trials), 'trial')} of {test.duration_s:g} s against"
        f" FakeDNS at {test.server}."
    )
    if not test.decides:
        return [f"The self-test ended early ({test.end}), and decides nothing.", made]
    stopped = test.stopped_by
    if test.allowed_rate is None:
        return [
            f"The Tester may be used at no rate: {ended(stopped.why if stopped else test.end)}",
            made,
            "A lower --min-rate may be kept.",
        ]
    limit = (
        f"It is not fit for {rate_text(stopped.r)}: {ended(stopped.why)}"
        if stopped
        else "No higher rate was tried, so it may allow more."
    )
    return [
        (
            f"The Tester may be used at up to {rate_text(test.allowed_rate)}: it kept"
            f" {rate_text(test.passed_rate)}, {2 * (1 + test.delta):.3g} times as many."
        ),
        made,
        limit,
    ]


def stage_charts(test: Selftest) -> list[Chart]:
    """Returns the rates of the placements that were walked, a figure for each part that was
    placed."""
    charts = []
    for number, stage in enumerate(test.placements.stages, 1):
        bars = [
            Bar(
                one.placement + (" (best)" if place == stage.best else ""),
                one.median,
                one.lowest,
                one.highest,
                len(one.rates),
                failure="" if one.highest else "no rate passed",
            )
            for place, one in enumerate(stage.walked, 1)
        ]
        title = f"Rates by placement of the {stage.part}"
        charts.append(bars_chart(bars, title, f"placements-{number}"))
    return charts


def walked_tables(test: Selftest) -> list[Table]:
    """Returns what was found of each placement, a table for each part that was placed."""
    stages, tables = test.placements.stages, []
    for stage in stages:
        notes = [stage.found]
        if stage is stages[-1]:
            notes += map(sentence, test.placements.not_walked)
        columns = "placement; median; lowest; highest; searches"
        tables.append(table_of(f"Placements of the {stage.part}", stage.walked, columns, notes))
    return tables


def section(test: Selftest) -> Section:
    trials = [
        RatedTrial(trial.rate, trial.verdict, 1, trial.sent, trial.valid, trial.why)
        for trial in test.trials
    ]
    levels = [("kept", test.passed_rate)] if test.passed_rate is not None else []
    charts = [trials_chart(trials, "The self-test, trial by trial", levels)] if trials else []
    columns = "trial=#; for queries/s=r; tried queries/s=rate; verdict; valid=valid/sent; why"
    asked = rows_of(
        [test],
        "server; end; delta={0.delta:g}; timeout of the trials it is for=timeout_s;"
        " duration=duration_s; finished",
    )
    return Section(
        f"Self-test {test.label}: a Tester and FakeDNS at {test.server}",
        [*findings(test), *(stage.found for stage in test.placements.stages)],
        test.doubts(),
        [*charts, *stage_charts(test)],
        [*walked_tables(test), table_of("Trials", test.trials, columns)],
        asked_tables(test.fields, asked),
    )
