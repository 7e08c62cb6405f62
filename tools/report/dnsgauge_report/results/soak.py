# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Soaks, the same load for hours: dnsgauge/soak/1, and their journals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..errors import ReportError
from ..fields import Fields
from ..quantities import clean, plural, some
from .base import caveats_of
from .journal import read_lines
from .series import Series, said, said_by_journal
from .trial import Trial

SCHEMA = "dnsgauge/soak/1"
JOURNAL_SCHEMA = "dnsgauge/soak-journal/1"
# Octets: more is no memory of today.
MOST_MEMORY = 1 << 60


@dataclass(frozen=True)
class Row:
    """A row of a soak. `answered` are the queries answered right and in time; RTTs are theirs,
    nanoseconds. `memory` is the server's behind the row, octets; none where it is not known."""

    number: int
    started: datetime
    verdict: str
    why: str
    sent: int
    answered: int
    rtt_p50: float | None
    rtt_p99: float | None
    memory: int | None
    processes: tuple[int, ...]

    @property
    def counts(self) -> bool:
        """Returns whether the row tells anything about the server."""
        return self.verdict != "invalid" and self.sent > 0

    @property
    def loss(self) -> float:
        """Returns the percentage of the queries that were not answered right and in time."""
        return 100 * (self.sent - self.answered) / self.sent


def numbers_of(rows: Sequence[Row]) -> str:
    """Returns the rows' numbers as "3 and 8"; of many rows those of the first five."""
    return some([str(row.number) for row in rows])


@dataclass(frozen=True)
class Soak(Series):
    """Rows in the order in which they were made, invalid ones included."""

    rate: float
    row_s: float
    rows: list[Row]
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
            if before.processes != now.processes
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
        return [*doubts, *self.standing(caveats_of(self.fields))]


def time_of(text: str, where: str) -> datetime:
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except ValueError as error:
        raise ReportError(
            f"{where}: started is {clean(text)[:40]!r}, no time of ISO 8601"
        ) from error


def checked(row: Row, where: str) -> Row:
    if row.answered > row.sent or (row.memory or 0) > MOST_MEMORY:
        raise ReportError(
            f"{where}: row {row.number}: {row.answered} of {row.sent} queries answered, memory of"
            f" {row.memory} octets: a row has no more answers than queries"
        )
    return row


def processes_of(fields: Fields) -> tuple[tuple[int, ...], int | None]:
    """Returns the IDs of the server's processes, and their memory together."""
    found = [(one.count("process"), one.count("memory_octets")) for one in
             fields.objects_or("processes")]  # fmt: skip
    return tuple(one[0] for one in found), sum(one[1] for one in found) if found else None


def read_row(number: int, fields: Fields) -> Row:
    processes, memory = processes_of(fields)
    return checked(
        Row(
            number,
            time_of(fields.text("started"), fields.where),
            fields.text("verdict"),
            fields.text_or("why"),
            fields.count("sent"),
            fields.count("answered"),
            fields.number_or("rtt_p50_ns"),
            fields.number_or("rtt_p99_ns"),
            memory,
            processes,
        ),
        fields.where,
    )


def read(fields: Fields, label: str) -> Soak:
    """Returns the soak. Throws ReportError."""
    rows = [read_row(number, one) for number, one in enumerate(fields.objects_or("rows"), 1)]
    if not rows:
        raise ReportError(f"{fields.where}: there are no rows: has the soak begun?")
    return Soak(
        label,
        fields,
        *said(fields),
        fields.positive("rate"),
        fields.positive("row_s"),
        rows,
        fields.count("rows_wanted"),
    )


def row_of(
    number: int, trial: Trial, processes: tuple[tuple[int, ...], int | None], where: str
) -> Row:
    """Returns a trial as a row."""
    rtt = trial.rtt.percentiles if trial.rtt else {}
    started = trial.fields.inner("circumstances").text("started")
    made = Row(number, time_of(started, where), trial.verdict, trial.why, trial.sent, trial.valid,
               rtt.get(50.0), rtt.get(99.0), processes[1], processes[0])  # fmt: skip
    return checked(made, where)


def read_journal(text: str, where: str, label: str) -> Soak:
    """Returns the soak as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    options = header.inner("options")
    rows: list[Row] = []
    processes: tuple[tuple[int, ...], int | None] = ((), None)
    latest = None
    for record in records:
        if record.kind == "memory":
            processes = processes_of(record.fields)
        elif record.trial:
            latest = record.trial
            rows.append(row_of(len(rows) + 1, latest, processes, where))
            processes = ((), None)
    return Soak(
        label,
        header,
        *said_by_journal(header, latest),
        options.positive("rate"),
        options.positive("row"),
        rows,
        0,
    )
