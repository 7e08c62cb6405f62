#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the Tester itself at given rates, against FakeDNS, with every reply checked.

    sudo tests/bench/tester.py --rates 1000 10000 100000 500000 1000000 --duration 10 --rounds 3
    sudo tests/bench/tester.py --fakedns "--tls-self-signed --xdp-mode off" --rates 50000 --timeout 0.05 \\
        --options "--transport dot --connections 50 --pipeline 1"
    sudo tests/bench/tester.py --fakedns "--fault delay=100%:500us --fault-cpu 1" --timeout 1

For each rate and round: how many of the queries were not answered right in time. Medians over the rounds of each
trial's lateness (median, 99th percentile and maximum) and RTT (minimum, median, 99th percentile and maximum), of the
Tester's peak memory, and of the time from the last timeout until its result was there, its process at its end and its
memory given back. Rates take turns. Needs a build, root and two CPUs; see README.md.
"""

import statistics

from lab import TIMEOUT, Lab, Server, ServerKind, dnsgauge_trial
from program import print_table, start, take_turns


def row(rate, trials):
    def median(value):
        return statistics.median(value(trial) for trial in trials)

    spans = [f"{median(lambda trial, of=of, name=name: of(trial)[name] or 0) / 1000:.2f}" for of, names in (
        (lambda trial: trial["sending"]["lateness_ns"], ("p50", "p99", "max")),
        (lambda trial: trial["rtt_ns"], ("min", "p50", "p99", "max"))) for name in names]
    after = median(lambda trial: trial["ended"] - trial["timeout_s"]
                   - (trial["since_ns"] + trial["sending"]["duration_ns"]) / 1e9)
    missing = " ".join(str(trial["sent"] - trial["valid"]) for trial in trials)
    return (rate, f"{median(lambda trial: trial['sending']['achieved_rate']):.0f}", *spans,
            f"{median(lambda trial: trial['memory_mib']):.0f}", f"{after:.2f}", f"{missing} of {trials[0]['sent']}",
            " ".join(trial["verdict"] for trial in trials))


def main(options):
    fakedns = options.fakedns.split()
    # Before the first trial FakeDNS must answer over UDP, within half a second.
    kind = ServerKind("fakedns", "off" not in fakedns, "fakedns", tuple(fakedns))
    server = {"server": "2001:2::2"} if options.ipv6 else {}
    with Lab("dgtester") as lab, Server(kind, lab):
        trials = take_turns(options.rounds, options.rates, lambda rate: dnsgauge_trial(
            lab, rate=rate, duration=options.duration, timeout=options.timeout, more=options.options.split(),
            **server))
    print_table(("rate", "reached", "late p50", "late p99", "late max", "RTT min", "RTT p50", "RTT p99", "RTT max",
                 "MiB", "result", "not right in time, by round", "verdicts"), [row(*found) for found in trials.items()], 0,
                f"IPv{6 if options.ipv6 else 4}, {options.duration:g} s, timeout {options.timeout} s, "
                f"{options.rounds} rounds; medians; lateness and RTT in us")


if __name__ == "__main__":
    start(main, rates=[1000, 10000, 100000, 500000, 1000000], duration=(10.0, "seconds of each trial"), timeout=TIMEOUT,
          rounds=3, ipv6=False, options=("", "more options of dnsgauge trial"),
          fakedns=("--xdp-mode native", "options of fakedns"))
