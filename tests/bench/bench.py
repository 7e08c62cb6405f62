#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures every pair of DNS generator and server on this machine, in turn. Must be root. tools/bench installs what
this program needs, builds, and starts it; labs of network namespaces are made and removed.

pairs: dnsgauge:* kxdpgun:* dnsperf:*
       *:fakedns-xdp *:fakedns-sockets *:knotd-xdp *:knotd-sockets *:nsd *:bind9
ways:  udp        for 65,536 names
       list       for a list of a million names, which dnsgauge asks for as a range, too (dnsgauge-range)
       echo       dnsgauge floods FakeDNS and each model of its echo (*:echo-xdp, *:echo-blocking, ...)
       held       over 50 connections of TCP; many queries may be open on each
       alone      likewise, one query at a time: no segment has two; over TLS dot-alone, over HTTPS doh-alone
       single     a connection of TCP for each query; with full handshakes of TLS dot-single and doh-single

Exit status: 0 done; 2 it cannot be done, one line says why; 130 interrupted.
"""

import contextlib
import fnmatch
import json
import tempfile
import time
from pathlib import Path

from generators import WAYS
from lab import QTYPE, Lab, Server, fill_link
from measure import Pair
from program import ROOT, TESTS, BenchError, machine, say, show_records, start
from search import Grid, Turns

SCHEMA = "dnsgauge/bench/1"
FULL = {"rounds": 5, "duration": 2.0, "step": 1.05}
QUICK = {"rounds": 1, "duration": 1.0, "step": 1.15}
OPTIONS = {
    "rounds": (int, "default 5; with --quick 1"),
    "duration": (float, "seconds of each trial; default 2; with --quick 1"),
    "step": (float, "ratio of a search's neighbouring rates; default 1.05; with --quick 1.15"),
    "timeout": (float, "seconds a reply may take (dnsgauge, dnsperf); default 0.25; over connections 0.05"),
    "way": ("udp", "how servers are asked (default udp): see above"),
    "pairs": (["*:*"], "only these, GENERATOR:SERVER; * stands for any: 'dnsgauge:*'"),
    "quick": (False, "some minutes: one round, shorter trials, lossless rates to 15 %% instead of 5 %%"),
    "json": (ROOT / "build" / "bench.json", "all records of all trials; default build/bench.json"),
    "page": (Path, "a page of the records; default: beside the JSON file, as .html"),
    "figures": (Path, "a folder for the page's figures"),
    "render": (Path, "measure nothing: tables and page of this file, which --json wrote"),
}


def choose_pairs(name, patterns):
    """Returns [(generator, kind of server)] of a way, by server. Every pattern must fit a pair."""
    if name not in WAYS:
        raise BenchError(f"--way: there is no {name}, but {', '.join(WAYS)}")
    way = WAYS[name]
    names = {f"{generator.name}:{kind.name}": (generator, kind) for kind in way.kinds for generator in way.generators}
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise BenchError(f"--pairs: {pattern} fits no pair: see tools/bench --help")
    return [pair for name, pair in names.items() if any(fnmatch.fnmatchcase(name, one) for one in patterns)]


def tell(turn, began):
    found = "none found" if turn["found"] is None else f"{turn['found'] / 1000:.1f}"
    answered, sent = (max(trial[rate] for trial in turn["trials"]) / 1000 for rate in ("answered_rate", "sent_rate"))
    say(f"{time.monotonic() - began:5.0f} s  round {turn['round']}  {turn['generator']:9} {turn['server']:16} "
        f"thousand/s: lossless {found}, answered {answered:.1f}, sent {sent:.1f} ({len(turn['trials'])} trials)")


def measure(options, pairs, run):
    """Appends a record to the run's turns when a turn ends, and to its link in each round."""
    with contextlib.ExitStack() as stack:
        way = WAYS[options.way]
        names = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dnsgauge-bench."))) / "names"
        way.write_names(names)
        labs, servers = {}, {}
        for kind in dict.fromkeys(kind for _, kind in pairs):
            labs[kind] = stack.enter_context(Lab(f"dgbench-{kind.name}-"))
            if not kind.is_echo:
                say(f"starting {kind.name}")
                servers[kind] = stack.enter_context(Server(kind, labs[kind]))
        takers = []
        for generator, kind in pairs:
            pair = Pair(generator, labs[kind], names, options.duration, options.timeout)
            takers.append((kind, pair, Turns(pair.trial, generator.name, kind.name, generator.takes_any_rate,
                                             Grid(options.step), way.most, way.searches)))
        link = stack.enter_context(Lab("dgbench-link-"))
        began = time.monotonic()
        for number in range(1, options.rounds + 1):
            run["link"].append({"round": number, "sent_rate": fill_link(link, options.duration)})
            for kind, pair, turns in takers:
                with Server(kind, labs[kind]) if kind.is_echo else contextlib.nullcontext(servers[kind]) as pair.server:
                    run["turns"].append(turns.take(number))
                tell(run["turns"][-1], began)


def new_run(options):
    way = WAYS[options.way]
    for name, value in {**(QUICK if options.quick else FULL), "timeout": way.timeout}.items():
        setattr(options, name, getattr(options, name, None) or value)
    asked = {name: getattr(options, name) for name in ("way", "rounds", "duration", "timeout", "pairs", "step")}
    asked |= {"names": way.names, "qtype": QTYPE}
    return {"schema": SCHEMA, "date": time.strftime("%Y-%m-%d", time.gmtime()), "machine": machine(), "complete": False,
            "options": asked, "link": [], "turns": []}


def benchmark(options):
    pairs = choose_pairs(options.way, options.pairs)
    if not (TESTS / "link_fill").exists():
        raise BenchError("link_fill is not built: start tools/bench, which builds it")
    run = new_run(options)
    options.json.open("a").close()  # fails now rather than in 20 minutes; its content stays
    try:
        measure(options, pairs, run)
        run["complete"] = True
    finally:
        if run["turns"]:
            options.json.write_text(json.dumps(run, indent=1) + "\n")
            say(f"records: {options.json}; --render shows them")


def main(options):
    if not options.render:
        benchmark(options)
    records = options.render or options.json
    show_records(records, options.page or records.with_suffix(".html"), options.figures)


if __name__ == "__main__":
    start(main, root=False, **OPTIONS)
