# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of floods against FakeDNS and the models of its echo: dnsgauge/echo-bench/2."""

from collections.abc import Sequence
from statistics import median

from ..charts.rates import Bar, bars_chart
from ..document import Cell, Section, Table
from ..fields import Fields
from ..quantities import plural, rate_text
from .base import Result, flat

SCHEMA = "dnsgauge/echo-bench/2"
# The server that others are compared with.
BASE = "echo blocking"


def read_rounds(fields: Fields, field: str) -> list[dict[str, list[float]]]:
    """Returns for each round the rates of queries and of replies of each server."""
    rounds = []
    for one in fields.objects_or(field):
        rates = {name: one.numbers_or(name) for name in one.value}
        for name, pair in rates.items():
            if len(pair) != 2 or min(pair) < 0:
                raise one.wrong(name, "two rates, of queries and of replies", one.get(name))
        rounds.append(rates)
    if not any(rounds):
        raise fields.wrong(field, "a list of one round at least", fields.get(field))
    return rounds


class EchoBench(Result):
    """Rounds of floods: queries and replies per second of each server."""

    readers = {"duration": Fields.positive, "rounds": read_rounds}

    @property
    def servers(self) -> dict[str, list[list[float]]]:
        """Returns the rates of each server in each round."""
        names = dict.fromkeys(name for one in self.rounds for name in one)
        return {name: [one[name] for one in self.rounds if name in one] for name in names}

    def doubts(self) -> list[str]:
        missing = [name for name, found in self.servers.items() if len(found) < len(self.rounds)]
        return [f"Not every round has {name}." for name in missing]


read = EchoBench


def section(bench: EchoBench) -> Section:
    replies = {name: [pair[1] for pair in found] for name, found in bench.servers.items()}
    means = {name: sum(rates) / len(rates) for name, rates in replies.items()}
    best, worst = max(means, key=lambda name: means[name]), min(means, key=lambda name: means[name])
    sentences = [
        f"{best} replied to most queries, {rate_text(round(means[best]))} on average, and"
        f" {worst} to least, {rate_text(round(means[worst]))}.",
        f"Each of {plural(len(means), 'server')} was flooded for {bench.duration:g} s in each of"
        f" {plural(len(bench.rounds), 'round')}.",
        "A flood loses what is not replied to: no server keeps these rates without a loss.",
    ]
    bars = [Bar(name, means[name], min(of), max(of), len(of)) for name, of in replies.items()]
    what = "Bars: means over rounds; lines: lowest to highest round."
    chart = bars_chart(bars, "Replies per second", "replies", "replies per second", what, "mean")
    rows: list[Sequence[Cell]] = []
    for name, found in bench.servers.items():
        told = (median([pair[0] for pair in found]), median(replies[name]))
        both = [one for one in bench.rounds if {name, BASE} <= set(one) and one[BASE][1]]
        over = [one[name][1] / one[BASE][1] for one in both]
        ends = [round(end) for end in (*told, min(replies[name]), max(replies[name]))]
        rows.append((name, len(found), *ends, round(median(over), 2) if over else None))
    heads = ("server", "rounds", "queries/s", "replies/s", "lowest", "highest", f"over {BASE}")
    notes = [f"Medians over rounds; replies over the replies of {BASE}, round by round."]
    tables = [Table("Rounds", heads, rows, notes)]
    machine = bench.fields.inner_or_none("machine")
    conditions: list[Sequence[Cell]] = [("date of the first round", bench.date)]
    conditions += flat(machine.value) if machine else []
    made = [Table("Machine", ("what", "value"), conditions)]
    title = f"Bench of the echo {bench.label}"
    return Section(title, sentences, bench.doubts(), [chart], tables, made)
