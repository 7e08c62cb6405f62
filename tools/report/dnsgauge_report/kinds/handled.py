# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the queues and CPUs of a machine handled, and where its CPUs are."""

from ..document import Table
from ..fields import Fields
from ..tables import table_of
from ..view import View


class CpuPlace(View):
    """Where a CPU is: the numbers of the parts that it shares with others."""

    @property
    def order(self) -> tuple[int, int, int, int, int]:
        """Returns what sorts CPUs so that those near each other stand next to each other."""
        l3, l2 = (-1 if one is None else one for one in (self.l3, self.l2))
        return self.socket, l3, l2, self.core, self.cpu


Topology = dict[int, CpuPlace]


def read_topology(fields: Fields, name: str) -> Topology:
    return {place.cpu: place for place in map(CpuPlace, fields.objects_or(name))}


class Handled(View):
    """What each queue and CPU handled; a queue whose packets are not counted has none."""


class PlacementSeen(View):
    readers = {"handled": Handled}
    older = {"handled": None}


def handled_tables(handled: Handled, where: str) -> list[Table]:
    total = sum(one.packets or 0 for one in handled.queues)
    queues = [one.but(total=total) for one in handled.queues]
    columns = "queue; packets; share=packets/total; interrupts"
    of_cpus = "CPU=CPU {0.cpu}; packets received=processed; dropped; out of time=squeezed;"
    of_cpus += " softirqs receiving=net_rx; softirqs sending=net_tx; interrupts"
    notes = ["Packets of all interfaces; interrupts of this interface's queues alone."]
    return [
        table_of(f"Packets by queue {where}", queues, columns),
        table_of(f"Packets by CPU {where}", handled.cpus, of_cpus, notes),
    ]
