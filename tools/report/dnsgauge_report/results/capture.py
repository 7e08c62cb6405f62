# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What captures and lists of queries hold: dnsgauge/capture/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields
from .base import Result

SCHEMA = "dnsgauge/capture/1"


@dataclass(frozen=True)
class Moment:
    """An interval: since when, in seconds from the first one, how long between the first message
    and the last, and what it has."""

    since_s: float
    covered_s: float
    queries: int
    answers: int


@dataclass(frozen=True)
class Capture(Result):
    """Counts of messages. `types` and `rcodes` are by name, the most frequent first."""

    files: list[str]
    packets: int
    queries: int
    answers: int
    rate: float | None
    seconds: float | None
    types: dict[str, int]
    rcodes: dict[str, int]
    left_out: dict[str, int]
    disordered: int
    names: int
    clients: int
    interval_s: float
    over_time: Sequence[Moment]

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


def by_count(counts: dict[str, int]) -> dict[str, int]:
    return {
        name: count for name, count in sorted(counts.items(), key=lambda pair: -pair[1]) if count
    }


def read(fields: Fields, label: str) -> Capture:
    """Returns what the capture holds. Throws ReportError where its figures contradict each
    other."""
    moments = fields.objects_or("over_time")
    first = moments[0].count("since_ns") if moments else 0
    interval_s = fields.positive("interval_s")
    over_time = [
        Moment(
            (one.count("since_ns") - first) / 1e9,
            # Files of older versions do not tell.
            one.number_or("covered_s", interval_s) or 0.0,
            one.count("queries"),
            one.count("answers"),
        )
        for one in moments
    ]
    queries, answers = fields.count("queries"), fields.count("answers")
    told = (sum(one.queries for one in over_time), sum(one.answers for one in over_time))
    if over_time and told != (queries, answers):
        raise ReportError(
            f"{fields.where}: over_time has {told[0]} queries and {told[1]} answers, the"
            f" capture {queries} and {answers}: the file was changed"
        )
    if any(not 0 <= one.covered_s <= interval_s * 1.000001 for one in over_time):
        raise ReportError(f"{fields.where}: an interval covers more than its length")
    if any(after.since_s <= before.since_s for before, after in zip(over_time, over_time[1:])):
        raise ReportError(f"{fields.where}: over_time does not ascend: the file was changed")
    since, until = fields.number_or("since_ns"), fields.number_or("until_ns")
    return Capture(
        label,
        fields,
        fields.texts_or("files"),
        fields.count("packets"),
        queries,
        answers,
        fields.number_or("rate"),
        None if since is None or until is None else (until - since) / 1e9,
        by_count(fields.counts_or("types")),
        by_count(fields.counts_or("rcodes")),
        fields.counts_or("left_out"),
        fields.count("disordered"),
        fields.inner("names").count("distinct"),
        fields.inner("clients").count("distinct"),
        interval_s,
        over_time,
    )
