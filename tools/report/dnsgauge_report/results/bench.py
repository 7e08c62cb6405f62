# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of generators against servers: dnsgauge/bench/1."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Fields
from .base import Result

SCHEMA = "dnsgauge/bench/1"


@dataclass(frozen=True)
class Turn:
    """One round of a pair: rates in queries per second. `lossless` is None where none was found."""

    round: int
    generator: str
    server: str
    lossless: float | None
    answered: float
    sent: float


@dataclass(frozen=True)
class Bench(Result):
    """A benchmark of generators, finished or not."""

    complete: bool
    date: str
    turns: list[Turn]

    def doubts(self) -> list[str]:
        return [] if self.complete else ["The run ended early."]


def read_turn(fields: Fields) -> Turn:
    trials = [trial for trial in fields.objects_or("trials") if trial.text("purpose") != "start"]
    return Turn(
        fields.count("round"),
        fields.text("generator"),
        fields.text("server"),
        fields.number_or("found"),
        max((trial.number("answered_rate") for trial in trials), default=0.0),
        max((trial.number("sent_rate") for trial in trials), default=0.0),
    )


def read(fields: Fields, label: str) -> Bench:
    return Bench(
        label,
        fields,
        fields.truth("complete"),
        fields.text_or("date"),
        [read_turn(turn) for turn in fields.objects_or("turns")],
    )
