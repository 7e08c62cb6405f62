#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures trials of a list of a million different names, beside trials of the same names' range and beside
other generators with the same list, against FakeDNS by XDP.

    sudo tests/bench/lists.py --rounds 5 --duration 3

In each round every generator takes its turn: a flood, and the search for its highest lossless rate. Of each:
that rate and the rates sent and answered in the flood, medians over the rounds (lowest to highest); and the
median of the rounds' ratios of the list's lossless rate to the range's. The lines of the list are those
that dnsperf -d and kxdpgun -i read. The load and the time that dnsgauge takes to load the list stand in the
last line. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import random
import subprocess
import time

from errors import BenchError, run_benchmark
from generators import Dnsgauge, Dnsperf, Kxdpgun, Order
from lab import BIN, generator_cpu
from reference import TIMEOUT, describe_machine, fakedns_lab, need_two_cpus
from search import Grid
from summary import ratio, spread
from turn import PairsTurns

SEED = 13


class DnsgaugeList(Dnsgauge):
    name = "dnsgauge, the list"

    def command(self, order):
        words = super().command(order)
        at = words.index("--names")
        words[at:at + 5] = ["--queries", order.names]  # the range, --allow-repeats and --qtype
        return words


class DnsgaugeRange(Dnsgauge):
    name = "dnsgauge, the range"


GENERATORS = [DnsgaugeRange(), DnsgaugeList(), Kxdpgun(), Dnsperf()]


def write_list(path, count):
    """Writes different names in an order of no meaning: neighbours in the list are not neighbours as names."""
    numbers = random.Random(SEED).sample(range(1 << 24), count)
    with open(path, "w", encoding="ascii") as file:
        for number in numbers:
            file.write(f"010-{number >> 16:03}-{number >> 8 & 255:03}-{number & 255:03}.dns64perf.test A\n")


def measure(lab, generator, order):
    """Returns what the generator says of one trial."""
    words = lab.command("tester", generator_cpu(), *generator.command(order))
    if generator.overtime is not None:
        limit = str(order.seconds * 2 + generator.overtime)
        at = words.index(str(BIN / "dnsgauge"))
        words[at:at] = ["timeout", "--signal=INT", limit]
    order.result.unlink(missing_ok=True)
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in (*generator.good_statuses, 124):
        raise BenchError(f"{generator.name} ended with status {done.returncode}: {done.stderr.strip()[-300:]}")
    sample = generator.parse(done.stdout, order)
    if generator.leaves_program and lab.has_native_xdp("tester", "g0"):
        lab.detach_xdp("tester", "g0")
    return sample


def trials_of(lab, scratch, names, generator, duration):
    def trial(_number, purpose, offered):
        seconds = 0.1 if purpose == "start" else duration
        return measure(lab, generator, Order(offered, seconds, TIMEOUT, names, scratch / "result.json"))

    return trial


def loading(lab, scratch, names):
    """Returns the seconds from start to end of a trial of one query."""
    order = Order(10, 0.1, TIMEOUT, names, scratch / "result.json")
    began = time.monotonic()
    measure(lab, DnsgaugeList(), order)
    return time.monotonic() - began - 0.1 - TIMEOUT


def cells(turns):
    def middle(values):
        kept = [value for value in values if value is not None]
        if not kept:
            return "-"
        mean, low, high = spread(kept)
        return f"{mean:.0f} ({low:.0f} to {high:.0f})"

    return (f"{middle([turn.found for turn in turns]):<34} "
            f"{middle([max(t.sent_rate for t in turn.trials) for turn in turns]):<34} "
            f"{middle([max(t.answered_rate for t in turn.trials) for turn in turns])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--duration", type=float, default=3, help="seconds of each trial")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=6, help="trials of a search, about")
    parser.add_argument("--names", type=int, default=1_000_000, help="different names in the list")
    parser.add_argument("--resolution", type=float, default=1.05, help="ratio of neighbouring rates")
    options = parser.parse_args()
    need_two_cpus()

    with fakedns_lab("dglists") as (lab, scratch):
        names = scratch / "names.txt"
        write_list(names, options.names)
        turns = {one.name: PairsTurns(trials_of(lab, scratch, names, one, options.duration), one.name,
                                      "fakedns-xdp", one.takes_any_rate, Grid(options.resolution))
                 for one in GENERATORS}
        took = {one.name: [] for one in GENERATORS}
        for number in range(1, options.rounds + 1):
            for one in GENERATORS:
                took[one.name].append(turns[one.name].take(number, options.trials))
        seconds = loading(lab, scratch, names)
    print(describe_machine())
    print(f"{options.names} names, {options.rounds} rounds, trials of {options.duration:g} s; queries/s, "
          "medians (lowest to highest)")
    print(f"{'':<22} {'lossless':<34} {'most sent':<34} most answered")
    for one in GENERATORS:
        print(f"{one.name:<22} {cells(took[one.name])}")
    found = [{number: turn.found for number, turn in enumerate(took[name]) if turn.found is not None}
             for name in ("dnsgauge, the list", "dnsgauge, the range")]
    if all(found):
        against = ratio(*found)
        print(f"lossless: the list reaches {against[0]:.2f} of the range's rate "
              f"({against[1]:.2f} to {against[2]:.2f})")
    print(f"dnsgauge needs {seconds:.1f} s more than its trial where the list is loaded")


if __name__ == "__main__":
    run_benchmark("lists.py", main)
