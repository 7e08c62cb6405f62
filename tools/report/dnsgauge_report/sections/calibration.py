# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a calibration: which of the Tester's figures are right."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.certificate import bias_chart, pacing_chart
from ..document import Cell, Section, Table
from ..quantities import duration_text, listing, plural, rate_text
from ..results.base import asked_tables
from ..results.calibration import Calibration


def findings(made: Calibration) -> list[str]:
    if made.trusted:
        first = (
            "Nothing is in doubt: the Tester's figures are right on this set-up, within the limits"
            " below."
        )
    else:
        figures = list(dict.fromkeys(figure for figure, _ in made.distrusted))
        first = f"Not to be trusted: {listing(figures)}."
    biases = [abs(one.bias) for one in made.delays if one.valid and one.bias is not None]
    second = (
        f"The bias of the RTTs is {duration_text(max(biases))} at most, at"
        f" {plural(len(biases), 'known delay')}."
        if biases
        else "RTTs were not checked."
    )
    if made.floor is not None and made.bound is not None:
        second += (
            f" The floor is {duration_text(made.floor)}: no trial on this set-up sees an RTT below"
            f" {duration_text(made.bound)}."
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


def delays_table(made: Calibration) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            one.name,
            rate_text(one.rate),
            duration_text(one.delay),
            one.sent,
            one.valid,
            one.late,
            *(
                duration_text(rtt if one.valid else None)
                for rtt in (one.min, one.mean, one.p99, one.max)
            ),
            duration_text(one.bias if one.valid else None),
        )
        for one in [*made.at_once, *made.delays]
    ]
    heads = (
        "replies",
        "rate",
        "delay",
        "sent",
        "valid",
        "late",
        "RTT min",
        "mean",
        "99th percentile",
        "max",
        "bias",
    )
    notes = [
        "Floor: the smallest RTT of replies sent at once, by XDP, as in trials.",
        "Bias: the smallest RTT, less the delay and the baseline. The baseline is the smallest RTT"
        " of replies held for no time, by AF_XDP.",
    ]
    return Table("Replies sent at once, and held", heads, rows, notes)


def section(made: Calibration) -> Section:
    charts = []
    if made.baseline is not None:
        charts.append(bias_chart(made.baseline, made.delays, made.max_bias))
    if made.pacing:
        charts.append(pacing_chart(made.pacing))
    tables = [counting_table(made)] if made.counting else []
    tables += [delays_table(made)] if made.delays else []
    asked: list[Sequence[Cell]] = [
        ("server", made.server),
        ("timeout", duration_text(made.timeout)),
        ("bias allowed", duration_text(made.max_bias)),
        ("rate it vouches for, at most", rate_text(made.allowed_rate)),
        ("finished", made.finished),
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
