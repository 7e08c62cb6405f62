#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Stops the Tester in the midst of trials, and counts the verdicts: which losses fall to the Tester's own bursts.

    sudo tests/bench/stalls.py --servers nsd knotd-sockets --rates 1000 25000 --stops 0 10 43 --trials 100

For each server, rate and stop (milliseconds for which the Tester gets no CPU): how many trials passed, failed and were
invalid for the sake of stalls or for another reason; the queries lost in all of them, and the part that fell to
stalls; the trials that failed although every loss fell to a stall and stalls explain it, which must be none; for how many milliseconds of a
trial others had the server's CPU (median), and how long it was away without a break (median, most). With --keep FOLDER
each trial's result stays there. A stop of 0 is a trial without one. Run it in parts: each server, rate and stop stands
alone. Needs a build, root and two CPUs; see README.md.
"""

import signal
import statistics
import time
from collections import Counter
from pathlib import Path

from lab import KINDS, QTYPE, SERVED_NAMES, Lab, Server, dnsgauge_trial, server_cpu
from program import BenchError, describe_machine, start

FORM = "{:<16} {:>7} {:>5} {:>5} {:>5} {:>7} {:>7} {:>8} {:>9} {:>6} {:>7} {:>6} {:>6}"
SERVERS = {kind.name: kind for kind in KINDS if not kind.by_xdp}


def stopped_trial(lab, result, rate, stop_ms, options):
    """Makes a trial that stands still once in its midst. Returns its result."""
    before = lab.packets("tester", "g0", "tx")

    def stop(process):
        while lab.packets("tester", "g0", "tx") - before < min(100, rate / 10) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(options.duration / 3)
        if stop_ms and process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(stop_ms / 1e3)
            process.send_signal(signal.SIGCONT)

    return dnsgauge_trial(lab, result=result, pinned=False, more=options.options.split(), meanwhile=stop,
                          names=SERVED_NAMES, allow_repeats=True, qtype=QTYPE, rate=rate, duration=options.duration,
                          timeout=0.5)


def in_stalls(trial):
    return sum(trial["stalls"][side][kind] for side in ("tester", "server") for kind in ("lost", "late"))


def on_servers_cpu(trial):
    """Returns the milliseconds for which others had the CPU, and for which it was away without a break."""
    use, = (use for use in trial["cpus"] if use["cpu"] == server_cpu())
    return (use["others_ns"] + use["unseen_ns"]) / 1e6, use["absence"]["longest_ns"] / 1e6


def row(name, rate, stop_ms, trials):
    """Returns the line of one server, rate and stop."""
    outcomes = Counter("stalls" if trial["stalls"]["decided"] else trial["verdict"] for trial in trials)
    missed = [trial["lost"] + trial["late"] for trial in trials]
    wrong = sum(trial["verdict"] == "fail" and trial["sent"] - trial["valid"] == in_stalls(trial)
                and "long after stalls" not in trial["why"] for trial in trials)
    others, away = zip(*map(on_servers_cpu, trials))
    return FORM.format(name, rate, f"{stop_ms:g}", *(outcomes[one] for one in ("pass", "fail", "stalls", "invalid")),
                       sum(missed), sum(map(in_stalls, trials)), wrong, f"{statistics.median(others):.1f}",
                       f"{statistics.median(away):.2f}", f"{max(away):.2f}")


def main(options):
    unknown = set(options.servers) - set(SERVERS)
    if unknown:
        raise BenchError(f"--servers: there is no {', '.join(unknown)}, but {', '.join(SERVERS)}")
    print(describe_machine())
    print(FORM.format("server", "rate", "ms", "pass", "fail", "stalls", "invalid", "missed", "in stalls", "wrong",
                      "others", "away", "most"))
    for name in options.servers:
        with Lab("dgstall") as lab, Server(SERVERS[name], lab):
            for rate in options.rates:
                for stop_ms in options.stops:
                    results = [(options.keep or lab.scratch) / f"{name}-{rate}-{stop_ms:g}-{number}.json"
                               for number in range(options.trials)]
                    trials = [stopped_trial(lab, result, rate, stop_ms, options) for result in results]
                    print(row(name, rate, stop_ms, trials), flush=True)


if __name__ == "__main__":
    start(main, servers=list(SERVERS), rates=[1000, 10000, 25000, 100000, 500000],
          stops=([0.0, 1.0, 3.0, 10.0, 20.0, 43.0, 60.0], "milliseconds"),
          trials=(100, "of each server, rate and stop"), duration=(2.0, "seconds of a trial"),
          options=("", "more options of dnsgauge trial"), keep=(Path, "a folder for the results"))
