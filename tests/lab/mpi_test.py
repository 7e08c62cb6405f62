# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests trials of two Testers that mpirun started, each on a link of its own, against FakeDNS."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from joint import (
    PATIENCE,
    RATE,
    SERVERS,
    answered,
    check_parts,
    joint_trial,
    joint_words,
    launch,
    open_joint_lab,
    own_lines,
    programs,
    two_cpus,
)
from laboratory import BIN, Lab, Started, read_json, wait_until

TESTERS = 2


@pytest.fixture(scope="module", name="pair")
def fixture_pair() -> Iterator[Lab]:
    """A lab with a link for each Tester."""
    yield from open_joint_lab(TESTERS)


def serve(lab: Lab) -> Started:
    """Has a new FakeDNS on both links, whose counters begin at zero."""
    lab.stop_serving()
    lab.serve("--interface", "d1")
    return lab.started[-1]


def end_serving(lab: Lab, server: Started) -> int:
    """Ends FakeDNS. Returns how many answers it counted."""
    lab.stop_serving()
    return answered(server)


@pytest.mark.parametrize("family", SERVERS)
def test_counts_are_fakedns_own(pair: Lab, family: int) -> None:
    """All queries of both Testers, and no other, reach FakeDNS: each name once."""
    server = serve(pair)
    made = joint_trial(pair, TESTERS, "--server", SERVERS[family], "--duration", 2)
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    assert r["sent"] == r["valid"] == 2 * RATE == end_serving(pair, server)
    assert [part["trial"]["sent"] for part in r["testers"]] == [RATE, RATE]
    assert made.text.count("queries/s for 2 s") == 1, "one Tester prints"


@pytest.mark.parametrize("family", SERVERS)
def test_connections_add_up(pair: Lab, family: int) -> None:
    """Over TCP each Tester opens connections of its own. FakeDNS needs a CPU without senders."""
    server = serve(pair)
    tcp = ("--transport", "tcp", "--connections", 3, "--cpus", two_cpus()[0])
    made = joint_trial(pair, TESTERS, "--server", SERVERS[family], *tcp)
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    assert r["sent"] == r["valid"] == RATE == end_serving(pair, server)
    parts = [part["trial"]["connections"] for part in r["testers"]]
    counts = {name: count for name, count in r["connections"].items() if isinstance(count, int)}
    assert counts.pop("at_once") == 3 and counts.pop("queries_each") == 0
    for name, count in counts.items():
        assert sum(part[name] for part in parts) == count, name
    assert [part["opened"] for part in parts] == [part["left_open"] for part in parts] == [3, 3]
    handshakes = r["connections"]["handshake_ns"]
    assert handshakes["count"] == 6
    assert handshakes["max"] == max(part["handshake_ns"]["max"] for part in parts)


@pytest.mark.parametrize("transport", ["udp", "tcp"])
@pytest.mark.parametrize("family", SERVERS)
def test_windows_add_up(pair: Lab, family: int, transport: str) -> None:
    """Each Tester keeps N queries open. All counts add up, and all open queries fit the RTTs."""
    delay, places = 0.02, 10
    pair.stop_serving()
    pair.serve("--interface", "d1", "--fault", f"delay=100%:{delay * 1e3:g}ms", "--xdp-mode", "off")
    server = pair.started[-1]
    cpus = () if transport == "udp" else ("--cpus", two_cpus()[0])
    closed = ("--pace", f"window={places}", "--transport", transport, *cpus)
    options = ("--server", SERVERS[family], *closed, "--duration", 2)
    made = joint_trial(pair, TESTERS, *options, without=("--rate",))
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    assert r["sent"] == r["valid"] == r["sending"]["planned"] == end_serving(pair, server)
    assert r["pace"] == {"kind": "window", "window": places, "most": None}
    window = r["window"]
    assert window["places"] == TESTERS * places
    parts = [one["trial"]["window"] for one in r["testers"]]
    assert [part["places"] for part in parts] == [places] * TESTERS
    for key in ("answered_rate", "mean_open", "mean_open_by_rtt"):
        assert window[key] == pytest.approx(sum(part[key] for part in parts), rel=0.01), key
    # No answer comes before its delay.
    assert window["answered_rate"] < 1.05 * TESTERS * places / delay
    assert not [one for one in r["doubts"] if "Little's law" in one], r["doubts"]


def test_windows_share_a_rate(pair: Lab) -> None:
    """The rate of a window is for all Testers together, and each name is asked once."""
    server = serve(pair)
    closed = ("--pace", "window=5,rate=1k", "--names", "10.0.0.0/22")
    made = joint_trial(pair, TESTERS, "--server", SERVERS[4], *closed, without=("--rate",))
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    assert 900 <= r["sent"] <= 1002 and r["sent"] == r["valid"] == end_serving(pair, server)


@pytest.mark.parametrize("order", ["ascending", "random"])
def test_each_name_is_asked_once(pair: Lab, order: str) -> None:
    """The Testers' queries follow one schedule: number, name and time."""
    server = serve(pair)
    folder = pair.new_folder()
    file = folder / "queries{rank}.csv"
    options = ["--names", "10.0.0.0/21", "--name-order", order, "--per-query", file]
    made = joint_trial(pair, TESTERS, "--server", SERVERS[4], *options)
    assert made.status == 0, made
    assert end_serving(pair, server) == RATE
    numbers = []
    names: dict[int, str] = {}
    for rank in range(TESTERS):
        rows = Path(str(file).replace("{rank}", str(rank))).read_text(encoding="ascii").split()
        own = [int(row.split(";")[0]) for row in rows[1:]]
        names |= {int(number): name for number, name, *_ in (row.split(";") for row in rows[1:])}
        assert {number % TESTERS for number in own} == {rank}
        numbers += own
    assert sorted(numbers) == list(range(RATE))
    in_order = sorted(names.values())
    assert len(set(in_order)) == RATE
    assert ([names[number] for number in range(RATE)] == in_order) == (order == "ascending")


def test_losses_on_one_link_fail_the_whole(pair: Lab) -> None:
    """What one server loses is in the sums, and in that Tester's part alone."""
    pair.stop_serving()
    pair.serve()
    lossy = pair.start("dut", BIN / "fakedns", "--interface", "d1", "--fault", "loss=10%")
    assert wait_until(lambda: "fakedns: ready " in lossy.said(), 30)
    made = joint_trial(pair, TESTERS, "--server", SERVERS[4], "--pace", "poisson")
    lossy.stop()
    pair.stop_serving()
    assert made.status == 1, made
    r = made.result()
    check_parts(r, TESTERS)
    first, second = (one["trial"] for one in r["testers"])
    assert r["lost"] == second["lost"] == RATE / TESTERS / 10
    assert (first["verdict"], second["verdict"]) == ("pass", "fail")


def packets_of_lo(lab: Lab) -> int:
    """Returns how many packets the Testers' lo has received."""
    return int(lab.run("tester", "cat", "/proc/net/dev").text.split("lo:")[1].split()[1])


def test_nothing_is_said_while_the_trial_runs(pair: Lab) -> None:
    """While a trial runs no packet goes between the Testers, not even with MPI over TCP."""
    serve(pair)
    words, _ = joint_words(pair, "--server", SERVERS[4])
    mca = ["--mca", "pml", "ob1", "--mca", "btl"]
    counts = [packets_of_lo(pair)]
    by_memory = pair.run("tester", *launch(TESTERS), *mca, "^tcp", *words)
    assert by_memory.status == 0, by_memory
    counts.append(packets_of_lo(pair))
    words, file = joint_words(pair, "--server", SERVERS[4], "--duration", 4)
    mca += ["self,tcp", "--mca", "btl_tcp_if_include", "lo"]
    started = pair.start("tester", *launch(TESTERS), *mca, *words)
    assert wait_until(lambda: programs(pair, TESTERS) == TESTERS, 30), started.said()
    time.sleep(1.5)
    for _ in range(2):
        counts.append(packets_of_lo(pair))
        time.sleep(1)
    assert programs(pair, TESTERS) == TESTERS
    assert started.wait().status == 0, started.said()
    counts.append(packets_of_lo(pair))
    assert counts[2] == counts[3]
    # What mpirun says crosses lo in both trials: more or less. Two readings of a clock have 256 messages.
    assert counts[4] - counts[1] >= counts[1] - counts[0] + 128, counts
    assert read_json(Path(file))["sent"] == 4 * RATE


BAD = [
    (r"Tester 1 \(.*\): --cpus names CPU 111, but only", ("--cpus", "{rank}{rank}{rank}")),
    ("--rate {rank}000: all Testers have the same value there", ("--rate", "{rank}000")),
    ("--per-query q.csv: each Tester writes a file of its own", ("--per-query", "q.csv")),
    (
        r"Tester 0 \(.*\) and Tester 1 \(.*\) both send from 198.18.0.1:",
        ("--source", "198.18.0.1", "--server-mac", "02:00:c6:12:00:02"),
    ),
]


@pytest.mark.parametrize(("pattern", "options"), BAD)
def test_bad_input(pair: Lab, pattern: str, options: tuple[str, ...]) -> None:
    """One clear line says what is wrong, and where."""
    words = ["--server", SERVERS[4], *options]
    made = joint_trial(pair, TESTERS, *words)
    assert made.status == 2, made
    assert made.has(rf"^dnsgauge-mpi: {pattern}"), made
    assert (
        len([line for line in made.text.splitlines() if line.startswith("dnsgauge-mpi:")]) == 1
    ), made
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)


def own_host() -> str:
    """Returns the name of this host, by which a file of --hosts calls it."""
    return os.uname().nodename


def hosts_file(lab: Lab, text: str) -> Path:
    """Writes a file for --hosts."""
    file = lab.new_folder() / "hosts.toml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("family", SERVERS)
def test_values_by_host(pair: Lab, family: int) -> None:
    """Each of two Testers of one host has its own table; the command line has what they share."""
    server = serve(pair)
    tables = "".join(
        f'[["{own_host()}"]]\ninterface = "g{rank}"\ncpus = [{rank % (os.cpu_count() or 1)}]\n'
        f'server = "{SERVERS[family].replace("{rank}", str(rank))}"\n'
        for rank in range(TESTERS)
    )
    hosts = hosts_file(pair, tables + "[nobody]\nvlan = 5\n")
    made = joint_trial(pair, TESTERS, "--hosts", hosts, without=("--interface", "--server"))
    assert made.status == 0, made
    assert made.has(r"^dnsgauge-mpi: note: .*/hosts.toml:\d+: no Tester runs on nobody$"), made
    r = made.result()
    check_parts(r, TESTERS)
    assert r["sent"] == r["valid"] == RATE == end_serving(pair, server)
    places = [one["trial"]["circumstances"] for one in r["testers"]]
    assert [place["interface"] for place in places] == ["g0", "g1"]
    assert [place["sender_cpus"] for place in places] == [
        [rank % (os.cpu_count() or 1)] for rank in range(TESTERS)
    ]
    assert not [doubt for doubt in r["doubts"] if "alike" in doubt]


def test_one_table_for_a_host(pair: Lab) -> None:
    """A table with {rank} holds for all Testers of a host, and goes before the command line."""
    serve(pair)
    hosts = hosts_file(pair, f'["{own_host()}"]\ninterface = "g{{rank}}"\ncpus = 0\n')
    made = joint_trial(pair, TESTERS, "--server", SERVERS[4], "--interface", "x", "--hosts", hosts)
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    (doubt,) = [doubt for doubt in r["doubts"] if "alike" in doubt]
    assert re.match(r"Tester 0 \(.*\) and Tester 1 \(.*\) send from CPU 0 alike: ", doubt), doubt


BAD_HOSTS = [
    ("[HOST]\ncpus = [2\n", r".*/hosts.toml:\d: "),
    ("[HOST]\n\ncpu = 1\n", r".*/hosts.toml:3: HOST.cpu: no such key: did you mean cpus\?$"),
    (
        '[HOST]\ncpus = "x"\n',
        r"Tester 0 \(HOST\): .*/hosts.toml:2: HOST\.cpus: \"x\" is no list of CPUs",
    ),
    ("[other]\n", r"--hosts .*/hosts.toml: there is no table for HOST, where Tester 0 runs"),
    ("[[HOST]]\n", r".*/hosts.toml:1: HOST: 1 table for 2 Testers: write one \[\[HOST\]\]"),
    (
        '[[HOST]]\n[[HOST]]\nserver = "2001:2:0:1::2"\nsource = "198.18.1.1"\n',
        r"Tester 1 \(HOST\): .*/hosts.toml:4: HOST\.source and .*:3: HOST\.server must be of one",
    ),
    (
        '[[HOST]]\nserver = "2001:2::2"\nsource = "198.18.0.1"\n[[HOST]]\n',
        r"Tester 0 \(HOST\): .*/hosts.toml:3: HOST\.source and .*:2: HOST\.server must be of one",
    ),
]


@pytest.mark.parametrize(("text", "pattern"), BAD_HOSTS)
def test_bad_hosts(pair: Lab, text: str, pattern: str) -> None:
    """One clear line names file, line and key."""
    hosts = hosts_file(pair, text.replace("HOST", f'"{own_host()}"'))
    made = joint_trial(pair, TESTERS, "--server", SERVERS[4], "--hosts", hosts)
    assert made.status == 2, made
    assert made.has("^dnsgauge-mpi: " + pattern.replace("HOST", re.escape(own_host()))), made
    assert len([one for one in own_lines(made.text) if "note: " not in one]) == 1, made


def test_other_options_are_named(pair: Lab) -> None:
    """A Tester with other options makes the whole invalid."""
    serve(pair)
    one, _ = joint_words(pair, "--server", SERVERS[4])
    other, _ = joint_words(pair, "--server", SERVERS[4], "--qtype", "A")
    mpirun = launch(1)
    made = pair.run("tester", *mpirun, *one, ":", "-n", "1", *other)
    assert made.status == 3, made
    assert made.has(
        r"^dnsgauge-mpi: invalid: Tester 1 \(.*\) has other options than Tester 0"
    ), made


def test_interrupted(pair: Lab) -> None:
    """Ctrl-C ends all Testers, and the result tells what became of the queries until then."""
    server = serve(pair)
    words, file = joint_words(pair, "--server", SERVERS[6], "--duration", 30)
    started = pair.start("tester", *launch(TESTERS), *PATIENCE, *words)
    assert wait_until(lambda: programs(pair, TESTERS) == TESTERS, 30), started.said()
    time.sleep(2)
    said = started.end(signal.SIGINT)
    assert said.status != 0, said
    r = read_json(Path(file))
    assert r["verdict"] == "invalid" and "interrupted" in r["why"]
    # The Testers hear of Ctrl-C at once. mpirun's SIGTERM comes ten seconds later.
    assert 0 < r["sent"] < 10 * RATE
    assert r["sent"] == end_serving(pair, server)
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)


def test_a_tester_that_hangs_is_named(pair: Lab) -> None:
    """A Tester that is stopped makes the trial invalid within seconds of its end, and is ended."""
    serve(pair)
    words, file = joint_words(pair, "--server", SERVERS[4], "--duration", 3, "--timeout", "0.5")
    started = pair.start("tester", *launch(TESTERS), *words)
    assert wait_until(lambda: programs(pair, TESTERS) == TESTERS, 30), started.said()
    time.sleep(1)
    second = pair.run("tester", "pgrep", "-P", started.process.pid).text.split()[-1]
    os.kill(int(second), signal.SIGSTOP)
    said = started.wait()
    assert said.status == 3, said
    r = read_json(Path(file))
    assert r["verdict"] == "invalid"
    assert r["why"].startswith("Tester 1 (") and "sent no part of the trial" in r["why"], r["why"]
    assert r["testers"][1]["trial"] is None
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)
