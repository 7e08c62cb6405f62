# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a per-query file."""

from __future__ import annotations

from ..charts.latency import Latency, distribution_chart, percentile_chart
from ..charts.over_time import answered_chart, heat_chart
from ..document import Section, Table
from ..quantities import count_text, duration_text, listing, share_text
from ..results.classes import REASONS
from ..results.per_query import PerQuery

# Bins of a decade: an RTT is drawn at most 0.6 % too high.
FINE = 400


def latency_of(queries: PerQuery) -> Latency:
    """Returns the RTTs. The file does not tell the timeout."""
    import numpy

    rtts = numpy.maximum(queries.valid_rtts, 1)
    if not len(rtts):
        return Latency(queries.label, [], len(queries.fate), None)
    places, counts = numpy.unique(
        numpy.floor(numpy.log10(rtts) * FINE).astype("int64"), return_counts=True
    )
    bounds = [10 ** (place / FINE) for place in (places, places + 1)]
    rows = [
        (float(lower), float(upper), int(count)) for lower, upper, count in zip(*bounds, counts)
    ]
    first, last = rows[0], rows[-1]
    rows[0] = (float(rtts.min()), first[1], first[2])
    rows[-1] = (rows[-1][0], float(rtts.max()), last[2])
    return Latency(queries.label, rows, len(queries.fate), None)


def findings(queries: PerQuery) -> list[str]:
    import numpy

    total = len(queries.fate)
    counts = queries.counts
    seconds = float(queries.sent_ns.max()) / 1e9
    valid = counts.get("valid", 0)
    first = (
        f"{share_text(valid, total)} of {count_text(total)} queries, sent within {seconds:.3g} s,"
        " were answered right and in time."
    )
    rest = [
        f"{count_text(count)} {name if name in ('late', 'lost') else 'with ' + REASONS[name]}"
        for name, count in counts.items()
        if name != "valid"
    ]
    second = f"The others: {listing(rest)}." if rest else "None was late, wrong or lost."
    rtts = queries.valid_rtts
    if not len(rtts):
        return [first, second, "There is no RTT."]
    half, most = (numpy.quantile(rtts, share, method="inverted_cdf") for share in (0.5, 0.99))
    third = (
        f"Half of the right answers came within {duration_text(float(half))}, 99 % within"
        f" {duration_text(float(most))}, the last after {duration_text(float(rtts.max()))}."
    )
    return [first, second, third]


def section(queries: PerQuery) -> Section:
    latency = latency_of(queries)
    charts = [answered_chart(queries)]
    if latency.rows:
        charts += [heat_chart(queries), percentile_chart([latency]), distribution_chart([latency])]
    total = len(queries.fate)
    rows = [
        (name.replace("_", " "), count, share_text(count, total))
        for name, count in queries.counts.items()
    ]
    table = Table("What became of the queries", ("class", "queries", "share"), rows)
    return Section(
        f"Queries of {queries.label}", findings(queries), queries.doubts(), charts, [table]
    )
