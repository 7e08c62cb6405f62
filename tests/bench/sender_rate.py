#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how fast the Tester's senders are where sending costs nothing: what a card with zero-copy could get.

    sudo tests/bench/sender_rate.py --rounds 5

The senders are a trial's own, on AF_XDP sockets in a network namespace of the benchmark's. A driver of the
benchmark's completes all frames at each kick; the kernel sends nothing, and nobody answers. For each kind of
queries, with and without the records of a per-query file: instructions a query, by valgrind's callgrind and
without the driver's, and nanoseconds of CPU time a query, the median of all lanes and rounds (lowest to highest),
of one lane to as many as --lanes says. Each lane has a CPU of its own as long as there are CPUs. Needs root, and a
build: ninja -C build sender_rate. See README.md.
"""

import re
import subprocess

from program import instructions_in, on_link, print_table, shown, start, take_turns

SOURCES = {"names": "names of the namespace", "random-names": "the same in random order",
           "list": "a list of a million names", "capture": "a capture",
           "mix": "a mix", "random-mix": "the same in random order"}
COUNTED = 500_000  # queries whose instructions are counted
# What callgrind counts begins and ends with the sender's loop, and leaves out the driver's stand-in for a kick.
SENDING = ("dnsgauge::SenderOf<*>::run(long, std::atomic<bool> const&)", "sendto")


def parts_of(file):
    """Returns {function: instructions}, without the instructions of the functions that it calls."""
    told = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", file], capture_output=True, text=True,
                          check=True).stdout
    parts = {}
    for count, function in re.findall(r"^ *([\d,]+) \([^)]*\)  [^:]*:(\S.*?) \[", told, re.MULTILINE):
        name = re.sub(r"<.*>", "", function.removeprefix("dnsgauge::").split("(")[0])
        parts[name] = parts.get(name, 0) + int(count.replace(",", ""))
    return parts


def ran(source, logs, lanes, queries, **how):
    return on_link("sender_rate", source, lanes, queries, *(["log"] if logs else []), **how)


def instructions(source, logs=False):
    """Returns the instructions of a query, without the driver's."""
    count, printed = ran(source, logs, 1, COUNTED, toggles=SENDING, read=instructions_in)
    return count / printed["queries"]


def print_parts():
    """Prints in which functions the instructions of a query are."""
    for source, text in SOURCES.items():
        parts, printed = ran(source, False, 1, COUNTED, toggles=SENDING, read=parts_of)
        each = {name: count / printed["queries"] for name, count in parts.items()}
        print(f"{text}: " + ", ".join(f"{name} {count:.0f}" for name, count in each.items() if count >= 1))


def main(options):
    if options.parts:
        print_parts()
        return
    rows = [(source, logs) for source in SOURCES for logs in (False, True)]
    lanes = range(1, min(options.lanes, 4) + 1)
    found = take_turns(options.rounds, [(*row, count) for row in rows for count in lanes],
                       lambda case: ran(*case, options.queries)["ns_per_query"])
    table = [(SOURCES[source] + (", per-query log" if logs else ""), f"{instructions(source, logs):.0f}",
              *(shown([cost for costs in found[source, logs, count] for cost in costs]) for count in lanes))
             for source, logs in rows]
    print_table(("", "instructions", *(f"{count} lane{'s' * (count > 1)}" for count in lanes)), table,
                about=f"a query: instructions; ns of CPU time, median of {options.rounds} rounds and of the lanes "
                "(lowest..highest)")


if __name__ == "__main__":
    start(main, needs=["valgrind"], built="sender_rate", rounds=5, queries=(8_000_000, "of each lane"),
          lanes=(4, "the most, up to 4"),
          parts=(False, "tell in which functions the instructions are, and nothing else"))
