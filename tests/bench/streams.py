#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures dnsgauge over TCP, TLS and HTTPS beside dnsperf and kxdpgun: the highest rate at which no query is lost.

    sudo tests/bench/streams.py --ways held alone single --servers fakedns-sockets nsd --duration 1

Ways: `held` keeps connections open, `alone` has one query at a time on each, so that no segment has two, and `single`
opens a connection for each query. `dot-alone` and so on do so over TLS, with full handshakes, and `doh-alone` over
HTTPS, with POST; only FakeDNS is asked so. Generators and ways take turns. A second table tells dnsgauge's pace at a
constant rate. kxdpgun only opens a connection over TCP for each query. Queries may wait for a connection, so a trial must
be many timeouts long: otherwise it loses nothing at rates that the server does not bear. Needs a build, root and two
CPUs; see README.md.
"""

import contextlib
import statistics
import tempfile
from dataclasses import replace
from pathlib import Path

from generators import PATIENCE, Dnsgauge, Dnsperf, Kxdpgun
from lab import KINDS, QTYPE, SERVED_NAMES, SERVER_ADDRESS, Lab, Server, dnsgauge_trial
from measure import Pair, write_names
from program import print_table, shown, start, take_turns
from search import Grid, Turns

CONNECTIONS = 50
WAYS = {  # the rate of which the pace is told, and the flood's: more needs more sockets than a process may have
    "held": (60_000, 300_000),
    "alone": (60_000, 300_000),
    "single": (20_000, 50_000),
    "dot-alone": (50_000, 100_000),
    "dot-single": (400, 2_000),
    "doh-alone": (20_000, 60_000),
    "doh-single": (400, 2_000),
}
OVER_TLS = ("--tls-self-signed", "--https-port", "443")  # of FakeDNS


def parts_of(way):
    """Returns a way's transport, and what it does over TCP."""
    transport, _, rest = way.rpartition("-")
    return transport or "tcp", rest


def options_of(way, acks):
    transport, what = parts_of(way)
    return {"transport": transport, "connections": CONNECTIONS, "queries_per_connection": int(what == "single"),
            "pipeline": int(what == "alone"), "acks": acks}


class Streams(Dnsgauge):
    def __init__(self, way, acks):
        self.options = options_of(way, acks)

    def asks(self, order):
        return super().asks(order) | self.options


class DnsperfStreams(Dnsperf):
    def __init__(self, way):
        self.way = way

    def command(self, order):
        transport, what = parts_of(self.way)
        more = {"held": [], "alone": ["-q", CONNECTIONS], "single": ["-O", "num-queries-per-conn=1"]}[what]
        if transport == "doh":
            more += ["-O", f"doh-uri=https://{SERVER_ADDRESS}/dns-query", "-O", "doh-method=POST"]
        return [*super().command(order), "-m", transport, "-c", CONNECTIONS, *more]


class KxdpgunStreams(Kxdpgun):
    def command(self, order):
        return [*super().command(order), "-T"]

    def parse(self, output, order):
        return super().parse(output.replace("total SYNs:", "total queries:"), order)


def generators_of(way, acks):
    return [Streams(way, acks), DnsperfStreams(way), *([KxdpgunStreams()] if way == "single" else [])]


def paced(lab, way, acks, duration):
    """Returns the result of dnsgauge's trial at the way's constant rate."""
    return dnsgauge_trial(lab, names=SERVED_NAMES, allow_repeats=True, qtype=QTYPE, rate=WAYS[way][0],
                          duration=duration, max_lateness=PATIENCE, max_overrun=PATIENCE, **options_of(way, acks))


def paced_row(case, trials):
    figures = []
    for of in (lambda trial: trial["sending"]["lateness_ns"], lambda trial: trial["rtt_ns"]):
        for share in ("p50", "p99"):
            figures.append(f"{statistics.median(of(trial)[share] or 0 for trial in trials) / 1000:.1f}")
    missing = " ".join(str(trial["sent"] - trial["valid"]) for trial in trials)
    return (*case, WAYS[case[1]][0], *figures, f"{missing} of {trials[0]['sent']}")


def main(options):
    with contextlib.ExitStack() as stack:
        names = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dnsgauge-bench."))) / "names"
        write_names(names)
        takers, labs, cases = {}, {}, []
        for kind in KINDS:
            if kind.name not in options.servers:
                continue
            labs[kind.name] = stack.enter_context(Lab(f"dgstreams-{kind.name}-"))
            has_tls = kind.program == "fakedns"
            served = replace(kind, options=(*kind.options, *OVER_TLS)) if has_tls else kind
            server = stack.enter_context(Server(served, labs[kind.name]))
            for way in options.ways:
                if parts_of(way)[0] != "tcp" and not has_tls:
                    continue
                cases.append((kind.name, way))
                for generator in generators_of(way, options.acks):
                    pair = Pair(generator, server, names, options.duration, options.timeout)
                    turns = Turns(pair.trial, generator.name, kind.name, generator.takes_any_rate, Grid(options.step))
                    if not generator.takes_any_rate:
                        turns.flood_rate = WAYS[way][1]
                    takers[kind.name, way, generator.name] = turns
        found = take_turns(options.rounds, list(takers), lambda case: takers[case].take(0))
        steady = take_turns(options.rounds, cases, lambda case: paced(labs[case[0]], case[1], options.acks,
                                                                      options.duration))
    rows = []
    for case, turns in found.items():
        answered = [max(trial["answered_rate"] for trial in turn["trials"]) for turn in turns]
        rows.append((*case, shown((turn["found"] for turn in turns if turn["found"]), unit=1000),
                     shown(answered, unit=1000)))
    print_table(("server", "way", "generator", "lossless", "answered"), rows, 3,
                f"{options.duration:g} s, timeout {options.timeout} s, {options.rounds} rounds, --acks {options.acks}; "
                "thousand/s, median (lowest..highest)")
    print_table(("server", "way", "rate", "late p50", "late p99", "RTT p50", "RTT p99", "not right in time, by round"),
                [paced_row(*one) for one in steady.items()], 2, "dnsgauge at these rates; us")


if __name__ == "__main__":
    start(main, needs=["dnsperf", "kxdpgun"], ways=list(WAYS), servers=["fakedns-sockets", "nsd"],
          acks=("quick", "of dnsgauge: quick or delayed"), duration=(1.0, "seconds of each trial"), timeout=0.05,
          rounds=2, step=1.1)
