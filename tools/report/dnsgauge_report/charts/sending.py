# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How well the Tester kept its schedule."""

from collections.abc import Sequence

from ..document import Chart
from ..drawing import BLUE, ORANGE, VERMILION, spread
from ..quantities import drawn_text, numbers_text
from ..statistics import Latency
from ..tables import members
from ..view import View
from .latency import percentile_chart, times_chart

MARKS = (("median", "o", BLUE), ("99th percentile", "s", ORANGE), ("maximum", "D", VERMILION))


# More rows than this leave no place for their labels.
MOST_ROWS = 40


def lateness_charts(trials: Sequence[View]) -> list[Chart]:
    """Returns how late queries were handed over after due times; older files have no histogram."""
    shown = spread(trials, MOST_ROWS)
    rows = [(one.label, one.sent, members(one.sending.lateness_ns, "p50 p99 max")) for one in shown]
    caption = "How late queries were handed to the kernel, against the schedule. "
    caption += numbers_text([row[:2] for row in rows], "query", "queries")
    caption += drawn_text(len(shown), len(trials), "result")
    named = ("lateness", "Lateness of sends", "result queries p50_ns p99_ns max_ns")
    charts = [times_chart(named, MARKS, caption, rows, [one.label for one in shown])]
    latencies = []
    for one in trials:
        bins = [(low, max(high, 1), of) for low, high, of in one.sending.lateness_histogram_ns]
        latencies += [Latency(one.label, bins, one.sent, None)] if bins else []
    named = ("lateness-percentiles", "Lateness of sends by percentile", "Lateness of sends")
    return [*charts, percentile_chart(latencies, *named, "latest")] if latencies else charts
