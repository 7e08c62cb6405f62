# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a capture holds: messages over time, and shares by type and RCODE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..document import Chart, Table
from ..drawing import SERIES, beside, legend_above, draw_line, name_rows
from ..quantities import count_text, rate_axis, share_text
from ..results.capture import Capture

# More kinds than this are drawn as one.
MOST_KINDS = 12
# A smaller part of an interval is too short to tell a rate.
LEAST_PART = 0.01


def messages_chart(capture: Capture) -> Chart:
    """Returns queries and answers per second over time. An interval without any is drawn as
    none."""
    moments, interval_s = capture.over_time, capture.interval_s
    # Files of older versions lack the intervals without a message.
    filled: list[tuple[float, float, float]] = []
    for one in moments:
        if filled and capture.since_s(one) - filled[-1][0] > 1.5 * interval_s:
            filled += [
                (filled[-1][0] + interval_s, 0, 0),
                (capture.since_s(one) - interval_s, 0, 0),
            ]
        if one.covered_s >= LEAST_PART * interval_s:
            filled.append(
                (capture.since_s(one), one.queries / one.covered_s, one.answers / one.covered_s)
            )

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        times = [one[0] for one in filled]
        for place, (label, dashes) in enumerate((("queries", "-"), ("answers", "--")), 1):
            draw_line(
                axes,
                times,
                [one[place] for one in filled],
                SERIES[place - 1],
                label,
                linestyle=dashes,
            )
        axes.set_ylim(bottom=0)
        rate_axis(axes.yaxis)
        axes.set(xlabel="seconds since the first message", ylabel="messages per second")
        legend_above(axes, 2)

    queries = sum(one.queries for one in moments)
    answers = sum(one.answers for one in moments)
    most = max(moments, key=lambda one: one.queries)
    title = "Messages over time"
    caption = (
        f"Messages per second, in intervals of {interval_s:.3g} s. N = {count_text(queries)}"
        f" queries and {count_text(answers)} answers."
    )
    text = (
        f"The most queries, {count_text(most.queries)}, are in the interval from"
        f" {capture.since_s(most):.3g} s on."
    )
    rows = [(capture.since_s(one), one.covered_s, one.queries, one.answers) for one in moments]
    data = Table(title, ("since_s", "covered_s", "queries", "answers"), rows)
    return Chart("messages", title, caption, text, data, draw, 0.6)


def kinds_chart(counts: Mapping[str, int], title: str, what: str, name: str) -> Chart:
    """Returns the shares of kinds as bars, the rest of many as one."""
    total = sum(counts.values())
    shown = list(counts.items())[:MOST_KINDS]
    rest = total - sum(count for _, count in shown)
    shown += [("all others", rest)] if rest else []

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, (label, count) in enumerate(shown):
            axes.barh(-place, 100 * count / total, height=0.62, color=SERIES[0])
            beside(axes, share_text(count, total), (100 * count / total, -place))
        name_rows(axes, [label for label, _ in shown], 18, bare=True)
        axes.set_xlim(0, 130)
        axes.set_xticks([0, 25, 50, 75, 100])
        axes.set_xlabel(f"% of the {what}")

    caption = f"Shares of the {what}. N = {count_text(total)}."
    text = "; ".join(f"{label}: {share_text(count, total)}" for label, count in shown) + "."
    height = min(1.4, 0.3 + 0.085 * len(shown))
    data = Table(title, ("kind", what), list(counts.items()))
    return Chart(name, title, caption, text, data, draw, height)
