# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Soaks, the same load for hours: dnsgauge/soak/1, and their journals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from ..errors import ReportError
from ..fields import Fields
from ..quantities import clean, plural, some
from ..view import Made, Positive, View
from .journal import read_lines, trials_of
from .series import Series, said_by_journal

SCHEMA = "dnsgauge/soak/1"
JOURNAL_SCHEMA = "dnsgauge/soak-journal/1"
MEBI = 1 << 20
# Octets: more is no memory of today.
MOST_MEMORY = 1 << 60


def memory_text(octets: float | None) -> str:
    return "–" if octets is None else f"{octets / MEBI:.1f} MiB"


def read_time(fields: Fields, name: str) -> datetime:
    text = fields.text(name)
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError as error:
        raise ReportError(
            f"{fields.where}: {name} is {clean(text)[:40]!r}, no time of ISO 8601"
        ) from error


@dataclass(frozen=True, kw_only=True)
class Process(View):
    """A process of the server, and its memory in octets."""

    process: int
    memory_octets: int


@dataclass(frozen=True, kw_only=True)
class Row(View):
    """A row of a soak. `answered` are the queries answered right and in time; RTTs are theirs.
    `processes` are the server's behind the row; none where they are not known."""

    number: Made[int]
    started: Annotated[datetime, read_time]
    verdict: str
    why: str = ""
    sent: int
    answered: int
    rtt_p50_ns: float | None = None
    rtt_p99_ns: float | None = None
    processes: list[Process]

    def check(self, fields: Fields) -> None:
        if self.answered > self.sent or (self.memory or 0) > MOST_MEMORY:
            raise ReportError(
                f"{fields.where}: row {self.number}: {self.answered} of {self.sent} queries"
                f" answered, memory of {self.memory} octets: a row has no more answers than queries"
            )

    @property
    def memory(self) -> int | None:
        """Returns the octets of all processes together."""
        return sum(one.memory_octets for one in self.processes) if self.processes else None

    @property
    def memory_text(self) -> str:
        return memory_text(self.memory)

    @property
    def lost(self) -> int:
        return self.sent - self.answered

    @property
    def counts(self) -> bool:
        """Returns whether the row tells anything about the server."""
        return self.verdict != "invalid" and self.sent > 0

    @property
    def loss(self) -> float:
        """Returns the percentage of the queries that were not answered right and in time."""
        return 100 * self.lost / self.sent


def numbers_of(rows: Sequence[Row]) -> str:
    """Returns the rows' numbers as "3 and 8"; of many rows those of the first five."""
    return some([str(row.number) for row in rows])


def read_rows(fields: Fields, name: str) -> list[Row]:
    return [Row.read(one, number=number) for number, one in enumerate(fields.objects_or(name), 1)]


@dataclass(frozen=True, kw_only=True)
class Soak(Series):
    """Rows in the order in which they were made, invalid ones included."""

    rate: float
    row_s: Positive
    rows: Annotated[list[Row], read_rows]
    rows_wanted: int

    @property
    def shown(self) -> list[Row]:
        """Returns the rows that tell something about the server."""
        return [row for row in self.rows if row.counts]

    @property
    def memories(self) -> list[tuple[Row, int]]:
        """Returns the rows behind which the server's memory is known, invalid ones included, each
        with that memory."""
        return [(row, row.memory) for row in self.rows if row.memory is not None]

    def since(self, row: Row) -> float:
        """Returns how many hours the row began after the first one."""
        return (row.started - self.rows[0].started).total_seconds() / 3600

    def restarts(self) -> list[Row]:
        """Returns the rows behind which the server had other processes than before."""
        return [
            now
            for before, now in zip(self.rows, self.rows[1:])
            if [one.process for one in before.processes] != [one.process for one in now.processes]
        ]

    def doubts(self) -> list[str]:
        made = f"{len(self.shown)} of {plural(self.rows_wanted, 'row')} were made"
        doubts = self.unfinished("soak", "rows", made)
        invalid = [row for row in self.rows if row.verdict == "invalid"]
        if invalid:
            doubts.append(
                f"No figure but that of memory has {plural(len(invalid), 'invalid row')}:"
                f" {numbers_of(invalid)}."
            )
        return [*doubts, *self.standing()]


def read(fields: Fields, label: str) -> Soak:
    """Returns the soak. Throws ReportError."""
    made = Soak.of(fields, label)
    if not made.rows:
        raise ReportError(f"{fields.where}: there are no rows: has the soak begun?")
    return made


def read_journal(text: str, where: str, label: str) -> Soak:
    """Returns the soak as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    options = header.inner("options")
    rows: list[Row] = []
    processes: list[Process] = []
    for record in records:
        if record.kind == "memory":
            processes = [Process.read(one) for one in record.fields.objects_or("processes")]
        elif record.trial:
            made = record.trial
            row = Row(
                number=len(rows) + 1,
                started=read_time(made.fields.inner("circumstances"), "started"),
                verdict=made.verdict,
                why=made.why,
                sent=made.sent,
                answered=made.valid,
                rtt_p50_ns=made.rtt_ns.p50 if made.rtt_ns else None,
                rtt_p99_ns=made.rtt_ns.p99 if made.rtt_ns else None,
                processes=processes,
            )
            row.check(header)
            rows.append(row)
            processes = []
    return Soak(
        label=label,
        rate=options.positive("rate"),
        row_s=options.positive("row"),
        rows=rows,
        rows_wanted=0,
        **said_by_journal(header, trials_of(records)),
    )
