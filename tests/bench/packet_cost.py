#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counts the instructions that each step of the kernel programs' own code takes for a packet: bpf/wire, compiled
for this CPU and run in user space below valgrind's callgrind. Maps and helpers are not in it: see
helpers_cost.py. Needs ninja -C build packet_cost. See README.md.
"""

from program import TESTS, instructions_each, start

STEPS = {"fakedns": ("read", "plan", "write", "turn"), "reply_clock": ("read", "checksum", "judge")}
PACKETS = (1000, 5000)  # of two runs, whose difference counts


def main(_):
    for program, steps in STEPS.items():
        for family in (4, 6):
            sums = [instructions_each(*PACKETS, TESTS / "packet_cost", program, done, family)
                    for done in range(len(steps) + 1)]
            costs = [f"{step} {after - before:.0f}" for step, before, after in zip(steps, sums, sums[1:])]
            print(f"{program:12} IPv{family}  {', '.join(costs)}; all {sums[-1] - sums[0]:.0f}")


if __name__ == "__main__":
    start(main, root=False, needs=["valgrind"], built="packet_cost")
