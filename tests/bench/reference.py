# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs FakeDNS by XDP in a lab of its own, and dnsgauge's floods: for benchmarks of the Tester."""

import contextlib
import json
import os
import subprocess
import tempfile
from pathlib import Path

import machine
from errors import BenchError
from lab import BIN, SERVER_ADDRESS, Lab, generator_cpu, server_cpu
from servers import KINDS, Server

NAMES = "0.0.0.0/1"
TIMEOUT = 0.25
FLOOD_RATE = 5_000_000


def need_two_cpus():
    if server_cpu() == generator_cpu():
        raise BenchError("needs two CPUs: one for the Tester and one for the server")


@contextlib.contextmanager
def bare_lab(name, queues=1):
    """Makes (lab, scratch folder), and removes both at the end of the block."""
    lab = Lab(f"{name}{os.getpid()}")
    with tempfile.TemporaryDirectory(prefix="dnsgauge-bench.") as folder:
        try:
            lab.up(queues)
            yield lab, Path(folder)
        finally:
            lab.down()


@contextlib.contextmanager
def fakedns_lab(name, queues=1):
    """Makes (lab, scratch folder), with FakeDNS by XDP in the lab."""
    with bare_lab(name, queues) as (lab, scratch):
        server = Server(next(kind for kind in KINDS if kind.name == "fakedns-xdp"), lab, scratch)
        try:
            server.start()
            yield lab, scratch
        finally:
            server.stop()


def flood(lab, scratch, cpus, duration):
    """Makes dnsgauge send as many queries as fit into the duration. Returns its result."""
    result = scratch / "result.json"
    listed = ",".join(map(str, cpus))
    command = lab.command("tester", listed, "timeout", "--signal=INT", str(duration), BIN / "dnsgauge",
                          "trial", "--interface", "g0", "--server", SERVER_ADDRESS, "--names", NAMES,
                          "--rate", FLOOD_RATE, "--duration", 60, "--timeout", TIMEOUT, "--cpus",
                          listed, "--json", result)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if not result.exists():
        raise BenchError(f"dnsgauge ended with status {done.returncode}: {done.stderr.strip()}")
    trial = json.loads(result.read_text())
    result.unlink()
    return trial


def describe_machine():
    about = machine.describe()
    return (f"{about['cpu']}, {about['cpus']} CPUs, Linux {about['kernel']}; "
            f"dnsgauge {about['programs']['dnsgauge']}")
