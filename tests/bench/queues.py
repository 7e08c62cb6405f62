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

import os
from pathlib import Path

from lab import fakedns_lab, flood, generator_cpu, server_cpu
from program import print_table, ratio, shown, start, take_turns


def setups():
    """Returns {title: (the senders' CPUs, the CPU of each of the DUT's queues)}: each one of one sender is followed by
    the same with two."""
    first, last = generator_cpu(), server_cpu()
    return {f"1 sender, DUT on CPU {last}": ((first,), (last, last)),
            f"2 senders, DUT on CPU {last}": ((first, last), (last, last)),
            "1 sender, DUT on its CPU": ((first,), (first, last)),
            "2 senders, DUT on theirs": ((first, last), (first, last))}


def queue_of(pid):
    """Returns a number that ascends with the queues."""
    return int(Path(f"/proc/{pid}/comm").read_text().rpartition("-")[2])


def main(options):
    with fakedns_lab("dgqueues", "--queues", 2) as lab:
        threads = sorted(lab.napi_threads(), key=queue_of)

        def flood_of(title):
            senders, polling = setups()[title]
            for pid, cpu in zip(threads, polling):
                os.sched_setaffinity(pid, {cpu})
            return flood(lab, options.duration, cpus=",".join(map(str, senders)))

        floods = take_turns(options.rounds, setups(), flood_of)
    rows, base = [], {}
    for number, (title, rounds) in enumerate(floods.items()):
        rows.append([title])
        for rate in ("sent_rate", "answered_rate"):
            values = [one[rate] for one in rounds]
            base[rate] = base[rate] if number % 2 else values
            rows[-1].append(f"{shown(values, 0)}, x {ratio(values, base[rate])[0]:.2f}")
    print_table(("", "sent per second", "right in time per second"), rows, 3, f"floods of {options.duration:g} s, "
                f"{options.rounds} rounds; medians (lowest..highest), and over one sender")


if __name__ == "__main__":
    start(main, duration=(3.0, "seconds of each flood"), rounds=5)
