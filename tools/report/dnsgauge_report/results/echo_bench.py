# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of floods against FakeDNS and the models of its echo: dnsgauge/echo-bench/2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..fields import Fields
from ..view import Positive
from .base import Result

SCHEMA = "dnsgauge/echo-bench/2"


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


@dataclass(frozen=True, kw_only=True)
class EchoBench(Result):
    """Rounds of floods: queries and replies per second of each server."""

    date: str
    duration: Positive
    rounds: Annotated[list[dict[str, list[float]]], read_rounds]

    @property
    def servers(self) -> dict[str, list[list[float]]]:
        """Returns the rates of each server in each round."""
        names = dict.fromkeys(name for one in self.rounds for name in one)
        return {name: [one[name] for one in self.rounds if name in one] for name in names}

    def doubts(self) -> list[str]:
        missing = [name for name, found in self.servers.items() if len(found) < len(self.rounds)]
        return [f"Not every round has {name}." for name in missing]
