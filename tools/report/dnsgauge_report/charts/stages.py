# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What queries go through on the server's machine: how long each stage takes, and where queries
are lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart
from ..drawing import BLUE, GREY, INK, ORANGE, SERIES, VERMILION, Curves, beside, draw_curves
from ..drawing import height_of, legend_above, name_rows, rows_of, spread
from ..quantities import count_text, drawn_text, duration_axis, duration_text, numbers_text, plural
from ..quantities import share_text, short_duration
from .latency import times_chart
from .rates import sent_scale

# In the order in which a query goes through them. Few results tell the first one.
WIRE = "wire"
STAGES = (WIRE, "stack", "queue", "wake-up", "server", "leave")
COLUMNS = ("wire_ns", "stack_ns", "queue_ns", "wakeup_ns", "server_ns", "leave_ns")
# A stage that a result lacks is a part of another one.
PARTS = {"queue": ("stack", "wake-up"), "server": ("leave",)}
REST = "links and Tester"
# What names begin with that tell where late queries were for longest.
LATE = "late: "
COLOURS = dict(zip((*STAGES, REST), (SERIES[-1], *SERIES[:-1], GREY)))
PERCENTILES = (("median", "o", BLUE), ("90th", "^", ORANGE), ("99th percentile", "s", VERMILION))
# Percentages of queries that are slower, on an axis of percentiles.
SLOWER = (100, 50, *(0.1**power for power in range(-1, 7)))
# More results than this leave no place for their labels.
MOST_ROWS = 20


@dataclass(frozen=True)
class Staged:
    """The stages of a result's queries. `means` are nanoseconds of all queries, by the names in
    STAGES, without stages that the result lacks, and `medians` likewise. `rest`: what is left of
    the mean RTT; none where it is not known. `by_time`: how many queries took about as long, and
    the sum of each stage but `wire` over these, the fastest first."""

    label: str
    queries: int
    means: Mapping[str, float]
    rest: float | None
    medians: Mapping[str, float]
    by_time: Sequence[Sequence[Any]]

    @property
    def parts(self) -> list[tuple[str, float]]:
        """Returns the mean of each part of the RTT, as far as they are known."""
        rest = [] if self.rest is None else [(REST, self.rest)]
        return [*self.means.items(), *rest]


@dataclass(frozen=True)
class Flow:
    """Queries on their way: `total` of them, and how many were lost by which name."""

    total: int
    losses: Mapping[str, int]

    @property
    def left(self) -> int:
        return self.total - sum(self.losses.values())

    def share(self, name: str) -> float:
        """Returns how many percent were lost by this name."""
        return 100 * self.losses.get(name, 0) / self.total

    def bars(self, whole: str, names: Sequence[str], left: str) -> list[tuple[str, int, int]]:
        """Returns name, start and length of a bar for the whole, each loss, and what is left."""
        made, end = [(whole, 0, self.total)], self.total
        for name in names:
            end -= self.losses.get(name, 0)
            made.append((name, end, self.losses.get(name, 0)))
        return [*made, (left, 0, self.left)]


Flows = Sequence[tuple[str, Flow]]


def means_chart(all_of_them: Sequence[Staged]) -> Chart:
    shown = spread(all_of_them, MOST_ROWS)
    alone = shown[0] if len(shown) == 1 else None
    names = [one for one in COLOURS if any(one in dict(each.parts) for each in shown)]

    def draw(axes: Any) -> None:
        ends = [0.0] * len(shown)
        for name in names:
            widths = [dict(one.parts).get(name, 0.0) for one in shown]
            label = f"{name} {duration_text(widths[0])}" if alone else name
            looks = {"height": 0.62, "color": COLOURS[name], "label": label}
            axes.barh([-row for row in range(len(shown))], widths, left=ends, **looks)
            ends = [end + width for end, width in zip(ends, widths)]
        for row, end in enumerate(ends):
            beside(axes, duration_text(end), (end, -row))
        name_rows(axes, [one.label for one in shown], 18)
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: short_duration(value))
        axes.set(xlim=(0, 1.22 * max(ends)), xlabel="mean time of a query")
        legend_above(axes, 2 if alone else 3)

    rest = f"What is left of the mean RTT is {REST}. " if REST in names else ""
    caption = f"Means of the stages, which add up. {rest}"
    caption += numbers_text([(one.label, one.queries) for one in shown], "query", "queries")
    caption += drawn_text(len(shown), len(all_of_them), "result")
    rows = [(one.label, one.queries, *map(dict(one.parts).get, STAGES), one.rest) for one in shown]
    heads = " ".join(("result queries", *COLUMNS, "rest_ns"))
    return Chart("stages", "Where the time goes", caption, heads, rows, draw, height_of(len(shown)))


def by_time_chart(one: Staged) -> Chart:
    """Returns the stages' shares, stacked, of the time of queries, and this time, by percentile."""
    names = [name for name in one.means if name != WIRE]
    rows, faster, total = [], 0, sum(queries for queries, *_ in one.by_time)
    for queries, *sums in one.by_time:
        faster += queries
        means = (part / queries for part in (*sums, sum(sums)))
        rows.append((100 * faster / total, queries, *means))
    ends, _, *stages, times = zip(*rows)
    # From the slowest 100 percent to half a query, after the last row.
    edges = [100.0, *(100 - end for end in ends[:-1]), 50 / total]
    shares = [[100 * part / (time or 1) for part, time in zip(stage, times)] for stage in stages]

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, sharex=True, height_ratios=(3, 2))
        looks = {"labels": names, "colors": [COLOURS[name] for name in names]}
        bands = ([*share, share[-1]] for share in shares)
        above.stackplot(edges, *bands, step="post", linewidth=0, **looks)
        above.set(ylim=(0, 100), ylabel="% of the time")
        below.step(edges, [*times, times[-1]], where="post", color=INK, linewidth=1.2)
        duration_axis(below.yaxis)
        below.set_xscale("log")
        below.set_xticks(SLOWER, [f"{100 - slower:.9g}" for slower in SLOWER])
        below.minorticks_off()
        below.set(xlim=(100, edges[-1]), xlabel="percentile of the time", ylabel="time")
        legend_above(above)

    caption = "Queries by their time on the server's machine, which is the sum of the stages: means"
    caption += f" of {plural(len(rows), 'range')} of this time. "
    caption += numbers_text([(one.label, total)], "query", "queries")
    columns = (COLUMNS[STAGES.index(name)] for name in names)
    heads = " ".join(("up_to_percent queries", *columns, "all_ns"))
    named = ("stages-by-time", "Stages by percentile", caption)
    return Chart(*named, heads, rows, draw, 0.9, several=True)


def questions_chart(times: Sequence[tuple[str, int, Sequence[float]]]) -> Chart:
    """Returns percentiles of a resolver's times, each with its name, its count and PERCENTILES."""
    caption = "Cache: time in the server of queries during which no other server answered. All"
    caption += " queries: time in the server. Internet: from a question to another server until its"
    caption += " answer. A query may wait for several answers. N = "
    caption += ", ".join(f"{count_text(count)} ({name})" for name, count, _ in times) + "."
    title, heads = "What a resolver's queries wait for", "part count p50_ns p90_ns p99_ns"
    labels = [name for name, _, _ in times]
    return times_chart(("questions", title, heads), PERCENTILES, caption, times, labels)


def late_text(names: Sequence[str]) -> str:
    is_told = any(name.startswith(LATE) for name in names)
    return "Late ones: where they were for longest. " if is_told else ""


def fates_chart(whole: str, names: Sequence[str], flows: Flows, left: str) -> Chart:
    """Returns flows of queries in one scale, each with its label: all of them, what is lost on the
    way by these names, and what is `left`."""
    alone = len(flows) == 1
    height = 0.62 / len(flows)
    bars = [(label, row) for label, flow in flows for row in flow.bars(whole, names, left)]

    def draw(axes: Any) -> None:
        for turn, ((label, flow), colour) in enumerate(zip(flows, SERIES)):
            for place, (_, start, count) in enumerate(flow.bars(whole, names, left)):
                row = height * ((len(flows) - 1) / 2 - turn) - place
                shade = VERMILION if alone and 0 < place <= len(names) else colour
                looks = {"color": shade, "label": None if alone or place else label}
                begin, width = (100 * part / flow.total for part in (start, count))
                axes.barh(row, width, left=begin, height=height, **looks)
                text = f"{count_text(count)} ({share_text(count, flow.total)})"
                beside(axes, text, (begin + width, row))
        name_rows(axes, [whole, *names, left], 26, bare=True)
        axes.set(xlim=(0, 190), xticks=[])
        axes.grid(visible=False)
        axes.spines["bottom"].set_visible(False)
        if not alone:
            legend_above(axes)

    rows = [(name, count) if alone else (label, name, count) for label, (name, _, count) in bars]
    counts = numbers_text([(label, flow.total) for label, flow in flows], "query", "queries")
    caption = f"Where queries were lost, in the order of their way. {late_text(names)}{counts}"
    heads = "fate queries" if alone else "result fate queries"
    size = height_of(len(rows) if alone else round(0.8 * len(rows)))
    return Chart("fates", "Where queries die", caption, heads, rows, draw, size)


Means = Sequence[tuple[Any, ...]]


def rates_chart(stages: Sequence[str], points: Means) -> Chart:
    """Returns the means of these stages and of the rest of the RTT, stacked, by the rate sent. A
    point has the rate, the mean of each stage, the rest, none where it is not known, and how many
    queries these are."""
    rates, *means, queries = zip(*points)
    missing = means[-1].count(None)
    names = [*stages, *([REST] if missing < len(rates) else [])]

    def draw(axes: Any) -> None:
        bands = [[float("nan") if x is None else x for x in band] for _, band in zip(names, means)]
        colours = [COLOURS[name] for name in names]
        axes.stackplot(rates, *bands, labels=names, colors=colours, linewidth=0)
        sent_scale(axes, rates)
        axes.yaxis.set_major_formatter(lambda value, _: short_duration(value))
        axes.set(ylim=(0, None), ylabel="mean time of a query")
        legend_above(axes)

    caption = "Means of the stages on the server's machine, stacked, by the rate sent. "
    caption += f"With {REST} they are the mean RTT. " if len(names) > len(stages) else ""
    caption += f"At {plural(missing, 'rate')} {REST} are not known. " if missing else ""
    caption += f"N = {count_text(sum(queries))} queries."
    columns = (COLUMNS[STAGES.index(name)] for name in stages)
    heads = " ".join(("rate", *columns, "rest_ns", "queries"))
    return Chart("stages-by-rate", "Stages by rate", caption, heads, points, draw)


def lines_chart(named: tuple[str, str, str], what: str, caption: str, curves: Curves) -> Chart:
    """Returns the times of stages as lines, by the rate sent: a logarithmic axis shows the short
    ones, too. `named` are name and title of the chart and heads of its data; a curve is a stage,
    and points with a rate and one or two times: the first line is solid, the second one dashed."""
    drawn = [
        (name, [(rate, *(max(time, 1) for time in times)) for rate, *times in points])
        for name, points in curves
    ]

    def draw(axes: Any) -> None:
        draw_curves(axes, drawn, range(1, len(drawn[0][1][0])))
        duration_axis(axes.yaxis)
        sent_scale(axes, [point[0] for point in drawn[0][1]])
        axes.set_ylabel(f"{what} time of a query")

    caption += f" A time below 1 ns stands there. N = {count_text(len(curves[0][1]))} rates."
    name, title, heads = named
    return Chart(name, title, caption, heads, rows_of(curves), draw)


def medians_chart(stages: Sequence[str], points: Means) -> Chart:
    """Returns the medians of these stages. A point has the rate, and the median of each stage."""
    curves = [(name, [(at[0], at[1 + turn]) for at in points]) for turn, name in enumerate(stages)]
    caption = "Medians of each stage, by the rate sent; of repeated steps the median."
    caption += " Medians of stages do not add up."
    named = ("stage-medians", "Medians of stages by rate", "stage rate p50_ns")
    return lines_chart(named, "median", caption, curves)


def sides_chart(curves: Curves) -> Chart:
    """Returns the means of stages of A and of B. A point has the rate and both."""
    caption = "Means of each stage, by the rate sent; medians of the runs of A (solid), B (dashed)."
    named = ("stages-by-rate", "Stages of A and B by rate", "stage rate mean_of_a_ns mean_of_b_ns")
    return lines_chart(named, "mean", caption, curves)


def fates_by_rate_chart(curves: Curves) -> Chart:
    """Returns how many percent of A's and of B's queries were lost in each way, by the rate sent. A
    point has the rate and both."""
    most = sorted(curves, key=lambda one: -sum(a + b for _, a, b in one[1]))[: len(SERIES)]
    shown = [one for one in curves if one in most]

    def draw(axes: Any) -> None:
        draw_curves(axes, shown, (1, 2), ("A", "B"))
        sent_scale(axes, [point[0] for point in curves[0][1]])
        axes.set(ylim=(0, None), ylabel="% of the queries")

    late = late_text([name for name, _ in shown])
    caption = "Queries lost in each way, by the rate sent; all runs of A (solid), B (dashed)."
    caption += f" {late}N = {count_text(len(curves[0][1]))} rates."
    caption += drawn_text(len(shown), len(curves), "fate")
    named = ("fates-by-rate", "Where queries of A and B die, by rate", caption)
    return Chart(*named, "fate rate percent_of_a percent_of_b", rows_of(curves), draw)
