#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how fast the Tester's senders are where sending costs nothing: what a card with zero-copy could get.

    sudo tests/bench/sender_rate.py --rounds 5

The senders are a trial's own, on AF_XDP sockets in a network namespace of the benchmark's. A driver of the
benchmark's completes all frames at each kick; the kernel sends nothing, and nobody answers. Of each kind of
queries, with and without the records of a per-query file: instructions a query, by valgrind's callgrind and
without the driver's, and nanoseconds of CPU time a query, the median of all lanes and rounds (lowest to highest),
of one lane to as many as --lanes says. Each lane has a CPU of its own as long as there are CPUs. Needs root, and a
build: ninja -C build sender_rate. See README.md.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import tempfile

from errors import BenchError, run_benchmark
from lab import ROOT
from reference import describe_machine

PROGRAM = ROOT / "build/tests/sender_rate"
SOURCES = {"names": "names of the namespace", "random-names": "the same in random order",
           "list": "a list of a million names", "capture": "a capture",
           "mix": "a mix", "random-mix": "the same in random order"}
COUNTED = 500_000  # queries whose instructions are counted
# What callgrind counts begins and ends with the sender's loop, and leaves out the driver's stand-in for a kick.
SENDING = ("dnsgauge::SenderOf<*>::run(long, std::atomic<bool> const&)", "sendto")
# The driver's end of the pair is never used.
LINK = ("ip link add v0 numtxqueues 4 numrxqueues 4 type veth peer name v1 numtxqueues 4 numrxqueues 4 && "
        "ip link set v0 up && ip link set v1 up && exec \"$@\"")


def on_link(program, *words, before=()):
    """Runs the program on v0 of LINK, behind the words `before`. Returns what it prints, as JSON."""
    done = subprocess.run(["unshare", "--net", "sh", "-c", LINK, "sh", *before, program, "v0", *map(str, words)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise BenchError((done.stderr.strip().splitlines() or [f"{program.name} says nothing"])[-1])
    return json.loads(done.stdout)


def counted(program, *words, toggles=(), read):
    """Runs the program under callgrind. Returns what read() makes of callgrind's file, and what the program printed,
    as JSON. Entering and leaving a function that `toggles` names begins the count, or ends it."""
    with tempfile.NamedTemporaryFile(prefix="dnsgauge-bench.") as out:
        before = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
                  *(f"--toggle-collect={function}" for function in toggles)]
        printed = on_link(program, *words, before=before)
        return read(out.name), printed


def total_of(name):
    with open(name, "rb") as out:
        total = re.search(rb"^(?:summary|totals): (\d+)", out.read(), re.MULTILINE)
    if not total or not int(total[1]):
        raise BenchError("callgrind counted nothing")
    return int(total[1])


def instructions_in(program, *words, toggles=()):
    """Returns how many instructions the program executed under callgrind, and what it printed: see counted()."""
    return counted(program, *words, toggles=toggles, read=total_of)


def parts_of(name):
    """Returns {function: instructions}, without the instructions of the functions that it calls."""
    told = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", name], capture_output=True, text=True,
                          check=True).stdout
    parts = {}
    for count, function in re.findall(r"^ *([\d,]+) \([^)]*\)  [^:]*:(\S.*?) \[", told, re.MULTILINE):
        name = re.sub(r"<.*>", "", function.removeprefix("dnsgauge::").split("(")[0])
        parts[name] = parts.get(name, 0) + int(count.replace(",", ""))
    return parts


def need_valgrind():
    if not shutil.which("valgrind"):
        raise BenchError("there is no valgrind: see tools/install-packages")


def words_of(source, lanes, queries, logs):
    return [source, lanes, queries, *(["log"] if logs else [])]


def costs(*case):
    """Returns nanoseconds of CPU time a query, of each lane."""
    return on_link(PROGRAM, *words_of(*case))["ns_per_query"]


def instructions(source, logs):
    """Returns the instructions that a sender executes for a query, without the driver's."""
    count, printed = instructions_in(PROGRAM, *words_of(source, 1, COUNTED, logs), toggles=SENDING)
    return count / printed["queries"]


def print_parts():
    """Prints in which functions the instructions of a query are."""
    for source, text in SOURCES.items():
        parts, printed = counted(PROGRAM, *words_of(source, 1, COUNTED, False), toggles=SENDING, read=parts_of)
        each = {name: count / printed["queries"] for name, count in parts.items()}
        print(f"{text}: " + ", ".join(f"{name} {count:.0f}" for name, count in each.items() if count >= 1))


def spread(values):
    return f"{statistics.median(values):.1f} ({min(values):.1f}..{max(values):.1f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--queries", type=int, default=8_000_000, help="of each lane")
    parser.add_argument("--lanes", type=int, default=4, choices=range(1, 5), help="the most")
    parser.add_argument("--parts", action="store_true",
                        help="tell in which functions the instructions are, and nothing else")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise BenchError("must be root: it opens AF_XDP sockets")
    if not PROGRAM.exists():
        raise BenchError("is not built: ninja -C build sender_rate")
    need_valgrind()
    if options.parts:
        print_parts()
        return
    rows = [(source, logs) for source in SOURCES for logs in (False, True)]
    lanes = range(1, options.lanes + 1)
    found = {(*row, count): [] for row in rows for count in lanes}
    for _ in range(options.rounds):
        for (source, logs, count), values in found.items():
            values += costs(source, count, options.queries, logs)
    print(describe_machine())
    print(f"a query: instructions; ns of CPU time, median of {options.rounds} rounds and of the lanes "
          "(lowest..highest)\n")
    print(f"{'':41}{'instructions':>12}" + "".join(f"{count:>15} lane{'s' * (count > 1):1}" for count in lanes))
    for source, logs in rows:
        what = SOURCES[source] + (", per-query log" if logs else "")
        print(f"{what:41}{instructions(source, logs):12.0f}"
              + "".join(f"{spread(found[source, logs, count]):>21}" for count in lanes), flush=True)


if __name__ == "__main__":
    run_benchmark("sender_rate.py", main)
