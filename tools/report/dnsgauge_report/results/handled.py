# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the queues and CPUs of a machine handled, and where its CPUs are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..document import Cell, Table
from ..fields import Fields
from ..quantities import share_text


@dataclass(frozen=True)
class CpuPlace:
    """Where a CPU is: the numbers of the parts that it shares with others."""

    cpu: int
    socket: int
    core: int
    l2: int | None
    l3: int | None
    node: int | None

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


@dataclass(frozen=True)
class QueueCount:
    """What a queue of an interface handled. `packets`: none where the driver does not count by
    queue."""

    queue: str
    packets: int | None
    interrupts: int


@dataclass(frozen=True)
class CpuCount:
    """What a CPU handled, for all interfaces."""

    cpu: int
    processed: int
    dropped: int
    squeezed: int
    net_rx: int
    net_tx: int
    interrupts: int


@dataclass(frozen=True)
class Handled:
    """What each queue and each CPU handled."""

    queues: Sequence[QueueCount]
    cpus: Sequence[CpuCount]

    @staticmethod
    def read(fields: Fields | None) -> Handled | None:
        """Returns what the object says; none where there is no object."""
        if fields is None:
            return None
        return Handled(
            [
                QueueCount(
                    one.text("queue"),
                    one.count("packets") if one.has("packets") else None,
                    one.count("interrupts"),
                )
                for one in fields.objects_or("queues")
            ],
            [
                CpuCount(
                    one.count("cpu"),
                    one.count("processed"),
                    one.count("dropped"),
                    one.count("squeezed"),
                    one.count("net_rx"),
                    one.count("net_tx"),
                    one.count("interrupts"),
                )
                for one in fields.objects_or("cpus")
            ],
        )


def read_topology(fields: Fields, field: str) -> dict[int, CpuPlace]:
    """Returns where each CPU is; nothing where the field is absent."""

    def number(one: Fields, name: str) -> int | None:
        return one.count(name) if one.has(name) else None

    places = [
        CpuPlace(
            one.count("cpu"),
            one.count("socket"),
            one.count("core"),
            number(one, "l2"),
            number(one, "l3"),
            number(one, "node"),
        )  # fmt: skip
        for one in fields.objects_or(field)
    ]
    return {place.cpu: place for place in places}


def handled_tables(handled: Handled, where: str) -> list[Table]:
    """Returns what each queue and each CPU handled, `where` being the end of the captions; no table
    of what nobody counted."""
    tables = []
    if handled.queues:
        total = sum(one.packets or 0 for one in handled.queues)
        rows: list[Sequence[Cell]] = [
            (
                one.queue,
                one.packets,
                None if one.packets is None else share_text(one.packets, total),
                one.interrupts,
            )
            for one in handled.queues
        ]
        heads = ("queue", "packets", "share", "interrupts")
        tables.append(Table(f"Packets by queue {where}", heads, rows))
    if handled.cpus:
        cpus: list[Sequence[Cell]] = [
            (
                f"CPU {one.cpu}",
                one.processed,
                one.dropped,
                one.squeezed,
                one.net_rx,
                one.net_tx,
                one.interrupts,
            )
            for one in handled.cpus
        ]
        cpu_heads = (
            "CPU", "packets received", "dropped", "out of time", "softirqs receiving",
            "softirqs sending", "interrupts",
        )  # fmt: skip
        notes = ["Of all interfaces, but for interrupts, which are those of this one's queues."]
        tables.append(Table(f"Packets by CPU {where}", cpu_heads, cpus, notes))
    return tables
