# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests what becomes of a trial of two Testers where one of them, its link, its files or its host fails."""

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from operator import gt
from pathlib import Path

import pytest
from joint import (
    MPI,
    PATIENCE,
    RATE,
    SERVERS,
    campaign,
    joint_words,
    launch,
    open_joint_lab,
    own_lines,
    processes_of,
    programs,
)
from laboratory import Lab, Result, Said, Started, read_json, wait_until

TESTERS = 2
PAIR = launch(TESTERS)
# mpirun then leaves the other Testers alone when one is killed.
LENIENT = [*PAIR, "--mca", "orte_abort_on_non_zero_status", "0"]
KILLED = 128 + signal.SIGKILL


@pytest.fixture(scope="module", name="pair")
def fixture_pair() -> Iterator[Lab]:
    """A lab with a link for each Tester, and FakeDNS on both."""
    for lab in open_joint_lab(TESTERS):
        lab.serve("--interface", "d1")
        yield lab


def queries(lab: Lab) -> list[int]:
    """Returns the hundreds of packets that have left each link."""
    files = [f"/sys/class/net/g{rank}/statistics/tx_packets" for rank in range(TESTERS)]
    return [int(count) // 100 for count in lab.run("tester", "cat", *files).text.split()]


def begin(
    lab: Lab, launcher: list[str], *options: object, duration: int = 4
) -> tuple[Started, Path]:
    """Starts a trial. Returns it, and its result's file, while both Testers send."""
    words, file = joint_words(
        lab, "--server", SERVERS[4], "--duration", duration, "--timeout", "0.5", *options
    )
    before = queries(lab)
    started = lab.start("tester", *launcher, *words)
    assert wait_until(lambda: all(map(gt, queries(lab), before)), 60), started.said()
    return started, Path(file)


def is_left_clean(lab: Lab) -> bool:
    """Returns whether no link carries a program any more, which a killed Tester's does a moment later."""
    return wait_until(lambda: programs(lab, TESTERS) == 0, 5)


@contextmanager
def link_down(lab: Lab) -> Iterator[None]:
    """Takes the link of the Tester of rank 1 down meanwhile."""
    # A link that goes down loses IPv6 addresses and neighbours.
    keeps = lab.run("tester", "sysctl", "-qw", "net.ipv6.conf.g1.keep_addr_on_down=1")
    assert keeps.status == 0, keeps
    neighbours = re.findall(
        r"^(\S+) lladdr (\S+)", lab.ip("-6", "neigh", "show", "dev", "g1").text, re.M
    )
    assert neighbours
    lab.ip("link", "set", "g1", "down")
    try:
        yield
    finally:
        lab.ip("link", "set", "g1", "up")
        for address, mac in neighbours:
            lab.ip("neigh", "replace", address, "lladdr", mac, "dev", "g1", "nud", "permanent")


def check_refused(lab: Lab, made: Said, status: int, pattern: str) -> None:
    """Checks the exit status and the one line that says what is wrong."""
    assert made.status == status, made
    assert made.has(f"^dnsgauge-mpi: {pattern}"), made
    assert len(own_lines(made.text)) == 1, made
    assert is_left_clean(lab)


def check_invalid(made: Said, file: Path, why: str) -> Result:
    """Checks that the result is invalid, and why."""
    r = read_json(file)
    assert r["verdict"] == "invalid" and why in r["why"], made
    return r


@pytest.mark.parametrize("rank", range(TESTERS))
def test_killed(pair: Lab, rank: int) -> None:
    """mpirun names the rank that was killed, and ends the others within seconds."""
    started, file = begin(pair, PAIR)
    os.kill(processes_of(pair, started)[rank], signal.SIGKILL)
    begun = time.monotonic()
    said = started.wait()
    assert time.monotonic() - begun < 10
    assert said.status == KILLED, said
    assert said.has(rf"^mpirun noticed that process rank {rank} .* exited on signal 9"), said
    assert not file.exists()
    assert is_left_clean(pair)


def test_killed_with_time_left(pair: Lab) -> None:
    """Where mpirun gives the others time to end, the result names the Tester that was killed."""
    started, file = begin(pair, [*PAIR, *PATIENCE], duration=30)
    os.kill(processes_of(pair, started)[1], signal.SIGKILL)
    said = started.wait()
    assert said.status == KILLED, said
    r = check_invalid(said, file, "sent no part of the trial")
    assert "Tester 1 (" in r["why"] and r["testers"][1]["trial"] is None
    assert r["testers"][0]["trial"]["sending"]["duration_ns"] < 20e9
    assert is_left_clean(pair)


def test_killed_and_told(pair: Lab) -> None:
    """Where mpirun leaves the others alone, the result names the Tester that was killed."""
    started, file = begin(pair, LENIENT)
    os.kill(processes_of(pair, started)[1], signal.SIGKILL)
    said = started.wait()
    assert said.status == KILLED, said
    r = check_invalid(said, file, "sent no part of the trial")
    assert r["why"].startswith("Tester 1 (") and r["testers"][1]["trial"] is None
    assert is_left_clean(pair)


def test_killed_in_a_search(pair: Lab) -> None:
    """The journal keeps the trials before, and --resume goes on."""
    options = ("--server", SERVERS[4], "--repeat", 1, "--beyond-selftest", "--pause", 0)
    range_ = ("--min-rate", 300, "--max-rate", 900, "--resolution", 600, "--duration", 3)
    one = campaign(pair, MPI, "search", *options, *range_)
    started = one.start(PAIR)
    assert wait_until(lambda: " queries/s: pass" in started.said(), 60), started.said()
    os.kill(processes_of(pair, started)[1], signal.SIGKILL)
    assert started.wait().status == KILLED, started.said()
    assert is_left_clean(pair)
    made = one.run(PAIR, "--resume")
    assert made.status == 0, made.text
    r = read_json(one.json)
    assert r["resumed"] == 1 and r["at_least"] == 900
    assert is_left_clean(pair)


def test_mpirun_killed(pair: Lab) -> None:
    """Testers whose mpirun is gone end."""
    started, _ = begin(pair, PAIR)
    testers = [Path(f"/proc/{process}/exe") for process in processes_of(pair, started)]
    started.end(signal.SIGKILL)
    assert is_left_clean(pair)
    assert wait_until(lambda: not any(tester.exists() for tester in testers), 10)


def test_far_too_slow(pair: Lab) -> None:
    """A Tester that still sends when it is told to stop was too slow: nobody interrupted it."""
    started, file = begin(pair, PAIR)
    slow = processes_of(pair, started)[1]
    os.kill(slow, signal.SIGSTOP)
    # The trial, ten seconds in which the Tester is awaited, and half of the five in which it may stop.
    time.sleep(5 + 10 + 2.5)
    os.kill(slow, signal.SIGCONT)
    said = started.wait()
    assert said.status == 3, said
    r = check_invalid(said, file, "was not done long after the others, which told it to stop")
    assert r["why"].startswith("Tester 1 ("), r["why"]
    assert r["testers"][1]["trial"]["sending"]["duration_ns"] > 10e9
    assert r["testers"][0]["trial"]["verdict"] == "pass", r["why"]
    assert is_left_clean(pair)


STRANGER = """
import socket, sys, time
held = []
for port in map(int, sys.argv[1:]):
    for octets in (b"", b"\\0" * 4096, b"GET / HTTP/1.0\\r\\n\\r\\n", bytes(range(256)) * 64):
        try:
            held.append(socket.create_connection(("127.0.0.1", port), timeout=2))
            held[-1].sendall(octets)
        except OSError:
            pass
print(len(held))
time.sleep(1)
"""


def test_strangers_connect(pair: Lab) -> None:
    """Whoever connects to the ports of MPI, and says nothing that MPI understands, changes no figure."""
    started, file = begin(pair, PAIR)
    shown = pair.run("tester", "ss", "-Hltnp").text
    ports = re.findall(r"[:\]](\d+) .*(?:mpirun|dnsgauge-mpi)", shown)
    assert ports, shown
    stranger = pair.run("tester", "/usr/bin/python3", "-c", STRANGER, *ports)
    assert int(stranger.text) > 0, (ports, stranger)
    said = started.wait()
    assert said.status == 0, said
    r = read_json(file)
    assert r["verdict"] == "pass" and r["sent"] == r["valid"] == 4 * RATE, r["why"]
    assert is_left_clean(pair)


def test_link_down_before(pair: Lab) -> None:
    """No trial is made, and a line names the Tester."""
    words, _ = joint_words(pair, "--server", SERVERS[4])
    with link_down(pair):
        made = pair.run("tester", *PAIR, *words)
    check_refused(pair, made, 2, r"Tester 1 \(.*\): g1 is down: ip link set g1 up$")


def test_link_down_meanwhile(pair: Lab) -> None:
    """The result is invalid, and names the Tester."""
    started, file = begin(pair, PAIR)
    with link_down(pair):
        said = started.wait()
    assert said.status == 3, said
    r = check_invalid(said, file, "Tester 1 (")
    first, second = (one["trial"] for one in r["testers"])
    assert first["verdict"] == "pass" and second["verdict"] == "invalid", r["why"]
    assert is_left_clean(pair)


def test_disk_full(pair: Lab) -> None:
    """The disk of the Tester of rank 0 has no room for the result, which is printed all the same."""
    folder = pair.new_folder()
    words, _ = joint_words(pair, "--server", SERVERS[4], "--json", folder / "result.json")
    mount = f'mount -t tmpfs -o size=4k none {folder} && exec "$@"'
    made = pair.run("tester", "sh", "-c", mount, "sh", *PAIR, *words)
    check_refused(pair, made, 2, ".*No space left on device")
    assert made.has("^  verdict +pass"), made


def test_disk_of_another_full(pair: Lab) -> None:
    """The log of queries of the Tester of rank 1 does not fit on its disk."""
    folder = pair.new_folder()
    (folder / "1").mkdir()
    log = folder / "{rank}/queries.csv"
    (folder / "0").mkdir()
    words, file = joint_words(pair, "--server", SERVERS[4], "--per-query", log)
    mount = f'mount -t tmpfs -o size=4k none {folder}/1 && exec "$@"'
    made = pair.run("tester", "sh", "-c", mount, "sh", *PAIR, *words)
    assert made.status == 3, made
    r = check_invalid(
        made, Path(file), "the --per-query or the --key-log file could not be written"
    )
    assert r["why"].startswith("Tester 1 (") and r["testers"][0]["trial"]["verdict"] == "pass"


def test_another_version(pair: Lab) -> None:
    """A Tester with another version makes no trial with the others."""
    other = pair.new_folder() / "dnsgauge-mpi"
    other.write_bytes(Path(MPI).read_bytes().replace(b" (commit ", b" (branch "))
    other.chmod(0o755)
    if not pair.run("tester", other, "--version").has(r" \(branch "):
        pytest.skip("the program does not have its version as one text")
    words, _ = joint_words(pair, "--server", SERVERS[4])
    made = pair.run("tester", *launch(1), *words, ":", "-n", "1", other, *words[1:])
    pattern = r"invalid: Tester 1 \(.*\) is dnsgauge .* \(branch .*\), but Tester 0 .*: install one"
    check_refused(pair, made, 3, pattern)


def beside(lab: Lab, words: list[str], *changed: object) -> list[str]:
    """Returns the words for a Tester, and for another one that a program starts in its own way."""
    return [*launch(1), *words, ":", "-n", "1", *map(str, changed), *words]


@pytest.mark.parametrize("family", SERVERS)
def test_clock_stepped(pair: Lab, family: int) -> None:
    """Somebody sets the wall clock of a Tester all the time, by hours: no trial goes by it."""
    words, file = joint_words(pair, "--server", SERVERS[family], "--duration", 2)
    stepping = ("env", f"LD_PRELOAD={os.environ['STEPPING_CLOCK']}")
    made = pair.run("tester", *beside(pair, words, *stepping))
    assert made.status == 0, made.text
    r = read_json(Path(file))
    first, second = (one["trial"] for one in r["testers"])
    assert r["verdict"] == "pass" and r["sent"] == r["valid"] == 2 * RATE
    assert abs(moment(first) - moment(second)) > 3000, "the other Tester's clock was right"
    for part in (first, second):
        assert part["rtt_ns"]["max"] < 1e9 and part["sending"]["lateness_ns"]["max"] < 1e9
    # The summary is the whole trial's, by the clock of the Tester of rank 0.
    assert r["circumstances"]["started"] == first["circumstances"]["started"]
    assert is_left_clean(pair)


def moment(part: Result) -> float:
    """Returns the time at which a Tester says that it began, by its wall clock."""
    return datetime.fromisoformat(part["circumstances"]["started"]).timestamp()


def test_another_kernel(pair: Lab) -> None:
    """A Tester whose kernel tells another release is named in a doubt; the verdict stays."""
    words, file = joint_words(pair, "--server", SERVERS[4])
    made = pair.run("tester", *beside(pair, words, "setarch", "--uname-2.6"))
    assert made.status == 0, made.text
    r = read_json(Path(file))
    (doubt,) = [doubt for doubt in r["doubts"] if "another kernel" in doubt]
    assert re.match(r"Tester 1 \(.*\) has another kernel \(Linux 2\.6\.", doubt), doubt
    assert made.has(r"^  doubt +Tester 1 \(.*\) has another kernel \(Linux 2"), made


def test_same_interface_twice(pair: Lab) -> None:
    """Two Testers cannot share an interface."""
    words, _ = joint_words(pair, "--server", "198.18.0.2", "--interface", "g0")
    made = pair.run("tester", *PAIR, *words)
    # On a busy machine the second Tester may be the first to attach its program.
    # The progress of the other Tester decides which error is seen first.
    check_refused(
        pair,
        made,
        2,
        r"(Tester 1 \(.*\): )?(process [0-9]+ has g0 for its trials|g0 already carries the XDP)",
    )


def test_unreachable_host(pair: Lab) -> None:
    """ssh names the host that mpirun does not reach, and nobody waits for it."""
    hosts = pair.new_folder() / "hosts"
    hosts.write_text("localhost slots=1\n203.0.113.9 slots=1\n", encoding="ascii")
    words, _ = joint_words(pair, "--server", SERVERS[4])
    made = pair.run("tester", *PAIR, "--hostfile", hosts, *words)
    if made.has("agent.*ssh.*not found"):
        pytest.skip("no ssh on this machine")
    assert made.status != 0 and made.has("ssh: connect to host 203.0.113.9"), made
    assert is_left_clean(pair)
