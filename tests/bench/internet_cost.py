#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what an answer of fakedns --internet takes, without receiving and sending: nanoseconds of CPU time, and
instructions, which valgrind's callgrind counts. Needs ninja -C build internet_cost. See README.md.
"""

from program import TESTS, instructions_each, run, shown, start

PROGRAM = TESTS / "internet_cost"
PARTS = ("referral", "nxdomain", "address")
ANSWERS = (2048, 10240)  # of two runs, whose difference counts


def main(options):
    print(f"an answer: ns of CPU time, median of {options.rounds} rounds (lowest..highest); instructions")
    copying = instructions_each(*ANSWERS, PROGRAM, "copy")
    for part in PARTS:
        times = [float(run(PROGRAM, part, options.answers)) for _ in range(options.rounds)]
        print(f"{part:10}{shown(times, 0):>20}{instructions_each(*ANSWERS, PROGRAM, part) - copying:10.0f}")


if __name__ == "__main__":
    start(main, root=False, needs=["valgrind"], built="internet_cost", rounds=5, answers=(500_000, "of a round"))
