# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How a machine is placed: dnsgauge/placement/1."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..view import View
from .base import Result
from .handled import Handled, Topology

SCHEMA = "dnsgauge/placement/1"


@dataclass(frozen=True, kw_only=True)
class Change(View):
    where: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Record(View):
    changes: list[Change] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Interrupt(View):
    name: str
    queue: int
    cpus: str
    effective_cpus: str


@dataclass(frozen=True, kw_only=True)
class Setting(View):
    setting: str
    where: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Placement(Result):
    """How a machine is placed. `record`: what dnsgauge placement apply has set and nobody has put
    back."""

    interface: str
    driver: str = ""
    card_node: int | None = None
    topology: Topology
    handled: Handled
    interrupts: list[Interrupt]
    values: list[Setting]
    record: Record = Record()

    def doubts(self) -> list[str]:
        return [
            f"{one.where} is changed from {one.before} to {one.after} until"
            " dnsgauge placement restore puts it back."
            for one in self.record.changes
        ]
