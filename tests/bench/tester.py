#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the Tester itself at given rates, against FakeDNS by XDP, with every reply checked.

    sudo tests/bench/tester.py --rates 1000 10000 100000 500000 1000000 --duration 10 --rounds 3

For each rate and round: how many of the queries were not answered right in time, how late queries
left (medians over the rounds of each trial's median, 99th percentile and maximum), the Tester's peak
memory, and how long after the last timeout its result was there, its process at its end and its
memory given back. Rates take turns. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import json
import os
import statistics
import subprocess
import time

from errors import BenchError, run_benchmark
from lab import BIN, SERVER_ADDRESS, generator_cpu
from reference import NAMES, TIMEOUT, describe_machine, fakedns_lab, need_two_cpus

GOOD_STATUSES = (0, 1, 3)


def measure(lab, scratch, rate, duration, family):
    result = scratch / "result.json"
    server = "2001:2::2" if family == 6 else SERVER_ADDRESS
    process = subprocess.Popen(
        lab.command("tester", generator_cpu(), BIN / "dnsgauge", "trial", "--interface", "g0",
                    "--server", server, "--names", NAMES, "--rate", rate, "--duration",
                    duration, "--timeout", TIMEOUT, "--cpus", generator_cpu(), "--json", result),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    ended = time.time()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in GOOD_STATUSES:
        raise BenchError(f"dnsgauge ended with status {process.returncode}: {said.strip()}")
    trial = json.loads(result.read_text())
    last_timeout = (trial["since_ns"] + trial["sending"]["duration_ns"]) / 1e9 + TIMEOUT
    return {"rate": rate, "verdict": trial["verdict"], "sent": trial["sent"],
            "missing": trial["sent"] - trial["valid"],
            "achieved": trial["sending"]["achieved_rate"],
            **{name: trial["sending"]["lateness_ns"][name] / 1000 for name in ("p50", "p99", "max")},
            "memory": usage.ru_maxrss / 1024, "result_after": ended - last_timeout}


def row(trials):
    def median(name):
        return statistics.median(trial[name] for trial in trials)

    missing = " ".join(str(trial["missing"]) for trial in trials)
    verdicts = " ".join(trial["verdict"] for trial in trials)
    return (f"{trials[0]['rate']:>9} {median('achieved'):>9.0f} {median('p50'):>9.2f} "
            f"{median('p99'):>9.1f} {median('max'):>9.1f} {median('memory'):>7.0f} "
            f"{median('result_after'):>7.2f}  {missing} of {trials[0]['sent']}  {verdicts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", type=int, nargs="+",
                        default=[1000, 10000, 100000, 500000, 1000000])
    parser.add_argument("--duration", type=float, default=10, help="seconds of each trial")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ipv6", action="store_true")
    options = parser.parse_args()
    need_two_cpus()

    trials = {rate: [] for rate in options.rates}
    with fakedns_lab("dgtester") as (lab, scratch):
        for _ in range(options.rounds):
            for rate in options.rates:
                trials[rate].append(measure(lab, scratch, rate, options.duration,
                                            6 if options.ipv6 else 4))
    print(describe_machine())
    print(f"IPv{6 if options.ipv6 else 4}, {options.duration:g} s, timeout {TIMEOUT} s, "
          f"{options.rounds} rounds; medians; lateness in us")
    print(f"{'rate':>9} {'reached':>9} {'late p50':>9} {'late p99':>9} {'late max':>9} {'MiB':>7} "
          f"{'result':>7}  not right in time, by round; verdicts")
    for rate in options.rates:
        print(row(trials[rate]))


if __name__ == "__main__":
    run_benchmark("tester.py", main)
