#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what the unavoidable steps of a packet cost in the kernel: the clock, a counter, finding and claiming
a query's slot, moving the packet's end. Nanoseconds a step, by bpftool's test runs. Needs root, clang and
bpftool. See README.md.
"""

import os
import sys
import tempfile
from pathlib import Path

from program import found, print_table, run, shown, start, take_turns

SOURCE = Path(__file__).with_name("helpers_cost.bpf.c")
APART = "DNSGAUGE_MOUNTS_APART"  # in the environment of the process that measures
TURNS = 64  # of a step in a program
REPEAT = 20_000
# What a program times: text, and how many steps a turn has.
STEPS = {
    "clock_read": ("reading the clock", 1),
    "slot_read": ("finding a query's slot", 1),
    "slot_claimed": ("finding and claiming it (compare and swap)", 1),
    "counter_raised": ("finding and raising a counter of this CPU", 1),
    "tail_moved_twice": ("moving the packet's end", 2),
}


def main(options):
    if APART not in os.environ:
        # In a mount namespace of its own the mount of the programs ends with this process, even after kill -9.
        os.execvpe("unshare", ["unshare", "--mount", sys.executable, *sys.argv], os.environ | {APART: "1"})
    with tempfile.TemporaryDirectory(prefix="dnsgauge-bench.") as folder:
        program, packet, pinned = (Path(folder) / name for name in ("program.o", "packet", "bpf"))
        packet.write_bytes(bytes(90))
        pinned.mkdir()
        run("clang", "-O2", "-g", "-target", "bpf", f"-I/usr/include/{os.uname().machine}-linux-gnu", "-c", SOURCE,
            "-o", program)
        run("mount", "-t", "bpf", "bpf", pinned)
        try:
            run("bpftool", "prog", "loadall", program, pinned / "programs")

            def nanoseconds(step):
                said = run("bpftool", "prog", "run", "pinned", pinned / "programs" / f"time_{step}", "data_in", packet,
                           "repeat", REPEAT)
                return int(found(r"duration \(average\): (\d+)ns", said, "bpftool")) / TURNS

            costs = take_turns(options.rounds, STEPS, lambda step: nanoseconds(step) - nanoseconds("nothing"))
        finally:
            run("umount", pinned)
    print_table(("", "ns a step"), [(text, shown(costs[step], unit=steps)) for step, (text, steps) in STEPS.items()],
                about=f"median of {options.rounds} rounds (lowest..highest)")


if __name__ == "__main__":
    start(main, needs=["clang", "bpftool"], rounds=9)
