#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loads FakeDNS for minutes at half of its maximum, and checks memory, losses and counters.

    sudo tests/bench/soak.py --path xdp --minutes 5
    sudo tests/bench/soak.py --path sockets --minutes 5

Its maximum is the median of three floods. Then the same server answers trial after trial, and a line
is printed for each: queries, how many of them were not answered right in time, FakeDNS's memory
behind it and the Tester's at its peak. Exit status 1 when memory has grown, or when FakeDNS has
counted otherwise than the Tester. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import re
import statistics
import time
from pathlib import Path

from echo import Running, flood_of
from errors import BenchError, run_benchmark
from reference import bare_lab, describe_machine, need_two_cpus
from tester import measure

PATHS = {"xdp": "native", "sockets": "off"}
FLOODS = 3
FLOOD_SECONDS = 2
# KiB. One byte for each thousand of a hundred million queries is less than half of this.
ALLOWANCE = 256


def resident(pid):
    """Returns the process' memory in KiB, exactly, which /proc/PID/status does not tell."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(re.search(r"^Rss:\s+(\d+) kB", text, re.MULTILINE)[1])


def answered(log):
    """Returns the answers, by all paths, in the last table of the log."""
    table = log.read_text().rpartition("\nkind ")[2]
    rows = re.findall(r"^type-\S+(?:\s+\d+)*\s+(\d+)$", table, re.MULTILINE)
    if len(rows) != 3:
        raise BenchError(f"fakedns prints no counters: {log.read_text().strip()[-200:]}")
    return sum(map(int, rows))


def growth(values):
    """Returns the growth from the median of the first third to the median of the last third."""
    third = max(len(values) // 3, 1)
    return statistics.median(values[-third:]) - statistics.median(values[:third])


def maximum(lab, scratch, words):
    with Running(lab, words, scratch / "flooded.log"):
        return statistics.median(flood_of(lab, scratch, "valid", FLOOD_SECONDS)[1]
                                 for _ in range(FLOODS))


def soak(lab, scratch, words, rate, options):
    """Returns the measurements of each trial, and the answers that FakeDNS counted in all."""
    log = scratch / "soaked.log"
    trials = []
    with Running(lab, words, log) as server:
        print(f"{'s':>6} {'sent':>12} {'missing':>8} {'FakeDNS KiB':>12} {'Tester KiB':>11}  verdict")
        began = time.monotonic()
        while time.monotonic() - began < options.minutes * 60:
            trial = measure(lab, scratch, rate, options.duration, 4)
            trial |= {"fakedns": resident(server.pid), "tester": trial["memory"] * 1024}
            trials.append(trial)
            print(f"{time.monotonic() - began:>6.0f} {trial['sent']:>12} {trial['missing']:>8} "
                  f"{trial['fakedns']:>12} {trial['tester']:>11.0f}  {trial['verdict']}", flush=True)
    return trials, answered(log)


def judge(trials, counted):
    """Prints the figures. Returns whether all is well."""
    sent = sum(trial["sent"] for trial in trials)
    missing = sum(trial["missing"] for trial in trials)
    is_well = sent - missing <= counted <= sent
    print(f"{sent} queries sent, {counted} answers counted by FakeDNS, {sent - missing} received right "
          f"in time: " + ("as it should be" if is_well else "these do not fit"))
    for name, who in (("fakedns", "FakeDNS"), ("tester", "the Tester")):
        grown = growth([trial[name] for trial in trials])
        is_flat = grown <= ALLOWANCE
        is_well = is_well and is_flat
        print(f"memory of {who}: {'flat' if is_flat else 'NOT flat'}, {grown:+.0f} KiB from the first "
              f"third of the trials to the last, {grown * 1024 / sent:+.5f} octets a query")
    return is_well


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--path", choices=PATHS, default="xdp", help="by which FakeDNS answers")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--duration", type=float, default=10, help="seconds of each trial")
    parser.add_argument("--rate", type=int, help="queries/s; default: half of the maximum")
    options = parser.parse_args()
    need_two_cpus()

    words = ("--interface", "d0", "--xdp-mode", PATHS[options.path])
    with bare_lab("dgsoak") as (lab, scratch):
        rate = options.rate or int(maximum(lab, scratch, words) / 2)
        print(describe_machine())
        print(f"FakeDNS by {options.path}, {options.minutes:g} min at {rate}/s, trials of "
              f"{options.duration:g} s")
        trials, counted = soak(lab, scratch, words, rate, options)
    return 0 if judge(trials, counted) else 1


if __name__ == "__main__":
    run_benchmark("soak.py", main)
