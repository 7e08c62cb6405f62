# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Intervals: what became of the queries that were sent in each part of a trial. They stand in a
trial's JSON, and in the CSV file of --intervals."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from ..errors import ReportError
from ..fields import Fields
from ..view import View
from .base import Result, contradiction
from .classes import REASONS

HEADS = ("since_s", "sent", "valid", "late", "lost", "invalid")
# Percentiles of the RTT that are drawn over time, by their names in the JSON.
QUANTILES = ("p50", "p99", "max")
# dnsgauge counts no more intervals than this.
MOST_INTERVALS = 100_000


def read_quantiles(fields: Fields, field: str) -> dict[str, float]:
    rtt = fields.inner(field)
    return {name: rtt.number(name) for name in QUANTILES} if rtt.count("count") else {}


@dataclass(frozen=True, kw_only=True)
class Interval(View):
    """A part of a trial, from `since_s` on. Counts are of queries, `rcodes` of replies; `rtt_ns`
    is by QUANTILES, and has nothing where no query was valid."""

    since_s: float
    sent: int
    valid: int
    late: int
    lost: int
    invalid: Annotated[int, lambda fields, name: fields.inner(name).count("total")]
    rcodes: dict[str, int]
    rtt_ns: Annotated[dict[str, float], read_quantiles] = field(default_factory=dict)

    @property
    def share(self) -> float | None:
        """Returns the percentage answered right in time; none where nothing was sent."""
        return 100 * self.valid / self.sent if self.sent else None

    @property
    def text(self) -> str:
        return f"{self.since_s:g}"

    @property
    def rtt_p50_ns(self) -> float | None:
        return self.rtt_ns.get("p50")

    @property
    def rtt_p99_ns(self) -> float | None:
        return self.rtt_ns.get("p99")

    @property
    def rtt_max_ns(self) -> float | None:
        return self.rtt_ns.get("max")

    @property
    def replies(self) -> int:
        return sum(self.rcodes.values())


@dataclass(frozen=True, kw_only=True)
class Intervals(Result):
    """The intervals of a file, whose trial is not known."""

    intervals: Sequence[Interval]

    def doubts(self) -> list[str]:
        return ["The file tells neither the verdict nor the conditions: the trial's own JSON does."]


def read_intervals(fields: Fields, name: str) -> Sequence[Interval]:
    return [Interval.read(one) for one in fields.objects_or(name)]


def check_intervals(
    fields: Fields, intervals: Sequence[Interval], counts: tuple[int, int] | None = None
) -> None:
    """Throws ReportError where an interval contradicts itself, or its neighbour, and where there
    are some that do not make the counts of a trial, sent and valid."""
    told = (sum(one.sent for one in intervals), sum(one.valid for one in intervals))
    if intervals and counts and told != counts:
        what = f"{fields.name('intervals')} have {told[0]} queries, {told[1]} of them valid, and"
        raise contradiction(fields, f"{what} the trial {counts[0]} and {counts[1]}")
    for number, one in enumerate(intervals):
        name = f"{fields.name('intervals')}[{number}]"
        decided = one.valid + one.late + one.lost + one.invalid
        if one.sent != decided or one.replies > one.sent:
            what = f"{name}, from {one.since_s:g} s on: {one.sent} queries were sent, {decided}"
            raise contradiction(fields, f"{what} were decided, {one.replies} got a reply")
        if number and one.since_s <= intervals[number - 1].since_s:
            raise contradiction(fields, f"{name} does not follow the one before it")


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
        rcodes = [name for name in row.value if name.startswith("rcode_") and row.count(name)]
        rtts = [name for name in QUANTILES if row.has(f"rtt_{name}_ns")]
        one = Interval.read(
            row,
            invalid=row.count("invalid"),
            rcodes={name.removeprefix("rcode_"): row.count(name) for name in rcodes},
            rtt_ns={name: row.number(f"rtt_{name}_ns") for name in rtts},
        )
        found.append(one)
        reasons = sum(row.count_or(f"invalid_{reason}") for reason in REASONS)
        if reasons != one.invalid and row.has("invalid_rcode"):
            what = f"invalid is {one.invalid}, its reasons make {reasons}"
            raise contradiction(row, what)
    if not found:
        raise ReportError(f"{where}: there are no intervals below the heads: has the trial ended?")
    fields = Fields({}, where)
    check_intervals(fields, found)
    return Intervals(label=label, fields=fields, intervals=found)
