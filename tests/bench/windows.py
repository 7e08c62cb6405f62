#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures closed loops: the answers per second and the RTT by the number of open queries, beside other generators.

dnsgauge asks over UDP and over TCP, dnsperf over UDP. open-loop is a turn of tools/bench with dnsgauge, and the highest
answered rate in it. With --delay FakeDNS answers each query after so many milliseconds, so N open queries must have
N / delay answers a second; the table tells by how much a generator is off. Generators and windows take turns.

With --recorded dnsgauge alone asks, over UDP, through a bridge where tcpdump records. The table has RTTs by dnsgauge
and by tcpdump, and what an RTT of dnsgauge has before the query reaches the bridge, and behind the answer's leaving it.
Needs root and two CPUs.
"""

import contextlib
import itertools
import json
import math
import statistics
import time
from dataclasses import replace
from pathlib import Path

import pandas

from bench import FULL
from generators import Dnsgauge
from lab import KINDS, QTYPE, SERVED_NAMES, SERVER_ADDRESS, Lab, Running, Server, dnsgauge_trial, generator_cpu, \
    server_cpu, write_names
from measure import Pair
from program import BenchError, found, kernel_setting, percentile, print_table, run, shown, start, take_turns, \
    uninterrupted
from replay import TESTER, packets
from search import Grid, Turns

OPEN_LOOP = "open-loop"
GENERATORS = ["dnsgauge-udp", "dnsgauge-tcp", "dnsperf"]


def window_trial(lab, transport, window, options, **more):
    return dnsgauge_trial(lab, names=SERVED_NAMES, qtype=QTYPE, allow_repeats=True, pace=f"window={window}",
                          transport=transport, duration=options.duration, timeout=options.timeout, **more)


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
    generators = {"dnsgauge-udp": lambda window: asked_by_dnsgauge(lab, "udp", window, options),
                  "dnsgauge-tcp": lambda window: asked_by_dnsgauge(lab, "tcp", window, options),
                  "dnsperf": lambda window: asked_by_dnsperf(lab, window, options)}
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
    """Puts a bridge in a namespace of its own between the lab's ends. tcpdump sees there what XDP programs take and
    send at an end. t0 leads to the Tester. The server's CPU forwards answers one by one meanwhile: otherwise those of a
    burst wait behind tcpdump's clock until all have been forwarded."""
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
    steering = f"echo {1 << server_cpu():x} > /sys/class/net/t1/queues/rx-0/rps_cpus"
    packets_in_turn = "/proc/sys/net/core/dev_weight"  # that a CPU takes from its queue
    try:
        run("ip", "netns", "add", tap)
        for step in steps:
            run(*step.split())
        run("ip", "netns", "exec", tap, "sh", "-c", steering)
        with kernel_setting(packets_in_turn, "1"):
            yield
    finally:
        with uninterrupted():
            if Path("/run/netns", tap).exists():
                run("ip", "netns", "del", tap)


def read_recording(path):
    """Returns the times, ns, of the queries in a recording, and {number of a query: time of its answer}."""
    queries, answers, unanswered = [], {}, {}
    for moment, frame in packets(path):
        source, target, ident = frame[34:36], frame[36:38], frame[42:44]
        if target == b"\0\x35":
            unanswered[source + ident] = len(queries)
            queries.append(moment)
        elif target + ident in unanswered:
            answers[unanswered.pop(target + ident)] = moment
    return queries, answers


def parts_of(log, queries, answers):
    """Returns times, us, of answered queries of a per-query file: RTT by dnsgauge and by tcpdump, and what dnsgauge's
    RTT has before tcpdump's and behind it. The clocks differ by what makes the least time before tcpdump's zero."""
    told = pandas.read_csv(log, sep=";").sort_values("number", ignore_index=True)
    asked, answered = (pandas.Series(times) - queries[0] for times in (queries, answers))
    before = asked - told["sent_ns"]
    parts = pandas.DataFrame({"rtt": told["rtt_ns"], "tcpdump": answered - asked, "before": before - before.min()})
    parts["behind"] = parts["rtt"] - parts["tcpdump"] - parts["before"]
    return parts.dropna() / 1000


def recorded(lab, window, options):
    """Returns the answers per second of a trial, and p50 and p99 of the parts of its RTTs."""
    file, log = lab.scratch / "recording.pcap", lab.scratch / "queries.csv"
    words = ("tcpdump", "-i", "t0", "-s", 64, "-B", 262144, "--time-stamp-precision", "nano", "-w", file,
             "udp", "port", 53)
    with Running(lab, "tap", None, *words, wait_for="listening on") as recorder:
        trial = window_trial(lab, "udp", window, options, per_query=log)
        time.sleep(1)
    if lost := int(found(r"^(\d+) packets? dropped by kernel", recorder.said, "tcpdump")):
        raise BenchError(f"tcpdump lost {lost} packets with {window} open queries: give a shorter --duration")
    queries, answers = read_recording(file)
    if (len(queries), len(answers)) != (trial["sent"], trial["valid"]):
        raise BenchError(f"tcpdump recorded {len(queries)} of {trial['sent']} queries, and {len(answers)} of "
                         f"{trial['valid']} answers")
    parts = parts_of(log, queries, answers)
    return [trial["window"]["answered_rate"], *(percentile(parts[part], at) for at in (50, 99) for part in parts)]


def confirm(lab, options):
    rows = []
    for window, samples in take_turns(options.rounds, options.windows,
                                      lambda window: recorded(lab, window, options)).items():
        rate, *times = (statistics.median(each) for each in zip(*samples))
        rows.append((window, f"{rate:.0f}", *(f"{time:.1f}" for time in times)))
    print_table(("open", "answers/s", *(f"{share} {part}" for share in ("p50", "p99")
                                        for part in ("RTT", "tcpdump", "before", "behind"))), rows, 1,
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
          generators=(GENERATORS, None, (*GENERATORS, OPEN_LOOP)),
          delay=(0.0, "milliseconds until FakeDNS answers"), duration=2.0, timeout=1.0, rounds=3,
          recorded=(False, "compare RTTs with tcpdump's"))
