# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Intervals: what became of the queries that were sent in each part of a trial. They stand in a
trial's JSON, and in the CSV file of --intervals."""

import csv
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..charts.latency import draw_rtts
from ..document import Chart, Section
from ..drawing import FAINT, SERIES, band, draw_line, legend_above, share_axis, spread
from ..errors import ReportError
from ..fields import Fields, is_decimal
from ..grouped import grouped
from ..quantities import count_text, drawn_text, duration_text, log_ticks, plural
from ..quantities import share_text, shortened
from ..schemas import entry, load, member
from ..tables import members, table_of
from ..view import View
from .base import Result, contradiction

HEADS = ("since_s", "sent", "valid", "late", "lost", "invalid")
# Percentiles of the RTT that are drawn over time, by their names in the JSON.
QUANTILES = ("p50", "p99", "max")
UNTOLD = "The file tells neither the verdict nor the conditions: the trial's own JSON does."
# dnsgauge counts no more intervals than this.
MOST_INTERVALS = 100_000


def read_quantiles(fields: Fields, field: str) -> dict[str, float]:
    rtt = fields.inner(field)
    return {name: rtt.number(name) for name in QUANTILES} if rtt.count("count") else {}


class Interval(View):
    """A part of a trial, from `since_s` on. Counts are of queries, `rcodes` of replies; `rtt_ns`
    is by QUANTILES, and has nothing where no query was valid."""

    readers = {
        "invalid": lambda fields, name: fields.inner(name).count("total"),
        "rtt_ns": read_quantiles,
    }
    older = {"rtt_ns": {}}

    @property
    def share(self) -> float | None:
        return 100 * self.valid / self.sent if self.sent else None

    @property
    def replies(self) -> int:
        return sum(self.rcodes.values())


def interval_of(since_s: float, sent: int, answered: int, rcodes: dict[str, int]) -> Interval:
    """Returns an interval that tells what was answered, and not why the rest was not."""
    known = {"since_s": since_s, "sent": sent, "valid": answered, "rcodes": rcodes, "rtt_ns": {}}
    return Interval(Fields({}, ""), **known, late=0, lost=sent - answered, invalid=0)


class Intervals(Result):
    """The intervals of a file, whose trial is not known."""

    def doubts(self) -> list[str]:
        return [UNTOLD]


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
    return tuple(first_line.strip().split(",")[: len(HEADS)]) == HEADS


def nested(name: str) -> tuple[str, str]:
    """Returns the names that a column's figure has in a trial's JSON: of the member, and in it."""
    if name == "invalid":
        return name, "total"
    if name.startswith("rtt_"):
        return "rtt_ns", name.removeprefix("rtt_").removesuffix("_ns")
    outer, _, inner = name.partition("_")
    return {"invalid": ("invalid", inner), "rcode": ("rcodes", inner)}.get(outer, ("", name))


def rows_of(text: str, where: str) -> Iterable[Fields]:
    reader = csv.DictReader(text.splitlines())
    schema = entry(member(load("trial"), "intervals"))
    for row in reader:
        place = f"{where} line {reader.line_num}"
        values: dict[str, Any] = {"invalid": {}, "rcodes": {}, "rtt_ns": {}}
        for name, cell in row.items():
            if not isinstance(name, str) or cell is None:
                what = "it has not as many cells as there are heads"
                raise ReportError(f"{place}: {what}: is the file cut off or edited?")
            if cell and not is_decimal(cell, 29):
                raise ReportError(f"{place}: {name} is no number: is the file damaged or edited?")
            outer, inner = nested(name)
            if cell and (outer != "rcodes" or float(cell)):
                (values[outer] if outer else values)[inner] = float(cell)
        values["rtt_ns"]["count"] = int("p50" in values["rtt_ns"])
        yield Fields(values, place, schema=schema)
        if reader.line_num > MOST_INTERVALS:
            raise ReportError(f"{where}: more than {MOST_INTERVALS} intervals: no file of dnsgauge")


def read_csv(text: str, where: str, label: str) -> Intervals:
    found = []
    for row in rows_of(text, where):
        found.append(Interval(row))
        reasons = row.counts_or("invalid")
        total = reasons.pop("total", 0)
        if reasons and total != sum(reasons.values()):
            what = f"invalid is {total}, its reasons make {sum(reasons.values())}"
            raise contradiction(row, what)
    if not found:
        raise ReportError(f"{where}: there are no intervals below the heads: has the trial ended?")
    fields = Fields({}, where)
    check_intervals(fields, found)
    return Intervals(fields, label, intervals=found)


# Paper 004 draws these RCODEs, and one line for all others.
RCODES = ("NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED", "FORMERR")
OTHERS, NO_REPLY = "other RCODEs", "no reply"
LINES = (*RCODES, OTHERS, NO_REPLY)
LOOKS = {name: (SERIES[place], "-") for name, place in zip(LINES, (0, 2, 1, 4, 3, 5))}
LOOKS |= {NO_REPLY: (FAINT, "--")}
# A share below this one cannot be seen on a linear axis to 100 %.
FAINTEST = 3.0
# Series that get a chart of their RCODEs each.
MOST_SERIES = 6


@dataclass(frozen=True)
class Run:
    """The intervals of one result. Runs of the same `series` repeat each other."""

    label: str
    intervals: Sequence[Interval]
    series: str = ""

    @property
    def sent(self) -> int:
        return sum(one.sent for one in self.intervals)

    @property
    def shown(self) -> list[Interval]:
        return [one for one in self.intervals if one.sent]


def step_of(runs: Sequence[Run]) -> float:
    """Returns the length of an interval in seconds; 0 where there is one alone."""
    pairs = (pair for run in runs for pair in itertools.pairwise(run.intervals))
    return min((after.since_s - before.since_s for before, after in pairs), default=0.0)


def number_of(runs: Sequence[Run]) -> str:
    """Returns "N = 36 intervals of 1 s in 3 runs, 48,000 queries in all."."""
    length = f" of {step_of(runs):.3g} s" if step_of(runs) else ""
    intervals = plural(sum(len(run.shown) for run in runs), "interval") + length
    queries = f"{count_text(sum(run.sent for run in runs))} queries"
    if len(runs) == 1:
        return f"N = {intervals}, {queries}."
    return f"N = {intervals} in {len(runs)} runs, {queries} in all."


def answered_chart(runs: Sequence[Run], told: str = "answered right and in time") -> Chart:
    shares = [[one.share or 0.0 for one in run.shown] for run in runs]
    least = min(min(one) for one in shares)
    zooms = 0 < 100 - least < 40
    many = len(runs) > len(SERIES)

    def draw(figure: Any) -> None:
        both = figure.subplots(2, 1, sharex=True, height_ratios=(1, 2)) if zooms else None
        places = list(both) if both is not None else [figure.add_subplot()]
        for axes in places:
            for place, (run, values) in enumerate(zip(runs, shares)):
                times = [one.since_s for one in run.shown]
                named = (SERIES[0], None) if many else (SERIES[place], shortened(run.label, 18))
                draw_line(axes, times, values, *named, alpha=0.45 if many else 1)
            axes.set_ylabel("% answered")
        places[0].set_ylim(0, 104)
        places[-1].set_xlabel("seconds since the start")
        if zooms:
            share_axis(places[-1], least)
            places[0].locator_params(axis="y", nbins=3)
        if 1 < len(runs) <= len(SERIES):
            legend_above(places[0], 3 if len(runs) > 2 else 2)

    caption = f"Share of the queries {told}, by the time of sending"
    caption += "; all runs over each other" if len(runs) > 1 else ""
    caption += "; below: the upper end, enlarged" if zooms else ""
    caption += f". {number_of(runs)}"
    paths = "since_s sent valid share"
    rows = [[run.label, *members(one, paths)] for run in runs for one in run.shown]
    heads = "run since_s sent valid valid_percent"
    height = 0.85 if zooms else 0.6
    named = ("answered-by-interval", "Response rate over time")
    return Chart(*named, caption, heads, rows, draw, height, several=True)


def rcode_shares(one: Interval) -> dict[str, float]:
    counts = {name: one.rcodes.get(name, 0) for name in RCODES}
    counts[OTHERS] = one.replies - sum(counts.values())
    counts[NO_REPLY] = one.sent - one.replies
    return {name: 100 * count / one.sent for name, count in counts.items()}


def rcodes_chart(runs: Sequence[Run], name: str = "rcodes-by-interval", series: str = "") -> Chart:
    told = [(round(one.since_s, 6), rcode_shares(one)) for run in runs for one in run.shown]
    by_time = {line: grouped((at, shares[line]) for at, shares in told) for line in LINES}
    by_time = {line: points for line, points in by_time.items() if any(map(any, points.values()))}
    every = [share for points in by_time.values() for shares in points.values() for share in shares]
    least = min((share for share in every if share), default=100.0)
    is_log = least < FAINTEST

    def draw(axes: Any) -> None:
        # A logarithmic axis has no place for none.
        floor, none = (least / 2, float("nan")) if is_log else (0.0, 0.0)
        for line, points in by_time.items():
            colour, dashes = LOOKS[line]
            times, found = zip(*sorted(points.items()))
            means = [sum(one) / len(one) or none for one in found]
            draw_line(axes, times, means, colour, line, linestyle=dashes, linewidth=1.3)
            if len(runs) > 1:
                low, high = ([max(end(one), floor) for one in found] for end in (min, max))
                band(axes, times, low, high, colour, 0.2)
        if is_log:
            axes.set_ylim(least / 2, 150)
            log_ticks(axes.yaxis)
        else:
            axes.set_ylim(0, 104)
        axes.set(xlabel="seconds since the start", ylabel="% of the queries")
        legend_above(axes, 3)

    title = f"RCODEs over time: {series}" if series else "RCODEs over time"
    bands = "; lines are means, shadings reach from the least to the greatest run"
    caption = "Share of the queries by the RCODE of their reply, by the time of sending"
    caption += bands if len(runs) > 1 else ""
    caption += "; the axis is logarithmic, a gap means none" if is_log else ""
    caption += f". {number_of(runs)}"
    rows = [
        (line, time, sum(shares) / len(shares), min(shares), max(shares), len(shares))
        for line, points in by_time.items()
        for time, shares in sorted(points.items())
    ]
    heads = "rcode since_s mean_percent least_percent greatest_percent runs"
    return Chart(name, title, caption, heads, rows, draw)


def rtt_chart(runs: Sequence[Run]) -> Chart:
    shown = spread(runs)

    def draw(axes: Any) -> None:
        timed = [(run.label, [one for one in run.shown if one.rtt_ns]) for run in shown]
        told = [(one, [(at.since_s, *at.rtt_ns.values()) for at in of]) for one, of in timed]
        draw_rtts(axes, told, (1, 2, 3) if len(runs) == 1 else (1, 2))
        axes.set_xlabel("seconds since the start")

    several = "" if len(runs) == 1 else ": medians (lines) and 99th percentiles (dashes)"
    caption = f"RTTs of the valid replies, by the time of sending{several}. {number_of(runs)}"
    caption += drawn_text(len(shown), len(runs), "run")
    every = [(run.label, one) for run in shown for one in run.shown]
    rows = [(label, one.since_s, *map(one.rtt_ns.get, QUANTILES)) for label, one in every]
    heads = "run since_s p50_ns p99_ns max_ns"
    return Chart("rtt-by-interval", "RTT by interval", caption, heads, rows, draw)


def charts_of(runs: Sequence[Run], answered: str = "answered right and in time") -> list[Chart]:
    """Returns the charts of runs over time; none of runs that have a single interval. `answered`
    says which queries count."""
    told = [run for run in runs if len(run.shown) > 1]
    if not told:
        return []
    charts = [answered_chart(told, told=answered)]
    by_series = grouped((run.series or run.label, run) for run in told)
    # A chart of nothing but NOERROR tells nothing.
    telling = {
        series: runs
        for series, runs in by_series.items()
        if any(set(one.rcodes) - {"NOERROR"} for run in runs for one in run.shown)
    }
    for number, (series, runs) in enumerate(spread(list(telling.items()), MOST_SERIES), 1):
        named = (f"rcodes-by-interval-{number}", series) if len(by_series) > 1 else ()
        charts.append(rcodes_chart(runs, *named))
    if timed := [run for run in told if any(one.rtt_ns for one in run.shown)]:
        charts.append(rtt_chart(timed))
    return charts


def findings(found: Intervals) -> list[str]:
    shown = [one for one in found.intervals if one.sent]
    if not shown:
        return ["No query was sent in any interval."]
    sent, valid = sum(one.sent for one in shown), sum(one.valid for one in shown)
    first = f"{share_text(valid, sent)} of {count_text(sent)} queries"
    first += " were answered right and in time."
    worst = min(shown, key=lambda one: one.share or 0.0)
    poor, parts = sum(one.valid < one.sent for one in shown), plural(len(shown), "interval")
    second = f"The same holds for each of {parts}."
    if poor:
        second = f"In {poor} of {parts} not all were; the worst one begins after"
        second += f" {worst.since_s:g} s, with {share_text(worst.valid, worst.sent)}."
    with_rtt = [one for one in shown if one.rtt_ns]
    if not with_rtt:
        return [first, second, "There is no RTT."]
    slowest = max(with_rtt, key=lambda one: one.rtt_ns["p99"])
    third = f"The 99th percentile of the RTTs is {duration_text(slowest.rtt_ns['p99'])} at most, in"
    third += f" the interval from {slowest.since_s:g} s on."
    return [first, second, third]


COLUMNS = (
    "from, s={0.since_s:g}; sent; valid; valid, %=valid/sent; late; lost; invalid;"
    " RTT median=rtt_ns.p50; 99th percentile=rtt_ns.p99; maximum=rtt_ns.max"
)


def section(found: Intervals) -> Section:
    charts = charts_of([Run(found.label, found.intervals)])
    tables = [table_of("Intervals", found.intervals, COLUMNS)]
    said = (f"Intervals of {found.label}", findings(found), found.doubts())
    return Section(*said, charts, tables)


def group(several: Sequence[Intervals]) -> Section:
    runs = [Run(one.label, one.intervals) for one in several]
    shares = [100 * sum(one.valid for one in run.intervals) / max(1, run.sent) for run in runs]
    first = f"{plural(len(runs), 'run')} answered from {min(shares):.6g} to {max(shares):.6g} % of"
    first += " the queries right and in time."
    return Section("Runs over each other", [first], [], charts_of(runs))
