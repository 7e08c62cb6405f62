# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How a machine is placed: dnsgauge/placement/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..fields import Fields
from .base import Result
from .handled import CpuPlace, Handled, read_topology

SCHEMA = "dnsgauge/placement/1"


@dataclass(frozen=True)
class Placement(Result):
    """How a machine is placed. `changed`: what dnsgauge placement apply has set and nobody has put
    back."""

    interface: str
    driver: str
    topology: dict[int, CpuPlace]
    handled: Handled
    changed: Sequence[Fields]

    def doubts(self) -> list[str]:
        return [
            f"{one.text('where')} is changed from {one.text('before')} to {one.text('after')} until"
            " dnsgauge placement restore puts it back."
            for one in self.changed
        ]


def read(fields: Fields, label: str) -> Placement:
    record = fields.inner_or_none("record")
    return Placement(
        label,
        fields,
        fields.text("interface"),
        fields.text_or("driver"),
        read_topology(fields, "topology"),
        Handled.read(fields.inner("handled")) or Handled([], []),
        record.objects_or("changes") if record else [],
    )
