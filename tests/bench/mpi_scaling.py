#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what a query costs one, two and four Testers that make trials together, each on a link of its own: all of
them on this machine, against FakeDNS by XDP. See README.md.

CPU times of all Testers, threads and kernel's part among them, and the packets that left their links are read twice
while they send. All together are asked for more than they can send, so that no sender waits: a sender that waits takes
all CPU time that it gets. Needs root, Open MPI and a build.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import time

import cpu_time
from errors import BenchError, run_benchmark
from lab import BIN, ROOT, run, server_cpu
from reference import describe_machine

TESTERS = (1, 2, 4)
FLOOD_RATE = 3_000_000  # of all together
SETTLE, WATCHED = 1, 3  # seconds


@contextlib.contextmanager
def linked_lab():
    """Makes a lab with a link for each Tester, and FakeDNS on all. Yields the words that run a command there."""
    name = f"mpiscaling{os.getpid()}"
    tool = (str(ROOT / "tools" / "lab"), "--name", name)
    links = [word for number in range(max(TESTERS)) for word in ("--interface", f"d{number}")]
    server = None
    try:
        run(*tool, "up", "--links", max(TESTERS))
        server = subprocess.Popen([*tool, "exec", "--cpu", str(server_cpu()), "dut", "--", BIN / "fakedns", *links],
                                  stdout=subprocess.PIPE, text=True)
        if "ready" not in server.stdout.readline():
            raise BenchError("FakeDNS does not start")
        yield (*tool, "exec", "tester", "--")
    finally:
        if server:
            server.terminate()
            server.wait()
        run(*tool, "down")


def packets_sent(tester, testers):
    """Returns how many packets left the links of so many Testers."""
    files = [f"/sys/class/net/g{rank}/statistics/tx_packets" for rank in range(testers)]
    return sum(int(line) for line in run(*tester, "cat", *files).split())


def cost(tester, testers):
    """Returns (queries/s, CPU microseconds a query) while so many Testers send."""
    before = packets_sent(tester, testers)
    # Senders of the highest priority would leave FakeDNS no time.
    launched = subprocess.Popen(
        [*tester, "setpriv", "--bounding-set=-sys_nice", "mpirun", "--allow-run-as-root", "--bind-to", "none",
         "--oversubscribe", "-n", str(testers), str(BIN / "dnsgauge-mpi"), "trial", "--interface", "g{rank}",
         "--server", "198.18.{rank}.2", "--names", "0.0.0.0/1", "--rate", str(FLOOD_RATE), "--duration", "8",
         "--timeout", "1", "--max-others", "100", "--max-lateness", "60", "--max-overrun", "60"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        # ARP and its like are fewer.
        while packets_sent(tester, testers) < before + 1000:
            if launched.poll() is not None:
                raise BenchError(f"{testers} Testers made no trial")
            time.sleep(0.1)
        time.sleep(SETTLE)
        family = cpu_time.with_descendants(launched.pid)
        seen = []
        for _ in range(2):
            seen.append((time.monotonic(), cpu_time.of_processes(family), packets_sent(tester, testers)))
            time.sleep(WATCHED if len(seen) == 1 else 0)
        if launched.poll() is not None:
            raise BenchError("the trial ended early")
    finally:
        launched.terminate()
        launched.wait()
    seconds, cpu, sent = (late - early for early, late in zip(*seen))
    return sent / seconds, cpu / sent * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise BenchError("must be root: it makes network namespaces")
    print(describe_machine())
    print("Testers  queries/s sent  CPU us a query: median (lowest..highest)")
    made = {testers: [] for testers in TESTERS}
    with linked_lab() as tester:
        for _ in range(options.rounds):
            for testers, costs in made.items():
                costs.append(cost(tester, testers))
    for testers, costs in made.items():
        rates, times = zip(*costs)
        print(f"{testers:7} {statistics.median(rates):15.0f}"
              f"  {statistics.median(times):.2f} ({min(times):.2f}..{max(times):.2f})")


if __name__ == "__main__":
    run_benchmark("mpi_scaling.py", main)
