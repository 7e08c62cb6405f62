#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shows where the time of a query goes: samples both CPUs in a flood against FakeDNS by XDP.

    sudo apt-get install linux-perf
    sudo tests/bench/profile.py --duration 3

For the sender, and for the thread that polls the DUT's interface, which also carries the replies up to
the Tester's program: the share of each part (kernel, program, library), and the functions that take
most. Sampled by a timer, as virtual machines often have no counters. Needs a build, root and two CPUs;
see README.md.
"""

import subprocess

from lab import fakedns_lab, flood, generator_cpu, server_cpu
from program import BenchError, describe_machine, run, start

SAMPLES_PER_SECOND = 4000


def shares(samples, cpu, by, least):
    """Returns perf's lines "  share  name", the highest share first, of those with a share of `least` percent."""
    said = run("perf", "report", "--input", samples, "--stdio", "--cpu", cpu, "--sort", by, "--percent-limit", least)
    return [line.rstrip() for line in said.splitlines() if line.strip() and not line.startswith("#")]


def main(options):
    with fakedns_lab("dgprofile") as lab:
        samples = lab.scratch / "perf.data"
        with subprocess.Popen(["perf", "record", "--quiet", "--event", "cpu-clock", "--freq", str(SAMPLES_PER_SECOND),
                               "--all-cpus", "--output", samples, "sleep", str(options.duration)],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as perf:
            trial = flood(lab, options.duration + 1)
            said = perf.communicate()[1]
        if perf.returncode != 0:
            raise BenchError(f"perf ended with status {perf.returncode}: {said.strip()}")
        print(f"{describe_machine()}\n{trial['sent_rate'] / 1e3:.0f} thousand queries/s")
        for who, cpu in (("the sender", generator_cpu()), ("the DUT", server_cpu())):
            print(f"\nCPU {cpu}, {who}: percent of its time")
            print("\n".join(shares(samples, cpu, "comm,dso", 1) + shares(samples, cpu, "sym", 2)))


if __name__ == "__main__":
    start(main, needs=["perf"], duration=(3.0, "seconds that are sampled"))
