#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures every pair of generator and server in turn. tools/bench starts this program.

See tests/bench/README.md for what the figures mean.
"""

import argparse
import contextlib
import datetime
import fnmatch
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import chart
import machine
import report
from errors import BenchError, Interrupted, end_by_signals
from generators import GENERATORS
from lab import ROOT, Lab, online_cpus
from link import LINK_FILL, dropping, fill
from measure import Bench, Pair
from search import Grid
from servers import KINDS, NAMES, QTYPE, Server, write_names
from turn import PairsTurns

SCHEMA = "dnsgauge/bench/1"

# Rounds, seconds of a trial, resolution, and the most trials of a search in the first turn and in
# later turns.
FULL = {"rounds": 5, "duration": 2.0, "step": 1.05, "first_trials": 10, "trials": 5}
QUICK = {"rounds": 1, "duration": 1.0, "step": 1.15, "first_trials": 4, "trials": 4}


class Parser(argparse.ArgumentParser):
    """Ends with one line that says what is wrong."""

    def error(self, message):
        raise BenchError(f"{message}: see tools/bench --help")


def positive(kind, most):
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value <= most:
            raise argparse.ArgumentTypeError(f"needs a number above 0, at most {most}, not {text}")
        return value
    return parse


def parse_arguments(words):
    parser = Parser(
        prog="tools/bench", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure every pair of DNS generator and server on this machine, in turn. Must be "
                    "root.\nInstalls what it needs, builds, lays labs of network namespaces, and "
                    "removes them.",
        epilog="pairs: " + " ".join(f"{name}:*" for name in (g.name for g in GENERATORS))
               + "\n       " + " ".join(f"*:{kind.name}" for kind in KINDS)
               + "\nExit status: 0 done; 2 it cannot be done, one line says why; 130 interrupted.")
    parser.add_argument("--rounds", type=positive(int, 1000), help="default 5; with --quick 1")
    parser.add_argument("--duration", type=positive(float, 600), metavar="SECONDS",
                        help="of each trial; default 2; with --quick 1")
    parser.add_argument("--timeout", type=positive(float, 10), default=0.25, metavar="SECONDS",
                        help="a reply may take (dnsgauge, dnsperf); default 0.25")
    parser.add_argument("--pairs", nargs="+", default=["*:*"], metavar="GENERATOR:SERVER",
                        help="only these; * stands for any: 'dnsgauge:*'")
    parser.add_argument("--quick", action="store_true",
                        help="some three minutes: one round, shorter and fewer trials, lossless rates "
                             "to 15 %% instead of 5 %%")
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "bench.json", metavar="FILE",
                        help="all records of all trials; default build/bench.json")
    parser.add_argument("--chart", type=Path, metavar="FILE",
                        help="default: beside the JSON file, as .svg")
    parser.add_argument("--render", type=Path, metavar="FILE",
                        help="measure nothing: table and chart of what --json wrote")
    options = parser.parse_args(words)
    defaults = QUICK if options.quick else FULL
    for name, value in defaults.items():
        if getattr(options, name, None) is None:
            setattr(options, name, value)
    if options.chart is None:
        options.chart = (options.render or options.json).with_suffix(".svg")
    return options


def choose_pairs(patterns):
    """Returns [(generator, kind of server)], by server. Every pattern must fit a pair."""
    every = [(generator, kind) for kind in KINDS for generator in GENERATORS]
    names = {pair: f"{pair[0].name}:{pair[1].name}" for pair in every}
    for pattern in patterns:
        if not fnmatch.filter(names.values(), pattern):
            raise BenchError(f"--pairs: {pattern} fits no pair: see tools/bench --help")
    return [pair for pair in every
            if any(fnmatch.fnmatchcase(names[pair], pattern) for pattern in patterns)]


def check_machine():
    if os.geteuid() != 0:
        raise BenchError("must be root: it makes network namespaces and loads BPF programs")
    if len(online_cpus()) < 2:
        raise BenchError("needs two CPUs: one for the generator and one for the server")
    if not LINK_FILL.exists():
        raise BenchError(f"there is no {LINK_FILL}: start tools/bench, which builds it")


def say(text):
    print(text, file=sys.stderr, flush=True)


def start_servers(kinds, stack, scratch):
    """Returns {kind: server that is up}, each server in a lab. All of them end with the stack."""
    servers = {}
    for kind in kinds:
        say(f"starting {kind.name}")
        lab = Lab(f"dgbench{os.getpid()}-{kind.name}")
        stack.callback(lab.down)
        lab.up()
        server = Server(kind, lab, scratch)
        stack.callback(server.stop)
        server.start()
        servers[kind] = server
    return servers


def tell(turn, began):
    found = "none found" if turn.found is None else f"{turn.found / 1000:.1f}"
    answered = max(trial.answered_rate for trial in turn.trials) / 1000
    sent = max(trial.sent_rate for trial in turn.trials) / 1000
    say(f"{time.monotonic() - began:5.0f} s  round {turn.round}  {turn.generator:9} "
        f"{turn.server:16} thousand/s: lossless {found}, answered {answered:.1f}, sent {sent:.1f} "
        f"({len(turn.trials)} trials)")


def start_link(stack):
    """Returns a lab whose DUT drops everything. It ends with the stack."""
    lab = Lab(f"dgbench{os.getpid()}-link")
    stack.callback(lab.down)
    lab.up()
    stack.enter_context(dropping(lab))
    return lab


def measure(options, pairs, turns, link_rates):
    """Appends a record to `turns` when a turn ends, and to `link_rates` in each round."""
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dnsgauge-bench.")))
        scratch.chmod(0o755)  # servers that change their user must reach their files
        names = scratch / "names"
        write_names(names)
        servers = start_servers(dict.fromkeys(kind for _, kind in pairs), stack, scratch)
        bench = Bench(names, scratch, options.duration, options.timeout)
        takers = [PairsTurns(Pair(bench, generator, servers[kind]).trial, generator.name, kind.name,
                             generator.takes_any_rate, Grid(options.step))
                  for generator, kind in pairs]
        link = start_link(stack)
        began = time.monotonic()
        for number in range(1, options.rounds + 1):
            link_rates.append({"round": number, "sent_rate": fill(link, options.duration)})
            for taker in takers:
                turn = taker.take(number, options.first_trials if number == 1 else options.trials)
                turns.append(asdict(turn))
                tell(turn, began)


def new_run(options):
    return {"schema": SCHEMA, "complete": False,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
            "machine": machine.describe(),
            "options": {"rounds": options.rounds, "duration": options.duration,
                        "timeout": options.timeout, "pairs": options.pairs, "step": options.step,
                        "first_trials": options.first_trials, "trials": options.trials,
                        "names": NAMES, "qtype": QTYPE},
            "link": [], "turns": []}


def write_json(run, path):
    try:
        path.write_text(json.dumps(run, indent=1) + "\n", encoding="ascii")
    except OSError as error:
        raise BenchError(f"cannot write {path}: {error.strerror}") from error


def check_output(path):
    """Fails now rather than in 20 minutes if the file cannot be written; leaves its content."""
    try:
        path.open("a", encoding="ascii").close()
    except OSError as error:
        raise BenchError(f"cannot write {path}: {error.strerror}") from error


def read_json(path):
    try:
        run = json.loads(path.read_text(encoding="ascii"))
        schema = run["schema"]
    except OSError as error:
        raise BenchError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BenchError(f"{path} is not what --json of tools/bench writes") from error
    if schema != SCHEMA:
        raise BenchError(f"{path} is of schema {schema}, not {SCHEMA}")
    return run


def show(run, path):
    print(report.to_text(run), end="")
    chart.draw(run, path)
    say(f"chart: {path}")


def render(options):
    run_record = read_json(options.render)
    try:
        show(run_record, options.chart)
    except (LookupError, TypeError, AttributeError) as error:
        raise BenchError(f"{options.render} is damaged: it lacks {error}") from error


def benchmark(options):
    check_machine()
    pairs = choose_pairs(options.pairs)
    run_record = new_run(options)
    check_output(options.json)
    chart.load_matplotlib()
    end_by_signals()
    try:
        measure(options, pairs, run_record["turns"], run_record["link"])
        run_record["complete"] = True
    finally:
        if run_record["turns"]:
            write_json(run_record, options.json)
            say(f"records: {options.json}")
    show(run_record, options.chart)


def main(words):
    try:
        options = parse_arguments(words)
        if options.render:
            render(options)
        else:
            benchmark(options)
    except BenchError as error:
        say(f"bench: {error}")
        return 2
    except Interrupted as interruption:
        say(f"bench: {interruption}; what was measured is shown by --render")
        return 128 + interruption.signal_number
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
