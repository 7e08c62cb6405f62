# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The servers under test. Each has a lab of its own, so that all are up at the same time."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import cpu_time
from errors import BenchError
from lab import BIN, SERVER_ADDRESS, generator_cpu, run, server_cpu

NAMES = "10.0.0.0/16"
QTYPE = "AAAA"
PATIENCE = 60  # seconds a server may take to answer right


@dataclass(frozen=True)
class ServerKind:
    name: str
    by_xdp: bool  # a program on d0 answers
    program: str
    options: tuple  # of fakedns, or of dnsgauge-zone server


KINDS = [
    ServerKind("fakedns-xdp", True, "fakedns", ("--xdp-mode", "native")),
    ServerKind("fakedns-sockets", False, "fakedns", ("--xdp-mode", "off")),
    ServerKind("knotd-xdp", True, "knot", ("--xdp", "d0")),
    ServerKind("knotd-sockets", False, "knot", ()),
    ServerKind("nsd", False, "nsd", ()),
    ServerKind("bind9", False, "bind9", ()),
]


class Server:
    """A server. Call start() before anything else; stop() may be called at any time."""

    def __init__(self, kind, lab, scratch):
        self.kind = kind
        self.lab = lab
        self.directory = scratch / kind.name
        self.output = scratch / f"{kind.name}.log"
        self.process = None
        self.family = []  # the process IDs of the server

    def start(self):
        """Starts the server. Returns when it gives right answers, on its CPU, by the path it
        should."""
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(
                self.lab.command("dut", server_cpu(), *self.command()), stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, start_new_session=True)
        self.wait_until_right()
        if self.lab.has_native_xdp("dut", "d0") != self.kind.by_xdp:
            raise BenchError(f"{self.kind.name} has {'no' if self.kind.by_xdp else 'an'} XDP program "
                             f"in the driver of d0: it says: {self.last_words()}")
        self.family = cpu_time.with_descendants(self.process.pid)
        self.pin()
        self.lab.settle()

    def command(self):
        if self.kind.program == "fakedns":
            return [BIN / "fakedns", "--interface", "d0", *self.kind.options]
        run(BIN / "dnsgauge-zone", "server", self.kind.program, "--directory", self.directory,
            "--names", NAMES, "--type", QTYPE, "--listen", SERVER_ADDRESS, "--workers", 1,
            *self.kind.options)
        return [self.directory / "start"]

    def wait_until_right(self):
        deadline = time.monotonic() + PATIENCE
        said = "nothing"
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise BenchError(f"{self.kind.name} ended with status {self.process.returncode}: "
                                 f"it says: {self.last_words()}")
            status, said = self.try_it()
            if status == 0:
                return
            if status == 2:
                raise BenchError(f"{self.kind.name} cannot be asked: {said}")
        raise BenchError(f"{self.kind.name} does not answer right within {PATIENCE} s: {said}; "
                         f"it says: {self.last_words()}")

    def try_it(self):
        """Makes a slow trial that checks each reply. Returns its exit status and its last line."""
        trial = subprocess.run(
            self.lab.command("tester", generator_cpu(), BIN / "dnsgauge", "trial", "--interface", "g0",
                             "--server", SERVER_ADDRESS, "--names", NAMES, "--qtype", QTYPE,
                             "--rate", 500, "--duration", 0.2, "--timeout", 0.5, "--max-lateness",
                             10, "--max-overrun", 10),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True)
        return trial.returncode, last_line(trial.stderr or trial.stdout)

    def last_words(self):
        logs = [self.output, *self.directory.glob("run/*.log")]
        text = "".join(log.read_text(errors="replace") for log in logs if log.exists())
        return last_line(text)

    def pin(self):
        """Moves every thread to the server's CPU: knotd pins its threads to another one."""
        for pid in self.family:
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(thread), {server_cpu()})

    def check_alive(self):
        if self.process.poll() is not None:
            raise BenchError(f"{self.kind.name} ended in the midst of a trial, with status "
                             f"{self.process.returncode}: it says: {self.last_words()}")

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            # The server's children end with the lab.
            self.process.kill()
            self.process.wait()


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else "nothing"


def write_names(path):
    """Writes a line "NAME TYPE" for each name, which kxdpgun and dnsperf read, in dnsgauge's
    order."""
    zone = Path(f"{path}.zone")
    run(BIN / "dnsgauge-zone", "records", "--names", NAMES, "--type", QTYPE, "--output", zone)
    with open(zone, encoding="ascii") as records, open(path, "w", encoding="ascii") as names:
        for record in records:
            owner, kind, *_ = record.split()
            if kind == QTYPE and "-" in owner:
                names.write(f"{owner}.dns64perf.test. {QTYPE}\n")
    zone.unlink()
