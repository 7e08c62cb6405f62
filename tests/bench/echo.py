#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how fast this machine's interfaces can be: floods FakeDNS and each model of its echo.

    sudo tests/bench/echo.py --rounds 5 --record build/echo.json
    sudo tests/bench/echo.py --rounds 0 --record build/echo.json    # the table of recorded rounds

Each flood is dnsgauge's, as fast as one sender can be; each server is started for its flood and runs,
one worker, on the CPU that polls its interface. A reply is one in time: right from FakeDNS, its own
query without an answer from the echo. Anything else ends the benchmark, and so does a machine that has
other things to do. Rounds are added to those in the record, so that they can be made in pieces. Needs
a build, root and two CPUs; see README.md.
"""

import argparse
import datetime
import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import cpu_time
import machine
from errors import BenchError, run_benchmark
from lab import BIN, generator_cpu, server_cpu, softirq_thread
from reference import bare_lab, flood, need_two_cpus
from summary import ratio, spread

SCHEMA = "dnsgauge/echo-bench/2"
PATIENCE = 10  # seconds a server may take to be ready
NOISE_MOST = 0.2  # CPUs that other processes and the hypervisor may take in a flood
MODELS = ("xdp", "af_xdp", "af_packet", "io_uring", "recvmmsg", "blocking", "nonblocking", "poll",
          "select", "epoll", "libevent")
BASE = "echo blocking"  # the server that others are compared with

SERVERS = {
    "fakedns, XDP": ("--interface", "d0", "--xdp-mode", "native"),
    "fakedns, sockets": ("--interface", "d0", "--xdp-mode", "off"),
    **{f"echo {model}": ("echo", "--interface", "d0", "--io", model) for model in MODELS},
}


class Running:
    """Runs a server, which is ready, until the end of the block."""

    def __init__(self, lab, words, log):
        self.lab, self.words, self.log = lab, words, log

    def __enter__(self):
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(
                self.lab.command("dut", server_cpu(), BIN / "fakedns", *self.words),
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        deadline = time.monotonic() + PATIENCE
        while "fakedns: ready" not in self.log.read_text():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise BenchError(f"'fakedns {' '.join(self.words)}' is not ready: "
                                 f"{self.log.read_text().strip()}")
            time.sleep(0.02)
        self.lab.settle()

        return self.process

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Noise:
    """Watches what else the machine does in the block; ends the benchmark if that is much."""

    def __init__(self, lab, server):
        self.pids = [*cpu_time.with_descendants(server.pid), *lab.napi_threads(),
                     softirq_thread(generator_cpu()), softirq_thread(server_cpu())]

    def times(self):
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = cpu_time.of_processes(self.pids) + usage.ru_utime + usage.ru_stime
        busy, stolen = cpu_time.of_machine()
        return time.monotonic(), busy + stolen - ours

    def __enter__(self):
        self.before = self.times()

    def __exit__(self, kind, *_):
        after = self.times()
        noise = (after[1] - self.before[1]) / (after[0] - self.before[0])
        if kind is None and noise > NOISE_MOST:
            raise BenchError(f"others took {noise:.2f} CPUs during a flood: wait until the machine is "
                             "quiet, and start again; whole rounds are kept")


def flood_of(lab, scratch, wanted, duration):
    """Returns (queries, replies in time) per second; `wanted` is the class of such replies."""
    trial = flood(lab, scratch, (generator_cpu(),), duration)
    replies = {"valid": trial["valid"], **trial["invalid"]}
    others = {kind: count for kind, count in replies.items()
              if kind not in (wanted, "total") and count}
    if others:
        raise BenchError(f"replies that should be '{wanted}' alone are also {others}")
    seconds = trial["sending"]["duration_ns"] / 1e9
    return trial["sent"] / seconds, replies[wanted] / seconds


def make_round(lab, scratch, duration):
    figures = {}
    for name, words in SERVERS.items():
        wanted = "no_answer" if words[0] == "echo" else "valid"
        with Running(lab, words, scratch / "server.log") as server, Noise(lab, server):
            figures[name] = flood_of(lab, scratch, wanted, duration)
        print(f"{name:<18} {figures[name][1] / 1000:>8.1f} thousand/s", file=sys.stderr, flush=True)
    return figures


def read_record(path, duration):
    if not path.exists():
        return {"schema": SCHEMA, "duration": duration, "rounds": [],
                "date": datetime.date.today().isoformat(), "machine": machine.describe()}
    record = json.loads(path.read_text())
    if record.get("schema") != SCHEMA or record.get("duration") != duration:
        raise BenchError(f"{path} is no record of floods of {duration:g} s: name another --record")
    return record


def thousands(values):
    middle, low, high = spread(values)
    return f"{middle / 1000:.1f} ({low / 1000:.1f} to {high / 1000:.1f})"


def table(record):
    about, rounds = record["machine"], record["rounds"]
    lines = [f"{record['date']}: {about['cpu']}, {about['cpus']} CPUs, Linux {about['kernel']}; "
             f"floods of {record['duration']:g} s, {len(rounds)} rounds; thousands per second, "
             "medians (lowest to highest)", "",
             f"| server | queries | replies | replies, over {BASE} |", "|---|---|---|---|"]
    base = {i: one[BASE][1] for i, one in enumerate(rounds)}
    for name in SERVERS:
        replies = {i: one[name][1] for i, one in enumerate(rounds)}
        lines.append(f"| {name} | {thousands([one[name][0] for one in rounds])} | "
                     f"{thousands(replies.values())} | {ratio(replies, base)[0]:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--duration", type=float, default=1.5, help="seconds of each flood")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--record", type=Path, default=machine.ROOT / "build" / "echo.json",
                        help="where rounds are kept; default build/echo.json")
    options = parser.parse_args()
    need_two_cpus()

    record = read_record(options.record, options.duration)
    if options.rounds:
        with bare_lab("dgecho") as (lab, scratch):
            for _ in range(options.rounds):
                record["rounds"].append(make_round(lab, scratch, options.duration))
                options.record.write_text(json.dumps(record, indent=1) + "\n")
    if not record["rounds"]:
        raise BenchError(f"no round is in {options.record}: give --rounds")
    print(table(record))


if __name__ == "__main__":
    run_benchmark("echo.py", main)
