# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One lab of tools/lab: a Tester's namespace with g0 and a DUT's with d0, CPUs shared out.

The generator has the first CPU, server and DUT's NAPI the last one.
"""

import re
import subprocess
from pathlib import Path

from errors import BenchError

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "bin"
SERVER_ADDRESS = "198.18.0.2"


def run(*command):
    """Runs a command that must succeed. Returns its output."""
    # The command has a session of its own: Ctrl-C must reach only the benchmark, which then ends
    # the command.
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", start_new_session=True)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        raise BenchError(f"'{' '.join(map(str, command))}' failed: {said[0]}")
    return done.stdout


def online_cpus():
    """Returns the numbers of the CPUs that are online, from the kernel's list."""
    cpus = []
    for part in Path("/sys/devices/system/cpu/online").read_text().strip().split(","):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus


def generator_cpu():
    return online_cpus()[0]


def server_cpu():
    """Returns the last CPU, to which tools/lab pins the DUT's NAPI."""
    return online_cpus()[-1]


class Lab:
    """A lab, which up() makes. down() may be called at any time."""

    def __init__(self, name):
        self.name = name

    def up(self, queues=1):
        run(ROOT / "tools" / "lab", "--name", self.name, "up", "--queues", queues)

    def down(self):
        run(ROOT / "tools" / "lab", "--name", self.name, "down")

    def settle(self):
        run(ROOT / "tools" / "lab", "--name", self.name, "settle")

    def napi_threads(self):
        """Returns the process IDs of the threads that poll d0. Fails if they are on another CPU."""
        status = run(ROOT / "tools" / "lab", "--name", self.name, "status")
        threads = dict(re.findall(r"^thread (\S+): CPU (\S+)$", status, re.MULTILINE))
        if not threads or set(threads.values()) != {str(server_cpu())}:
            raise BenchError(f"the NAPI of lab {self.name} has no thread on CPU {server_cpu()}: "
                             f"see 'tools/lab --name {self.name} status'")
        return [pid for pid, name in kernel_threads() if name in threads]

    def command(self, host, cpu, *words):
        """Returns the words that run a command on a host (tester, dut), pinned and before other
        processes, as one process."""
        return ["nice", "-n", "-20", "taskset", "-c", str(cpu), "ip", "netns", "exec", f"{self.name}-{host}",
                *map(str, words)]

    def link(self, host, interface):
        """What ip(8) says of an interface."""
        return run("ip", "-n", f"{self.name}-{host}", "-d", "link", "show", interface)

    def has_native_xdp(self, host, interface):
        said = self.link(host, interface)
        return "prog/xdp" in said and "xdpgeneric" not in said

    def detach_xdp(self, host, interface):
        run("ip", "-n", f"{self.name}-{host}", "link", "set", interface, "xdp", "off")


def kernel_threads():
    """(process ID, name) of each."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            if not (entry / "cmdline").read_bytes():
                yield int(entry.name), (entry / "comm").read_text().strip()
        except OSError:
            pass  # it has ended


def softirq_thread(cpu):
    """Process ID of ksoftirqd on a CPU."""
    return next(pid for pid, name in kernel_threads() if name == f"ksoftirqd/{cpu}")
