# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of floods against FakeDNS and the models of its echo (paper 001)."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.rates import Bar, bars_chart
from ..document import Cell, Section, Table
from ..quantities import plural, rate_text
from ..results.base import flat
from ..results.echo_bench import EchoBench
from ..results.search import median


def section(bench: EchoBench) -> Section:
    replies = {name: [pair[1] for pair in found] for name, found in bench.servers.items()}
    means = {name: sum(rates) / len(rates) for name, rates in replies.items()}
    best, worst = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    sentences = [
        f"{best} replied to most queries, {rate_text(round(means[best]))} on average, and"
        f" {worst} to least, {rate_text(round(means[worst]))}.",
        f"Each of {plural(len(means), 'server')} was flooded for {bench.duration:g} s in each of"
        f" {plural(len(bench.rounds), 'round')}.",
        "What is not replied to is lost in a flood, so these rates are no rates that a server"
        " keeps.",
    ]
    bars = [
        Bar(name, means[name], min(rates), max(rates), len(rates))
        for name, rates in replies.items()
    ]
    what = "Bars: means over rounds; lines: lowest to highest round."
    chart = bars_chart(bars, "Replies per second", "replies", "replies per second", what, "mean")
    rows: list[Sequence[Cell]] = [
        (
            name,
            len(found),
            round(median([pair[0] for pair in found])),
            round(median(replies[name])),
            round(min(replies[name])),
            round(max(replies[name])),
        )
        for name, found in bench.servers.items()
    ]
    heads = ("server", "rounds", "queries/s", "replies/s", "lowest", "highest")
    table = Table("Rounds", heads, rows, ["Queries and replies: medians over rounds."])
    machine = bench.fields.inner_or_none("machine")
    conditions: list[Sequence[Cell]] = [("date of the first round", bench.date)]
    conditions += flat(machine.value) if machine else []
    return Section(
        f"Bench of the echo {bench.label}",
        sentences,
        bench.doubts(),
        [chart],
        [table],
        [Table("Machine", ("what", "value"), conditions)],
    )
