#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares how many queries a second resolvers ask upstream, with one thread on one CPU, with how many one thread of
"fakedns --internet" answers on the other.

    sudo tests/bench/internet.py --seconds 8

Each resolver, with an empty cache, is asked by dnsperf for names that nobody has asked for before, of the default
Internet with and without its distance (latency, loss and broken servers). Then queries by dnsgauge, for names of com,
flood a registry's server: 70 % of the answers are referrals, 30 % say NXDOMAIN. Rates are of FakeDNS' own counters;
CPU times are of the resolver's processes, and of FakeDNS with the thread that polls its interface. Needs a build, root,
two CPUs, dnsperf and the resolvers; see README.md.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import cpu_time
from errors import BenchError, run_benchmark
from lab import BIN, ROOT, Lab, generator_cpu, run, server_cpu
from reference import describe_machine, need_two_cpus

RESOLVERS = ("unbound", "bind9", "knot-resolver", "pdns-recursor")
WORLDS = {"without distance": """latency = "0ms"
registry-latency = "0ms"
slow-latency = "0ms"
loss = "0%"
characters = ["lame 0%", "servfail 0%", "refused 0%", "silent 0%",
              "slow 0%", "no-edns 0%", "truncating 0%", "drops-large 0%"]
""", "with distance": ""}
PREFIXES = ("198.18.128.0/17", "2001:2:0:80::/64")
WARM_UP = 3  # seconds, in which a resolver learns the servers of registries
PATIENCE = 30  # seconds for a server to start


class Process:
    """A process of its own session in the lab, whose output is in a file."""

    def __init__(self, words, log):
        self.log = log
        with open(log, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=file,
                                            stderr=file, start_new_session=True)

    @property
    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def family(self):
        return cpu_time.with_descendants(self.process.pid)

    def end(self):
        for pid in reversed(self.family()):
            try:
                os.kill(pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Internet(Process):
    def __init__(self, lab, host, interface, world, mode, scratch):
        super().__init__(lab.command(host, server_cpu(), BIN / "fakedns", "--internet", world, "--interface", interface,
                                     "--xdp-mode", mode), scratch / "fakedns.log")
        wait_for(lambda: "fakedns: ready" in self.said, self, "fakedns")

    def answers(self):
        """Returns how many queries it has decided about."""
        tables = self.said.count("unsent ")
        self.process.send_signal(signal.SIGUSR1)
        wait_for(lambda: self.said.count("unsent ") > tables, self, "fakedns")
        table = self.said[self.said.rindex("ignored "):]
        return sum(int(re.search(rf"^{path} .* (\d+)$", table, re.MULTILINE)[1]) for path in ("udp", "tcp", "xdp"))


def wait_for(condition, process, name):
    until = time.monotonic() + PATIENCE
    while not condition():
        if process.process.poll() is not None or time.monotonic() > until:
            raise BenchError(f"{name} does not answer: {(process.said.strip().splitlines() or ['no word why'])[-1]}")
        time.sleep(0.02)


@contextmanager
def laboratory(*setup):
    lab = Lab("dgnet")
    try:
        run(ROOT / "tools" / "lab", "--name", lab.name, "up", *setup)
        yield lab
    finally:
        lab.down()


def resolver_figures(kind, world, names, options, scratch):
    """Returns queries a second upstream, the same by a second of the resolver's CPU time, and the CPU's share."""
    with laboratory("--setup", "resolver") as lab:
        internet = Internet(lab, "auth", "a0", world, options.xdp_mode, scratch)
        hints = scratch / "hints"
        hints.write_text(run(BIN / "fakedns", "--internet", world, "--root-hints"), encoding="ascii")
        directory = scratch / f"{kind}-{time.monotonic_ns()}"
        run(BIN / "dnsgauge-zone", "resolver", kind, "--directory", directory, "--listen", "198.18.0.2",
            "--hints", hints, "--workers", 1)
        resolver = Process(lab.command("dut", generator_cpu(), directory / "start"), scratch / "resolver.log")
        dig = lab.command("tester", server_cpu(), "dig", "+time=1", "+tries=1", "@198.18.0.2", ".", "NS")
        wait_for(lambda: subprocess.run(dig, capture_output=True).returncode == 0, resolver, kind)
        client = Process(lab.command("tester", server_cpu(), "dnsperf", "-s", "198.18.0.2", "-d", names, "-n", 1,
                                     "-t", 5, "-q", options.outstanding, "-c", 8, "-S", 1), scratch / "dnsperf.log")
        time.sleep(WARM_UP)
        began, answers, used = time.monotonic(), internet.answers(), cpu_time.of_processes(resolver.family())
        time.sleep(options.seconds)
        used = cpu_time.of_processes(resolver.family()) - used
        answers, seconds = internet.answers() - answers, time.monotonic() - began
        if client.process.poll() is not None:
            raise BenchError(f"{kind} was asked for all names: give more (--names)")
        client.end()
        resolver.end()
        internet.end()
        return answers / seconds, answers / used, used / seconds


def fakedns_figures(world, mode, names, options, scratch):
    """Returns answers a second, the same by a second of CPU time, and the share of valid answers."""
    with laboratory() as lab:
        for family, prefix in enumerate(PREFIXES):
            run("ip", "-n", f"{lab.name}-dut", "-6" if family else "-4", "route", "add", "local", prefix, "dev", "lo")
            run("ip", "-n", f"{lab.name}-tester", "route", "add", prefix, "via", ("198.18.0.2", "2001:2::2")[family])
        internet = Internet(lab, "dut", "d0", world, mode, scratch)
        lab.settle()
        threads = lab.napi_threads()
        fate = json.loads(run(BIN / "fakedns", "--internet", world, "--predict", "com"))
        result = scratch / "trial.json"

        def used():
            return cpu_time.of_processes([*internet.family(), *threads])

        answers, before = internet.answers(), used()
        done = subprocess.run([str(word) for word in lab.command(
            "tester", generator_cpu(), BIN / "dnsgauge", "trial", "--interface", "g0", "--server",
            fate["zones"][0]["servers"][0]["ipv4"], "--queries", names, "--expect", "answered", "--rate", options.flood,
            "--duration", options.seconds, "--timeout", 0.5, "--max-lateness", 3600, "--max-overrun", 3600, "--cpus",
            generator_cpu(), "--json", result)], capture_output=True, text=True)
        if done.returncode not in (0, 1, 3):
            raise BenchError(f"dnsgauge failed: {(done.stderr.strip().splitlines() or ['no word why'])[0]}")
        answers, spent = internet.answers() - answers, used() - before
        internet.end()
        trial = json.loads(result.read_text(encoding="utf-8"))
        seconds = trial["sending"]["duration_ns"] / 1e9
        return trial["valid"] / seconds, answers / spent, trial["valid"] / trial["sent"]


def write_names(path, count):
    """Writes names that a resolver has to learn the servers of, each of another zone."""
    with open(path, "w", encoding="ascii") as file:
        for number in range(count):
            file.write(f"www.d{number}.com A\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=8, help="of each measurement")
    parser.add_argument("--names", type=int, default=1_000_000)
    parser.add_argument("--outstanding", type=int, default=2000, help="queries that dnsperf has open")
    parser.add_argument("--flood", type=int, default=1_200_000, help="queries a second to FakeDNS")
    parser.add_argument("--xdp-mode", default="auto", help="of FakeDNS below a resolver")
    parser.add_argument("--resolvers", nargs="*", default=RESOLVERS)
    options = parser.parse_args()
    need_two_cpus()
    with tempfile.TemporaryDirectory(prefix="dnsgauge-bench.") as folder:
        scratch = Path(folder)
        scratch.chmod(0o755)
        names = scratch / "names"
        write_names(names, options.names)
        print(describe_machine())
        for title, text in WORLDS.items():
            world = scratch / "world.toml"
            world.write_text(text, encoding="ascii")
            print(f"an Internet {title}")
            print(f"  {'':24}{'queries/s':>12}{'by a second of CPU':>20}{'CPU':>8}")
            fastest = [0.0, 0.0]
            for kind in options.resolvers:
                rate, by_cpu, share = resolver_figures(kind, world, names, options, scratch)
                fastest = [max(fastest[0], rate), max(fastest[1], by_cpu)]
                print(f"  {kind:24}{rate:12.0f}{by_cpu:20.0f}{100 * share:7.0f} %", flush=True)
            for mode in ("auto", "off"):
                rate, by_cpu, share = fakedns_figures(world, mode, names, options, scratch)
                name = "fakedns, " + ("AF_XDP" if mode == "auto" else "sockets")
                ratios = [f"{now / then:.1f}" for now, then in zip((rate, by_cpu), fastest) if then]
                told = f"; {' and '.join(ratios)} times the fastest resolver" if ratios else ""
                print(f"  {name:24}{rate:12.0f}{by_cpu:20.0f}          {100 * share:.1f} % answered in time{told}",
                      flush=True)


if __name__ == "__main__":
    run_benchmark("internet.py", main)
