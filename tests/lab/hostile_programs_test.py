# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attacks on the programs besides packets to the Tester: connections that never end, and too little memory.

HOSTILE_SECONDS in the environment is how long each flood lasts.
"""

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from laboratory import BIN, HERE, SERVER4, SERVER6, SERVERS, Lab, Said, wait_until

SECONDS = float(os.environ.get("HOSTILE_SECONDS", "1"))
FAKEDNS = str(BIN / "fakedns")
METRICS = 9153
MEBI = 1 << 20


# ---- connections


def honest(lab: Lab, server: str) -> Said:
    """Asks over TCP, once."""
    words = ("+tcp", "+tries=1", "+time=5", "+noall", "+answer", f"@{server}")
    return lab.run("tester", "dig", *words, "010-000-000-001.dns64perf.test", "AAAA")


def half_open(lab: Lab) -> int:
    """Returns the half-open connections of the DUT, and those for which it kept nothing but a cookie."""
    tables = lab.run("dut", "cat", "/proc/net/tcp", "/proc/net/tcp6", "/proc/net/netstat").text
    waiting = len(re.findall(r"^ *\d+: \S+:0035 \S+ 03 ", tables, re.M))
    names, counts = re.findall(r"^TcpExt: (.*)$", tables, re.M)
    return waiting + int(counts.split()[names.split().index("SyncookiesSent")])


@pytest.mark.parametrize("server", SERVERS)
def test_half_open_connections(lab: Lab, server: str) -> None:
    """Connections that are begun and never finished keep nobody from being served over TCP."""
    lab.serve()
    before = half_open(lab)
    family = 6 if ":" in server else 4
    words = ("/usr/bin/python3", "-B", HERE / "hostile.py", "syn", "g0", family, SECONDS, 53)
    flood = lab.start("tester", *words)
    assert wait_until(lambda: half_open(lab) - before > 200), flood.said()
    asked = 0
    while flood.process.poll() is None or asked < 5:
        asked += 1
        said = honest(lab, server)
        assert said.has(r"\sAAAA\s"), (asked, said)
    assert flood.wait().status == 0, flood.said()


IDLERS = """
import socket, sys, time
host, port, count, octets = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4].encode()
held = []
end = time.monotonic() + float(sys.argv[5])
begun = 0
while time.monotonic() < end:
    if begun == count:
        print("all there", flush=True)
    try:
        one = socket.create_connection((host, port), timeout=5)
        one.sendall(octets)
    except OSError:
        continue
    begun += 1
    held.append(one)
    if len(held) > count:
        held.pop(0).close()
print("all there")
"""


def idlers(lab: Lab, host: str, address: str, port: int, octets: str) -> Callable[[], bool]:
    """Starts connections that say a part of a request and wait. Returns whether they go on."""
    started = lab.start(
        host, "/usr/bin/python3", "-c", IDLERS, address, port, 400, octets, max(SECONDS, 2)
    )
    assert wait_until(lambda: "all there" in started.said(), 30), started.said()
    return lambda: started.process.poll() is None


@pytest.mark.parametrize("server", SERVERS)
def test_connections_that_wait(lab: Lab, server: str) -> None:
    """Connections that send half a query keep nobody from being served over TCP."""
    lab.serve()
    go_on = idlers(lab, "tester", server, 53, "\x01")
    asked = 0
    while go_on() or asked < 5:
        asked += 1
        said = honest(lab, server)
        assert said.has(r"\sAAAA\s"), (asked, said)


def test_metrics_are_served(lab: Lab) -> None:
    """Half requests, and half-open connections, keep nobody from the metrics."""
    lab.serve("--metrics", str(METRICS))
    lab.run("dut", "ip", "link", "set", "lo", "up")
    go_on = idlers(lab, "dut", "127.0.0.1", METRICS, "GET /metr")
    asked = 0
    scrape = (
        "import urllib.request as u;"
        f"print(u.urlopen('http://127.0.0.1:{METRICS}/metrics', timeout=5).read().decode())"
    )
    while go_on() or asked < 3:
        asked += 1
        said = lab.run("dut", "/usr/bin/python3", "-c", scrape)
        assert said.status == 0 and said.has("^fakedns_"), (asked, said)


# ---- memory


@dataclass
class MemoryGroup:
    """A cgroup, whose processes are killed where they need more memory than it has."""

    folder: Path
    limit: str  # the name of the file that holds the limit

    def words(self, mebibytes: int, command: list[str]) -> list[str]:
        """Returns the words that run a command with so much memory."""
        (self.folder / self.limit).write_text(str(mebibytes * MEBI), encoding="ascii")
        enter = f'echo $$ >{self.folder}/cgroup.procs && exec "$@"'
        return ["sh", "-c", enter, "sh", *command]


@pytest.fixture(name="group")
def fixture_group() -> Iterator[MemoryGroup]:
    """A cgroup of either version."""
    top = Path("/sys/fs/cgroup")
    limit = "memory.max"
    if (top / "memory").is_dir():
        top, limit = top / "memory", "memory.limit_in_bytes"
    folder = top / f"dgtest{os.getpid()}"
    try:
        if limit == "memory.max":
            (top / "cgroup.subtree_control").write_text("+memory", encoding="ascii")
        folder.mkdir()
        if (folder / "memory.swap.max").exists():
            (folder / "memory.swap.max").write_text("0", encoding="ascii")
    except OSError as error:
        pytest.skip(f"no cgroup with a limit of memory can be made here: {error}")
    if not (folder / limit).exists():
        folder.rmdir()
        pytest.skip("this machine's cgroups have no limit of memory")
    yield MemoryGroup(folder, limit)
    assert wait_until(lambda: not (folder / "cgroup.procs").read_text(encoding="ascii"))
    folder.rmdir()


def settings(lab: Lab, host: str, interface: str) -> str:
    """Returns the settings of a host's network."""
    commands = (
        ("sysctl", "-a", "--pattern", r"^net\.(core|ipv[46]\.conf)"),
        ("ethtool", "-k", interface),
        ("ethtool", "-l", interface),
        ("ip", "-d", "link", "show", interface),
        ("tc", "qdisc", "show", "dev", interface),
        ("cat", f"/sys/class/net/{interface}/napi_defer_hard_irqs"),
        ("cat", f"/sys/class/net/{interface}/gro_flush_timeout"),
    )
    text = "\n".join(lab.run(host, *command).text for command in commands)
    # Where ip does not know the other end's namespace, it says so now and then.
    return re.sub(r"^Error: .*\n", "", text, flags=re.M)


def pins() -> list[Path]:
    """Returns what is pinned in the file system of BPF."""
    return sorted(Path("/sys/fs/bpf").rglob("*"))


def check_end(made: subprocess.CompletedProcess[str]) -> None:
    """Checks that a program worked, was killed, or said in one line what it lacks."""
    if made.returncode in (0, 1, 3, -9, 137):
        return
    assert made.returncode == 2, made
    assert len(made.stderr.splitlines()) == 1 and re.match(r"(dnsgauge|fakedns): ", made.stderr)


@pytest.mark.parametrize("what", ["dnsgauge", "fakedns"])
def test_too_little_memory(lab: Lab, group: MemoryGroup, what: str) -> None:
    """A program that is killed for want of memory leaves nothing behind, and the next one works."""
    lab.serve() if what == "dnsgauge" else lab.stop_serving()
    host, interface = ("tester", "g0") if what == "dnsgauge" else ("dut", "d0")
    before, pinned = settings(lab, host, interface), pins()
    ends = set()
    for mebibytes in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 128):
        folder = lab.new_folder()
        files = ("--json", folder / "result.json", "--per-query", folder / "queries.csv")
        command: tuple[object, ...] = (
            *lab.trial_words("--server", SERVER4, "--duration", "0.3", "--timeout", "0.3", *files),
        )
        if what == "fakedns":
            command = ("timeout", "--signal=TERM", "0.7", FAKEDNS, "--interface", "d0")
        made = subprocess.run(
            group.words(mebibytes, lab.words(host, *command)),
            capture_output=True,
            text=True,
            check=False,
        )
        if what == "fakedns" and made.returncode == 124:
            made.returncode = 0  # it served until its end
        ends.add(made.returncode)
        check_end(made)
        assert wait_until(lambda: settings(lab, host, interface) == before, 5), mebibytes
        assert pins() == pinned
        # Half a file has no name.
        assert all(file.name in ("result.json", "queries.csv") for file in folder.iterdir())
        for file in folder.glob("*.json"):
            json.loads(file.read_text(encoding="utf-8"))
    assert ends & {-9, 137}, f"no limit was too low: {ends}"
    assert made.returncode in (0, 3), f"even the last limit was too low: {made}"
    lab.serve()
    assert lab.trial(SERVER6).status in (0, 3)
