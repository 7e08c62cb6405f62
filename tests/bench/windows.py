#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures closed loops: the answers per second and the RTT by the number of open queries, beside dnsperf.

    sudo tests/bench/windows.py --server knotd-sockets --windows 1 10 100 1000
    sudo tests/bench/windows.py --server fakedns-sockets --delay 20 --windows 1 10 100 --duration 10

dnsgauge asks over UDP and over TCP, dnsperf over UDP. With --delay FakeDNS answers each query after so many
milliseconds, so N open queries must have N / delay answers a second; the table tells by how much a generator is off.
Generators and windows take turns. Needs a build, root and two CPUs; see README.md.
"""

import statistics
from dataclasses import replace

from lab import KINDS, QTYPE, SERVED_NAMES, SERVER_ADDRESS, Lab, Server, dnsgauge_trial, generator_cpu
from measure import write_names
from program import found, print_table, run, shown, start, take_turns


def asked_by_dnsgauge(lab, transport, window, options):
    """Returns the answers per second and the mean RTT in microseconds."""
    trial = dnsgauge_trial(lab, names=SERVED_NAMES, qtype=QTYPE, allow_repeats=True, pace=f"window={window}",
                           transport=transport, duration=options.duration, timeout=options.timeout)
    return trial["window"]["answered_rate"], (trial["rtt_ns"]["mean"] or 0) / 1000


def asked_by_dnsperf(lab, window, options):
    said = run(*lab.command("tester", generator_cpu(), "dnsperf", "-s", SERVER_ADDRESS, "-d", lab.scratch / "names",
                            "-l", options.duration, "-t", options.timeout, "-c", 1, "-T", 1, "-q", window))
    rate, seconds = (float(found(rf"{name}:\s+([\d.]+)", said, "dnsperf"))
                     for name in ("Queries per second", r"Average Latency \(s\)"))
    return rate, seconds * 1e6


def row(case, samples, delay):
    generator, window = case
    rates = [rate for rate, _ in samples]
    off = f"{100 * (statistics.median(rates) * delay / 1000 / window - 1):.2f}" if delay else "-"
    return window, generator, shown(rates, 0), f"{statistics.median(rtt for _, rtt in samples):.1f}", off


def main(options):
    kind = next(kind for kind in KINDS if kind.name == options.server)
    if options.delay:
        kind = replace(kind, options=(*kind.options, "--fault", f"delay=100%:{options.delay:g}ms"))
    generators = {"dnsgauge-udp": lambda window: asked_by_dnsgauge(lab, "udp", window, options),
                  "dnsgauge-tcp": lambda window: asked_by_dnsgauge(lab, "tcp", window, options),
                  "dnsperf": lambda window: asked_by_dnsperf(lab, window, options)}
    cases = [(generator, window) for window in options.windows for generator in generators]
    with Lab("dgwindows") as lab, Server(kind, lab):
        write_names(lab.scratch / "names")
        samples = take_turns(options.rounds, cases, lambda case: generators[case[0]](case[1]))
    print_table(("open", "generator", "answers/s", "RTT mean us", "off %"),
                [row(case, values, options.delay) for case, values in samples.items()], 2,
                f"{options.server}, {options.duration:g} s, {options.rounds} rounds, median (lowest..highest)")


if __name__ == "__main__":
    start(main, needs=["dnsperf"], server="knotd-sockets", windows=[1, 10, 100, 1000],
          delay=(0.0, "milliseconds until FakeDNS answers"), duration=2.0, timeout=1.0, rounds=3)
