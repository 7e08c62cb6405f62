# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How a machine is placed: dnsgauge/placement/1."""

from ..document import Section
from ..quantities import plural, some
from ..tables import table_of
from .base import Result
from .handled import Handled, handled_tables, read_topology

SCHEMA = "dnsgauge/placement/1"


class Placement(Result):
    """How a machine is placed. `record`: what apply has set and restore has not put back."""

    readers = {"topology": read_topology, "handled": Handled}
    older = {"driver": ""}

    def doubts(self) -> list[str]:
        changes = self.record.changes if self.record else ()
        told = [f"{one.where} is changed from {one.before} to {one.after}" for one in changes]
        return [f"{one} until dnsgauge placement restore puts it back." for one in told]


read = Placement


def findings(placement: Placement) -> list[str]:
    places = placement.topology.values()
    sockets = len({place.socket for place in places})
    first = f"The machine of {placement.interface} has {plural(len(places), 'CPU')} in"
    first += f" {plural(sockets, 'socket')}."
    used = [one.queue for one in placement.handled.queues if one.packets or one.interrupts]
    second = "No queue is known to have handled a packet."
    if used:
        queues = plural(len(placement.handled.queues), "queue")
        second = f"These of its {queues} have handled packets: {some(used)}."
    if placement.card_node is None:
        return [first, second]
    near = [f"CPU {place.cpu}" for place in places if place.node == placement.card_node]
    third = f"The card of {placement.interface} is next to memory node {placement.card_node}"
    return [first, second, f"{third}, as are these CPUs: {some(near)}." if near else f"{third}."]


def section(placement: Placement) -> Section:
    cpus = sorted(placement.topology.values(), key=lambda one: one.order)
    places = "CPU=CPU {0.cpu}; socket; core; L2=l2; L3=l3; memory node=node"
    lines = "interrupt=name; queue; CPUs that may handle it=cpus; CPUs that do=effective_cpus"
    tables = [
        *handled_tables(placement.handled, "since the machine's start"),
        table_of("CPUs, those near each other together", cpus, places),
        table_of("Interrupts", placement.interrupts, lines),
        table_of("Settings", placement.values, "setting; where; value"),
    ]
    driver = f" ({placement.driver})" if placement.driver else ""
    title = f"Placement {placement.label}: {placement.interface}{driver}"
    return Section(title, findings(placement), placement.doubts(), tables=tables)
