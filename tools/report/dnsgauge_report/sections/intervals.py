# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a file of intervals."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts import intervals as drawn
from ..document import Section
from ..quantities import count_text, duration_text, plural, share_text
from ..results.intervals import Intervals
from ..tables import table_of


def findings(found: Intervals) -> list[str]:
    shown = [one for one in found.intervals if one.sent]
    if not shown:
        return ["No query was sent in any interval."]
    sent, valid = sum(one.sent for one in shown), sum(one.valid for one in shown)
    first = (
        f"{share_text(valid, sent)} of {count_text(sent)} queries were answered right and in time."
    )
    worst = min(shown, key=lambda one: one.share or 0.0)
    poor = sum(one.valid < one.sent for one in shown)
    second = (
        f"In {poor} of {plural(len(shown), 'interval')} not all were; the worst one begins after"
        f" {worst.since_s:g} s, with {share_text(worst.valid, worst.sent)}."
        if poor
        else f"That holds for each of {plural(len(shown), 'interval')}."
    )
    with_rtt = [one for one in shown if one.rtt_ns]
    if not with_rtt:
        return [first, second, "There is no RTT."]
    slowest = max(with_rtt, key=lambda one: one.rtt_ns["p99"])
    third = (
        f"The 99th percentile of the RTTs is {duration_text(slowest.rtt_ns['p99'])} at most, in the"
        f" interval from {slowest.since_s:g} s on."
    )
    return [first, second, third]


COLUMNS = (
    "from, s=text; sent; valid; valid, %=valid/sent; late; lost; invalid; RTT median=rtt_p50_ns;"
    " 99th percentile=rtt_p99_ns; maximum=rtt_max_ns"
)


def section(found: Intervals) -> Section:
    charts = drawn.charts_of([drawn.Run(found.label, found.intervals)])
    return Section(
        f"Intervals of {found.label}",
        findings(found),
        found.doubts(),
        charts,
        [table_of("Intervals", found.intervals, COLUMNS)],
    )


def group(several: Sequence[Intervals]) -> Section:
    """Returns what is said of several files: all runs over each other."""
    shares = [
        sum(one.valid for one in run.intervals) / max(1, sum(one.sent for one in run.intervals))
        for run in several
    ]
    first = (
        f"{plural(len(several), 'run')} answered from {100 * min(shares):.6g} to"
        f" {100 * max(shares):.6g} % of the queries right and in time."
    )
    charts = drawn.charts_of([drawn.Run(run.label, run.intervals) for run in several])
    return Section("Runs over each other", [first], [], charts)
