#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a query costs one, two and four Testers that make trials together, each on a link of its own: all of
them on this machine, against FakeDNS by XDP.

CPU times of all Testers, threads and kernel's part among them, and the packets that left their links are read twice
while they send. All together are asked for more than they can send, so that no sender waits: a sender that waits takes
all CPU time that it gets. Needs root and Open MPI.
"""

import statistics
import time

from lab import FLOOD_RATE, Lab, Running, cpu_time_of, option_words, server_cpu
from program import BIN, BenchError, print_table, shown, start, take_turns

TESTERS = (1, 2, 4)
SETTLE, WATCHED = 1, 3  # seconds
TRIAL = option_words({"interface": "g{rank}", "server": "198.18.{rank}.2", "names": "0.0.0.0/1", "rate": FLOOD_RATE,
                      "duration": 8, "timeout": 1, "max_others": 100, "max_lateness": 60, "max_overrun": 60})


def cost(lab, testers):
    """Returns (queries/s, CPU microseconds a query) while this number of Testers sends."""
    def sent():
        return sum(lab.packets("tester", f"g{rank}", "tx") for rank in range(testers))

    before = sent()
    # Senders of the highest priority would leave FakeDNS no time. ARP and its like are fewer packets.
    with Running(lab, "tester", None, "setpriv", "--bounding-set=-sys_nice", "mpirun", "--allow-run-as-root",
                 "--bind-to", "none", "--oversubscribe", "-n", testers, BIN / "dnsgauge-mpi", "trial", *TRIAL,
                 name=f"a trial of {testers} Testers", wait_for=lambda: sent() >= before + 1000) as trial:
        time.sleep(SETTLE)
        family = trial.family()
        seen = []
        for pause in (WATCHED, 0):
            seen.append((time.monotonic(), cpu_time_of(family), sent()))
            time.sleep(pause)
        if trial.process.poll() is not None:
            raise BenchError("the trial ended early")
    seconds, cpu, count = (late - early for early, late in zip(*seen))
    return count / seconds, cpu / count * 1e6


def main(options):
    links = [word for number in range(max(TESTERS)) for word in ("--interface", f"d{number}")]
    with (Lab("mpiscaling", "--links", max(TESTERS)) as lab,
          Running(lab, "dut", server_cpu(), BIN / "fakedns", *links, wait_for="fakedns: ready")):
        made = take_turns(options.rounds, TESTERS, lambda testers: cost(lab, testers))
    rows = [(testers, f"{statistics.median(rates):.0f}", shown(times, 2))
            for testers, costs in made.items() for rates, times in [zip(*costs)]]
    print_table(("Testers", "queries/s sent", "CPU us a query"), rows, about="medians (lowest..highest)")


if __name__ == "__main__":
    start(main, needs=["mpirun"], rounds=3)
