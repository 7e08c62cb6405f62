#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a redirect costs on veth: FakeDNS' program sends answers back by XDP_TX, and by bpf_redirect
to the same interface, which wakes an end without an XDP program, too.

    ninja -C build bounce_server
    sudo tests/bench/bounce.py --duration 3 --rounds 5

The two take turns. In a flood of each: queries sent and replies right in time, per second, medians over the
rounds and spread, and the median of the rounds' ratios of redirect to XDP_TX. Beside them the replies that a
trial at --rate lost. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import contextlib
import json
import subprocess

from errors import BenchError, run_benchmark
from lab import BIN, SERVER_ADDRESS, generator_cpu, server_cpu
from reference import NAMES, bare_lab, describe_machine, flood, need_two_cpus
from summary import ratio, spread

WAYS = ("tx", "redirect")


@contextlib.contextmanager
def serving(lab, way):
    """Has FakeDNS' program answer on d0 until the end of the block."""
    command = lab.command("dut", server_cpu(), BIN.parent / "tests" / "bounce_server", "d0", way)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as server:
        if server.stdout.readline() != "ready\n":
            server.stdin.close()
            raise BenchError(f"bounce_server does not start: {server.stderr.read().strip()}")
        lab.settle()
        try:
            yield
        finally:
            server.stdin.close()


def lost(lab, scratch, rate, duration):
    """Returns how many queries a trial at the rate lost."""
    result = scratch / "trial.json"
    cpu = generator_cpu()
    command = lab.command("tester", cpu, BIN / "dnsgauge", "trial", "--interface", "g0", "--server",
                          SERVER_ADDRESS, "--names", NAMES, "--rate", rate, "--duration", duration, "--cpus", cpu,
                          "--json", result)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if not result.exists():
        raise BenchError(f"dnsgauge ended with status {done.returncode}: {done.stderr.strip()}")
    trial = json.loads(result.read_text())
    return trial["lost"] + trial["late"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=3, help="seconds of each flood and trial")
    parser.add_argument("--rate", type=int, default=500_000, help="queries per second of the trials")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    need_two_cpus()

    sent, answered, missing = ({way: {} for way in WAYS} for _ in range(3))
    with bare_lab("dgbounce") as (lab, scratch):
        for number in range(options.rounds):
            for way in WAYS:
                with serving(lab, way):
                    trial = flood(lab, scratch, (generator_cpu(),), options.duration)
                    missing[way][number] = lost(lab, scratch, options.rate, options.duration)
                seconds = trial["sending"]["duration_ns"] / 1e9
                sent[way][number] = trial["sent"] / seconds
                answered[way][number] = trial["valid"] / seconds
    print(describe_machine())
    print(f"{options.rounds} rounds of {options.duration:g} s")
    for way in WAYS:
        cells = []
        for values in (sent, answered):
            middle, low, high = spread(values[way].values())
            against = ratio(values[way], values["tx"])
            cells.append(f"{middle:.0f} ({low:.0f} to {high:.0f}), x {against[0]:.3f}")
        print(f"{way:<9} sent/s {cells[0]:<38} answered/s {cells[1]:<38} "
              f"lost at {options.rate}/s: {sum(missing[way].values())}")


if __name__ == "__main__":
    run_benchmark("bounce.py", main)
