#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a second sender and queue add, in floods of FakeDNS over a pair with two queues.

    sudo tests/bench/queues.py --duration 3 --rounds 5

One sender and two take turns, in two layouts: the last CPU polls both queues of the DUT's interface,
as tools/lab lays it; and each queue is polled by the CPU that sends to it. Whoever polls answers the
query and carries the reply up to the Tester's program. Of each: queries sent and replies right in
time, per second, medians over the rounds and spread, and the median of the rounds' ratios of two
senders to one. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

from errors import run_benchmark
from lab import generator_cpu, server_cpu
from reference import describe_machine, fakedns_lab, flood, need_two_cpus
from summary import ratio, spread


@dataclass(frozen=True)
class Setup:
    title: str
    senders: tuple  # their CPUs
    polling: tuple  # the CPU of each of the DUT's queues
    base: int  # number of the set-up to compare with


def setups():
    first, last = generator_cpu(), server_cpu()
    return [
        Setup(f"1 sender, DUT on CPU {last}", (first,), (last, last), 0),
        Setup(f"2 senders, DUT on CPU {last}", (first, last), (last, last), 0),
        Setup("1 sender, DUT on its CPU", (first,), (first, last), 2),
        Setup("2 senders, DUT on theirs", (first, last), (first, last), 2),
    ]


def napi_number(pid):
    """Returns a number that ascends with the queues."""
    return int(Path(f"/proc/{pid}/comm").read_text().rpartition("-")[2])


def flood_of(lab, scratch, threads, setup, duration):
    """Returns queries per second: (sent, answered right in time)."""
    for pid, cpu in zip(threads, setup.polling):
        os.sched_setaffinity(pid, {cpu})
    trial = flood(lab, scratch, setup.senders, duration)
    seconds = trial["sending"]["duration_ns"] / 1e9
    return trial["sent"] / seconds, trial["valid"] / seconds


def row(title, rounds, base):
    cells = []
    for number in (0, 1):
        values = {i: one[number] for i, one in enumerate(rounds)}
        middle, low, high = spread(values.values())
        against = ratio(values, {i: one[number] for i, one in enumerate(base)})
        cells.append(f"{middle:>9.0f} ({low:.0f} to {high:.0f}), x {against[0]:.2f}")
    return f"{title:<26} {cells[0]:<40} {cells[1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=3, help="seconds of each flood")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    need_two_cpus()

    floods = [[] for _ in setups()]
    with fakedns_lab("dgqueues", queues=2) as (lab, scratch):
        threads = sorted(lab.napi_threads(), key=napi_number)
        for _ in range(options.rounds):
            for rounds, setup in zip(floods, setups()):
                rounds.append(flood_of(lab, scratch, threads, setup, options.duration))
    print(describe_machine())
    print(f"floods of {options.duration:g} s, {options.rounds} rounds; medians (lowest to highest), and "
          "over one sender")
    print(f"{'':<26} {'sent per second':<40} right in time per second")
    for rounds, setup in zip(floods, setups()):
        print(row(setup.title, rounds, floods[setup.base]))


if __name__ == "__main__":
    run_benchmark("queues.py", main)
