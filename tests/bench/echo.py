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

import contextlib
import json
import resource
import time

import cpu_time
from lab import Lab, Running, flood, generator_cpu, server_cpu, softirq_thread
from program import BIN, ROOT, BenchError, new_record, say, show_records, start, take_turns

SCHEMA = "dnsgauge/echo-bench/2"
NOISE_MOST = 0.2  # CPUs that other processes and the hypervisor may take in a flood
MODELS = ("xdp", "af_xdp", "af_packet", "io_uring", "recvmmsg", "blocking", "nonblocking", "poll",
          "select", "epoll", "libevent")

SERVERS = {
    "fakedns, XDP": ("--interface", "d0", "--xdp-mode", "native"),
    "fakedns, sockets": ("--interface", "d0", "--xdp-mode", "off"),
    **{f"echo {model}": ("echo", "--interface", "d0", "--io", model) for model in MODELS},
}


def started(lab, words):
    """Returns FakeDNS, which is ready: a context manager that ends it."""
    server = Running(lab, "dut", server_cpu(), BIN / "fakedns", *words, wait_for="fakedns: ready")
    lab.tool("settle")
    return server


@contextlib.contextmanager
def quiet(lab, server):
    """Watches what else the machine does in the block; ends the benchmark if that is much."""
    pids = [*server.family(), *lab.napi_threads(), softirq_thread(generator_cpu()), softirq_thread(server_cpu())]

    def times():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        ours = cpu_time.of_processes(pids) + usage.ru_utime + usage.ru_stime
        return time.monotonic(), sum(cpu_time.of_machine()) - ours

    before = times()
    yield
    wall, others = (now - then for then, now in zip(before, times()))
    if others / wall > NOISE_MOST:
        raise BenchError(f"others took {others / wall:.2f} CPUs during a flood: wait until the machine is quiet, and "
                         "start again; whole rounds are kept")


def flood_of(lab, wanted, duration):
    """Returns (queries, replies in time) per second; `wanted` is the class of such replies."""
    trial = flood(lab, duration, accept_answers=None if wanted == "valid" else "aa")  # an echo has no AA
    replies = {"valid": trial["valid"], **trial["invalid"]}
    others = {kind: count for kind, count in replies.items() if kind not in (wanted, "total") and count}
    if others:
        raise BenchError(f"replies that should be '{wanted}' alone are also {others}")
    return trial["sent_rate"], replies[wanted] / trial["sending"]["duration_ns"] * 1e9


def measure(lab, name, duration):
    words = SERVERS[name]
    with started(lab, words) as server, quiet(lab, server):
        rates = flood_of(lab, "no_answer" if words[0] == "echo" else "valid", duration)
    say(f"{name:<18} {rates[1] / 1000:>8.1f} thousand/s")
    return rates


def read_record(path, duration):
    if not path.exists():
        return new_record(SCHEMA, duration=duration, rounds=[])
    record = json.loads(path.read_text())
    if record.get("schema") != SCHEMA or record.get("duration") != duration:
        raise BenchError(f"{path} is no record of floods of {duration:g} s: name another --record")
    return record


def main(options):
    record = read_record(options.record, options.duration)
    if options.rounds:
        with Lab("dgecho") as lab:
            for _ in range(options.rounds):
                made = take_turns(1, SERVERS, lambda name: measure(lab, name, options.duration))
                record["rounds"].append({name: rates for name, (rates,) in made.items()})
                options.record.write_text(json.dumps(record, indent=1) + "\n")
    if not record["rounds"]:
        raise BenchError(f"no round is in {options.record}: give --rounds")
    show_records(options.record)


if __name__ == "__main__":
    start(main, root=False, duration=(1.5, "seconds of each flood"), rounds=3,
          record=(ROOT / "build" / "echo.json", "where rounds are kept; default build/echo.json"))
