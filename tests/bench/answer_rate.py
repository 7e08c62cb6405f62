#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how fast FakeDNS' own AF_XDP code answers where receiving and sending cost nothing: the worker of
fakedns echo --io af_xdp, on a real AF_XDP socket of a veth interface whose system calls reach a driver of
the benchmark instead of the kernel. Nanoseconds of CPU time, and instructions (by valgrind's callgrind), an
answer, without the driver's. Needs root and ninja -C build answer_rate. See README.md.
"""

from program import instructions_in, on_link, print_table, shown, start, take_turns

FAMILIES = {4: "IPv4", 6: "IPv6"}
# Answers of the two runs whose difference is counted: what starts and ends the program cancels.
FEW, MANY = 20_000, 120_000


def counted(family, answers):
    """Returns the instructions without the driver's, and the answers."""
    whole, printed = on_link("answer_rate", family, answers, read=instructions_in)
    drivers, _ = on_link("answer_rate", family, answers, toggles=["*Driver::turn*"], read=instructions_in)
    return whole - drivers, printed["answers"]


def main(options):
    found = take_turns(options.rounds, FAMILIES,
                       lambda family: on_link("answer_rate", family, options.answers)["ns_per_answer"])
    rows = []
    for family, costs in found.items():
        few, many = counted(family, FEW), counted(family, MANY)
        rows.append((FAMILIES[family], shown(costs), f"{(many[0] - few[0]) / (many[1] - few[1]):.0f}"))
    print_table(("", "ns of CPU time", "instructions"), rows,
                about=f"an answer of echo --io af_xdp, median of {options.rounds} rounds (lowest..highest)")


if __name__ == "__main__":
    start(main, needs=["valgrind"], built="answer_rate", rounds=5, answers=8_000_000)
