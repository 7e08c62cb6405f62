#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shows where the time of a query goes: samples both CPUs in a flood against FakeDNS by XDP.

    sudo apt-get install linux-perf
    sudo tests/bench/profile.py --duration 3

Of the sender, and of the thread that polls the DUT's interface, which also carries the replies up to
the Tester's program: the share of each part (kernel, program, library), and the functions that take
most. Sampled by a timer, as virtual machines often have no counters. Needs a build, root and two CPUs;
see README.md.
"""

import argparse
import shutil
import subprocess

from errors import BenchError, run_benchmark
from lab import generator_cpu, run, server_cpu
from reference import describe_machine, fakedns_lab, flood, need_two_cpus

SAMPLES_PER_SECOND = 4000
LEAST_SHARE = 2  # percent: functions with less are not shown


def sample(lab, scratch, duration):
    """Samples the middle of a flood. Returns (the samples' file, dnsgauge's result)."""
    samples = scratch / "perf.data"
    with subprocess.Popen(["perf", "record", "--quiet", "--event", "cpu-clock", "--freq",
                           str(SAMPLES_PER_SECOND), "--all-cpus", "--output", str(samples), "sleep",
                           str(duration)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True) as perf:
        trial = flood(lab, scratch, (generator_cpu(),), duration + 1)
        _, said = perf.communicate()
    if perf.returncode != 0:
        raise BenchError(f"perf ended with status {perf.returncode}: {said.strip()}")
    return samples, trial


def shares(samples, cpu, by, least):
    """Returns perf's lines "  share  name", the highest share first."""
    said = run("perf", "report", "--input", samples, "--stdio", "--cpu", cpu, "--sort", by,
               "--percent-limit", least)
    return [line.rstrip() for line in said.splitlines() if line.strip() and not line.startswith("#")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=3, help="seconds that are sampled")
    options = parser.parse_args()
    need_two_cpus()
    if shutil.which("perf") is None:
        raise BenchError("needs perf: install the package linux-perf")

    with fakedns_lab("dgprofile") as (lab, scratch):
        samples, trial = sample(lab, scratch, options.duration)
        print(f"{describe_machine()}\n{trial['sent'] / trial['sending']['duration_ns'] * 1e6:.0f} "
              "thousand queries/s")
        for who, cpu in (("the sender", generator_cpu()), ("the DUT", server_cpu())):
            print(f"\nCPU {cpu}, {who}: percent of its time")
            print("\n".join(shares(samples, cpu, "comm,dso", 1)))
            print("\n".join(shares(samples, cpu, "sym", LEAST_SHARE)))


if __name__ == "__main__":
    run_benchmark("profile.py", main)
