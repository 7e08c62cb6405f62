# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests searches, sweeps, soaks and self-tests of two Testers that mpirun started, against FakeDNS."""

import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from joint import (
    MPI,
    PATIENCE,
    SERVERS,
    Campaign,
    answered,
    campaign,
    joint_trial,
    launch,
    open_joint_lab,
    own_lines,
    processes_of,
    programs,
    two_cpus,
)
from laboratory import DNSGAUGE, Lab, read_json, read_lines, wait_until

TESTERS = 2
PAIR = launch(TESTERS)
PATIENT = [*PAIR, *PATIENCE]
RESOLUTION = 100
# A bucket of --rate-limit N holds N tokens and gets N a second, so a trial of one second has twice
# as many answers. FakeDNS has buckets of its own on each interface.
LIMIT = 1500
CAPACITY = 2 * LIMIT
# A pause in which a bucket is filled again.
SEARCH = ("--min-rate", 2000, "--max-rate", 4400, "--resolution", RESOLUTION, "--pause", 1.2)
ONE = ("--repeat", 1, "--beyond-selftest")
BOTH = "198.18.0.2, 198.18.1.2"
ASKED = "^dnsgauge: note: the journal's last trial asked "


@pytest.fixture(scope="module", name="pair")
def fixture_pair() -> Iterator[Lab]:
    """A lab with a link of two queues for each Tester."""
    yield from open_joint_lab(TESTERS, "--queues", "2")


def serve(lab: Lab, *options: object) -> None:
    """Has FakeDNS with these options on both links."""
    lab.serve("--interface", "d1", *map(str, options))


def search(lab: Lab, *options: object) -> Campaign:
    """Returns a search of two Testers."""
    return campaign(lab, MPI, "search", "--server", SERVERS[4], *ONE, *options)


def trials_in(one: Campaign) -> list[int]:
    """Returns of how many Testers each trial in the journal is."""
    if not one.journal.exists():
        return []
    records = [line for line in read_lines(one.journal)[1:] if line["record"] == "trial"]
    return [len(record["trial"].get("testers", [0])) for record in records]


def teams_in(one: Campaign) -> list[tuple[int, int]]:
    """Returns the number of Testers and of trials of each team in the result."""
    return [(len(team["hosts"]), team["trials"]) for team in read_json(one.json)["teams"]]


def servers_in(one: Campaign) -> list[str]:
    """Returns the servers in the result, and each team's servers."""
    r = read_json(one.json)
    return [r["server"], *(", ".join(team["servers"]) for team in r["teams"])]


@pytest.mark.parametrize("family", SERVERS)
def test_capacity_is_that_of_one_tester(pair: Lab, family: int) -> None:
    """Two Testers find the capacity that one with two senders finds, within the search's error."""
    serve(pair, "--rate-limit", LIMIT // TESTERS)
    joint = campaign(pair, MPI, "search", "--server", SERVERS[family], *SEARCH, *ONE)
    made = joint.run(PAIR)
    assert made.status == 0, made
    assert made.has(r"^  2 Testers \(\S+, \S+\)$"), made
    serve(pair, "--rate-limit", LIMIT)
    server = ("--interface", "g0", "--server", SERVERS[family].replace("{rank}", "0"))
    senders = ("--cpus", ",".join(two_cpus()))
    alone = campaign(pair, DNSGAUGE, "search", *server, *senders, *SEARCH, *ONE)
    made = alone.run([])
    assert made.status == 0, made
    found = [read_json(one.json)["rates"] for one in (joint, alone)]
    assert [len(rates) for rates in found] == [1, 1], found
    # While a trial lasts a little longer, the bucket gets a few tokens more.
    error = RESOLUTION + 0.04 * CAPACITY
    assert all(abs(rates[0] - CAPACITY) <= error for rates in found), found
    assert abs(found[0][0] - found[1][0]) <= error, found
    assert set(trials_in(joint)) == {TESTERS}
    assert teams_in(joint) == [(TESTERS, len(trials_in(joint)))]
    assert "teams" not in read_json(alone.json)


def test_other_testers_go_on(pair: Lab) -> None:
    """A search that was interrupted goes on with another number of Testers, and the result says so."""
    serve(pair)
    one = search(pair, "--min-rate", 300, "--max-rate", 900, "--resolution", 600, "--duration", 3)
    started = one.start(PATIENT)
    assert wait_until(lambda: len(trials_in(one)) >= 1, 60), started.said()
    said = started.end(signal.SIGINT)
    assert said.status != 0 and said.has("^dnsgauge: interrupted: go on with --resume"), said
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)
    first = len(trials_in(one))
    # No server keeps the highest rate, which is tried last.
    made = one.run(launch(1), "--resume")
    assert made.has("the server keeps 900 queries/s or more"), made
    r = read_json(one.json)
    assert teams_in(one) == [(2, first), (1, r["trials_made"] - first)]
    assert servers_in(one) == [BOTH, BOTH, "198.18.0.2"]
    assert made.has(rf"^  2 Testers \(.*\) made {first} trials?, then 1 Tester \(.*\) made"), made
    assert made.has(r" made \d+ trials? of 198\.18\.0\.2$"), made
    assert len(re.findall(f"{ASKED}{BOTH}, and these Testers ask 198", made.text, re.M)) == 1, made


def test_other_servers_are_told(pair: Lab) -> None:
    """Where a Tester goes on with another server, a note and the result say so."""
    serve(pair)
    steps = ("--min-rate", 300, "--resolution", 300, "--pause", 0, "--max-rate")
    one = search(pair, *steps, 600)
    made = one.run(PAIR)
    assert made.status == 0 and not made.has(ASKED), made
    assert servers_in(one) == [BOTH, BOTH]
    mac = pair.run("dut", "ip", "-br", "link", "show", "d1").text.split()[2]
    hosts = pair.new_folder() / "hosts.toml"
    hosts.write_text(
        f'[["{os.uname().nodename}"]]\n[["{os.uname().nodename}"]]\n'
        f'server = "198.18.1.9"\nserver-mac = "{mac}"\n',
        encoding="ascii",
    )
    one.words[-1] = "900"
    made = one.run(PAIR, "--resume", "--hosts", hosts)
    assert made.has("the server keeps 900 queries/s or more"), made
    other = "198.18.0.2, 198.18.1.9"
    assert len(re.findall(f"{ASKED}{BOTH}, and these Testers ask {other}", made.text, re.M)) == 1
    assert servers_in(one) == [f"{BOTH}, 198.18.1.9", BOTH, other]
    assert len({tuple(team["hosts"]) for team in read_json(one.json)["teams"]}) == 1


def test_soak_at_the_rate_of_these_servers(pair: Lab) -> None:
    """A soak takes its rate from a search of the same servers, and of no others."""
    serve(pair)
    one = search(pair, "--min-rate", 300, "--max-rate", 600, "--resolution", 300, "--pause", 0)
    assert one.run(PAIR).status == 0
    rows = ("--search", one.json, "--hours", 1 / 3600, "--row", 1, "--beyond-selftest")
    soak = campaign(pair, MPI, "soak", "--server", SERVERS[4], *rows)
    soak.words = without(soak.words, "--duration")
    made = soak.run(launch(1))
    assert made.status == 2 and made.has(
        rf"the search was of {BOTH}, and --server is 198\.18\.0\.2: "
    ), made
    made = soak.run(PAIR)
    assert made.status == 0, made
    assert read_json(soak.json)["server"] == BOTH


def test_a_tester_that_stops_ends_the_search(pair: Lab) -> None:
    """The trial is invalid, one line names the Tester, the journal is kept, and others go on."""
    serve(pair)
    one = search(pair, "--min-rate", 500, "--max-rate", 900, "--resolution", 400, "--duration", 3)
    started = one.start(PAIR)
    # Said when the first trial runs.
    assert wait_until(lambda: " to make, about " in started.said(), 60), started.said()
    os.kill(processes_of(pair, started)[1], signal.SIGSTOP)
    said = started.wait()
    assert said.status == 3, said
    assert len(own_lines(said.text)) == 1, said
    assert said.has(
        r"^dnsgauge: a trial at \d+ queries/s is invalid: Tester 1 \(.*\): sent no part of the "
        "trial: .*; go on with --resume, with the same Testers or others"
    ), said
    assert trials_in(one) == [TESTERS]
    assert read_json(one.json)["end"] == "invalid trial"
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)
    made = one.run(PAIR, "--resume")
    assert made.status == 0, made
    assert set(trials_in(one)) == {TESTERS}


def test_loss_ratios(pair: Lab) -> None:
    """A Multiple Loss Ratio Search bounds the capacity as a binary search does."""
    serve(pair, "--rate-limit", LIMIT // TESTERS)
    ratios = ("--method", "mlr", "--loss-ratios", 0, "--width", 5, "--beyond-selftest")
    range_ = ("--min-rate", 2000, "--max-rate", 4400, "--pause", 1.2)
    one = campaign(pair, MPI, "search", "--server", SERVERS[4], *ratios, *range_)
    made = one.run(PAIR)
    assert made.status == 0, made
    r = read_json(one.json)
    (goal,) = r["goals"]
    assert abs(goal["lower_bound"] - CAPACITY) <= 0.1 * CAPACITY, goal
    assert teams_in(one) == [(TESTERS, r["trials_made"])]


def test_sweep_and_soak(pair: Lab) -> None:
    """Two Testers sweep a range of rates, and soak at one."""
    serve(pair)
    steps = ("--min-rate", 400, "--max-rate", 800, "--steps", 3, "--pause", 0, "--beyond-selftest")
    sweep = campaign(pair, MPI, "sweep", "--server", SERVERS[6], *steps)
    made = sweep.run(PAIR)
    assert made.status == 0, made
    points = read_json(sweep.json)["trials"]
    assert [step["rate"] for step in points] == [400, 600, 800]
    assert trials_in(sweep) == [TESTERS] * 3
    rows = ("--rate", 500, "--hours", 3 / 3600, "--row", 1, "--pause", 0, "--beyond-selftest")
    soak = campaign(pair, MPI, "soak", "--server", SERVERS[4], *rows)
    soak.words = without(soak.words, "--duration")
    made = soak.run(PAIR)
    assert made.status == 0, made
    assert trials_in(soak) == [TESTERS] * 3


def test_sweep_of_windows(pair: Lab) -> None:
    """A sweep's windows are each sender's: rows tell what all keep open."""
    serve(pair)
    steps = ("--windows", "1,5", "--repeat", 2, "--pause", 0, "--allow-repeats")
    sweep = campaign(pair, MPI, "sweep", "--server", SERVERS[6], *steps)
    made = sweep.run(PAIR)
    assert made.status == 0, made
    r = read_json(sweep.json)
    assert r["windows"] == [1, 5]
    assert [step["window"] for step in r["trials"]] == [TESTERS, 5 * TESTERS] * 2
    assert all(step["answered_rate"] > 100 for step in r["trials"])
    assert trials_in(sweep) == [TESTERS] * 4


def without(words: list[str], option: str) -> list[str]:
    """Returns the words without an option and its value."""
    at = words.index(option)
    return words[:at] + words[at + 2 :]


def test_selftest_of_all_covers_a_search_of_all(pair: Lab) -> None:
    """A self-test of both Testers covers their searches, and none of other Testers."""
    serve(pair)
    state = {"DNSGAUGE_STATE": str(pair.new_folder())}
    cpus = ("--cpus", ",".join(two_cpus()))
    own = ("--server", SERVERS[4], *cpus)
    selftest = campaign(pair, MPI, "selftest", *own, "--rate", 300)
    made = selftest.run(PAIR, **state)
    assert made.status == 0, made
    r = read_json(selftest.json)
    assert r["allowed_rate"] == 300 and r["passed_rate"] == 660
    assert [other["interface"] for other in r["setup"]["other_testers"]] == ["g1"]
    assert r["server"] == BOTH
    one = ("--min-rate", 200, "--max-rate", 300, "--resolution", 100, "--repeat", 1, "--pause", 0)
    covered = campaign(pair, MPI, "search", *own, *one)
    made = covered.run(PAIR, **state)
    assert made.status == 0, made
    cover = read_json(covered.json)["selftest"]
    assert cover["covers"] and cover["allowed_rate"] == 300
    assert "other_testers" not in read_json(covered.json)["setup"]
    (record,) = Path(state["DNSGAUGE_STATE"]).glob("**/selftest*.json")
    recorded = json.loads(record.read_text(encoding="utf-8"))
    assert [with_["interface"] for with_ in recorded["other_circumstances"]] == ["g1"]
    recorded["other_circumstances"][0]["xdp_mode"] = "generic"
    record.write_text(json.dumps(recorded), encoding="utf-8")
    changed = campaign(pair, MPI, "search", *own, *one)
    made = changed.run(PAIR, **state)
    assert made.status == 2 and made.has(
        r"^dnsgauge-mpi: Tester 1 \(.*\): the self-test .* used XDP generic and AF_XDP copy, this "
        "trial XDP native and AF_XDP copy: run the self-test again"
    ), made
    fewer = campaign(pair, MPI, "search", *own, *one)
    made = fewer.run(launch(1), **state)
    assert made.status == 2 and made.has(
        "^dnsgauge-mpi: 300 queries/s may be beyond these Testers:"
    )


def test_selftest_over_tcp_covers_a_search_over_tcp(pair: Lab) -> None:
    """So it is with connections, and not with another number of them. Over TCP FakeDNS needs a CPU without senders."""
    serve(pair)
    state = {"DNSGAUGE_STATE": str(pair.new_folder())}
    own = ("--server", SERVERS[4], "--cpus", two_cpus()[0], "--transport", "tcp", "--timeout", 4)
    tested = campaign(pair, MPI, "selftest", *own, "--rate", 300, "--confirm", 5, "--pause", 0)
    made = tested.run(PAIR, **state)
    assert made.status == 0, made
    rates = ("--min-rate", 200, "--max-rate", 300, "--resolution", 100, "--repeat", 1, "--pause", 0)
    covered = campaign(pair, MPI, "search", *own, *rates)
    made = covered.run(PAIR, **state)
    assert made.status == 0, made
    assert read_json(covered.json)["selftest"]["covers"]
    made = campaign(pair, MPI, "search", *own, *rates, "--connections", 4).run(PAIR, **state)
    assert made.status == 2 and made.has("there was no self-test"), made


def test_selftest_needs_fakedns_on_every_link(pair: Lab) -> None:
    """Where one Tester meets another server, or none, there is no self-test."""
    pair.stop_serving()
    pair.serve()  # on the first link alone
    one = campaign(pair, MPI, "selftest", "--server", SERVERS[4], "--rate", 300)
    made = one.run(PAIR)
    assert made.status == 2, made
    assert made.has(r"^dnsgauge-mpi: no FakeDNS at 198\.18\.0\.2, 198\.18\.1\.2 port 53"), made


@pytest.mark.parametrize("shuffled", [(), ("--shuffle", "7")])
def test_list(pair: Lab, shuffled: tuple[str, ...]) -> None:
    """Two Testers ask the lines of one list, each line as often as one Tester would."""
    pair.stop_serving()
    serve(pair)
    server = pair.started[-1]
    file = pair.new_folder() / "queries"
    names = [f"010-000-000-{number:03}.dns64perf.test" for number in range(200)]
    file.write_text("".join(f"{name} {kind}\n" for name in names for kind in ("A", "AAAA")))
    log = file.with_name("log{rank}.csv")
    options = ("--queries", file, "--rate", 800, *shuffled, "--per-query", log)
    made = joint_trial(pair, TESTERS, "--server", SERVERS[4], *options, without=("--names",))
    assert made.status == 0, made
    r = made.result()
    pair.stop_serving()
    assert r["sent"] == r["valid"] == 800 == answered(server)
    rows = [
        row.split(";")[0]
        for rank in range(TESTERS)
        for row in file.with_name(f"log{rank}.csv").read_text(encoding="ascii").splitlines()[1:]
    ]
    assert sorted(map(int, rows)) == list(range(800))


BAD: list[tuple[str, str, tuple[object, ...]]] = [
    ("--queries -: there is one standard input", "trial", ("--queries", "-", "--rate", 9)),
    (
        "--placements .*: run dnsgauge selftest --placements on each host, and ",
        "selftest",
        ("--max-rate", 9, "--placements"),
    ),
    ("--journal .*{rank}: all Testers have the same value", "sweep", ("--journal", "j{rank}")),
    ('there is no subcommand "compare"', "compare", ()),
]


@pytest.mark.parametrize(("pattern", "command", "options"), BAD)
def test_what_several_testers_cannot_do(
    pair: Lab, pattern: str, command: str, options: tuple[object, ...]
) -> None:
    """One clear line says what is not possible."""
    words = [MPI, command, "--interface", "g{rank}", "--server", SERVERS[4], *options]
    made = pair.run("tester", *PAIR, *words)
    assert made.status == 2, made
    assert made.has(f"^dnsgauge-mpi: {pattern}"), made
    assert len(own_lines(made.text)) == 1, made
