# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of generators against servers: dnsgauge/bench/1."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.rates import Bar, bars_chart
from ..document import Cell, Chart, Section, Table
from ..quantities import plural, rate_text
from ..view import View
from .base import Result, flat
from .search import median

SCHEMA = "dnsgauge/bench/1"


class Turn(View):
    """One round of a pair. `found` is the highest rate without a loss; none where none was."""

    def most(self, rate: str) -> float:
        """Returns the highest rate of a trial that looks for one."""
        found = [getattr(one, rate) for one in self.trials if one.purpose != "start"]
        return float(max(found, default=0))


class Bench(Result):
    """A benchmark of generators, finished or not."""

    readers = {"turns": Turn}
    older = {"date": ""}

    def doubts(self) -> list[str]:
        return [] if self.complete else ["The run ended early."]


read = Bench


RATES = (
    ("lossless", "Lossless: every query answered"),
    ("answered", "Answered, at any rate"),
    ("sent", "Sent, answered or not"),
)


def pairs_of(bench: Bench) -> dict[tuple[str, str], list[Turn]]:
    """Returns the turns of each pair (server, generator), a server's pairs together."""
    pairs: dict[tuple[str, str], list[Turn]] = {}
    servers = list(dict.fromkeys(turn.server for turn in bench.turns))
    for turn in sorted(bench.turns, key=lambda turn: servers.index(turn.server)):
        pairs.setdefault((turn.server, turn.generator), []).append(turn)
    return pairs


def values(turns: Sequence[Turn], figure: str) -> list[float]:
    """Returns the figure in each round that has it."""
    found = [turn.found if figure == "lossless" else turn.most(f"{figure}_rate") for turn in turns]
    return [value for value in found if value is not None]


def bar_of(label: str, found: Sequence[float]) -> Bar:
    if not found:
        return Bar(label, 0, 0, 0, 0, failure="none found")
    return Bar(label, median(found), min(found), max(found), len(found))


def charts_of(bench: Bench) -> list[Chart]:
    pairs = pairs_of(bench)
    what = "Bars: medians over rounds; lines: lowest to highest round."
    return [
        bars_chart(
            [
                bar_of(f"{server}, {generator}", values(turns, figure))
                for (server, generator), turns in pairs.items()
            ],
            title,
            figure,
            what=what,
        )
        for figure, title in RATES
    ]


def section(bench: Bench) -> Section:
    pairs = pairs_of(bench)
    lossless = {
        pair: median(values(turns, "lossless"))
        for pair, turns in pairs.items()
        if values(turns, "lossless")
    }
    rounds = len({turn.round for turn in bench.turns})
    sentences = [
        f"{plural(len(pairs), 'pair')} of server and generator were measured in"
        f" {plural(rounds, 'round')}."
    ]
    if lossless:
        server, generator = max(lossless, key=lambda pair: lossless[pair])
        sentences.insert(
            0,
            (
                "The highest rate at which nothing was lost is"
                f" {rate_text(round(lossless[server, generator]))}, by {generator} and {server}."
            ),
        )
    rows: list[Sequence[Cell]] = [
        (
            server,
            generator,
            *(
                median(values(turns, figure)) if values(turns, figure) else None
                for figure, _ in RATES
            ),
        )
        for (server, generator), turns in pairs.items()
    ]
    table = Table(
        "Medians over rounds",
        ("server", "generator", *(figure for figure, _ in RATES)),
        rows,
        ["Queries per second."],
    )
    conditions = []
    for name, caption in (("machine", "Machine"), ("options", "Options")):
        inner = bench.fields.inner_or_none(name)
        if inner:
            conditions.append(Table(caption, ("what", "value"), flat(inner.value)))
    charts = charts_of(bench) if pairs else []
    return Section(f"Bench {bench.label}", sentences, bench.doubts(), charts, [table], conditions)
