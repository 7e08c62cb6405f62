# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Self-tests of the Tester: dnsgauge/selftest/1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from ..fields import Fields
from ..view import Positive, View
from .base import Compliance, Result, SomeCover, sentence, standing
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
