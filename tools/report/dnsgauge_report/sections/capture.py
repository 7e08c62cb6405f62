# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of what a capture, or a list of queries, holds."""

from __future__ import annotations

from ..charts.capture import kinds_chart, messages_chart
from ..document import Chart, Section, Table
from ..quantities import count_text, listing, plural, rate_text, share_text
from ..results.base import flat
from ..results.capture import Asking, Capture


def findings(capture: Capture) -> list[str]:
    seconds = f" of {capture.seconds:.4g} s" if capture.seconds else ""
    first = (
        f"{listing(capture.files[:4]) or capture.label} has {count_text(capture.queries)} queries"
        f" and {count_text(capture.answers)} answers{seconds}"
        + (f": {rate_text(round(capture.rate, 1))} queries on average." if capture.rate else ".")
    )
    second = (
        f"The queries ask for {plural(capture.names.distinct, 'name')} and come from"
        f" {plural(capture.clients.distinct, 'client')}."
    )
    if not capture.types:
        return [first, second]
    kind, count = next(iter(capture.types.items()))
    return [first, second, f"{share_text(count, capture.queries)} of them ask for {kind}."]


def top_table(capture: Capture, asking: Asking, what: str) -> Table:
    rows = [
        (one.text, one.queries, share_text(one.queries, capture.queries))
        for one in asking.most_frequent
    ]
    return Table(f"The most frequent {what}s", (what, "queries", "share"), rows)


def section(capture: Capture) -> Section:
    charts: list[Chart] = []
    if len(capture.over_time) > 1:
        charts.append(messages_chart(capture))
    if capture.types:
        charts.append(kinds_chart(capture.types, "Queries by type", "queries", "types"))
    if capture.rcodes:
        charts.append(kinds_chart(capture.rcodes, "Answers by RCODE", "answers", "rcodes"))
    rows = [
        row
        for name, value in capture.fields.value.items()
        if name not in ("schema", "over_time", "names", "clients")
        for row in flat(value, name)
    ]
    return Section(
        f"Capture {capture.label}",
        findings(capture),
        capture.doubts(),
        charts,
        [
            top_table(capture, capture.names, "name"),
            top_table(capture, capture.clients, "client"),
            Table("All counts", ("what", "value"), rows),
        ],
    )
