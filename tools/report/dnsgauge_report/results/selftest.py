# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Self-tests of the Tester: dnsgauge/selftest/1."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Fields
from .base import Compliance, Cover, Result, sentence, standing
from .search import SearchTrial

SCHEMA = "dnsgauge/selftest/1"


@dataclass(frozen=True)
class Selftest(Result):
    """A self-test. `asked` has, for each trial, the rate that the Tester is to be used at."""

    server: str
    end: str
    delta: float
    timeout_s: float
    duration_s: float
    allowed_rate: float | None
    passed_rate: float | None
    trials: list[SearchTrial]
    asked: list[float]
    stopped_by: str
    finished: str
    compliance: Compliance | None
    certificate: Cover | None

    def doubts(self) -> list[str]:
        doubts = []
        if self.end in ("interrupted", "invalid trial"):
            doubts.append(
                f"The self-test did not come to its end ({self.end}): it decides nothing."
            )
        return [*doubts, *standing([], [self.certificate], self.compliance)]


def read(fields: Fields, label: str) -> Selftest:
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
        sentence(stopped.text("why")) if stopped else "",
        fields.text_or("finished"),
        Compliance.read(fields),
        Cover.read(fields, "certificate", "certificate"),
    )
