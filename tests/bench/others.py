#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures which part of the trial's CPUs others take in trials in which nothing is lost: what --max-others must bear.

    sudo tests/bench/others.py --rates 1000 100000 --durations 1 10 --trials 50

Of each rate and duration: how many trials lost nothing, and, of those, the largest part of a CPU that somebody else
had or that the sender waited for, as --max-others judges it: median, 90th and 99th percentile and maximum, in percent
and in milliseconds, and who had most. The last columns count the trials above the default limit (5 %, at least
30 ms): those without loss, for which nothing follows, and those with loss, which the limit makes invalid. Run it on a
quiet machine, and once more beside "nice -n 10" busy loops (--burners 1). Needs a build, root and two CPUs; see
README.md.
"""

import argparse
import contextlib
import json
import math
import subprocess
import sys

from errors import BenchError, run_benchmark
from lab import BIN, SERVER_ADDRESS, generator_cpu
from reference import NAMES, TIMEOUT, describe_machine, fakedns_lab, need_two_cpus

GOOD_STATUSES = (0, 1, 3)
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


def measure(lab, scratch, rate, duration):
    """Makes a trial that no tolerance but its own losses decides."""
    result = scratch / "result.json"
    command = ["ip", "netns", "exec", f"{lab.name}-tester", BIN / "dnsgauge", "trial", "--interface", "g0",
               "--server", SERVER_ADDRESS, "--names", NAMES, "--rate", rate, "--duration", duration,
               "--timeout", TIMEOUT, "--cpus", generator_cpu(), "--max-others", 100, "--json", result]
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False)
    if done.returncode not in GOOD_STATUSES:
        raise BenchError(f"dnsgauge ended with status {done.returncode}: {done.stderr.strip()}")
    return json.loads(result.read_text(encoding="utf-8"))


def percentile(values, percent):
    """RFC 2330 section 11.3."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def row(rate, duration, trials):
    """Returns the line of one rate and duration."""
    worst = {True: [], False: []}  # by whether nothing was lost
    for trial in trials:
        worst[trial["valid"] == trial["sent"]].append(worst_of(trial))
    above = {lossless: sum(percent > PERCENT and time > LEAST_MS for time, percent, _ in found)
             for lossless, found in worst.items()}
    text = f"{rate:>9} {duration:>5g} {len(worst[True]):>5}/{len(trials):<4}"
    if worst[True]:
        for index in (1, 0):
            values = [one[index] for one in worst[True]]
            text += "  " + " ".join(f"{percentile(values, at):>7.2f}" for at in (50, 90, 99, 100))
    else:
        text += f"  {'-':>31}  {'-':>31}"
    who = max(worst[True])[2] if worst[True] else "-"
    return f"{text}  {who:<13} {above[True]:>5} of {len(worst[True]):<4} {above[False]:>5} of {len(worst[False])}"


def main():
    """Returns when all is printed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", type=int, nargs="+", default=[1000, 100000])
    parser.add_argument("--durations", type=float, nargs="+", default=[1, 10], help="seconds of a trial")
    parser.add_argument("--trials", type=int, default=50, help="of each rate and duration")
    parser.add_argument("--burners", type=int, default=0, help="busy loops to run beside the trials")
    options = parser.parse_args()
    need_two_cpus()

    kinds = [(rate, duration) for rate in options.rates for duration in options.durations]
    trials = {kind: [] for kind in kinds}
    with fakedns_lab("dgothers") as (lab, scratch), burners(options.burners):
        for _ in range(options.trials):
            for kind in kinds:
                trials[kind].append(measure(lab, scratch, *kind))
    print(describe_machine())
    print(f"{options.burners} busy loops beside; of trials without loss, percent of a CPU, and ms: median, 90th, "
          "99th percentile, maximum")
    print(f"{'rate':>9} {'s':>5} {'lossless':>10}  {'percent of a CPU':>31}  {'ms':>31}  {'most':<13} "
          f"{'above the limit: lossless':>13}, others")
    for kind in kinds:
        print(row(*kind, trials[kind]))


if __name__ == "__main__":
    run_benchmark("others.py", main)
