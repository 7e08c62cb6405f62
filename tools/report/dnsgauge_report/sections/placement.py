# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of placements: what queues and CPUs handled, and how a machine is placed."""

from __future__ import annotations

from ..document import Section
from ..quantities import plural, some
from ..results.handled import handled_tables
from ..results.placement import Placement
from ..tables import table_of


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
    if placement.card_node is None:
        return [first, second]
    near = [f"CPU {place.cpu}" for place in places if place.node == placement.card_node]
    third = f"The card of {placement.interface} is next to memory node {placement.card_node}"
    return [first, second, f"{third}, as are these CPUs: {some(near)}." if near else f"{third}."]


def section(placement: Placement) -> Section:
    tables = [*handled_tables(placement.handled, "since the machine's start")]
    cpus = sorted(placement.topology.values(), key=lambda one: one.order)
    columns = "CPU=CPU {0.cpu}; socket; core; L2=l2; L3=l3; memory node=node"
    tables.append(table_of("CPUs, those near each other together", cpus, columns))
    if placement.interrupts:
        columns = "interrupt=name; queue; CPUs that may handle it=cpus; CPUs that do=effective_cpus"
        tables.append(table_of("Interrupts", placement.interrupts, columns))
    if placement.values:
        tables.append(table_of("Settings", placement.values, "setting; where; value"))
    driver = f" ({placement.driver})" if placement.driver else ""
    return Section(
        f"Placement {placement.label}: {placement.interface}{driver}",
        findings(placement),
        placement.doubts(),
        [],
        tables,
    )
