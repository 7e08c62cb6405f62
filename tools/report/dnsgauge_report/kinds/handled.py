# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the queues and CPUs of a machine handled, and where its CPUs are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ..document import Table
from ..fields import Fields
from ..quantities import share_text
from ..tables import table_of
from ..view import View


@dataclass(frozen=True, kw_only=True)
class CpuPlace(View):
    """Where a CPU is: the numbers of the parts that it shares with others."""

    cpu: int
    socket: int
    core: int
    l2: int | None = None
    l3: int | None = None
    node: int | None = None

    @property
    def order(self) -> tuple[int, int, int, int, int]:
        """Returns what sorts CPUs so that those near each other stand next to each other."""
        none = -1
        return (
            self.socket,
            none if self.l3 is None else self.l3,
            none if self.l2 is None else self.l2,
            self.core,
            self.cpu,
        )


def read_topology(fields: Fields, name: str) -> dict[int, CpuPlace]:
    """Returns where each CPU is."""
    places = [CpuPlace.read(one) for one in fields.objects_or(name)]
    return {place.cpu: place for place in places}


Topology = Annotated[dict[int, CpuPlace], read_topology]


@dataclass(frozen=True, kw_only=True)
class QueueCount(View):
    """What a queue of an interface handled. `packets`: none where the driver does not count by
    queue."""

    queue: str
    packets: int | None = None
    interrupts: int


@dataclass(frozen=True, kw_only=True)
class CpuCount(View):
    """What a CPU handled, for all interfaces."""

    cpu: int
    processed: int
    dropped: int
    squeezed: int
    net_rx: int
    net_tx: int
    interrupts: int


@dataclass(frozen=True, kw_only=True)
class Handled(View):
    """What each queue and each CPU handled."""

    queues: list[QueueCount]
    cpus: list[CpuCount]


def handled_tables(handled: Handled, where: str) -> list[Table]:
    """Returns what each queue and each CPU handled, `where` being the end of the captions; no table
    of what nobody counted."""
    tables = []
    if handled.queues:
        total = sum(one.packets or 0 for one in handled.queues)
        shares = [
            (one, None if one.packets is None else share_text(one.packets, total))
            for one in handled.queues
        ]
        rows = [(one.queue, one.packets, share, one.interrupts) for one, share in shares]
        heads = ("queue", "packets", "share", "interrupts")
        tables.append(Table(f"Packets by queue {where}", heads, rows))
    if handled.cpus:
        notes = ["Of all interfaces, but for interrupts, which are those of this one's queues."]
        columns = (
            "CPU=CPU {0.cpu}; packets received=processed; dropped; out of time=squeezed;"
            " softirqs receiving=net_rx; softirqs sending=net_tx; interrupts"
        )
        tables.append(table_of(f"Packets by CPU {where}", handled.cpus, columns, notes))
    return tables
