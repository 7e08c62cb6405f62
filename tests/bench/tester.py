#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the Tester itself at given rates, against FakeDNS by XDP, with every reply checked.

    sudo tests/bench/tester.py --rates 1000 10000 100000 500000 1000000 --duration 10 --rounds 3

For each rate and round: how many of the queries were not answered right in time, how late queries
left (medians over the rounds of each trial's median, 99th percentile and maximum), the Tester's peak
memory, and how long after the last timeout its result was there, its process at its end and its
memory given back. Rates take turns. Needs a build, root and two CPUs; see README.md.
"""

import statistics

from lab import TIMEOUT, dnsgauge_trial, fakedns_lab
from program import print_table, start, take_turns


def row(rate, trials):
    def median(value):
        return statistics.median(value(trial) for trial in trials)

    late = [f"{median(lambda trial, name=name: trial['sending']['lateness_ns'][name]) / 1000:.2f}"
            for name in ("p50", "p99", "max")]
    after = median(lambda trial: trial["ended"] - TIMEOUT
                   - (trial["since_ns"] + trial["sending"]["duration_ns"]) / 1e9)
    missing = " ".join(str(trial["sent"] - trial["valid"]) for trial in trials)
    return (rate, f"{median(lambda trial: trial['sending']['achieved_rate']):.0f}", *late,
            f"{median(lambda trial: trial['memory_mib']):.0f}", f"{after:.2f}", f"{missing} of {trials[0]['sent']}",
            " ".join(trial["verdict"] for trial in trials))


def main(options):
    server = {"server": "2001:2::2"} if options.ipv6 else {}
    with fakedns_lab("dgtester") as lab:
        trials = take_turns(options.rounds, options.rates, lambda rate: dnsgauge_trial(
            lab, rate=rate, duration=options.duration, **server))
    print_table(("rate", "reached", "late p50", "late p99", "late max", "MiB", "result", "not right in time, by round",
                 "verdicts"), [row(*found) for found in trials.items()], 0,
                f"IPv{6 if options.ipv6 else 4}, {options.duration:g} s, timeout {TIMEOUT} s, "
                f"{options.rounds} rounds; medians; lateness in us")


if __name__ == "__main__":
    start(main, rates=[1000, 10000, 100000, 500000, 1000000], duration=(10.0, "seconds of each trial"), rounds=3,
          ipv6=False)
