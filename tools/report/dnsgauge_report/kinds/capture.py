# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What captures and lists of queries hold: dnsgauge/capture/1."""

from collections.abc import Mapping
from typing import Any

from ..document import Chart, Section, Table
from ..drawing import SERIES, beside, draw_line, height_of, legend_above, name_rows
from ..errors import ReportError
from ..fields import Fields
from ..quantities import count_text, listing, plural, rate_axis, rate_text, share_text
from ..view import View
from .base import Result, contradiction, flat

SCHEMA = "dnsgauge/capture/1"


def by_count(fields: Fields, name: str) -> dict[str, int]:
    counts = sorted(fields.counts_or(name).items(), key=lambda pair: -pair[1])
    return {name: count for name, count in counts if count}


def read_moments(fields: Fields, name: str) -> list[View]:
    """Returns the intervals. Files of older versions do not tell what time a part covers."""
    whole = fields.positive("interval_s")
    found = fields.objects_or(name)
    return [View(one, covered_s=one.number_or("covered_s", whole)) for one in found]


class Capture(Result):
    """Counts of messages. `types` and `rcodes` are by name, the most frequent first. An interval
    says when it began, how long its messages took, and how many it has."""

    readers = {
        "types": by_count,
        "rcodes": by_count,
        "left_out": Fields.counts_or,
        "over_time": read_moments,
    }

    @property
    def seconds(self) -> float | None:
        if self.since_ns is None or self.until_ns is None:
            return None
        return (self.until_ns - self.since_ns) / 1e9

    def since_s(self, moment: View) -> float:
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
        left = {names.get(name, name): count for name, count in self.left_out.items() if count}
        doubts = [f"{count:,} {name} were left out." for name, count in left.items()]
        if self.disordered:
            doubts.append(f"{self.disordered:,} messages come after one of a later time.")
        return doubts


read = Capture


# More kinds than this are drawn as one.
MOST_KINDS = 12
# A smaller part of an interval is too short to tell a rate.
LEAST_PART = 0.01


def messages_chart(capture: Capture) -> Chart:
    """Returns messages per second over time. An interval without any is drawn as none."""
    moments, interval_s = capture.over_time, capture.interval_s
    # Files of older versions lack the intervals without a message.
    filled: list[tuple[float, ...]] = []
    for one in moments:
        if filled and capture.since_s(one) - filled[-1][0] > 1.5 * interval_s:
            ends = (filled[-1][0] + interval_s, capture.since_s(one) - interval_s)
            filled += [(end, 0, 0) for end in ends]
        if one.covered_s >= LEAST_PART * interval_s:
            rates = (count / one.covered_s for count in (one.queries, one.answers))
            filled.append((capture.since_s(one), *rates))

    def draw(axes: Any) -> None:
        times, *columns = zip(*filled)
        looks = zip(columns, SERIES, ("queries", "answers"), ("-", "--"))
        for rates, colour, label, dashes in looks:
            draw_line(axes, times, rates, colour, label, linestyle=dashes)
        axes.set_ylim(bottom=0)
        rate_axis(axes.yaxis)
        axes.set(xlabel="seconds since the first message", ylabel="messages per second")
        legend_above(axes, 2)

    queries = sum(one.queries for one in moments)
    answers = sum(one.answers for one in moments)
    caption = f"Messages per second, in intervals of {interval_s:.3g} s. N = {count_text(queries)}"
    caption += f" queries and {count_text(answers)} answers."
    rows = [(capture.since_s(one), one.covered_s, one.queries, one.answers) for one in moments]
    heads = "since_s covered_s queries answers"
    return Chart("messages", "Messages over time", caption, heads, rows, draw, 0.6)


def kinds_chart(counts: Mapping[str, int], title: str, what: str, name: str) -> Chart:
    total = sum(counts.values())
    shown = list(counts.items())[:MOST_KINDS]
    rest = total - sum(count for _, count in shown)
    shown += [("all others", rest)] if rest else []

    def draw(axes: Any) -> None:
        for place, (label, count) in enumerate(shown):
            axes.barh(-place, 100 * count / total, height=0.62, color=SERIES[0])
            beside(axes, share_text(count, total), (100 * count / total, -place))
        name_rows(axes, [label for label, _ in shown], 18, bare=True)
        axes.set(xlim=(0, 130), xticks=[0, 25, 50, 75, 100], xlabel=f"% of the {what}")

    caption = f"Shares of the {what}. N = {count_text(total)}."
    return Chart(name, title, caption, f"kind {what}", counts.items(), draw, height_of(len(shown)))


def findings(capture: Capture) -> list[str]:
    seconds = f" of {capture.seconds:.4g} s" if capture.seconds else ""
    rate = f": {rate_text(round(capture.rate, 1))} queries on average" if capture.rate else ""
    first = f"{listing(capture.files[:4]) or capture.label} has {count_text(capture.queries)}"
    first += f" queries and {count_text(capture.answers)} answers{seconds}{rate}."
    second = f"The queries ask for {plural(capture.names.distinct, 'name')} and come from"
    second += f" {plural(capture.clients.distinct, 'client')}."
    if not capture.types:
        return [first, second]
    kind, count = next(iter(capture.types.items()))
    return [first, second, f"{share_text(count, capture.queries)} of them ask for {kind}."]


def top_table(capture: Capture, asking: View, what: str) -> Table:
    most, total = asking.most_frequent, capture.queries
    rows = [(one.text, one.queries, share_text(one.queries, total)) for one in most]
    return Table(f"The most frequent {what}s", (what, "queries", "share"), rows)


def section(capture: Capture) -> Section:
    is_long = any(one.covered_s >= LEAST_PART * capture.interval_s for one in capture.over_time)
    charts = [messages_chart(capture)] if is_long and len(capture.over_time) > 1 else []
    charts.append(kinds_chart(capture.types, "Queries by type", "queries", "types"))
    charts.append(kinds_chart(capture.rcodes, "Answers by RCODE", "answers", "rcodes"))
    apart = ("schema", "over_time", "names", "clients")
    rows = flat({name: one for name, one in capture.fields.value.items() if name not in apart})
    tables = [top_table(capture, getattr(capture, f"{what}s"), what) for what in ("name", "client")]
    tables.append(Table("All counts", ("what", "value"), rows))
    return Section(f"Capture {capture.label}", findings(capture), capture.doubts(), charts, tables)
