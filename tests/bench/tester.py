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
from program import describe_machine, start, take_turns


def row(rate, trials):
    def median(value):
        return statistics.median(value(trial) for trial in trials)

    late = [median(lambda trial, name=name: trial["sending"]["lateness_ns"][name] / 1000)
            for name in ("p50", "p99", "max")]
    after = median(lambda trial: trial["ended"] - TIMEOUT
                   - (trial["since_ns"] + trial["sending"]["duration_ns"]) / 1e9)
    missing = " ".join(str(trial["sent"] - trial["valid"]) for trial in trials)
    verdicts = " ".join(trial["verdict"] for trial in trials)
    reached = median(lambda trial: trial["sending"]["achieved_rate"])
    return (f"{rate:>9} {reached:>9.0f} {late[0]:>9.2f} {late[1]:>9.1f} {late[2]:>9.1f} "
            f"{median(lambda trial: trial['memory_mib']):>7.0f} {after:>7.2f}  "
            f"{missing} of {trials[0]['sent']}  {verdicts}")


def main(options):
    server = {"server": "2001:2::2"} if options.ipv6 else {}
    with fakedns_lab("dgtester") as lab:
        trials = take_turns(options.rounds, options.rates, lambda rate: dnsgauge_trial(
            lab, rate=rate, duration=options.duration, **server))
    print(describe_machine())
    print(f"IPv{6 if options.ipv6 else 4}, {options.duration:g} s, timeout {TIMEOUT} s, "
          f"{options.rounds} rounds; medians; lateness in us")
    print(f"{'rate':>9} {'reached':>9} {'late p50':>9} {'late p99':>9} {'late max':>9} {'MiB':>7} "
          f"{'result':>7}  not right in time, by round; verdicts")
    for rate, found in trials.items():
        print(row(rate, found))


if __name__ == "__main__":
    start(main, rates=[1000, 10000, 100000, 500000, 1000000], duration=(10.0, "seconds of each trial"), rounds=3,
          ipv6=False)
