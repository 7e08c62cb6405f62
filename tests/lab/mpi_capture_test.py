# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests captures that two Testers play together, each the queries of its own clients, against FakeDNS."""

import os
import random
import signal
import struct
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

import pytest
from joint import (
    MPI,
    PATIENCE,
    SERVERS,
    Campaign,
    answered,
    check_parts,
    joint_trial,
    launch,
    open_joint_lab,
    own_lines,
    processes_of,
    programs,
)
from laboratory import DNSGAUGE, Lab, Started, Trial, read_json, read_lines, wait_until

TESTERS = 2
PAIR = launch(TESTERS)
PATIENT = [*PAIR, *PATIENCE]
QUERIES = 3000
CLIENTS = 25
SECONDS = 2.0
# The prefixes of the clients, and the routes to them from the DUT, for Tester {rank}.
CLIENTS_IN = {4: "198.19.{rank}.0/24", 6: "2001:2:0:19::{rank}:0/112"}
VIA = {4: "198.18.{rank}.1", 6: "2001:2:0:{rank}::1"}
LATE = 0.06  # seconds by which a query may be late here, and the recording of it


@dataclass(frozen=True)
class Query:
    """A query of a capture: the time from the first one, in seconds, the client, its port, and the message."""

    time: float
    client: str
    port: int
    message: bytes


def question(number: int) -> bytes:
    """Returns a query for a name of its own, which FakeDNS answers."""
    name = f"010-000-{number // 256:03}-{number % 256:03}"
    labels = b"".join(bytes([len(one)]) + one.encode() for one in (name, "dns64perf", "test"))
    return struct.pack("!6H", 0, 0x100, 1, 0, 0, 0) + labels + struct.pack("!BHH", 0, 1, 1)


def made_up() -> list[Query]:
    """Returns queries of clients that differ much in how much they ask, at Poisson times."""
    dice = random.Random(1)
    clients = [f"192.0.2.{number + 1}" for number in range(CLIENTS)]
    shares = [1 / (number + 1) for number in range(CLIENTS)]
    times = sorted(dice.uniform(0, SECONDS) for _ in range(QUERIES))
    asking = clients + dice.choices(clients, shares, k=QUERIES - CLIENTS)
    dice.shuffle(asking)
    return [
        Query(time - times[0], client, 1024 + dice.randrange(60000), question(number))
        for number, (time, client) in enumerate(zip(times, asking, strict=True))
    ]


def write_capture(path: Path, queries: list[Query]) -> None:
    """Writes a pcap file of Ethernet frames, with nanoseconds."""
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for query in queries:
            udp = struct.pack("!4H", query.port, 53, 8 + len(query.message), 0) + query.message
            source = bytes(map(int, query.client.split(".")))
            head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0)
            frame = bytes(12) + b"\x08\x00" + head + source + bytes([192, 0, 2, 253]) + udp
            nanoseconds = round(query.time * 1e9)
            when = (1_600_000_000 + nanoseconds // 10**9, nanoseconds % 10**9)
            file.write(struct.pack("<4I", *when, len(frame), len(frame)) + frame)


# The question for a server's version.
WAY_BACK = b"\x07version\x04bind\0\0\x10\0\x03"


def read_recording(path: Path) -> list[Query]:
    """Returns the queries in tcpdump's recording of one link, by its times. Leaves out what a Tester asks before, to
    see that replies find a way back."""
    octets = path.read_bytes()
    magic, linktype = struct.unpack("<I", octets[:4])[0], struct.unpack("<I", octets[20:24])[0]
    assert (magic, linktype) == (0xA1B23C4D, 1)
    found: list[Query] = []
    at = 24
    while at < len(octets):
        seconds, nanoseconds, size, _ = struct.unpack("<4I", octets[at : at + 16])
        frame = octets[at + 16 : at + 16 + size]
        at += 16 + size
        is_ipv6 = frame[12:14] == b"\x86\xdd"
        udp = frame[14 + 40 :] if is_ipv6 else frame[14 + 20 :]
        source = frame[14 + 8 : 14 + 24] if is_ipv6 else frame[14 + 12 : 14 + 16]
        port, target = struct.unpack("!2H", udp[:4])
        if target == 53 and WAY_BACK not in udp:
            found.append(Query(seconds + nanoseconds / 1e9, source.hex(), port, udp[8:]))
    return found


@pytest.fixture(scope="module", name="pair")
def fixture_pair() -> Iterator[Lab]:
    """A lab with a link for each Tester, through which the server reaches that Tester's clients."""
    for lab in open_joint_lab(TESTERS):
        for family, clients in CLIENTS_IN.items():
            for rank in range(TESTERS):
                route = [text.replace("{rank}", str(rank)) for text in (clients, VIA[family])]
                made = lab.run("dut", "ip", f"-{family}", "route", "add", route[0], "via", route[1])
                assert made.status == 0, made
        yield lab


@pytest.fixture(scope="module", name="queries")
def fixture_queries() -> list[Query]:
    """The queries of the capture."""
    return made_up()


@pytest.fixture(scope="module", name="capture")
def fixture_capture(pair: Lab, queries: list[Query]) -> Path:
    """The capture that the tests play."""
    path = pair.new_folder() / "day.pcap"
    write_capture(path, queries)
    return path


def serve(lab: Lab) -> Started:
    """Has a new FakeDNS on both links, whose counters begin at zero."""
    lab.stop_serving()
    lab.serve("--interface", "d1")
    return lab.started[-1]


def play(lab: Lab, capture: Path, *options: object) -> Trial:
    """Has the Testers play the capture."""
    without = ("--names", "--rate", "--duration")
    return joint_trial(lab, TESTERS, "--capture", capture, *options, without=without)


def record(lab: Lab) -> list[tuple[Started, Path]]:
    """Records what comes to the DUT, link by link."""
    folder = lab.new_folder()
    recordings = []
    for rank in range(TESTERS):
        file = folder / f"d{rank}.pcap"
        # The queries are seen by a tap in front of the program, which is FakeDNS in the stack.
        words = ["tcpdump", "-i", f"d{rank}", "-U", "--time-stamp-precision", "nano"]
        one = lab.start("dut", *words, "-B", "16384", "-Z", "root", "-w", file, "udp dst port 53")
        recordings.append((one, file))
    assert wait_until(
        lambda: all("listening on" in one.said() for one, _ in recordings), 10
    ), recordings
    return recordings


@pytest.mark.parametrize("family", SERVERS)
def test_clients_stay_together(pair: Lab, capture: Path, queries: list[Query], family: int) -> None:
    """The sum of both Testers is the capture to the query, and each client is on one Tester's link."""
    pair.stop_serving()
    pair.serve("--interface", "d1", "--xdp-mode", "off")
    recordings = record(pair)
    made = play(pair, capture, "--server", SERVERS[family], "--clients", CLIENTS_IN[family])
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    assert r["sent"] == r["valid"] == r["workload"]["queries"] == QUERIES
    assert r["workload"]["clients"] == CLIENTS
    texts = [CLIENTS_IN[family].replace("{rank}", str(rank)) for rank in range(TESTERS)]
    prefixes = [str(ip_network(text)) for text in texts]
    assert r["workload"]["clients_in"] == ", ".join(prefixes)
    assert [one["trial"]["workload"]["clients_in"] for one in r["testers"]] == prefixes

    client_of = {query.message[2:]: query.client for query in queries}
    seen: list[Query] = []
    links_of: defaultdict[str, set[int]] = defaultdict(set)
    addresses_of: defaultdict[str, set[str]] = defaultdict(set)
    for rank, (one, file) in enumerate(recordings):
        one.end(signal.SIGINT)
        own = read_recording(file)
        assert len(own) == r["testers"][rank]["trial"]["sent"]
        for query in own:
            client = client_of[query.message[2:]]
            links_of[client].add(rank)
            addresses_of[client].add(query.client)
        seen += own
    assert len(seen) == QUERIES and len(links_of) == CLIENTS
    assert all(len(links) == 1 for links in links_of.values()), links_of
    assert all(len(addresses) == 1 for addresses in addresses_of.values()), addresses_of
    assert len({address for one in addresses_of.values() for address in one}) == CLIENTS

    # Every query came once, from its port; each client's in their order; all at their times.
    def told(query: Query) -> tuple[bytes, int]:
        return query.message[2:], query.port

    assert Counter(map(told, seen)) == Counter(map(told, queries))
    for client in links_of:
        asked = [told(query) for query in queries if query.client == client]
        assert [told(query) for query in seen if client_of[query.message[2:]] == client] == asked
    seen.sort(key=lambda query: query.time)
    time_of = {query.message[2:]: query.time for query in queries}
    errors = [query.time - time_of[query.message[2:]] for query in seen]
    start = min(errors)
    late = LATE + r["sending"]["lateness_ns"]["max"] / 1e9
    assert max(errors) - start <= late, max(errors) - start


@pytest.mark.parametrize("family", SERVERS)
def test_counts_are_fakedns_own(pair: Lab, capture: Path, family: int) -> None:
    """All queries reach FakeDNS, without addresses of the clients' own too; the logs have each query once."""
    server = serve(pair)
    log = pair.new_folder() / "queries{rank}.csv"
    made = play(pair, capture, "--server", SERVERS[family], "--per-query", log, "--speed", 2)
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    pair.stop_serving()
    assert r["sent"] == r["valid"] == QUERIES == answered(server)
    assert r["duration_s"] < 0.6 * SECONDS
    rows = [
        row.split(";")[:2]
        for rank in range(TESTERS)
        for row in log.with_name(f"queries{rank}.csv").read_text(encoding="ascii").splitlines()[1:]
    ]
    assert sorted(int(number) for number, _ in rows) == list(range(QUERIES))
    for number, name in rows:
        label = f"010-000-{int(number) // 256:03}-{int(number) % 256:03}"
        assert name.startswith(f"{label}.dns64perf.test"), (number, name)


BAD = [
    (
        r"--clients: Tester 0 \(.*\) has 198\.19\.0\.0/16, and Tester 1 \(.*\) 198\.19\.0\.0/16: ",
        ("--clients", "198.19.0.0/16"),
    ),
    ("--per-query q.csv: each Tester writes a file of its own", ("--per-query", "q.csv")),
    (
        "--capture .*{rank}.*: all Testers have the same value there",
        ("--capture", "day{rank}.pcap"),
    ),
    ("--capture -: there is one standard input", ("--capture", "-")),
]


@pytest.mark.parametrize(("pattern", "options"), BAD)
def test_bad_input(pair: Lab, capture: Path, pattern: str, options: tuple[str, ...]) -> None:
    """One clear line says what is wrong, and where."""
    serve(pair)
    file = [] if "--capture" in options else ["--capture", capture]
    words = ["--server", SERVERS[4], *file, *options]
    made = joint_trial(pair, TESTERS, *words, without=("--names", "--rate", "--duration"))
    assert made.status == 2, made
    assert made.has(rf"^dnsgauge-mpi: {pattern}"), made
    assert len(own_lines(made.text)) == 1, made
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)


def test_too_few_clients(pair: Lab, queries: list[Query]) -> None:
    """A Tester without a client is named."""
    path = pair.new_folder() / "one.pcap"
    write_capture(path, [query for query in queries if query.client == "192.0.2.1"])
    made = play(pair, path, "--server", SERVERS[4])
    assert made.status == 2, made
    assert made.has(
        r"^dnsgauge-mpi: Tester 1 \(.*\): --capture: the captures have 1 client, and all Testers "
        "have 2 senders: one sender would have no client"
    ), made


def test_other_capture(pair: Lab, capture: Path, queries: list[Query]) -> None:
    """A Tester whose host has another capture under the name is named. Here it sees another directory."""
    other = pair.new_folder() / "other.pcap"
    write_capture(other, queries[1:])
    folder = capture.parent
    script = folder / "tester"
    # Rank 1 sees the other capture in place of the first one.
    script.write_text(
        "#!/bin/sh\n"
        '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exec unshare -m sh -c '
        f'\'mount --bind {other} {capture}; exec {MPI} "$@"\' sh "$@"\n'
        f'exec {MPI} "$@"\n'
    )
    script.chmod(0o755)
    serve(pair)
    words = ["trial", "--interface", "g{rank}", "--server", SERVERS[4], "--capture", capture]
    made = pair.run("tester", *PAIR, script, *words)
    assert made.status == 2, made
    assert made.has(
        rf"^dnsgauge-mpi: Tester 1 \(.*\): --capture {capture} is another file here \(CRC-64 "
    ), made
    assert len(own_lines(made.text)) == 1, made


def replay(lab: Lab, program: str, capture: Path, *options: object) -> Campaign:
    """Returns a replay with the usual options of these tests."""
    folder = lab.new_folder()
    files = {"--journal": folder / "journal.jsonl", "--json": lab.new_result()}
    usual = {
        "--interface": "g{rank}",
        "--server": SERVERS[4],
        "--capture": str(capture),
        "--duration": "2",
        "--runs": "2",
        "--before-trial": "true",
        "--timeout": "1",
        "--max-lateness": "60",
        "--max-overrun": "60",
        "--max-others": "100",
    }
    given = [str(word) for word in options]
    usual |= {name: str(path) for name, path in files.items()}
    words = [word for name, text in usual.items() if name not in given for word in (name, text)]
    return Campaign(
        lab,
        [program, "replay", "--beyond-selftest", *words, *given],
        files["--journal"],
        files["--json"],
    )


def runs_in(one: Campaign) -> list[int]:
    """Returns of how many Testers each run in the journal is."""
    if not one.journal.exists():
        return []
    records = [line for line in read_lines(one.journal)[1:] if line["record"] == "trial"]
    return [len(record["trial"].get("testers", [0])) for record in records]


@pytest.mark.parametrize("family", SERVERS)
def test_replay_is_that_of_one_tester(pair: Lab, capture: Path, family: int) -> None:
    """Each run's figures fit the capture, by interval too, as one Tester's do."""
    server = serve(pair)
    joint = replay(pair, MPI, capture, "--server", SERVERS[family])
    made = joint.run(PAIR)
    assert made.status == 0, made
    pair.stop_serving()
    r = read_json(joint.json)
    assert runs_in(joint) == [TESTERS] * 2
    assert [(len(team["hosts"]), team["trials"]) for team in r["teams"]] == [(TESTERS, 2)]
    assert made.has(r"^ *2 Testers \(\S+, \S+\)$"), made
    # Before each run the replay waits until the server answers a query of its own.
    assert 2 * QUERIES <= answered(server) <= 2 * QUERIES + 4
    serve(pair)
    alone = replay(
        pair, DNSGAUGE, capture, "--interface", "g0", "--server", SERVERS[family].format(rank=0)
    )
    made = alone.run([])
    assert made.status == 0, made
    one = read_json(alone.json)
    assert "teams" not in one
    assert r["captures"] == one["captures"]
    for run, other in zip(r["trials"], one["trials"], strict=True):
        for name in ("sent", "answered", "rcodes"):
            assert run[name] == other[name], name
        sent = [[part["sent"] for part in each["intervals"]] for each in (run, other)]
        assert sum(sent[0]) == sum(sent[1]) == QUERIES
        # Queries that are late at an interval's end count to the next one.
        assert all(abs(mine - theirs) < 100 for mine, theirs in zip(*sent, strict=True)), sent


def test_other_testers_go_on(pair: Lab, capture: Path) -> None:
    """A replay that was interrupted goes on with another number of Testers, and the result says so."""
    serve(pair)
    one = replay(pair, MPI, capture, "--runs", 6)
    started = one.start(PATIENT)
    assert wait_until(lambda: len(runs_in(one)) >= 1, 60), started.said()
    said = started.end(signal.SIGINT)
    assert said.status != 0 and said.has("^dnsgauge: interrupted: go on with --resume"), said
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)
    first = len(runs_in(one))
    assert first < 6
    made = one.run(launch(1), "--resume")
    assert made.status == 0, made
    r = read_json(one.json)
    teams = [(len(team["hosts"]), team["trials"]) for team in r["teams"]]
    assert teams == [(2, first), (1, r["trials_made"] - first)], teams
    assert len(r["trials"]) == 6
    assert {run["sent"] for run in r["trials"]} == {QUERIES}


def test_a_tester_that_stops_ends_the_replay(pair: Lab, capture: Path) -> None:
    """The run is invalid, one line names the Tester, and others go on with the journal."""
    serve(pair)
    one = replay(pair, MPI, capture, "--runs", 2, "--speed", "0.3", "--duration", 7)
    started = one.start(PAIR)
    assert wait_until(lambda: len(runs_in(one)) == 1, 60), started.said()
    assert wait_until(lambda: programs(pair, TESTERS) == TESTERS, 30), started.said()
    time.sleep(2)
    os.kill(processes_of(pair, started)[1], signal.SIGSTOP)
    said = started.wait()
    assert said.status == 3, said
    assert len(own_lines(said.text)) == 1 and said.has(r"Tester 1 \(.*\).*: sent no part"), said
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)
    assert runs_in(one) == [TESTERS] * 2
    made = one.run(PAIR, "--resume")
    assert made.status == 0, made
    assert runs_in(one) == [TESTERS] * 3
    assert [run["sent"] for run in read_json(one.json)["trials"]] == [QUERIES] * 2


def test_load_factor(pair: Lab, capture: Path) -> None:
    """The search for a load factor has the replays of both Testers, each with a journal."""
    serve(pair)
    one = replay(pair, MPI, capture, "--find-load-factor", 2, "--runs", 2, "--duration", "0.9",
                 "--runs-most", 2, "--margin", 50)  # fmt: skip
    made = one.run(PAIR)
    assert made.status == 0, made
    r = read_json(one.json)
    assert r["factors"] == [1, 2] and r["load_factor"] == 2, r
    for factor in (1, 2):
        part = one.journal.with_name(f"{one.journal.name}.{factor}x")
        trials = [line["trial"] for line in read_lines(part)[1:] if line["record"] == "trial"]
        assert [len(trial["testers"]) for trial in trials] == [TESTERS] * 2
        assert [trial["workload"]["played"] for trial in trials] == [factor] * 2
