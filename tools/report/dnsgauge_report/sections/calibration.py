# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a calibration: which of the Tester's figures are right."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.certificate import bias_chart, pacing_chart
from ..document import Cell, Section, Table
from ..quantities import duration_text, listing, plural, rate_text
from ..results.base import asked_tables
from ..results.calibration import Calibration
from ..tables import rows_of, table_of


def findings(made: Calibration) -> list[str]:
    if made.trusted:
        first = (
            "Nothing is in doubt: the Tester's figures are right on this set-up, within the limits"
            " below."
        )
    else:
        figures = list(dict.fromkeys(one.figure for one in made.distrusted))
        first = f"Not to be trusted: {listing(figures)}."
    biases = [abs(one.bias_ns) for one in made.rtt.delays if one.valid and one.bias_ns is not None]
    second = (
        f"The bias of the RTTs is {duration_text(max(biases))} at most, at"
        f" {plural(len(biases), 'known delay')}."
        if biases
        else "RTTs were not checked."
    )
    floor, bound = made.rtt.floor_ns, made.rtt.bound_ns
    if floor is not None and bound is not None:
        second += (
            f" The floor is {duration_text(floor)}: no trial on this set-up sees an RTT below"
            f" {duration_text(bound)}."
        )
    wrong = sum(
        counted != check.predicted.get(name)
        for check in made.counting
        for name, counted in check.counted.items()
    )
    if not made.counting:
        third = "Counts were not checked."
    elif wrong:
        third = f"{plural(wrong, 'count')} of classes differ from what was predicted."
    else:
        third = (
            "Every class of queries was counted as predicted, at"
            f" {plural(len(made.counting), 'rate')} up to"
            f" {rate_text(max(check.rate for check in made.counting))}."
        )
    return [first, second, third]


def counting_table(made: Calibration) -> Table:
    names = list(dict.fromkeys(name for check in made.counting for name in check.counted))
    rows: list[Sequence[Cell]] = []
    for name in names:
        row: list[Cell] = [name.replace("_", " ")]
        for check in made.counting:
            row += [check.predicted.get(name), check.counted.get(name)]
        rows.append(row)
    heads = [""]
    for check in made.counting:
        heads += [f"predicted at {rate_text(check.rate)}", "counted"]
    return Table("Queries and packets by class", heads, rows)


DELAYS = (
    "replies=name; rate=rate_text; delay=delay_ns; sent; valid; late; RTT min=valid_rtt_ns.min;"
    " mean=valid_rtt_ns.mean; 99th percentile=valid_rtt_ns.p99; max=valid_rtt_ns.max;"
    " bias=valid_bias_ns"
)
NOTES = [
    "Floor: the smallest RTT of replies sent at once, by XDP, as in trials.",
    "Bias: the smallest RTT, less the delay and the baseline. The baseline is the smallest RTT"
    " of replies held for no time, by AF_XDP.",
]


def section(made: Calibration) -> Section:
    charts = []
    if made.rtt.baseline is not None:
        charts.append(bias_chart(made.rtt.baseline, made.rtt.delays, made.limits_s.bias * 1e9))
    if made.pacing:
        charts.append(pacing_chart(made.pacing))
    tables = [counting_table(made)] if made.counting else []
    if made.rtt.delays:
        delays = [*made.rtt.at_once, *made.rtt.delays]
        tables.append(table_of("Replies sent at once, and held", delays, DELAYS, NOTES))
    asked: list[Sequence[Cell]] = [
        ("server", made.server),
        ("timeout", duration_text(made.timeout_s * 1e9)),
        ("bias allowed", duration_text(made.limits_s.bias * 1e9)),
        *rows_of([made], "rate it vouches for, at most=allowed_rate; finished"),
        ("record", made.record or "none"),
    ]
    conditions = asked_tables(made.fields, asked)
    return Section(
        f"Calibration {made.label}: a Tester and FakeDNS at {made.server}",
        findings(made),
        made.doubts(),
        charts,
        tables,
        conditions,
    )
