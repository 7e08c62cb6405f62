#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Stops the Tester in the midst of trials, and counts the verdicts: which losses fall to the Tester's own bursts.

    sudo tests/bench/stalls.py --servers nsd knotd-sockets --rates 1000 25000 --stops 0 10 43 --trials 100

Of each server, rate and stop (milliseconds for which the Tester gets no CPU): how many trials passed, failed and were
invalid for the sake of stalls or for another reason; the queries lost in all of them, and the part that fell to
stalls; and the trials that failed although every loss fell to a stall, which must be none. With --keep FOLDER each
trial's result stays there. A stop of 0 is a trial without one. Run it in parts: each server, rate and stop stands
alone. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import json
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from errors import BenchError, run_benchmark
from lab import BIN, SERVER_ADDRESS, generator_cpu
from reference import bare_lab, describe_machine, need_two_cpus
from servers import KINDS, NAMES, QTYPE, Server

SERVERS = {kind.name: kind for kind in KINDS if not kind.by_xdp}
GOOD_STATUSES = (0, 1, 3)


def packets_sent(lab):
    """Returns how many packets have left the Tester since the lab was made."""
    said = subprocess.run(["ip", "netns", "exec", f"{lab.name}-tester", "cat", "/sys/class/net/g0/statistics/tx_packets"],
                          capture_output=True, text=True, check=True).stdout
    return int(said)


def stop_for(process, seconds):
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGCONT)


def stopped_trial(lab, result, rate, stop_ms, options):
    """Makes a trial that stands still once in its midst. Returns its result."""
    words = ["ip", "netns", "exec", f"{lab.name}-tester", BIN / "dnsgauge", "trial", "--interface", "g0", "--server",
             SERVER_ADDRESS, "--names", NAMES, "--allow-repeats", "--qtype", QTYPE, "--rate", rate, "--duration",
             options.duration, "--timeout", 0.5, "--cpus", generator_cpu(), "--json", result,
             *options.options.split()]
    before = packets_sent(lab)
    with subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as process:
        while packets_sent(lab) - before < min(100, rate / 10) and process.poll() is None:
            time.sleep(0.01)
        time.sleep(options.duration / 3)
        if stop_ms and process.poll() is None:
            stop_for(process, stop_ms / 1e3)
        said = process.communicate()[1]
    if process.returncode not in GOOD_STATUSES:
        raise BenchError(f"dnsgauge ended with status {process.returncode}: {said.strip()}")
    return json.loads(result.read_text(encoding="utf-8"))


def outcome(trial):
    """Returns the verdict, and whether stalls decided it."""
    return "stalls" if trial["stalls"]["decided"] else trial["verdict"]


def in_stalls(trial):
    return sum(trial["stalls"][side][kind] for side in ("tester", "server") for kind in ("lost", "late"))


def row(name, rate, stop_ms, trials):
    """Returns the line of one server, rate and stop."""
    outcomes = Counter(map(outcome, trials))
    missed = [trial["lost"] + trial["late"] for trial in trials]
    wrong = sum(trial["verdict"] == "fail" and trial["sent"] - trial["valid"] == in_stalls(trial) for trial in trials)
    return (f"{name:<16} {rate:>7} {stop_ms:>5g} {outcomes['pass']:>5} {outcomes['fail']:>5} {outcomes['stalls']:>7} "
            f"{outcomes['invalid']:>7} {sum(missed):>8} {sum(map(in_stalls, trials)):>9} {wrong:>6}")


def measure(name, options):
    """Makes all trials of one server, and prints a line for each rate and stop."""
    with bare_lab("dgstall") as (lab, scratch):
        server = Server(SERVERS[name], lab, scratch)
        try:
            server.start()
            for rate in options.rates:
                for stop_ms in options.stops:
                    trials = []
                    for number in range(options.trials):
                        result = (options.keep or scratch) / f"{name}-{rate}-{stop_ms:g}-{number}.json"
                        trials.append(stopped_trial(lab, result, rate, stop_ms, options))
                    print(row(name, rate, stop_ms, trials), flush=True)
        finally:
            server.stop()


def main():
    """Returns when all is printed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--servers", nargs="+", choices=SERVERS, default=list(SERVERS))
    parser.add_argument("--rates", type=int, nargs="+", default=[1000, 10000, 25000, 100000, 500000])
    parser.add_argument("--stops", type=float, nargs="+", default=[0, 1, 3, 10, 20, 43, 60], help="milliseconds")
    parser.add_argument("--trials", type=int, default=100, help="of each server, rate and stop")
    parser.add_argument("--duration", type=float, default=2, help="seconds of a trial")
    parser.add_argument("--options", default="", help="more options of dnsgauge trial")
    parser.add_argument("--keep", type=Path, help="a folder for the results")
    options = parser.parse_args()
    need_two_cpus()
    print(describe_machine())
    print(f"{'server':<16} {'rate':>7} {'ms':>5} {'pass':>5} {'fail':>5} {'stalls':>7} {'invalid':>7} {'missed':>8} "
          f"{'in stalls':>9} {'wrong':>6}")
    for name in options.servers:
        measure(name, options)


if __name__ == "__main__":
    run_benchmark("stalls.py", main)
