#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counts how often "dnsgauge replay --find-load-factor" is wrong about a resolver that bears every load factor.

    sudo tests/bench/load_factors.py --searches 20

Unbound has every name in its cache, and could answer many times the queries of the highest load factor. So each
"overloaded" is an error, which chance or this machine made. Needs a build, root, two CPUs and unbound; see README.md.
"""

import collections
import json

from internet import WORLDS, Internet
from lab import SERVER_ADDRESS, Lab, Running, generator_cpu, option_words, server_cpu
from program import BIN, describe_machine, last_line, run, start

CLIENTS = "198.19.0.0/16"  # to which the lab's DUT has a route


def prepare(lab, internet, options):
    """Writes a capture and the resolver's configuration. Returns both."""
    hints, resolver, names = (lab.scratch / name for name in ("hints", "unbound", "names"))
    hints.write_text(run(BIN / "fakedns", "--internet", internet.world, "--root-hints"), encoding="ascii")
    run(BIN / "dnsgauge-zone", "resolver", "unbound", "--directory", resolver, "--listen", SERVER_ADDRESS, "--hints",
        hints, "--workers", 1)
    names.write_text("".join(f"www.d{number}.com\n" for number in range(options.names)), encoding="ascii")
    capture = lab.scratch / "clients.pcap"
    run(BIN / "dnsgauge-queries", "make", *option_words({
        "name_list": names, "clients": 200, "rate": options.rate, "duration": options.seconds, "output": capture}))
    return capture, resolver


def replay(lab, capture, name, **options):
    """Replays the capture. Returns the last line that dnsgauge says, and the result."""
    result = lab.scratch / f"{name}.json"
    said = run(*lab.command("tester", generator_cpu(), BIN / "dnsgauge", "replay", *option_words({
        "interface": "g0", "server": SERVER_ADDRESS, "cpus": generator_cpu(), "capture": capture, "clients": CLIENTS,
        "before_trial": "true", "shared_machine": True, "beyond_selftest": True, "json": result,
        "journal": lab.scratch / f"{name}.jsonl"} | options)), good=(0, 3))
    return last_line(said), json.loads(result.read_text())


def conclusion(found):
    """Returns the conclusion of a search's result, without figures."""
    if found["overload"]:
        return f"overloaded by {found['overload']['sign']}"
    if found["undecided"]:
        return "cannot tell"
    return "no overload" if found["end"] == "complete" else f"no end: {found['end']}"


def main(options):
    print(describe_machine())
    counts = collections.Counter()
    with (Lab("dgload", "--setup", "resolver") as lab,
          Internet(lab, "auth", "a0", WORLDS["without distance"], "auto") as internet):
        capture, resolver = prepare(lab, internet, options)
        ask = lab.command("tester", generator_cpu(), "dig", "+time=1", "+tries=1", f"@{SERVER_ADDRESS}", "www.d0.com")
        with Running(lab, "dut", server_cpu(), resolver / "start",
                     wait_for=lambda: "status: " in run(*ask, good=(0, 9))):
            replay(lab, capture, "warm", runs=1)
            for number in range(1, options.searches + 1):
                said, found = replay(lab, capture, number, find_load_factor=options.most, runs=options.runs, duration=1)
                counts[conclusion(found)] += 1
                print(f"{number}: {sum(len(one['trials']) for one in found['replays'])} runs: {said}", flush=True)
    print("; ".join(f"{count} of {options.searches}: {what}" for what, count in counts.most_common()))


if __name__ == "__main__":
    start(main, needs=["unbound"], searches=10, most=(4, "the highest load factor"), runs=3,
          rate=(4000, "queries a second of the capture"), seconds=(2.0, "of the capture"),
          names=(300, "that the capture asks for"))
