# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Intervals: what became of the queries that were sent in each part of a trial. They stand in a
trial's JSON, and in the CSV file of --intervals."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields
from .base import Result
from .classes import REASONS

HEADS = ("since_s", "sent", "valid", "late", "lost", "invalid")
# Percentiles of the RTT that are drawn over time, by their names in the JSON.
QUANTILES = ("p50", "p99", "max")
# dnsgauge counts no more intervals than this.
MOST_INTERVALS = 100_000


@dataclass(frozen=True)
class Interval:
    """A part of a trial, from `since_s` on. Counts are of queries, `rcodes` of replies; `rtt` has
    nanoseconds by QUANTILES, and nothing where no query was valid."""

    since_s: float
    sent: int
    valid: int
    late: int
    lost: int
    invalid: int
    rcodes: dict[str, int]
    rtt: dict[str, float]

    @property
    def share(self) -> float | None:
        """Returns the percentage answered right in time; none where nothing was sent."""
        return 100 * self.valid / self.sent if self.sent else None

    @property
    def replies(self) -> int:
        return sum(self.rcodes.values())


@dataclass(frozen=True)
class Intervals(Result):
    """The intervals of a file, whose trial is not known."""

    intervals: Sequence[Interval]

    def doubts(self) -> list[str]:
        return ["The file tells neither the verdict nor the conditions: the trial's own JSON does."]


def checked(fields: Fields, intervals: Sequence[Interval]) -> Sequence[Interval]:
    """Returns the intervals. Throws ReportError where one contradicts itself, or its neighbour."""
    for number, one in enumerate(intervals):
        decided = one.valid + one.late + one.lost + one.invalid
        if one.sent != decided or one.replies > one.sent:
            raise ReportError(
                f"{fields.where}: {fields.name('intervals')}[{number}], from {one.since_s:g} s on:"
                f" {one.sent} queries were sent, {decided} were decided, {one.replies} got a reply:"
                " the file was changed"
            )
        if number and one.since_s <= intervals[number - 1].since_s:
            raise ReportError(
                f"{fields.where}: {fields.name('intervals')}[{number}] does not follow the one"
                " before it: the file was changed"
            )
    return intervals


def read_list(fields: Fields, sent: int, valid: int) -> Sequence[Interval]:
    """Returns the intervals of a trial with these counts; none of a trial that has no intervals.
    Throws ReportError where they do not make the trial."""
    found = []
    for one in fields.objects_or("intervals"):
        rtt = one.inner_or_none("rtt_ns")
        has_rtt = rtt is not None and rtt.count("count") > 0
        found.append(
            Interval(
                one.number("since_s"),
                one.count("sent"),
                one.count("valid"),
                one.count("late"),
                one.count("lost"),
                one.inner("invalid").count("total"),
                one.counts_or("rcodes"),
                {name: rtt.number(name) for name in QUANTILES} if rtt and has_rtt else {},
            )
        )
    counts = (sum(one.sent for one in found), sum(one.valid for one in found))
    if found and counts != (sent, valid):
        raise ReportError(
            f"{fields.where}: {fields.name('intervals')} have {counts[0]} queries, {counts[1]} of"
            f" them valid, and the trial {sent} and {valid}: the file was changed"
        )
    return checked(fields, found)


def is_csv(first_line: str) -> bool:
    """Returns whether a file that begins with this line has intervals."""
    return tuple(first_line.strip().split(",")[: len(HEADS)]) == HEADS


def rows_of(text: str, where: str) -> Iterable[Fields]:
    """Returns the file's rows, numbers as such, without the empty cells. Throws ReportError."""
    reader = csv.DictReader(text.splitlines())
    for row in reader:
        place = f"{where} line {reader.line_num}"
        values: dict[str, float] = {}
        for name, cell in row.items():
            if not isinstance(name, str) or cell is None:
                raise ReportError(
                    f"{place}: it has not as many cells as there are heads: is the file cut off or"
                    " edited?"
                )
            is_number = cell.replace(".", "", 1).isdecimal() and cell.isascii() and len(cell) < 30
            if cell and not is_number:
                raise ReportError(f"{place}: {name} is no number: is the file damaged or edited?")
            if cell:
                values[name] = float(cell)
        yield Fields(values, place)
        if reader.line_num > MOST_INTERVALS:
            raise ReportError(f"{where}: more than {MOST_INTERVALS} intervals: no file of dnsgauge")


def read_csv(text: str, where: str, label: str) -> Intervals:
    """Returns the intervals of a CSV file. Throws ReportError."""
    found = []
    for row in rows_of(text, where):
        found.append(
            Interval(
                row.number("since_s"),
                row.count("sent"),
                row.count("valid"),
                row.count("late"),
                row.count("lost"),
                row.count("invalid"),
                {
                    name.removeprefix("rcode_"): row.count(name)
                    for name in row.value
                    if name.startswith("rcode_") and row.count(name)
                },
                {
                    name: row.number(f"rtt_{name}_ns")
                    for name in QUANTILES
                    if row.has(f"rtt_{name}_ns")
                },
            )
        )
        reasons = sum(row.count_or(f"invalid_{reason}") for reason in REASONS)
        if reasons != found[-1].invalid and row.has("invalid_rcode"):
            raise ReportError(
                f"{row.where}: invalid is {found[-1].invalid}, its reasons make {reasons}: the file"
                " was changed"
            )
    if not found:
        raise ReportError(f"{where}: there are no intervals below the heads: has the trial ended?")
    fields = Fields({}, where)
    return Intervals(label, fields, checked(fields, found))
