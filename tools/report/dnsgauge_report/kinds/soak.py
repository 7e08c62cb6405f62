# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Soaks, the same load for hours."""

import functools
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ..charts.latency import draw_rtts
from ..document import Chart, Section
from ..drawing import SERIES, VERMILION, dots, draw_curves, draw_line, legend_above, rows_of, spread
from ..errors import ReportError
from ..fields import Fields
from ..grouped import grouped
from ..quantities import clean, count_text, drawn_text, plural
from ..quantities import rate_axis, rate_text, share_text, shortened, some
from ..tables import members, table_of
from .series import Series, SeriesTrial

KIND = "soak"
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
        what = f"{name} is {clean(text)[:40]!r}, no time of ISO 8601"
        raise ReportError(f"{fields.where}: {what}") from error


class Row(SeriesTrial):
    readers = {"started": read_time}

    def check(self, fields: Fields) -> None:
        super().check(fields)
        if (self.memory or 0) > MOST_MEMORY:
            raise fields.wrong("processes", "memory that a machine can have", self.memory)

    @property
    def memory(self) -> int | None:
        return sum(one.memory_octets for one in self.processes) if self.processes else None

    @property
    def memory_text(self) -> str:
        return memory_text(self.memory)


def numbers_of(rows: Sequence[Row]) -> str:
    """Returns the rows' numbers as "3 and 8"; of many rows the first five numbers."""
    return some([str(row.number) for row in rows])


class Soak(Series):
    """Rows in the order in which they were made, invalid ones included."""

    view = Row
    readers = {**Series.readers, "duration_s": Fields.positive}
    needs = ("trials", "row")
    options = {"rate": None, "row_s": None}
    keeps_invalid = True

    @property
    def shown(self) -> list[Row]:
        return [row for row in self.trials if row.counts]

    @property
    def known(self) -> list[Row]:
        """Returns the rows after which the server's memory is known, invalid ones included."""
        return [row for row in self.trials if row.memory is not None]

    @property
    def timed(self) -> list[Row]:
        return [row for row in self.shown if row.rtt_p50_ns is not None]

    def since(self, row: Row) -> float:
        """Returns how many hours the row began after the first one."""
        return float((row.started - self.trials[0].started).total_seconds() / 3600)

    def restarts(self) -> list[Row]:
        processes = [[one.process for one in row.processes] for row in self.trials]
        pairs = zip(self.trials[1:], processes, processes[1:])
        return [row for row, before, now in pairs if before != now]

    def doubts(self) -> list[str]:
        made = f"{len(self.shown)} of {plural(self.rows_wanted, 'row')} were made"
        doubts = self.unfinished("soak", "rows", made)
        if invalid := [row for row in self.trials if row.verdict == "invalid"]:
            left_out = f"{plural(len(invalid), 'invalid row')}: {numbers_of(invalid)}"
            doubts.append(f"All figures but memory leave out {left_out}.")
        return [*doubts, *self.standing()]


read = Soak


read_journal = functools.partial(Soak.of_journal, rows_wanted=0)


def time_axis(axes: Any, soaks: Sequence[Soak]) -> None:
    """Labels the horizontal axis, which is in hours; in minutes where there is no hour."""
    is_short = max(soak.since(soak.trials[-1]) for soak in soaks) < 1
    axes.set_xlabel(f"{'minutes' if is_short else 'hours'} since the first row")
    if is_short:
        axes.xaxis.set_major_formatter(lambda hours, _: f"{60 * hours:.3g}")


def over_time(
    soaks: Sequence[Soak], rows: str, name: str, title: str, caption: str, heads: str
) -> tuple[Sequence[Soak], Callable[..., Chart]]:
    """Returns the soaks that have `rows`, as many as can be drawn, and what makes their chart of
    rows and of a function that draws it."""
    told = [soak for soak in soaks if getattr(soak, rows)]
    shown = spread(told)
    each = ", ".join(
        f"{len(getattr(soak, rows))} rows of {soak.duration_s:.4g} s"
        + (f" ({soak.label})" if len(shown) > 1 else "")
        for soak in shown
    )
    caption += f" N = {each}.{drawn_text(len(shown), len(told), 'soak')}"
    heads = f"soak row since_hours {heads}"

    return shown, functools.partial(Chart, name, title, caption, heads)


def curves_of(soaks: Sequence[Soak], rows: str, paths: str) -> list[tuple[str, list[Any]]]:
    pairs = [(soak, row) for soak in soaks for row in getattr(soak, rows)]
    told = ((of.label, (row.number, of.since(row), *members(row, paths))) for of, row in pairs)
    return list(grouped(told).items())


def loss_chart(soaks: Sequence[Soak]) -> Chart:
    shown, made = over_time(
        soaks, "shown", "loss-over-time", "Answers and loss over time",
        "Queries answered right and in time per second, and below the share of the queries that was"
        " not, row by row; crosses: some were lost.", "sent answered loss_percent",
    )  # fmt: skip
    curves = curves_of(shown, "shown", "sent answered loss")

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1))
        time_axis(below, shown)
        for soak, (label, points), colour in zip(shown, curves, SERIES):
            _, times, _, answered, losses = zip(*points)
            rates = [count / soak.duration_s for count in answered]
            draw_line(above, times, rates, colour, shortened(label, 20))
            draw_line(below, times, losses, colour)
            poor = [(time, loss) for time, loss in zip(times, losses) if loss > 0]
            dots(below, poor, VERMILION, 14, marker="X", zorder=3)
        rate_axis(above.yaxis)
        above.set(ylim=(0, None), ylabel="answers/s")
        most = max(row.loss for soak in shown for row in soak.shown)
        below.set(ylim=(-most * 0.04 - 1e-6, max(most * 1.15, 0.001)), ylabel="% lost")
        if len(shown) > 1:
            legend_above(above, 2)

    return made(rows_of(curves), draw, height=0.85, several=True)


def memory_chart(soaks: Sequence[Soak]) -> Chart:
    shown, made = over_time(
        soaks, "known", "memory-over-time", "Memory of the server",
        "Memory of the server's processes, in memory or swapped out, after each row; dotted lines:"
        " the processes are others than before.", "memory_octets",
    )  # fmt: skip
    curves = curves_of(shown, "known", "memory")

    def draw(axes: Any) -> None:
        time_axis(axes, shown)
        drawn = [(one, [(at, memory / MEBI) for _, at, memory in of]) for one, of in curves]
        draw_curves(axes, drawn, (1,))
        for soak, colour in zip(shown, SERIES):
            for row in soak.restarts():
                axes.axvline(soak.since(row), color=colour, linestyle=":", linewidth=1)
        axes.set(ylim=(0, None), ylabel="MiB")

    return made(rows_of(curves), draw)


def rtt_chart(soaks: Sequence[Soak]) -> Chart:
    shown, made = over_time(
        [soak for soak in soaks if soak.timed], "shown", "rtt-by-row", "RTT over time",
        "RTTs of the queries answered right and in time, row by row: medians (lines) and 99th"
        " percentiles (dashes).", "p50_ns p99_ns",
    )  # fmt: skip
    paths = "rtt_p50_ns rtt_p99_ns"

    def draw(axes: Any) -> None:
        time_axis(axes, shown)
        timed = curves_of(shown, "timed", paths)
        draw_rtts(axes, [(one, [row[1:] for row in rows]) for one, rows in timed], marker=None)

    return made(rows_of(curves_of(shown, "shown", paths)), draw)


def charts_of(soaks: Sequence[Soak]) -> list[Chart]:
    makers = {"shown": loss_chart, "known": memory_chart, "timed": rtt_chart}
    told = {name for name in makers if any(getattr(one, name) for one in soaks)}
    return [make(soaks) for name, make in makers.items() if name in told]


def memory_finding(soak: Soak) -> str:
    if not soak.known:
        where = "it runs on no machine that the Tester sees"
        return f"Nothing is known of the server's memory: {where}."
    first, *_, last = [memory_text(row.memory) for row in soak.known] * 2
    most = memory_text(max(row.memory or 0 for row in soak.known))
    told = f"The server's memory was {first} after the first row"
    if len(soak.known) > 1:
        told += f", {last} after the last, and {most} at most"
    if restarts := soak.restarts():
        told += f"; after row {numbers_of(restarts)} the server had other processes than before"
    return told + "."


def findings(soak: Soak) -> list[str]:
    rows = soak.shown
    if not rows:
        return [f"The soak of {soak.server} has no row yet."]
    sent, seconds = sum(row.sent for row in rows), len(rows) * soak.duration_s
    time = f"{seconds / 3600:.3g} hours" if seconds >= 3600 else f"{seconds / 60:.3g} minutes"
    poor = [row for row in rows if row.loss > 0]
    asked = f"The server {soak.server} was asked {rate_text(soak.rate)} in rows of"
    asked += f" {soak.duration_s:.4g} s, over {time}: {count_text(sent)} queries."
    lost = f"It answered every query right and in time in all {plural(len(rows), 'row')}."
    if poor:
        worst = max(rows, key=lambda row: row.loss)
        lost = f"{lost_text(rows)} of the queries were not answered right and in time, in"
        lost += f" {plural(len(poor), 'row')} of {len(rows)}; the greatest loss is in row"
        lost += f" {worst.number}, {lost_text([worst])}."
    return [asked, lost, memory_finding(soak)]


def lost_text(rows: Sequence[Row]) -> str:
    return share_text(sum(row.unanswered for row in rows), sum(row.sent for row in rows))


COLUMNS = (
    "row=number; started, UTC={0.started}; verdict; sent; lost, %=unanswered/sent;"
    " RTT median=rtt_p50_ns; RTT p99=rtt_p99_ns; memory=memory_text"
)


ASKED = ("rate", "rate_from", "duration_s", "rows_wanted", "timeout_s", "accept_percent")


def section(soak: Soak) -> Section:
    tables = [table_of("Rows", soak.trials, COLUMNS)]
    said = (soak.heading("soak"), findings(soak), soak.doubts(), charts_of([soak]))
    return Section(*said, tables, soak.told(*ASKED))


def group(soaks: Sequence[Soak]) -> Section:
    told = [soak for soak in soaks if soak.shown]
    sentences = [f"{plural(len(soaks), 'soak')} are drawn over each other."]
    for soak in told:
        found = [row.memory_text for row in soak.known]
        grown = f", memory {found[0]} to {found[-1]}" if found else ""
        sentences.append(f"{soak.label}: {lost_text(soak.shown)} lost{grown}.")
    return Section("Soaks side by side", sentences, [], charts_of(told))
