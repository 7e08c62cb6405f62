# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attacks on the programs besides packets to the Tester: connections that never end, too little memory, and files.

HOSTILE_SECONDS in the environment is how long each flood lasts.
"""

import gzip
import json
import lzma
import os
import re
import struct
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from laboratory import BIN, DNSGAUGE, HERE, SERVER4, SERVER6, SERVERS, Lab, Said, wait_until

SECONDS = float(os.environ.get("HOSTILE_SECONDS", "1"))
PREPARE = str(BIN / "dnsgauge-queries")
FAKEDNS = str(BIN / "fakedns")
METRICS = 9153
MEBI = 1 << 20
# The address space that a program may have that reads a hostile file: what a good file of a MiB needs, and the
# GiB that a packed file may become.
SPACE = 1500 * MEBI


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


# ---- files


def zstd_bomb(octet: bytes, mebibytes: int) -> bytes:
    """Returns a frame of zstd whose blocks each stand for 128 KiB of one octet."""
    blocks = 8 * mebibytes
    made = bytearray(b"\x28\xb5\x2f\xfd\x00\x38")
    for block in range(blocks):
        made += struct.pack("<I", (block == blocks - 1) | 1 << 1 | (MEBI // 8) << 3)[:3] + octet
    return bytes(made)


PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
BOMB = 70  # MiB
TOO_MUCH = r"unpacks to more than 64 MiB, from \d+ KiB of the file: unpack it first"


@pytest.fixture(name="files", scope="module")
def fixture_files(lab: Lab) -> Path:
    """The hostile files, by name."""
    folder = lab.new_folder()
    lines, zeros = b"a A\n" * (BOMB * MEBI // 4), bytes(BOMB * MEBI)
    nothing = lzma.compress(b"", preset=0)
    fast: Callable[[bytes], bytes] = lambda octets: lzma.compress(octets, preset=0)
    made = {
        "list.gz": gzip.compress(lines, 1),
        "list.xz": fast(b"\n" * (BOMB * MEBI)),
        "list.zst": zstd_bomb(b"\n", BOMB),
        "capture.gz": gzip.compress(PCAP + zeros, 1),
        "capture.xz": fast(PCAP + zeros),
        # The inner file unpacks to nothing: no limit of what comes out would end the work.
        "twice.gz": gzip.compress(nothing * MEBI, 1),
        "cut.gz": gzip.compress(lines[:MEBI])[:-100],
        "cut.xz": fast(lines[:MEBI])[:-30],
        "cut.zst": zstd_bomb(b"\n", 1)[:-4],
        "dictionary.xz": bytes.fromhex("fd377a585a000004e6d6b446020021012800"),
        "long.txt": b"a" * (2 * MEBI),
        "nul.txt": b"a A\n\0\0\0\n",
    }
    for name, octets in made.items():
        (folder / name).write_bytes(octets)
    for name in ("sparse", "sparse.toml"):
        with open(folder / name, "wb") as sparse:
            sparse.truncate(1 << 40)
    good = folder / "good.txt"
    good.write_text("".join(f"w{i}.example.org A\n" for i in range(2000)), encoding="ascii")
    subprocess.run([PREPARE, "convert", good, "--output", folder / "good.prepared"], check=True)
    subprocess.run([PREPARE, "convert", good, "--output", folder / "good.pcap"], check=True)
    whole = (folder / "good.prepared").read_bytes()
    (folder / "cut.prepared").write_bytes(whole[: len(whole) // 2])
    (folder / "huge.prepared").write_bytes(whole[:24] + b"\xff" * 24 + whole[48:])
    (folder / "head.prepared").write_bytes(whole[:20])
    return folder


def refuse(lab: Lab, pattern: str, *command: object) -> str:
    """Checks that a command ends soon with status 2 and one line that fits the pattern, in little memory."""
    words = lab.words("tester", "prlimit", f"--as={SPACE}", "timeout", "20", *command)
    made = subprocess.run(words, capture_output=True, text=True, check=False, errors="replace")
    assert made.returncode == 2 and not made.stdout, (command, made)
    said = made.stderr.rstrip("\n")
    assert "\n" not in said and said.isprintable(), made
    assert re.search(pattern, said), (pattern, made)
    return said


TRIAL = (DNSGAUGE, "trial", "--interface", "g0", "--server", SERVER4, "--rate", "100")
PACKED = ("list.gz", "list.xz", "list.zst")


@pytest.mark.parametrize("file", PACKED)
def test_packed_lists(lab: Lab, files: Path, file: str) -> None:
    """A small list that unpacks to a large one is refused before it takes the memory."""
    refuse(lab, TOO_MUCH, *TRIAL, "--queries", files / file)
    refuse(lab, TOO_MUCH, PREPARE, "convert", files / file, "--output", "/dev/null")


@pytest.mark.parametrize("file", ["capture.gz", "capture.xz"])
def test_packed_captures(lab: Lab, files: Path, file: str) -> None:
    """So is a capture."""
    capture = files / file
    refuse(lab, TOO_MUCH, DNSGAUGE, "trial", *TRIAL[2:6], "--capture", capture)
    for command in ("stats", "names", "convert", "anonymise"):
        refuse(lab, TOO_MUCH, PREPARE, command, capture)


def test_packed_twice(lab: Lab, files: Path) -> None:
    """A file that was packed twice is no list, however little it would be."""
    refuse(lab, "twice.gz", *TRIAL, "--queries", files / "twice.gz")
    refuse(lab, "twice.gz", PREPARE, "convert", files / "twice.gz", "--output", "/dev/null")


BROKEN = [
    ("cut.gz", "truncated"),
    ("cut.xz", "cut.xz: "),
    ("cut.zst", "cut.zst: "),
    ("dictionary.xz", "dictionary.xz: "),
    ("long.txt", "a line has at most"),
    ("nul.txt", "nul.txt, line 2"),
    ("sparse", "sparse, message 1"),
    ("cut.prepared", "cut.prepared: "),
    ("head.prepared", "head.prepared: "),
    ("huge.prepared", "huge.prepared: "),
]


@pytest.mark.parametrize("file, pattern", BROKEN)
def test_broken_lists(lab: Lab, files: Path, file: str, pattern: str) -> None:
    """A list that is no list is refused by name."""
    refuse(lab, pattern, *TRIAL, "--queries", files / file)


SPARSE = [
    (DNSGAUGE, "compare", "sparse", "sparse"),
    (DNSGAUGE, "placement", "restore", "--record", "sparse"),
    (DNSGAUGE, "experiment", "sparse.toml", "--directory", "d"),
    (FAKEDNS, "--interface", "g0", "--config", "sparse.toml"),
    (FAKEDNS, "--interface", "g0", "--internet", "--names", "sparse"),
]


@pytest.mark.parametrize("command", SPARSE, ids=lambda command: "_".join(command[1:3]))
def test_sparse_files(lab: Lab, files: Path, command: tuple[str, ...]) -> None:
    """A file that says that it has a tebibyte is not read into memory."""
    words = [files / word if word.startswith("sparse") else word for word in command]
    refuse(lab, r"sparse.* is larger than \d+ MiB", *words)
