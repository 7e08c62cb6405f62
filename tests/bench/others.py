#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures which part of the trial's CPUs others take in trials in which nothing is lost: what --max-others must bear.

    sudo tests/bench/others.py --rates 1000 100000 --durations 1 10 --trials 50

For each rate and duration: how many trials lost nothing, and for these the largest part of a CPU that somebody else
had or that the sender waited for, as --max-others judges it: median, 90th and 99th percentile and maximum, in percent
and in milliseconds, and who had most. The last columns count the trials above the default limit (5 %, at least
30 ms): those without loss, for which nothing follows, and those with loss, which the limit makes invalid. Run it on a
quiet machine, and once more beside "nice -n 10" busy loops (--burners 1). Needs a build, root and two CPUs; see
README.md.
"""

import contextlib
import math
import subprocess
import sys

from lab import dnsgauge_trial, fakedns_lab
from program import print_table, start, take_turns

# The rule of user/trial/verdict.cpp, by default.
PERCENT = 5
LEAST_MS = 30


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


def percentile(values, percent):
    """RFC 2330 section 11.3."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def row(rate, duration, trials):
    """Returns the cells of one rate and duration."""
    whole, lossy = ([worst_of(trial) for trial in trials if (trial["valid"] == trial["sent"]) is lossless]
                    for lossless in (True, False))
    spreads = [" ".join(f"{percentile([one[index] for one in whole], at):.2f}" for at in (50, 90, 99, 100))
               if whole else "-" for index in (1, 0)]
    above = [f"{sum(percent > PERCENT and time > LEAST_MS for time, percent, _ in found)} of {len(found)}"
             for found in (whole, lossy)]
    return rate, f"{duration:g}", f"{len(whole)}/{len(trials)}", *spreads, max(whole)[2] if whole else "-", *above


def main(options):
    kinds = [(rate, duration) for rate in options.rates for duration in options.durations]
    with fakedns_lab("dgothers") as lab, burners(options.burners):
        # Trials that no tolerance but their own losses decides.
        trials = take_turns(options.trials, kinds, lambda kind: dnsgauge_trial(
            lab, pinned=False, rate=kind[0], duration=kind[1], max_others=100))
    print_table(("rate", "s", "lossless", "percent of a CPU", "ms", "most", "above the limit", "with loss"),
                [row(*kind, found) for kind, found in trials.items()], 0,
                f"{options.burners} busy loops beside; of trials without loss, percent of a CPU, and ms: median, 90th, "
                "99th percentile, maximum")


if __name__ == "__main__":
    start(main, rates=[1000, 100000], durations=([1.0, 10.0], "seconds of a trial"),
          trials=(50, "of each rate and duration"), burners=(0, "busy loops to run beside the trials"))
