# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Labs of tools/lab, the servers in them, CPU times, and dnsgauge's trials. The generator has the first CPU; server and
DUT's NAPI have the last one."""

import ipaddress
import json
import os
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from program import BIN, ROOT, TESTS, BenchError, child, last_line, run, uninterrupted

TICKS = os.sysconf("SC_CLK_TCK")
SERVER_ADDRESS = "198.18.0.2"
NAMES = "0.0.0.0/1"  # of trials of dnsgauge alone
TIMEOUT = 0.25
FLOOD_RATE = 5_000_000
SERVED_NAMES, QTYPE = "10.0.0.0/16", "AAAA"  # of trials of all servers
PATIENCE = 60  # seconds a server may take to answer right
JUDGED = (0, 1, 3)  # exit statuses of dnsgauge that come with a verdict


def generator_cpu():
    return min(os.sched_getaffinity(0))


def server_cpu():
    """Returns the last CPU, to which tools/lab pins the DUT's NAPI."""
    return max(os.sched_getaffinity(0))


class Lab:
    """A lab, and a folder for the benchmark's files. A context manager: makes both, and removes them at the end."""

    def __init__(self, name, *options):
        self.name, self.options = f"{name}{os.getpid()}", options

    def __enter__(self):
        if server_cpu() == generator_cpu():
            raise BenchError("needs two CPUs: one for the Tester and one for the server")
        self.folder = tempfile.TemporaryDirectory(prefix="dnsgauge-bench.")
        self.scratch = Path(self.folder.name)
        self.scratch.chmod(0o755)  # servers that change their user must reach their files
        try:
            self.tool("up", *self.options)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        with uninterrupted():
            self.tool("down")
            self.folder.cleanup()

    def tool(self, *words):
        return run(ROOT / "tools" / "lab", "--name", self.name, *words)

    def napi_threads(self):
        """Returns the process IDs of the threads that poll d0. Fails if they are on another CPU."""
        threads = dict(re.findall(r"^thread (\S+): CPU (\S+)$", self.tool("status"), re.MULTILINE))
        if not threads or set(threads.values()) != {str(server_cpu())}:
            raise BenchError(f"the NAPI of lab {self.name} has no thread on CPU {server_cpu()}: "
                             f"see 'tools/lab --name {self.name} status'")
        return [pid for pid, name in kernel_threads() if name in threads]

    def command(self, host, cpu, *words):
        """Returns the words that run a command on a host (tester, dut), pinned and before other processes, as one
        process. A CPU of None: neither."""
        before = [] if cpu is None else ["nice", "-n", "-20", "taskset", "-c", str(cpu)]
        return [*before, "ip", "netns", "exec", f"{self.name}-{host}", *map(str, words)]

    def has_native_xdp(self, host, interface):
        said = run("ip", "-n", f"{self.name}-{host}", "-d", "link", "show", interface)
        return "prog/xdp" in said and "xdpgeneric" not in said

    def packets(self, host, interface, direction):
        """Returns how many packets an interface has sent (tx) or received (rx)."""
        row, = json.loads(run("ip", "-n", f"{self.name}-{host}", "-s", "-j", "link", "show", interface))
        return row["stats64"][direction]["packets"]


def kernel_threads():
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and not (entry / "cmdline").read_bytes():
                yield int(entry.name), (entry / "comm").read_text().strip()
        except OSError:
            pass  # it has ended


def softirq_thread(cpu):
    return next(pid for pid, name in kernel_threads() if name == f"ksoftirqd/{cpu}")


def parse_process(stat):
    """Returns (parent's process ID, user and system time) from /proc/PID/stat."""
    fields = stat.rpartition(")")[2].split()  # from field 3, the state, on
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS


def parse_machine(stat):
    """Returns (busy, stolen) time of all CPUs from /proc/stat."""
    user, nice, system, _idle, _wait, irq, softirq, stolen = (
        int(field) for field in stat.splitlines()[0].split()[1:9])
    return (user + nice + system + irq + softirq) / TICKS, stolen / TICKS


def cpu_time_of(pids):
    """Returns the processes' user and system time, ended threads included."""
    return sum(parse_process(Path(f"/proc/{pid}/stat").read_text())[1] for pid in pids)


def cpu_time_of_machine():
    return parse_machine(Path("/proc/stat").read_text())


def with_descendants(root):
    """Returns the IDs of a process and of all its descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = parse_process((entry / "stat").read_text())[0]
            except OSError:
                pass  # the process has ended
    family = [root]
    for member in family:
        family.extend(pid for pid, parent in parents.items() if parent == member)
    return family


class Running:
    """A program in the lab, whose output is in a file. A context manager: ends the program at the end."""

    def __init__(self, lab, host, cpu, *words, wait_for=None, name=None):
        """Returns when `wait_for` is in the output, or when wait_for() returns true."""
        self.name = name or Path(words[0]).name
        self.log = lab.scratch / f"{self.name}-{time.monotonic_ns()}.log"
        with open(self.log, "wb") as output:
            self.process = subprocess.Popen(lab.command(host, cpu, *words), stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=output, start_new_session=True)
        if wait_for:
            self.wait(wait_for if callable(wait_for) else lambda: wait_for in self.said)

    @property
    def said(self):
        return self.log.read_text(errors="replace")

    def wait(self, condition):
        deadline = time.monotonic() + PATIENCE
        try:
            while not condition():
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise BenchError(f"{self.name} is not ready; it says: {last_line(self.said)}")
                time.sleep(0.02)
        except BaseException:
            self.end()
            raise

    def family(self):
        return with_descendants(self.process.pid)

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()  # its children end with the lab
            self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with uninterrupted():
            self.end()


@dataclass(frozen=True)
class ServerKind:
    name: str
    by_xdp: bool  # a program on d0 answers
    program: str
    options: tuple  # of fakedns, or of dnsgauge-zone server

    @property
    def is_echo(self):
        """Returns whether the server gives no answer, and may take its CPU even if nobody asks."""
        return self.options[:1] == ("echo",)


KINDS = (
    ServerKind("fakedns-xdp", True, "fakedns", ("--xdp-mode", "native")),
    ServerKind("fakedns-sockets", False, "fakedns", ("--xdp-mode", "off")),
    ServerKind("knotd-xdp", True, "knot", ("--xdp", "d0")),
    ServerKind("knotd-sockets", False, "knot", ()),
    ServerKind("nsd", False, "nsd", ()),
    ServerKind("bind9", False, "bind9", ()),
)
ECHOES = [ServerKind(f"echo-{model}", model in ("xdp", "af_xdp"), "fakedns", ("echo", "--io", model)) for model in (
    "xdp", "af_xdp", "af_packet", "io_uring", "recvmmsg", "blocking", "nonblocking", "poll", "select", "epoll",
    "libevent")]


class Server(Running):
    """A server that gives right answers, on its CPU, by the path it should."""

    def __init__(self, kind, lab):
        self.kind, self.lab, self.directory = kind, lab, lab.scratch / kind.name
        super().__init__(lab, "dut", server_cpu(), *self.command(), name=kind.name,
                         wait_for="fakedns: ready" if kind.is_echo else self.answers_right)
        try:
            if lab.has_native_xdp("dut", "d0") != kind.by_xdp:
                raise BenchError(f"{kind.name} has {'no' if kind.by_xdp else 'an'} XDP program in the driver of d0: "
                                 f"it says: {last_line(self.said)}")
            self.pids = self.family()
            self.pin()
            lab.tool("settle")
        except BaseException:
            self.end()
            raise

    def command(self):
        if self.kind.program == "fakedns":
            return [BIN / "fakedns", *self.kind.options, "--interface", "d0"]
        run(BIN / "dnsgauge-zone", "server", self.kind.program, "--directory", self.directory, "--names", SERVED_NAMES,
            "--type", QTYPE, "--listen", SERVER_ADDRESS, "--workers", 1, *self.kind.options)
        return [self.directory / "start"]

    def answers_right(self):
        try:
            trial = dnsgauge_trial(self.lab, rate=500, duration=0.2, timeout=0.5, names=SERVED_NAMES, qtype=QTYPE,
                                   max_lateness=10, max_overrun=10)
        except BenchError as error:
            raise BenchError(f"{self.kind.name} cannot be asked: {error}") from error
        return trial["verdict"] == "pass"

    @property
    def said(self):
        logs = [self.log, *self.directory.glob("run/*.log")]
        return "".join(log.read_text(errors="replace") for log in logs)

    def pin(self):
        """Moves every thread to the server's CPU: knotd pins its threads to another one."""
        for pid in self.pids:
            for thread in os.listdir(f"/proc/{pid}/task"):
                os.sched_setaffinity(int(thread), {server_cpu()})

    def check_alive(self):
        if self.process.poll() is not None:
            raise BenchError(f"{self.kind.name} ended in the midst of a trial, with status {self.process.returncode}: "
                             f"it says: {last_line(self.said)}")


def write_names(path):
    """Writes a line "NAME TYPE" for each name, which kxdpgun and dnsperf read, in dnsgauge's order."""
    path.write_text("".join(f"{'-'.join(f'{octet:03}' for octet in address.packed)}.dns64perf.test. {QTYPE}\n"
                            for address in ipaddress.ip_network(SERVED_NAMES)), encoding="ascii")


def option_words(options):
    """Returns dnsgauge's words for {option: value}; True is a switch, and None leaves an option out."""
    words = []
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [value])]
    return words


def dnsgauge_words(command, **options):
    """Returns a command of dnsgauge's from the Tester's end of the lab."""
    usual = {"interface": "g0", "server": SERVER_ADDRESS, "cpus": generator_cpu()}
    return [BIN / "dnsgauge", command, *option_words(usual | options)]


def dnsgauge_trial(lab, *, result=None, pinned=True, names=NAMES, timeout=TIMEOUT, meanwhile=None, more=(), **options):
    """Makes a trial; meanwhile(process) is called as it begins. Returns its result, and as "memory_mib" and "ended" the
    peak of its memory and the time of its end."""
    result = result or lab.scratch / "result.json"
    result.unlink(missing_ok=True)
    words = [*dnsgauge_words("trial", json=result, names=names, timeout=timeout, **options), *more]
    with child(lab.command("tester", generator_cpu() if pinned else None, *words), stdout=subprocess.DEVNULL,
               stderr=subprocess.PIPE) as process:
        if meanwhile:
            meanwhile(process)
        said = process.stderr.read()
        usage = reap(process)
    ended = time.time()
    if process.returncode not in JUDGED or not result.exists():
        raise BenchError(f"dnsgauge ended with status {process.returncode}: {last_line(said)}")
    return json.loads(result.read_text()) | {"memory_mib": usage and usage.ru_maxrss / 1024, "ended": ended}


def reap(process):
    """Waits for the process. Returns what it used, or None where somebody has waited for it before."""
    if process.returncode is not None:
        return None
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def fill_link(lab, seconds):
    """Returns the packets per second that a minimal AF_XDP sender puts on the lab's link, whose other end drops all."""
    program = TESTS / "link_fill"
    with Running(lab, "dut", server_cpu(), program, "drop", "d0", wait_for="ready"):
        lab.tool("settle")
        return float(run(*lab.command("tester", generator_cpu(), program, "send", "g0", seconds)))
