# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What queries go through on the server's machine: how long each stage takes, and where queries
are lost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..document import Chart, chart
from ..drawing import BLUE, GREY, ORANGE, SERIES, VERMILION, beside, draw_curves
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


def fates_chart(whole: str, total: int, losses: Sequence[tuple[str, int]], left: str) -> Chart:
    """Returns the flow of queries: all of them, what is lost on the way, and what is `left`."""
    rest = total - sum(count for _, count in losses)

    def draw(axes: Any) -> None:
        rows, end = [(whole, 0, total, BLUE)], total
        for name, count in losses:
            end -= count
            rows.append((name, end, count, VERMILION))
        rows.append((left, 0, rest, BLUE))
        for place, (_, start, count, colour) in enumerate(rows):
            axes.barh(-place, count, left=start, height=0.62, color=colour)
            text = f"{count_text(count)} ({share_text(count, total)})"
            beside(axes, text, (start + count, -place))
        name_rows(axes, [name for name, *_ in rows], 26, bare=True)
        axes.set_xlim(0, 1.75 * total)
        axes.set_xticks([])
        axes.grid(visible=False)
        axes.spines["bottom"].set_visible(False)

    rows = [(whole, total), *losses, (left, rest)]
    caption = (
        f"Where queries were lost, in the order of their way. N = {count_text(total)} queries."
    )
    named, heads = ("fates", "Where queries die"), "fate queries"
    return chart(*named, caption, heads, rows, draw, height_of(len(rows)))


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
