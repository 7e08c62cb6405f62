#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares how many queries a second resolvers ask upstream, with one thread on one CPU, with how many one thread of
"fakedns --internet" answers on the other.

The Internet is the default one with and without its distance: latency, loss and broken servers. Rates are of FakeDNS'
own counters; CPU times are of the resolver's processes, and of FakeDNS with the thread that polls its interface. Needs
root, two CPUs and the resolvers.
"""

import contextlib
import json
import signal
import subprocess
import time

from lab import SERVER_ADDRESS, Lab, Running, cpu_time_of, dnsgauge_trial, generator_cpu, server_cpu
from program import BIN, BenchError, found, print_table, run, start

RESOLVERS = ["unbound", "bind9", "knot-resolver", "pdns-recursor"]
WORLDS = {"without distance": """latency = "0ms"
registry-latency = "0ms"
slow-latency = "0ms"
loss = "0%"
characters = ["lame 0%", "servfail 0%", "refused 0%", "silent 0%",
              "slow 0%", "no-edns 0%", "truncating 0%", "drops-large 0%"]
""", "with distance": ""}
ADDRESSES = {"198.18.128.0/17": "198.18.0.2", "2001:2:0:80::/64": "2001:2::2"}  # of servers, and on the way to them
WARM_UP = 3  # seconds, in which a resolver learns the servers of registries


class Internet(Running):
    """"fakedns --internet" in a lab, of a world that a file describes."""

    def __init__(self, lab, host, interface, world, mode):
        self.world = lab.scratch / "world.toml"
        self.world.write_text(world, encoding="ascii")
        super().__init__(lab, host, server_cpu(), BIN / "fakedns", "--internet", self.world, "--interface", interface,
                         "--xdp-mode", mode, wait_for="fakedns: ready")

    def answers(self):
        """Returns how many queries it has decided about."""
        tables = self.said.count("unsent ")
        self.process.send_signal(signal.SIGUSR1)
        self.wait(lambda: self.said.count("unsent ") > tables)
        table = self.said[self.said.rindex("ignored "):]
        return sum(int(found(rf"^{path} .* (\d+)$", table, "fakedns")) for path in ("udp", "tcp", "xdp"))

    @contextlib.contextmanager
    def counting(self, pids):
        """Yields a list, and adds at the end of the block: answers, seconds, and CPU seconds of pids()."""
        def now():
            return self.answers(), time.monotonic(), cpu_time_of(pids())

        counts, before = [], now()
        yield counts
        counts += [late - early for early, late in zip(before, now())]


def write_names(lab, count):
    """Writes names that a resolver has to learn the servers of, each of another zone."""
    path = lab.scratch / "names"
    path.write_text("".join(f"www.d{number}.com A\n" for number in range(count)), encoding="ascii")
    return path


def prepare_resolver(lab, kind, internet, *more):
    """Writes the configuration of a resolver with one thread, and of `more` options. Returns its folder."""
    hints, directory = lab.scratch / "hints", lab.scratch / kind
    hints.write_text(run(BIN / "fakedns", "--internet", internet.world, "--root-hints"), encoding="ascii")
    run(BIN / "dnsgauge-zone", "resolver", kind, "--directory", directory, "--listen", SERVER_ADDRESS, "--hints",
        hints, "--workers", 1, *more)
    return directory


def resolver_figures(kind, world, options):
    """Returns queries a second upstream, the same by a second of the resolver's CPU time, and the CPU's share."""
    with (Lab("dgnet", "--setup", "resolver") as lab,
          Internet(lab, "auth", "a0", world, options.xdp_mode) as internet):
        folder = prepare_resolver(lab, kind, internet)
        dig = lab.command("tester", server_cpu(), "dig", "+time=1", "+tries=1", "@198.18.0.2", ".", "NS")
        with (Running(lab, "dut", generator_cpu(), folder / "start", name=kind,
                      wait_for=lambda: subprocess.run(dig, capture_output=True).returncode == 0) as resolver,
              Running(lab, "tester", server_cpu(), "dnsperf", "-s", "198.18.0.2", "-d", write_names(lab, options.names),
                      "-n", 1, "-t", 5, "-q", options.outstanding, "-c", 8, "-S", 1) as client):
            time.sleep(WARM_UP)
            with internet.counting(resolver.family) as counts:
                time.sleep(options.seconds)
            if client.process.poll() is not None:
                raise BenchError(f"{kind} was asked for all names: give more (--names)")
        answers, seconds, used = counts
        return answers / seconds, answers / used, f"{100 * used / seconds:.0f} %"


def fakedns_figures(world, mode, options):
    """Returns answers a second, the same by a second of CPU time, and the share of valid answers."""
    with Lab("dgnet") as lab:
        for prefix, address in ADDRESSES.items():
            run("ip", "-n", f"{lab.name}-dut", "-6" if ":" in prefix else "-4", "route", "add", "local", prefix, "dev",
                "lo")
            run("ip", "-n", f"{lab.name}-tester", "route", "add", prefix, "via", address)
        with Internet(lab, "dut", "d0", world, mode) as internet:
            lab.tool("settle")
            threads = lab.napi_threads()
            fate = json.loads(run(BIN / "fakedns", "--internet", internet.world, "--predict", "com"))
            queries = write_names(lab, options.names)
            with internet.counting(lambda: [*internet.family(), *threads]) as counts:
                trial = dnsgauge_trial(
                    lab, server=fate["zones"][0]["servers"][0]["ipv4"], names=None, queries=queries, expect="answered",
                    rate=options.flood, duration=options.seconds, timeout=0.5, max_lateness=3600, max_overrun=3600)
        return (trial["valid"] / trial["sending"]["duration_ns"] * 1e9, counts[0] / counts[2],
                f"{100 * trial['valid'] / trial['sent']:.1f} % answered in time")


def main(options):
    for title, world in WORLDS.items():
        rows, fastest = [], [0.0, 0.0]
        for kind in options.resolvers:
            *rates, told = resolver_figures(kind, world, options)
            fastest = list(map(max, fastest, rates))
            rows.append((kind, *(f"{rate:.0f}" for rate in rates), told))
        for mode, path in (("auto", "AF_XDP"), ("off", "sockets")):
            *rates, told = fakedns_figures(world, mode, options)
            ratios = [f"{now / then:.1f}" for now, then in zip(rates, fastest) if then]
            told += f"; {' and '.join(ratios)} times the fastest resolver" if ratios else ""
            rows.append((f"fakedns, {path}", *(f"{rate:.0f}" for rate in rates), told))
        print_table(("", "queries/s", "by a second of CPU", "CPU"), rows, about=f"an Internet {title}")


if __name__ == "__main__":
    start(main, needs=["dnsperf", "dig"], seconds=(8.0, "of each measurement"), names=1_000_000,
          outstanding=(2000, "queries that dnsperf has open"), flood=(1_200_000, "queries a second to FakeDNS"),
          xdp_mode=("auto", "of FakeDNS below a resolver"), resolvers=RESOLVERS)
