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

import random
import time

from generators import Dnsgauge, Dnsperf, Kxdpgun
from lab import KINDS, TIMEOUT, Lab, Server
from measure import START_SECONDS, Pair
from program import print_table, ratio, shown, start, take_turns
from search import LOWEST_RATE, Grid, Turns

SEED = 13
LIST, RANGE = "dnsgauge, the list", "dnsgauge, the range"


class DnsgaugeRange(Dnsgauge):
    name = RANGE


class DnsgaugeList(Dnsgauge):
    name = LIST

    def asks(self, order):
        return {"queries": order.names}


GENERATORS = [DnsgaugeRange(), DnsgaugeList(), Kxdpgun(), Dnsperf()]


def write_list(path, count):
    """Writes different names in an order of no meaning: neighbours in the list are not neighbours as names."""
    numbers = random.Random(SEED).sample(range(1 << 24), count)
    with open(path, "w", encoding="ascii") as file:
        for number in numbers:
            file.write(f"010-{number >> 16:03}-{number >> 8 & 255:03}-{number & 255:03}.dns64perf.test A\n")


def main(options):
    with Lab("dglists") as lab, Server(KINDS[0], lab) as server:
        names = lab.scratch / "names.txt"
        write_list(names, options.names)
        pairs = {one.name: Pair(one, server, names, options.duration, TIMEOUT) for one in GENERATORS}
        turns = {one.name: Turns(pairs[one.name].trial, one.name, "fakedns-xdp", one.takes_any_rate,
                                 Grid(options.resolution)) for one in GENERATORS}
        took = take_turns(options.rounds, turns, lambda name: turns[name].take(0))
        began = time.monotonic()
        pairs[LIST].trial(0, "start", LOWEST_RATE)
        loading = time.monotonic() - began - START_SECONDS - TIMEOUT
    found = {name: {number: turn["found"] for number, turn in enumerate(its) if turn["found"] is not None}
             for name, its in took.items()}
    rows = [(name, shown(found[name].values(), 0), *(
        shown([max(trial[rate] for trial in turn["trials"]) for turn in its], 0)
        for rate in ("sent_rate", "answered_rate"))) for name, its in took.items()]
    print_table(("", "lossless", "most sent", "most answered"), rows, 4,
                f"{options.names} names, {options.rounds} rounds, trials of {options.duration:g} s; queries/s, "
                "medians (lowest..highest)")
    against = ratio(found[LIST], found[RANGE])
    if against:
        print("lossless: the list reaches {:.2f} of the range's rate ({:.2f}..{:.2f})".format(*against))
    print(f"dnsgauge needs {loading:.1f} s more than its trial where the list is loaded")


if __name__ == "__main__":
    start(main, duration=(3.0, "seconds of each trial"), rounds=5, names=(1_000_000, "different names in the list"),
          resolution=(1.05, "ratio of neighbouring rates"))
