# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of generators against servers: dnsgauge/bench/1."""

from __future__ import annotations

from dataclasses import dataclass

from ..view import View
from .base import Result

SCHEMA = "dnsgauge/bench/1"


@dataclass(frozen=True, kw_only=True)
class BenchTrial(View):
    purpose: str
    answered_rate: float
    sent_rate: float


@dataclass(frozen=True, kw_only=True)
class Turn(View):
    """One round of a pair. `found` is the highest rate without a loss; none where none was."""

    round: int
    generator: str
    server: str
    found: float | None = None
    trials: list[BenchTrial]

    @property
    def answered(self) -> float:
        return max((one.answered_rate for one in self.trials if one.purpose != "start"), default=0)

    @property
    def sent(self) -> float:
        return max((one.sent_rate for one in self.trials if one.purpose != "start"), default=0)


@dataclass(frozen=True, kw_only=True)
class Bench(Result):
    """A benchmark of generators, finished or not."""

    complete: bool
    date: str = ""
    turns: list[Turn]

    def doubts(self) -> list[str]:
        return [] if self.complete else ["The run ended early."]
