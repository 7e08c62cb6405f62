#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes trials beside stops of the Tester and busy loops, and counts the verdicts: which losses fall to the Tester's
own bursts, and what part of the trial's CPUs others take without a loss, which --max-others must bear.

The first table has a row for each server, rate, duration and stop; the second one tells of the same trials, as
--max-others judges them. README.md explains the columns. Needs root and two CPUs.
"""

import contextlib
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from itertools import product
from pathlib import Path

from lab import KINDS, QTYPE, SERVED_NAMES, Lab, Server, dnsgauge_trial, server_cpu
from program import percentile, print_table, start

SERVERS = {kind.name: kind for kind in KINDS}
PERCENT, LEAST_MS = 5, 30  # the rule of user/trial/doubts.cpp, by default


@contextlib.contextmanager
def burners(count):
    """Runs busy loops, which the scheduler puts where it wants to."""
    loops = [subprocess.Popen(["nice", "-n", "10", sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def stopped_trial(lab, result, rate, duration, stop_ms, options):
    """Makes a trial that stands still once in its midst. Returns its result."""
    before = lab.packets("tester", "g0", "tx")

    def stop(process):
        while lab.packets("tester", "g0", "tx") - before < min(100, rate / 10) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(duration / 3)
        if process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(stop_ms / 1e3)
            process.send_signal(signal.SIGCONT)

    return dnsgauge_trial(lab, result=result, pinned=False, more=options.options.split(),
                          meanwhile=stop if stop_ms else None, names=SERVED_NAMES, allow_repeats=True, qtype=QTYPE,
                          rate=rate, duration=duration, timeout=0.5)


def in_stalls(trial):
    return sum(trial["stalls"][side][kind] for side in ("tester", "server") for kind in ("lost", "late"))


def on_servers_cpu(trial):
    """Returns the milliseconds for which others had the CPU, and for which it was away without a break."""
    use, = (use for use in trial["cpus"] if use["cpu"] == server_cpu())
    return (use["others_ns"] + use["unseen_ns"]) / 1e6, use["absence"]["longest_ns"] / 1e6


def outcomes(trials):
    counts = Counter("stalls" if trial["stalls"]["decided"] else trial["verdict"] for trial in trials)
    missed = [trial["lost"] + trial["late"] for trial in trials]
    wrong = sum(trial["verdict"] == "fail" and trial["sent"] - trial["valid"] == in_stalls(trial)
                and "long after stalls" not in trial["why"] for trial in trials)
    others, away = zip(*map(on_servers_cpu, trials))
    return (*(counts[one] for one in ("pass", "fail", "stalls", "invalid")), sum(missed), sum(map(in_stalls, trials)),
            wrong, f"{statistics.median(others):.1f}", f"{statistics.median(away):.2f}", f"{max(away):.2f}")


def worst_of(trial):
    """Returns milliseconds, percent of the trial, and a word, of what took most of a CPU of the Tester."""
    found = [(0.0, 0.0, "nobody")]
    for cpu in trial["cpus"]:
        took = {"hypervisor": cpu["steal_ns"]}
        if cpu["sends"]:
            took["sender waited"] = cpu["sender_waited_ns"]
            took["server"] = cpu["server_ran_ns"] + cpu["server_waited_ns"]
        elif cpu["receives"]:
            took["others"] = cpu["others_ns"] + cpu["unseen_ns"]
        else:
            continue
        found += [(time / 1e6, 100 * time / cpu["elapsed_ns"], word) for word, time in took.items()]
    return max(found)


def shares(trials):
    whole, lossy = ([worst_of(trial) for trial in trials if (trial["valid"] == trial["sent"]) is lossless]
                    for lossless in (True, False))
    spreads = [" ".join(f"{percentile([one[index] for one in whole], at):.2f}" for at in (50, 90, 99, 100))
               if whole else "-" for index in (1, 0)]
    above = [f"{sum(percent > PERCENT and time > LEAST_MS for time, percent, _ in found)} of {len(found)}"
             for found in (whole, lossy)]
    return f"{len(whole)}/{len(trials)}", *spreads, max(whole)[2] if whole else "-", *above


def main(options):
    rows = [[], []]
    for name in options.servers:
        with Lab("dgstall") as lab, Server(SERVERS[name], lab), burners(options.burners):
            for rate, duration, stop_ms in product(options.rates, options.durations, options.stops):
                case = (name, rate, f"{duration:g}", f"{stop_ms:g}")
                trials = [stopped_trial(lab, (options.keep or lab.scratch) / ("-".join(map(str, (*case, number))) +
                                        ".json"), rate, duration, stop_ms, options) for number in range(options.trials)]
                for table, told in zip(rows, (outcomes, shares)):
                    table.append((*case, *told(trials)))
    heads = ("server", "rate", "s", "ms")
    print_table((*heads, "pass", "fail", "stalls", "invalid", "missed", "in stalls", "wrong", "others", "away", "most"),
                rows[0], about=f"{options.burners} busy loops beside")
    print_table((*heads, "lossless", "percent of a CPU", "ms", "most", "above the limit", "with loss"), rows[1],
                about="trials without loss: percent of a CPU, and ms: median, 90th, 99th percentile, maximum")


if __name__ == "__main__":
    start(main, servers=([name for name, kind in SERVERS.items() if not kind.by_xdp], None, SERVERS),
          rates=[1000, 10000, 25000, 100000, 500000], durations=([2.0], "seconds of a trial"),
          stops=([0.0, 1.0, 3.0, 10.0, 20.0, 43.0, 60.0], "milliseconds without a CPU"), trials=(100, "of each case"),
          burners=(0, "busy loops beside the trials"), options=("", "more options of dnsgauge trial"),
          keep=(Path, "a folder for the results"))
