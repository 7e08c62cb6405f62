#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures closed loops: the answers per second and the RTT by the number of open queries, beside other generators.

    sudo tests/bench/windows.py --server knotd-sockets --windows 1 10 100 1000
    sudo tests/bench/windows.py --server fakedns-xdp --delay 20 --windows 1 10 100 --duration 10
    sudo tests/bench/windows.py --server knotd-xdp --windows 100 1000 --generators dnsgauge-udp open-loop
    sudo tests/bench/windows.py --server fakedns-xdp --windows 1 10 100 --recorded

dnsgauge asks over UDP and over TCP, dnsperf over UDP. open-loop is a turn of tools/bench with dnsgauge, and the highest
answered rate in it. With --delay FakeDNS answers each query after so many milliseconds, so N open queries must have
N / delay answers a second; the table tells by how much a generator is off. Generators and windows take turns.

With --recorded dnsgauge alone asks, over UDP, through a bridge where tcpdump records. The table has RTTs by dnsgauge and
by tcpdump. Needs a build, root and two CPUs; see README.md.
"""

import contextlib
import itertools
import json
import math
import statistics
import time
from dataclasses import replace

from bench import FULL
from generators import Dnsgauge
from lab import KINDS, QTYPE, SERVED_NAMES, SERVER_ADDRESS, Lab, Running, Server, dnsgauge_trial, generator_cpu
from measure import Pair, write_names
from program import BenchError, found, print_table, run, shown, start, take_turns
from replay import TESTER, packets
from search import Grid, Turns

OPEN_LOOP = "open-loop"


def window_trial(lab, transport, window, options):
    return dnsgauge_trial(lab, names=SERVED_NAMES, qtype=QTYPE, allow_repeats=True, pace=f"window={window}",
                          transport=transport, duration=options.duration, timeout=options.timeout)


def asked_by_dnsgauge(lab, transport, window, options):
    """Returns the answers per second and the mean RTT in microseconds."""
    trial = window_trial(lab, transport, window, options)
    return trial["window"]["answered_rate"], (trial["rtt_ns"]["mean"] or 0) / 1000


def asked_by_dnsperf(lab, window, options):
    said = run(*lab.command("tester", generator_cpu(), "dnsperf", "-s", SERVER_ADDRESS, "-d", lab.scratch / "names",
                            "-l", options.duration, "-t", options.timeout, "-c", 1, "-T", 1, "-q", window))
    rate, seconds = (float(found(rf"{name}:\s+([\d.]+)", said, "dnsperf"))
                     for name in ("Queries per second", r"Average Latency \(s\)"))
    return rate, seconds * 1e6


def open_loop(lab, server, options):
    """Returns a function that takes a turn of tools/bench, and returns the highest answered rate."""
    pair = Pair(Dnsgauge(), lab, lab.scratch / "names", options.duration, options.timeout)
    pair.server = server
    turns = Turns(pair.trial, pair.generator.name, server.kind.name, pair.generator.takes_any_rate, Grid(FULL["step"]))
    numbers = itertools.count(1)
    return lambda: (max(trial["answered_rate"] for trial in turns.take(next(numbers))["trials"]), math.nan)


def row(case, samples, delay):
    generator, window = case
    rates = [rate for rate, _ in samples]
    off = f"{100 * (statistics.median(rates) * delay / 1000 / window - 1):.2f}" if delay and window else "-"
    rtt = statistics.median(rtt for _, rtt in samples)
    return window or "-", generator, shown(rates, 0), "-" if math.isnan(rtt) else f"{rtt:.1f}", off


def compare(lab, server, options):
    """Prints the answers per second and the RTTs of all generators."""
    generators = {"dnsgauge-udp": lambda window: asked_by_dnsgauge(lab, "udp", window, options),
                  "dnsgauge-tcp": lambda window: asked_by_dnsgauge(lab, "tcp", window, options),
                  "dnsperf": lambda window: asked_by_dnsperf(lab, window, options)}
    if unknown := set(options.generators) - {*generators, OPEN_LOOP}:
        raise BenchError(f"--generators: there is no {', '.join(unknown)}, but {', '.join(generators)}, {OPEN_LOOP}")
    cases = [(name, window) for window in options.windows for name in generators if name in options.generators]
    if OPEN_LOOP in options.generators:
        take_turn = open_loop(lab, server, options)
        generators[OPEN_LOOP] = lambda _: take_turn()
        cases.append((OPEN_LOOP, None))
    samples = take_turns(options.rounds, cases, lambda case: generators[case[0]](case[1]))
    print_table(("open", "generator", "answers/s", "RTT mean us", "off %"),
                [row(case, values, options.delay) for case, values in samples.items()], 2,
                f"{options.server}, {options.duration:g} s, {options.rounds} rounds, median (lowest..highest)")


@contextlib.contextmanager
def tapped(lab):
    """Puts a bridge in a namespace of its own between the lab's ends. tcpdump sees there what XDP programs take and send
    at an end. t0 leads to the Tester."""
    tap, dut = f"{lab.name}-tap", f"{lab.name}-dut"
    own, peer = (json.loads(run("ip", "-n", f"{lab.name}-{host}", "-j", "link", "show", interface))[0]["address"]
                 for host, interface in (("dut", "d0"), ("tester", "g0")))
    steps = (
        f"ip -n {dut} link set d0 netns {tap} name t0 address 02:00:00:00:00:01",
        f"ip netns exec {tap} sysctl -qw net.ipv6.conf.all.disable_ipv6=1",
        f"ip -n {tap} link add t1 type veth peer name d0 netns {dut} address {own}",
        f"ip -n {tap} link add bridge type bridge mcast_snooping 0",
        f"ip -n {tap} link set bridge up",
        f"ip -n {tap} link set t0 master bridge up",
        f"ip -n {tap} link set t1 master bridge up",
        f"ip -n {dut} address add {SERVER_ADDRESS}/24 dev d0",
        f"ip -n {dut} link set d0 up",
        f"ip -n {dut} neighbour replace {TESTER} lladdr {peer} dev d0 nud permanent",
        # With GRO an end polls (NAPI): what the other end's XDP program sends is delivered only then.
        f"ip netns exec {tap} ethtool -K t1 gro on",
        f"ip netns exec {dut} ethtool -K d0 gro on",
    )
    run("ip", "netns", "add", tap)
    try:
        for step in steps:
            run(*step.split())
        yield
    finally:
        run("ip", "netns", "del", tap)


def rtts_in(path):
    """Returns the RTTs, ns, that a recording tells, ascending, and how many queries it has."""
    sent, rtts, queries = {}, [], 0
    for moment, frame in packets(path):
        source, target, ident = frame[34:36], frame[36:38], frame[42:44]
        if target == b"\0\x35":
            sent[source + ident] = moment
            queries += 1
        elif target + ident in sent:
            rtts.append(moment - sent.pop(target + ident))
    return sorted(rtts), queries


def recorded(lab, window, options):
    """Returns the figures of a trial, and of tcpdump's recording of it."""
    file = lab.scratch / "recording.pcap"
    words = ("tcpdump", "-i", "t0", "-s", 64, "-B", 262144, "--time-stamp-precision", "nano", "-w", file, "udp", "port", 53)
    with Running(lab, "tap", None, *words, wait_for="listening on") as recorder:
        trial = window_trial(lab, "udp", window, options)
        time.sleep(1)
    rtts, queries = rtts_in(file)
    dropped = int(found(r"^(\d+) packets? dropped by kernel", recorder.said, "tcpdump"))
    if not rtts:
        raise BenchError("tcpdump recorded no answer")
    figures = [trial["window"]["answered_rate"]]
    for share, name in ((0.5, "p50"), (0.99, "p99")):
        figures += [trial["rtt_ns"][name] / 1000, rtts[math.ceil(share * len(rtts)) - 1] / 1000]
    return figures, (trial["sent"], queries, len(rtts), trial["valid"], dropped)


def confirm(lab, options):
    """Prints RTTs by dnsgauge and by tcpdump's clock."""
    rows = []
    for window, samples in take_turns(options.rounds, options.windows,
                                      lambda window: recorded(lab, window, options)).items():
        rate, *rtts = (statistics.median(each) for each in zip(*(figures for figures, _ in samples)))
        spans = [f"{one:.1f}" for mine, theirs in (rtts[:2], rtts[2:]) for one in (mine, theirs, mine - theirs)]
        sent, queries, answers, valid, dropped = (sum(each) for each in zip(*(counts for _, counts in samples)))
        rows.append((window, f"{rate:.0f}", *spans, f"{queries} of {sent}", f"{answers} of {valid}", dropped))
    print_table(("open", "answers/s", "p50", "tcpdump", "less", "p99", "tcpdump", "less", "queries recorded",
                 "answers recorded", "dropped"), rows, 1,
                f"{options.server}, {options.duration:g} s, {options.rounds} rounds, medians; RTTs in us")


def main(options):
    kind = next(kind for kind in KINDS if kind.name == options.server)
    if options.delay:
        kind = replace(kind, options=(*kind.options, "--fault", f"delay=100%:{options.delay:g}ms"))
    with Lab("dgwindows") as lab, tapped(lab) if options.recorded else contextlib.nullcontext(), \
            Server(kind, lab) as server:
        write_names(lab.scratch / "names")
        if options.recorded:
            confirm(lab, options)
        else:
            compare(lab, server, options)


if __name__ == "__main__":
    start(main, needs=["dnsperf", "tcpdump"], server="knotd-sockets", windows=[1, 10, 100, 1000],
          generators=["dnsgauge-udp", "dnsgauge-tcp", "dnsperf"],
          delay=(0.0, "milliseconds until FakeDNS answers"), duration=2.0, timeout=1.0, rounds=3,
          recorded=(False, "compare RTTs with tcpdump's"))
