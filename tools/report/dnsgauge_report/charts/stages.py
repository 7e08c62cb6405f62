# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What queries go through on the server's machine: how long each stage takes, and where queries
are lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart, chart
from ..drawing import BLUE, GREY, ORANGE, SERIES, VERMILION, beside, draw_curves, draw_line
from ..drawing import height_of, legend_above, name_rows, rows_of, spread
from ..quantities import count_text, drawn_text, duration_axis, duration_text, numbers_text
from ..quantities import share_text, short_duration
from .latency import times_chart
from .rates import sent_scale

# In the order in which a query goes through them.
STAGES = ("stack", "queue", "wake-up", "server", "leave")
COLUMNS = ("stack_ns", "queue_ns", "wakeup_ns", "server_ns", "leave_ns")
# A stage that a result lacks is a part of another one.
PARTS = {"queue": ("stack", "wake-up"), "server": ("leave",)}
REST = "links and Tester"
COLOURS = dict(zip((*STAGES, REST), (*SERIES[: len(STAGES)], GREY)))
PERCENTILES = (("median", "o", BLUE), ("90th", "^", ORANGE), ("99th percentile", "s", VERMILION))
NO_SUM = "Percentiles of stages do not add up: the slowest queries of two stages are others."
# More results than this leave no place for their labels.
MOST_ROWS, MOST_SPANS = 20, 5


@dataclass(frozen=True)
class Staged:
    """The stages of a result's queries. `means` are nanoseconds of all queries, by the names in
    STAGES, without stages that the result lacks. `percentiles` are the median, the 90th and the
    99th one of what has the name. `rest`: what is left of the mean RTT; none where it is not
    known."""

    label: str
    queries: int
    means: Mapping[str, float]
    rest: float | None
    percentiles: Sequence[tuple[str, Sequence[float]]]

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
        axes.set_xlim(0, 1.22 * max(ends))
        axes.locator_params(axis="x", nbins=5)
        axes.xaxis.set_major_formatter(lambda value, _: short_duration(value))
        axes.set_xlabel("mean time of a query")
        legend_above(axes, 2 if alone else 3)

    rest = f"What is left of the mean RTT is {REST}. " if REST in names else ""
    caption = f"Means of the stages, which add up. {rest}"
    caption += numbers_text([(one.label, one.queries) for one in shown], "query", "queries")
    caption += drawn_text(len(shown), len(all_of_them), "result")
    rows = [(one.label, one.queries, *map(dict(one.parts).get, STAGES), one.rest) for one in shown]
    heads = " ".join(("result queries", *COLUMNS, "rest_ns"))
    return chart("stages", "Where the time goes", caption, heads, rows, draw, height_of(len(shown)))


def spans_chart(all_of_them: Sequence[Staged]) -> Chart:
    shown = spread(all_of_them, MOST_SPANS)
    found = [(one.label, name, times) for one in shown for name, times in one.percentiles]
    found.sort(key=lambda row: (*STAGES, "RTT").index(row[1]))
    labels = [f"{name}: {of}" if len(shown) > 1 else name for of, name, _ in found]
    caption = f"Percentiles of each stage. {NO_SUM} "
    caption += numbers_text([(one.label, one.queries) for one in shown], "query", "queries")
    caption += drawn_text(len(shown), len(all_of_them), "result")
    heads = "result stage p50_ns p90_ns p99_ns"
    named = ("stages-percentiles", "Stages by percentile", heads)
    return times_chart(named, PERCENTILES, caption, found, labels)


def questions_chart(times: Sequence[tuple[str, int, Sequence[float]]]) -> Chart:
    """Returns percentiles of a resolver's times. A time has its name, how often it was taken, and
    its PERCENTILES."""
    caption = (
        "Cache: time in the server of queries during which no other server answered."
        " All queries: time in the server."
        " Internet: from a question to another server until its answer."
        " A query may wait for several answers. N = "
    )
    caption += ", ".join(f"{count_text(count)} ({name})" for name, count, _ in times) + "."
    title, heads = "What a resolver's queries wait for", "part count p50_ns p90_ns p99_ns"
    labels = [name for name, _, _ in times]
    return times_chart(("questions", title, heads), PERCENTILES, caption, times, labels)


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
        axes.set_xlim(0, 190)
        axes.set_xticks([])
        axes.grid(visible=False)
        axes.spines["bottom"].set_visible(False)
        if not alone:
            legend_above(axes)

    rows = [(name, count) if alone else (label, name, count) for label, (name, _, count) in bars]
    counts = numbers_text([(label, flow.total) for label, flow in flows], "query", "queries")
    caption = f"Where queries were lost, in the order of their way. {counts}"
    heads = "fate queries" if alone else "result fate queries"
    size = height_of(len(rows) if alone else round(0.8 * len(rows)))
    return chart("fates", "Where queries die", caption, heads, rows, draw, size)


Means = Sequence[tuple[float, ...]]


def rates_chart(stages: Sequence[str], points: Means) -> Chart:
    """Returns the means of these stages, stacked, by the rate sent. A point has the rate, the mean
    of each stage, and how many queries these are."""
    rates, *means, queries = zip(*points)

    def draw(axes: Any) -> None:
        colours = [COLOURS[name] for name in stages]
        looks = {"labels": stages, "colors": colours, "linewidth": 0}
        axes.stackplot(rates, *means, **looks)
        sent_scale(axes, rates)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: short_duration(value))
        axes.set_ylabel("mean time of a query")
        legend_above(axes, 4)

    caption = "Means of the stages on the server's machine, which add up, by the rate sent;"
    caption += f" without {REST}. N = {count_text(sum(queries))} queries."
    columns = (COLUMNS[STAGES.index(name)] for name in stages)
    heads = " ".join(("rate", *columns, "queries"))
    return chart("stages-by-rate", "Stages by rate", caption, heads, points, draw)


def sides_chart(halves: Mapping[str, Mapping[float, Sequence[float]]]) -> Chart:
    """Returns the time of each stage by the rate sent, of A and of B."""
    rates = list(next(iter(halves.values())))
    rows = [
        (name, side, rate, at_rates[rate][turn])
        for name, at_rates in halves.items()
        for turn, side in enumerate("AB")
        for rate in rates
    ]

    def draw(axes: Any) -> None:
        for name, at_rates in halves.items():
            for turn, dashes in enumerate(("-", "--")):
                times = [max(at_rates[rate][turn], 1) for rate in rates]
                label = None if turn else name
                draw_line(axes, rates, times, COLOURS[name], label, linestyle=dashes)
        duration_axis(axes.yaxis)
        sent_scale(axes, rates)
        axes.set_ylabel("mean time of a query")
        legend_above(axes)

    caption = "Means of each stage by the rate sent, medians of the runs: A solid, B dashed."
    caption += f" N = {count_text(len(rates))} rates."
    named, heads = ("stages-by-rate", "Stages of A and B by rate"), "stage set rate mean_ns"
    return chart(*named, caption, heads, rows, draw)


def medians_chart(stages: Sequence[str], points: Means) -> Chart:
    """Returns the medians of these stages as lines, by the rate sent: a logarithmic axis shows the
    short ones, too. A point has the rate, and the median of each stage."""
    rates, *medians = zip(*points)
    curves = [
        (name, [(rate, max(half, 1)) for rate, half in zip(rates, halves)])
        for name, halves in zip(stages, medians)
    ]

    def draw(axes: Any) -> None:
        draw_curves(axes, curves, (1,))
        duration_axis(axes.yaxis)
        sent_scale(axes, rates)
        axes.set_ylabel("median time of a query")

    caption = f"Medians of each stage, by the rate sent; of repeated steps the median. {NO_SUM}"
    caption += " A median below 1 ns stands there."
    caption += f" N = {count_text(len(points))} rates."
    title, heads = "Medians of stages by rate", "stage rate p50_ns"
    return chart("stage-medians", title, caption, heads, rows_of(curves), draw)
