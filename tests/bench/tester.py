#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the Tester itself at given rates, against FakeDNS, with every reply checked.

For each rate and round: how many of the queries were not answered right in time. Medians over the rounds of each
trial's lateness (median, 99th percentile and maximum) and RTT (minimum, median, 99th percentile and maximum), of the
Tester's peak memory, and of the time from the last timeout until its result was there, its process at its end and its
memory given back. Rates take turns. Needs root and two CPUs.
"""

from lab import TIMEOUT, Lab, Server, ServerKind, dnsgauge_trial
from program import print_table, start, take_turns

SPANS = [*(f"sending.lateness_ns.{of}" for of in ("p50", "p99", "max")),
         *(f"rtt_ns.{of}" for of in ("min", "p50", "p99", "max"))]


def row(rate, trials):
    import pandas  # after the trials: a child's peak of memory counts what its parent had

    told = pandas.json_normalize(trials)
    spans = told[SPANS].astype(float).fillna(0).median() / 1000
    after = told["ended"] - told["timeout_s"] - (told["since_ns"] + told["sending.duration_ns"]) / 1e9
    return (rate, f"{told['sending.achieved_rate'].median():.0f}", *(f"{span:.2f}" for span in spans),
            f"{told['memory_mib'].median():.0f}", f"{after.median():.2f}",
            f"{' '.join(map(str, told['sent'] - told['valid']))} of {trials[0]['sent']}", " ".join(told["verdict"]))


def main(options):
    fakedns = options.fakedns.split()
    # Before the first trial FakeDNS must answer over UDP, within half a second.
    kind = ServerKind("fakedns", "off" not in fakedns, "fakedns", tuple(fakedns))
    server = {"server": "2001:2::2"} if options.ipv6 else {}
    with Lab("dgtester") as lab, Server(kind, lab):
        trials = take_turns(options.rounds, options.rates, lambda rate: dnsgauge_trial(
            lab, rate=rate, duration=options.duration, timeout=options.timeout, more=options.options.split(),
            **server))
    heads = ("rate", "reached", "late p50", "late p99", "late max", "RTT min", "RTT p50", "RTT p99", "RTT max", "MiB",
             "result", "not right in time, by round", "verdicts")
    print_table(heads, [row(*found) for found in trials.items()], 0,
                f"IPv{6 if options.ipv6 else 4}, {options.duration:g} s, timeout {options.timeout} s, "
                f"{options.rounds} rounds; medians; lateness and RTT in us")


if __name__ == "__main__":
    start(main, rates=[1000, 10000, 100000, 500000, 1000000], duration=(10.0, "seconds of each trial"), timeout=TIMEOUT,
          rounds=3, ipv6=False, options=("", "more options of dnsgauge trial"),
          fakedns=("--xdp-mode native", "options of fakedns"))
