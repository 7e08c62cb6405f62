# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What captures and lists of queries hold: dnsgauge/capture/1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..errors import ReportError
from ..fields import Fields
from ..view import Positive, View
from .base import Result, contradiction

SCHEMA = "dnsgauge/capture/1"


@dataclass(frozen=True, kw_only=True)
class Moment(View):
    """An interval: when it began, how long between the first message and the last, and what it
    has. Files of older versions do not tell the time between."""

    since_ns: int
    covered_s: float
    queries: int
    answers: int


@dataclass(frozen=True, kw_only=True)
class Frequent(View):
    text: str
    queries: int


@dataclass(frozen=True, kw_only=True)
class Asking(View):
    """Names, or clients: how many, and those with the most queries."""

    distinct: int
    most_frequent: list[Frequent]


def by_count(fields: Fields, name: str) -> dict[str, int]:
    counts = sorted(fields.counts_or(name).items(), key=lambda pair: -pair[1])
    return {name: count for name, count in counts if count}


@dataclass(frozen=True, kw_only=True)
class Capture(Result):
    """Counts of messages. `types` and `rcodes` are by name, the most frequent first."""

    files: list[str]
    packets: int
    queries: int
    answers: int
    rate: float | None = None
    since_ns: float | None = None
    until_ns: float | None = None
    types: Annotated[dict[str, int], by_count]
    rcodes: Annotated[dict[str, int], by_count]
    left_out: dict[str, int]
    disordered: int
    names: Asking
    clients: Asking
    interval_s: Positive
    over_time: list[Moment]

    @property
    def seconds(self) -> float | None:
        if self.since_ns is None or self.until_ns is None:
            return None
        return (self.until_ns - self.since_ns) / 1e9

    def since_s(self, moment: Moment) -> float:
        """Returns how long after the first interval this one began."""
        return (moment.since_ns - self.over_time[0].since_ns) / 1e9

    def check(self, fields: Fields) -> None:
        over = self.over_time
        told = (sum(one.queries for one in over), sum(one.answers for one in over))
        if over and told != (self.queries, self.answers):
            what = f"over_time has {told[0]} queries and {told[1]} answers, the capture"
            raise contradiction(fields, f"{what} {self.queries} and {self.answers}")
        if any(not 0 <= one.covered_s <= self.interval_s * 1.000001 for one in over):
            raise ReportError(f"{fields.where}: an interval covers more than its length")
        if any(after.since_ns <= before.since_ns for before, after in zip(over, over[1:])):
            raise contradiction(fields, "over_time does not ascend")

    def doubts(self) -> list[str]:
        names = {"tcp": "TCP segments", "cut": "packets captured in part", "other": "other packets"}
        doubts = [
            f"{count:,} {names.get(name, name)} were left out."
            for name, count in self.left_out.items()
            if count
        ]
        if self.disordered:
            doubts.append(f"{self.disordered:,} messages come after one of a later time.")
        return doubts


def read(fields: Fields, label: str) -> Capture:
    """Returns what the capture holds. Throws ReportError where its figures contradict each
    other."""
    whole = fields.positive("interval_s")
    moments = [
        Moment.read(one, covered_s=one.number_or("covered_s", whole) or 0.0)
        for one in fields.objects_or("over_time")
    ]
    return Capture.of(fields, label, over_time=moments)
