#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counts how often "dnsgauge replay --find-load-factor" is wrong about a resolver that bears every load factor.

    sudo tests/bench/load_factors.py --searches 20

Unbound has an empty cache in each run, and asks an Internet without distance for so few names that it could answer
many times the queries of the highest load factor. So each "overloaded" is an error, which chance or this machine
made. A search takes some 80 s. Needs a build, root, two CPUs and unbound; see README.md.
"""

import collections
import json

from internet import WORLDS, Internet
from lab import SERVER_ADDRESS, Lab, generator_cpu, option_words, server_cpu
from program import BIN, describe_machine, last_line, run, start

CLIENTS = "198.19.0.0/16"  # to which the lab's DUT has a route
RESTART = """#!/bin/sh
if read -r pid <{folder}/pid; then
    kill $pid
    while kill -0 $pid 2>/dev/null; do sleep 0.05; done
fi
{start} >{folder}/unbound.log 2>&1 </dev/null &
echo $! >{folder}/pid
"""


def prepare(lab, internet, options):
    """Writes a capture, and a command that starts the resolver anew. Returns both."""
    hints, resolver, names = (lab.scratch / name for name in ("hints", "unbound", "names"))
    hints.write_text(run(BIN / "fakedns", "--internet", internet.world, "--root-hints"), encoding="ascii")
    run(BIN / "dnsgauge-zone", "resolver", "unbound", "--directory", resolver, "--listen", SERVER_ADDRESS, "--hints",
        hints, "--workers", 1)
    names.write_text("".join(f"www.d{number}.com\n" for number in range(options.names)), encoding="ascii")
    capture, restart = lab.scratch / "clients.pcap", lab.scratch / "restart"
    run(BIN / "dnsgauge-queries", "make", *option_words({
        "name_list": names, "clients": 200, "rate": options.rate, "duration": options.seconds, "output": capture}))
    (lab.scratch / "pid").touch()
    restart.write_text(RESTART.format(folder=lab.scratch, start=" ".join(
        lab.command("dut", server_cpu(), resolver / "start"))), encoding="ascii")
    restart.chmod(0o755)
    return capture, restart


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
        capture, restart = prepare(lab, internet, options)
        for number in range(1, options.searches + 1):
            result = lab.scratch / f"{number}.json"
            said = run(*lab.command("tester", generator_cpu(), BIN / "dnsgauge", "replay", *option_words({
                "interface": "g0", "server": SERVER_ADDRESS, "cpus": generator_cpu(), "capture": capture,
                "clients": CLIENTS, "find_load_factor": options.most, "runs": options.runs, "duration": 1,
                "shared_machine": True, "before_trial": restart, "beyond_selftest": True, "json": result,
                "journal": lab.scratch / f"{number}.jsonl"})), good=(0, 3))
            found = json.loads(result.read_text())
            counts[conclusion(found)] += 1
            print(f"{number}: {sum(len(replay['runs']) for replay in found['replays'])} runs: {last_line(said)}",
                  flush=True)
    print("; ".join(f"{count} of {options.searches}: {what}" for what, count in counts.most_common()))


if __name__ == "__main__":
    start(main, needs=["unbound"], searches=10, most=(4, "the highest load factor"), runs=3,
          rate=(4000, "queries a second of the capture"), seconds=(2.0, "of the capture"),
          names=(300, "that the capture asks for"))
