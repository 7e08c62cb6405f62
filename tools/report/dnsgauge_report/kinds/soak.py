# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Soaks, the same load for hours: dnsgauge/soak/1, and their journals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ..document import Chart, Section, Table
from ..drawing import SERIES, VERMILION, dots, legend_above, spread
from ..errors import ReportError
from ..fields import Fields
from ..quantities import (
    clean,
    count_text,
    drawn_text,
    duration_axis,
    duration_text,
    plural,
    rate_axis,
    rate_text,
    share_text,
    shortened,
    some,
)
from ..schemas import entry, member
from ..tables import table_of
from ..view import View
from .base import asked_tables, told_fields
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


class Row(View):
    """A row of a soak. `answered` are the queries answered right and in time; RTTs are theirs.
    `processes` are the server's behind the row; none where they are not known."""

    readers = {"started": read_time}
    older = {"why": ""}

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
        return int(self.sent - self.answered)

    @property
    def counts(self) -> bool:
        """Returns whether the row tells anything about the server."""
        return bool(self.verdict != "invalid" and self.sent > 0)

    @property
    def loss(self) -> float:
        """Returns the percentage of the queries that were not answered right and in time."""
        return float(100 * self.lost / self.sent)


def numbers_of(rows: Sequence[Row]) -> str:
    """Returns the rows' numbers as "3 and 8"; of many rows those of the first five."""
    return some([str(row.number) for row in rows])


def read_rows(fields: Fields, name: str) -> list[Row]:
    return [Row(one, number=number) for number, one in enumerate(fields.objects_or(name), 1)]


class Soak(Series):
    """Rows in the order in which they were made, invalid ones included."""

    readers = {**Series.readers, "row_s": Fields.positive, "rows": read_rows}

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
        return float((row.started - self.rows[0].started).total_seconds() / 3600)

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
    made = Soak(fields, label)
    if not made.rows:
        raise ReportError(f"{fields.where}: there are no rows: has the soak begun?")
    return made


def read_journal(text: str, where: str, label: str) -> Soak:
    """Returns the soak as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    options = header.inner("options")
    row_schema = entry(member(header.schema, "rows"))
    rows: list[Row] = []
    processes: list[View] = []
    for record in records:
        if record.kind == "memory":
            fields = Fields(record.fields.value, record.fields.where, schema=row_schema)
            processes = View(fields).processes
        elif record.trial:
            made = record.trial
            row = Row(
                made.fields,
                number=len(rows) + 1,
                started=read_time(made.fields.inner("circumstances"), "started"),
                answered=made.valid,
                rtt_p50_ns=made.rtt_ns.p50 if made.rtt_ns else None,
                rtt_p99_ns=made.rtt_ns.p99 if made.rtt_ns else None,
                processes=processes,
            )
            rows.append(row)
            processes = []
    return Soak(
        header,
        label,
        rate=options.positive("rate"),
        row_s=options.positive("row"),
        rows=rows,
        rows_wanted=0,
        **said_by_journal(header, trials_of(records)),
    )


def time_axis(axes: Any, soaks: Sequence[Soak]) -> tuple[float, str]:
    """Labels the horizontal axis in hours, or in minutes where there is no hour. Returns what an
    hour is on the axis, and the unit."""
    end = max(soak.since(soak.rows[-1]) for soak in soaks)
    scale, unit = (1.0, "hours") if end >= 1 else (60.0, "minutes")
    axes.set_xlabel(f"{unit} since the first row")
    return scale, unit


def number_of(soaks: Sequence[Soak], counts: Sequence[int]) -> str:
    """Returns "N = 480 rows of 60 s.", of several soaks each with its label."""
    told = ", ".join(
        f"{count} rows of {soak.row_s:.4g} s" + (f" ({soak.label})" if len(soaks) > 1 else "")
        for soak, count in zip(soaks, counts)
    )
    return f"N = {told}."


def loss_chart(soaks: Sequence[Soak], name: str = "loss-over-time") -> Chart:
    """Returns loss, and the rate of right answers, over time. Some row must count."""
    told = [soak for soak in soaks if soak.shown]
    shown = spread(told)

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1))
        scale, _ = time_axis(below, shown)
        for soak, colour in zip(shown, SERIES):
            times = [soak.since(row) * scale for row in soak.shown]
            few = "o" if len(times) < 60 else None
            above.plot(
                times,
                [row.answered / soak.row_s for row in soak.shown],
                color=colour,
                linewidth=1.2,
                marker=few,
                markersize=2.5,
                label=shortened(soak.label, 20),
            )
            below.plot(times, [row.loss for row in soak.shown], color=colour, linewidth=1.2,
                       marker=few, markersize=2.5)  # fmt: skip
            poor = [row for row in soak.shown if row.loss > 0]
            dots(
                below,
                [soak.since(row) * scale for row in poor],
                [row.loss for row in poor],
                VERMILION,
                14,
                marker="X",
                zorder=3,
            )
        above.set_ylim(bottom=0)
        rate_axis(above.yaxis)
        above.set_ylabel("answers/s")
        worst = max(row.loss for soak in shown for row in soak.shown)
        below.set_ylim(-worst * 0.04 - 1e-6, max(worst * 1.15, 0.001))
        below.set_ylabel("% lost")
        if len(shown) > 1:
            legend_above(above, 2)

    texts = []
    for soak in shown:
        worst = max(soak.shown, key=lambda row: row.loss)
        poor = plural(sum(row.loss > 0 for row in soak.shown), "row")
        texts.append(
            f"{soak.label}: the greatest loss of a row is {worst.loss:.4g} %, in row"
            f" {worst.number}; {poor} of {len(soak.shown)} lost something."
        )
    number = number_of(shown, [len(soak.shown) for soak in shown])
    number += drawn_text(len(shown), len(told), "soak")
    caption = (
        "Queries answered right and in time per second, and below the share of the queries that was"
        f" not, row by row; crosses: some were lost. {number}"
    )
    rows = [
        (soak.label, row.number, soak.since(row), row.sent, row.answered, row.loss)
        for soak in shown
        for row in soak.shown
    ]
    title = "Answers and loss over time"
    heads = ("soak", "row", "since_hours", "sent", "answered", "loss_percent")
    return Chart(name, title, caption, " ".join(texts), Table(title, heads, rows), draw, 0.85, True)


def memory_chart(soaks: Sequence[Soak], name: str = "memory-over-time") -> Chart:
    """Returns the memory of the server's processes over time. Some row must have it."""
    told = [soak for soak in soaks if soak.memories]
    shown = spread(told)

    def draw(axes: Any) -> None:
        scale, _ = time_axis(axes, shown)
        for soak, colour in zip(shown, SERIES):
            axes.plot(
                [soak.since(row) * scale for row, _ in soak.memories],
                [memory / MEBI for _, memory in soak.memories],
                color=colour,
                linewidth=1.3,
                marker="o" if len(soak.memories) < 60 else None,
                markersize=2.5,
                label=shortened(soak.label, 20),
            )
            for row in soak.restarts():
                axes.axvline(soak.since(row) * scale, color=colour, linestyle=":", linewidth=1)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("MiB")
        if len(shown) > 1:
            legend_above(axes, 2)

    texts = []
    for soak in shown:
        found = [memory for _, memory in soak.memories]
        texts.append(
            f"{soak.label}: {found[0] / MEBI:.1f} MiB behind the first row, {found[-1] / MEBI:.1f}"
            f" MiB behind the last, {max(found) / MEBI:.1f} MiB at most."
        )
    number = number_of(shown, [len(soak.memories) for soak in shown])
    number += drawn_text(len(shown), len(told), "soak")
    caption = (
        "Memory of the server's processes, in memory or swapped out, behind each row; dotted lines:"
        f" the processes are others than before. {number}"
    )
    rows = [
        (soak.label, row.number, soak.since(row), memory)
        for soak in shown
        for row, memory in soak.memories
    ]
    title = "Memory of the server"
    heads = ("soak", "row", "since_hours", "memory_octets")
    return Chart(name, title, caption, " ".join(texts), Table(title, heads, rows), draw)


def rtt_chart(soaks: Sequence[Soak], name: str = "rtt-by-row") -> Chart:
    """Returns medians and 99th percentiles of the RTT over time. Some row must have them."""
    told = [soak for soak in soaks if any(row.rtt_p50_ns is not None for row in soak.shown)]
    shown = spread(told)

    def draw(axes: Any) -> None:
        scale, _ = time_axis(axes, shown)
        for soak, colour in zip(shown, SERIES):
            rows = [row for row in soak.shown if row.rtt_p50_ns is not None]
            times = [soak.since(row) * scale for row in rows]
            alone = len(shown) == 1
            for values, dashes, told in (
                ([row.rtt_p50_ns or 1 for row in rows], "-", "median"),
                ([row.rtt_p99_ns or 1 for row in rows], "--", "99th percentile"),
            ):
                label = told if alone else shortened(soak.label, 20) if dashes == "-" else None
                axes.plot(times, values, color=colour, linestyle=dashes, linewidth=1.2, label=label)
        axes.set_yscale("log")
        duration_axis(axes.yaxis)
        axes.set_ylabel("RTT")
        legend_above(axes, 2)

    texts = []
    for soak in shown:
        found = [row.rtt_p50_ns for row in soak.shown if row.rtt_p50_ns is not None]
        texts.append(
            f"{soak.label}: medians of a row from {duration_text(min(found))} to"
            f" {duration_text(max(found))}."
        )
    number = number_of(shown, [len(soak.shown) for soak in shown])
    number += drawn_text(len(shown), len(told), "soak")
    caption = (
        "RTTs of the queries answered right and in time, row by row: medians (lines) and 99th"
        f" percentiles (dashes). {number}"
    )
    rows = [
        (soak.label, row.number, soak.since(row), row.rtt_p50_ns, row.rtt_p99_ns)
        for soak in shown
        for row in soak.shown
    ]
    title = "RTT over time"
    heads = ("soak", "row", "since_hours", "p50_ns", "p99_ns")
    return Chart(name, title, caption, " ".join(texts), Table(title, heads, rows), draw)


def charts_of(soaks: Sequence[Soak]) -> list[Chart]:
    """Returns the charts of what the soaks' rows tell."""
    charts = []
    if any(soak.shown for soak in soaks):
        charts.append(loss_chart(soaks))
    if any(soak.memories for soak in soaks):
        charts.append(memory_chart(soaks))
    if any(row.rtt_p50_ns is not None for soak in soaks for row in soak.shown):
        charts.append(rtt_chart(soaks))
    return charts


def load_text(soak: Soak) -> str:
    """Returns "5,000/s in rows of 60 s"."""
    return f"{rate_text(soak.rate)} in rows of {soak.row_s:.4g} s"


def time_text(seconds: float) -> str:
    """Returns "1.5 hours", or "20 minutes" where there is no hour."""
    return f"{seconds / 3600:.3g} hours" if seconds >= 3600 else f"{seconds / 60:.3g} minutes"


def memory_finding(soak: Soak) -> str:
    """Returns what became of the server's memory."""
    found = [memory for _, memory in soak.memories]
    if not found:
        return (
            "Nothing is known of the server's memory: it runs on no machine that the Tester sees."
        )
    told = f"The server's memory was {memory_text(found[0])} behind the first row"
    if len(found) > 1:
        told += f", {memory_text(found[-1])} behind the last, and {memory_text(max(found))} at most"
    restarts = soak.restarts()
    if restarts:
        told += f"; behind row {numbers_of(restarts)} the server had other processes than before"
    return told + "."


def findings(soak: Soak) -> list[str]:
    """Returns what became of the load."""
    rows = soak.shown
    if not rows:
        return [f"The soak of {soak.server} has no row yet."]
    sent = sum(row.sent for row in rows)
    answered = sum(row.answered for row in rows)
    poor = [row for row in rows if row.loss > 0]
    asked = (
        f"The server {soak.server} was asked {load_text(soak)}, over"
        f" {time_text(len(rows) * soak.row_s)}: {count_text(sent)} queries."
    )
    if not poor:
        lost = f"It answered every query right and in time in all {plural(len(rows), 'row')}."
    else:
        worst = max(rows, key=lambda row: row.loss)
        lost = (
            f"{share_text(sent - answered, sent)} of the queries were not answered right and in"
            f" time, in {plural(len(poor), 'row')} of {len(rows)}; the greatest loss is that of row"
            f" {worst.number}, {share_text(worst.lost, worst.sent)}."
        )
    return [asked, lost, memory_finding(soak)]


COLUMNS = (
    "row=number; started, UTC={0.started}; verdict; sent; lost, %=lost/sent;"
    " RTT median=rtt_p50_ns; RTT p99=rtt_p99_ns; memory=memory_text"
)


def conditions_of(soak: Soak) -> list[Table]:
    names = ("rate", "rate_from", "row_s", "rows_wanted", "timeout_s", "accept_percent")
    asked = [("server", soak.server), *told_fields(soak.fields, names)]
    return asked_tables(soak.fields, asked, (soak.selftest, soak.certificate))


def section(soak: Soak) -> Section:
    """Returns what is said of one soak."""
    return Section(
        soak.heading("soak"),
        findings(soak),
        soak.doubts(),
        charts_of([soak]),
        [table_of("Rows", soak.rows, COLUMNS)],
        conditions_of(soak),
    )


def group(soaks: Sequence[Soak]) -> Section:
    """Returns what is said of several soaks: servers, before and after."""
    told = [soak for soak in soaks if soak.shown]
    sentences = [f"{plural(len(soaks), 'soak')} are drawn over each other."]
    for soak in told:
        rows = soak.shown
        sent = sum(row.sent for row in rows)
        gone = sent - sum(row.answered for row in rows)
        found = [memory for _, memory in soak.memories]
        grown = f", memory {memory_text(found[0])} to {memory_text(found[-1])}" if found else ""
        sentences.append(f"{soak.label}: {share_text(gone, sent)} lost{grown}.")
    return Section("Soaks side by side", sentences, [], charts_of(told))
