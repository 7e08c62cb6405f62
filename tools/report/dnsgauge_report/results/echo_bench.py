# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of floods against FakeDNS and the models of its echo: dnsgauge/echo-bench/2."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Fields
from .base import Result

SCHEMA = "dnsgauge/echo-bench/2"


@dataclass(frozen=True)
class EchoBench(Result):
    """Rounds of floods: for each server, in the order of the first round, queries and replies per
    second in each round."""

    date: str
    duration_s: float
    rounds: int
    servers: dict[str, list[tuple[float, float]]]

    def doubts(self) -> list[str]:
        missing = [name for name, found in self.servers.items() if len(found) < self.rounds]
        return [f"Not every round has {name}." for name in missing]


def read(fields: Fields, label: str) -> EchoBench:
    """Returns the record. Throws ReportError."""
    servers: dict[str, list[tuple[float, float]]] = {}
    rounds = fields.objects_or("rounds")
    for one in rounds:
        for name in one.value:
            rates = one.numbers_or(name)
            if len(rates) != 2 or min(rates) < 0:
                raise one.wrong(name, "two rates, of queries and of replies", one.get(name))
            servers.setdefault(name, []).append((rates[0], rates[1]))
    if not servers:
        raise fields.wrong("rounds", "a list of one round at least", fields.get("rounds"))
    return EchoBench(
        label, fields, fields.text("date"), fields.positive("duration"), len(rounds), servers
    )
