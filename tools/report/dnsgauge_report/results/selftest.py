# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Self-tests of the Tester: dnsgauge/selftest/1."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Fields
from .base import Compliance, Cover, Result, sentence, standing
from .search import SearchTrial

SCHEMA = "dnsgauge/selftest/1"


@dataclass(frozen=True)
class Walked:
    """A placement of the Tester, and the rates that the searches with it found; 0: no rate.
    Without a `sender_queue` the sender had the usual one."""

    sender_cpu: int
    sender_queue: float | None
    settings: dict[str, str]
    rates: list[float]


@dataclass(frozen=True)
class Stage:
    """A part of the Tester that was placed in several ways. `best` is a place in `walked`, and
    `found` says in words what it gains."""

    part: str
    walked: list[Walked]
    best: int
    found: str


@dataclass(frozen=True)
class Selftest(Result):
    """A self-test. `asked` has, for each trial, the rate that the Tester is to be used at;
    `stopped_at` is the one right above `allowed_rate`, which failed for the reason `stopped_by`."""

    server: str
    end: str
    delta: float
    timeout_s: float
    duration_s: float
    allowed_rate: float | None
    passed_rate: float | None
    trials: list[SearchTrial]
    asked: list[float]
    stopped_at: float | None
    stopped_by: str
    finished: str
    compliance: Compliance | None
    certificate: Cover | None
    stages: list[Stage]
    not_walked: list[str]

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
        return [*doubts, *standing([], [self.certificate], self.compliance)]


def read_stage(fields: Fields) -> Stage:
    walked = [
        Walked(
            one.count("sender_cpu"),
            one.number_or("sender_queue"),
            {name: one.inner("settings").text(name) for name in one.inner("settings").value},
            one.numbers_or("rates"),
        )
        for one in fields.objects_or("walked")
    ]
    best = fields.count("best")
    if not 0 < best <= len(walked) or not all(one.rates for one in walked):
        raise fields.wrong("best", "the place of a placement that was walked", best)
    return Stage(fields.text("part"), walked, best - 1, sentence(fields.text("found")))


def read(fields: Fields, label: str) -> Selftest:
    placements = fields.inner_or_none("placements")
    trials = fields.objects_or("trials")
    stopped = fields.inner_or_none("stopped_by")
    return Selftest(
        label,
        fields,
        fields.text("server"),
        fields.text("end"),
        fields.number("delta"),
        fields.positive("timeout_s"),
        fields.positive("duration_s"),
        fields.number_or("allowed_rate"),
        fields.number_or("passed_rate"),
        [SearchTrial.read(trial) for trial in trials],
        [trial.positive("r") for trial in trials],
        stopped.positive("r") if stopped else None,
        stopped.text("why") if stopped else "",
        fields.text_or("finished"),
        Compliance.read(fields),
        Cover.read(fields, "certificate", "certificate"),
        [read_stage(one) for one in placements.objects_or("stages")] if placements else [],
        placements.texts_or("not_walked") if placements else [],
    )
