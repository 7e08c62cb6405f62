# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of placements: what queues and CPUs handled, and how a machine is placed."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Cell, Section, Table
from ..quantities import plural, some
from ..results.handled import handled_tables
from ..results.placement import Placement


def findings(placement: Placement) -> list[str]:
    places = placement.topology.values()
    sockets = len({place.socket for place in places})
    first = (
        f"The machine of {placement.interface} has {plural(len(places), 'CPU')} in"
        f" {plural(sockets, 'socket')}."
    )
    used = [one.queue for one in placement.handled.queues if one.packets or one.interrupts]
    second = (
        f"Of its {plural(len(placement.handled.queues), 'queue')} these have handled packets:"
        f" {some(used)}."
        if used
        else "No queue is known to have handled a packet."
    )
    if not placement.fields.has("card_node"):
        return [first, second]
    node = placement.fields.count("card_node")
    near = [f"CPU {place.cpu}" for place in places if place.node == node]
    third = f"The card of {placement.interface} is next to memory node {node}"
    return [first, second, f"{third}, as are these CPUs: {some(near)}." if near else f"{third}."]


def section(placement: Placement) -> Section:
    places: list[Sequence[Cell]] = [
        (f"CPU {place.cpu}", place.socket, place.core, place.l2, place.l3, place.node)
        for place in sorted(placement.topology.values(), key=lambda one: one.order)
    ]
    interrupts: list[Sequence[Cell]] = [
        (one.text("name"), one.count("queue"), one.text("cpus"), one.text("effective_cpus"))
        for one in placement.fields.objects_or("interrupts")
    ]
    values: list[Sequence[Cell]] = [
        (one.text("setting"), one.text("where"), one.text("value"))
        for one in placement.fields.objects_or("values")
    ]
    tables = [*handled_tables(placement.handled, "since the machine's start")]
    heads = ("CPU", "socket", "core", "L2", "L3", "memory node")
    tables.append(Table("CPUs, those near each other together", heads, places))
    if interrupts:
        of_queues = ("interrupt", "queue", "CPUs that may handle it", "CPUs that do")
        tables.append(Table("Interrupts", of_queues, interrupts))
    if values:
        tables.append(Table("Settings", ("setting", "where", "value"), values))
    driver = f" ({placement.driver})" if placement.driver else ""
    return Section(
        f"Placement {placement.label}: {placement.interface}{driver}",
        findings(placement),
        placement.doubts(),
        [],
        tables,
    )
