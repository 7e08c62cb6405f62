# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The gate: it starts two servers in turn, and says whether the second one is slower. At the highest --error two
rounds decide."""

import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from laboratory import BIN, DNSGAUGE, SERVER4, USUAL, Lab, Said, read_json, wait_until

QUICK = {"--duration": "0.2", "--timeout": "0.1", "--error": "50", "--judge": "share=2"}


def fakedns(lab: Lab, options: str = "") -> str:
    """Returns a command that runs FakeDNS on the DUT."""
    return f"ip netns exec {lab.name}-dut {BIN}/fakedns --interface d0 {options}"


def gate(
    lab: Lab, candidate: str, *options: object, baseline: str = "", without: Sequence[str] = ()
) -> Said:
    """Makes a gate of FakeDNS, or another baseline, and the candidate, without some of the usual options."""
    usual = {**USUAL, **QUICK}
    words = [word for name in usual if name not in without for word in (name, usual[name])]
    servers = ("--baseline", baseline or fakedns(lab), "--candidate", candidate)
    where = ("--interface", "g0", "--server", SERVER4)
    return lab.run("tester", DNSGAUGE, "gate", *where, *words, *servers, *options)


def test_equal(lab: Lab) -> None:
    file = lab.new_result()
    said = gate(lab, fakedns(lab), "--json", file, "--seed", "3")
    assert said.status == 0, said
    assert said.has("^gate: not slower: share at .*, 2 points allowed .2 rounds"), said
    r = read_json(file)
    assert r["made_trials"] and r["seed"] == 3 and len(r["first"]) == 2


def test_slower(lab: Lab) -> None:
    markdown, junit = lab.scratch / "gate.md", lab.scratch / "gate.xml"
    lossy = fakedns(lab, "--fault loss=20%")
    said = gate(lab, lossy, "--markdown", markdown, "--junit", junit)
    assert said.status == 1 and said.has("^gate: slower: share at least .* worse"), said
    assert "| share | " in markdown.read_text(encoding="utf-8")
    assert 'failures="1"' in junit.read_text(encoding="utf-8")


def test_probe(lab: Lab) -> None:
    """With a probe the gate tells which stage became slower, within bounds, and what became of lost queries."""
    file, markdown = lab.new_result(), lab.scratch / "gate.md"
    baseline = fakedns(lab, "--xdp-mode off")
    candidate = f"{baseline} --fault loss=20%,delay=80%:20ms"
    files = ("--json", file, "--markdown", markdown)
    said = gate(lab, candidate, "--probe", *files, baseline=baseline)
    assert said.status == 1, said
    probe = read_json(file)["probe"]
    stages = {one["stage"]: one for one in probe["stages"]}
    assert list(stages) == ["stack", "queue", "wake-up", "server", "leave"]
    server = stages["server"]
    assert len(server["rounds"]) >= 3 and server["low"] > 100 and server["high"] > server["low"]
    assert all(one["candidate"] > 20e6 > one["baseline"] for one in server["rounds"]), server
    fates = {one["fate"]: one for one in probe["fates"]}
    silent = fates["read by the server, which did not answer"]
    assert 0.1 * probe["candidate"] < silent["candidate"] < 0.3 * probe["candidate"], probe
    assert silent["baseline"] == 0 < silent["low"] <= silent["high"] < 30, silent
    told = r"^probe: p50 on .*: .*server \S+ us -> \d+\.\d+ ms \(\S+ to \S+ % longer\)"
    assert said.has(told) and said.has(r"^probe: lost: .* -> \d+ of \d+ queries: "), said
    assert "| server | " in markdown.read_text(encoding="utf-8")


def test_answers_per_second(lab: Lab) -> None:
    """A window is judged by the answers per second, here by FakeDNS' delays."""
    file = lab.new_result()
    window = ("--pace", "window=20", "--judge", "rate=10", "--timeout", "0.1", "--json", file)
    delayed = [fakedns(lab, f"--fault delay=100%:{delay}ms") for delay in (10, 30)]
    said = gate(
        lab, delayed[1], *window, baseline=delayed[0], without=("--rate", "--judge", "--timeout")
    )
    assert said.status == 1 and said.has(
        "^gate: slower: rate at least .* worse, 10 % allowed"
    ), said
    rounds = [
        (one["baseline"], one["candidate"]) for one in read_json(file)["figures"][0]["rounds"]
    ]
    # A round whose Tester stood still has no figure.
    ratios = [baseline / candidate for baseline, candidate in rounds if baseline and candidate]
    assert ratios and all(1.5 < ratio < 3.5 for ratio in ratios), rounds


def test_wrong_servers(lab: Lab) -> None:
    said = gate(lab, "true", "--seed", "3")
    assert said.status == 2 and said.has("the command of --candidate has ended"), said
    lab.serve()
    said = gate(lab, fakedns(lab))
    assert said.status == 2 and said.has("a server answers before --"), said


def test_missing_options(lab: Lab) -> None:
    """Commands need what a trial needs, and files do not."""
    servers = ("--baseline", "true", "--candidate", "true")
    said = lab.run("tester", DNSGAUGE, "gate", *servers)
    assert said.status == 2 and said.has(
        "^dnsgauge: --rate, --interface, --server and --names are required if --baseline is a command"
    ), said
    window = ("--pace", "window=5", "--interface", "g0", "--server", SERVER4)
    said = lab.run("tester", DNSGAUGE, "gate", *servers, *window)
    assert said.status == 2 and said.has("^dnsgauge: --names is required"), said


@pytest.mark.parametrize(("sent", "rounds"), [(signal.SIGTERM, 0), (signal.SIGINT, 1)])
def test_interruption(lab: Lab, sent: signal.Signals, rounds: int) -> None:
    """A signal ends the gate, and the server that it started. The next gate starts its own as ever."""
    lab.stop_serving()
    servers = ("--baseline", fakedns(lab), "--candidate", fakedns(lab))
    options = [word for option in {**USUAL, "--timeout": "0.1"}.items() for word in option]
    file = lab.new_result()
    began = time.time()
    started = lab.start(
        "tester", DNSGAUGE, "gate", "--interface", "g0", "--server", SERVER4,
        *options, *servers, "--json", file,
    )  # fmt: skip

    def is_serving() -> bool:
        return lab.ip("netns", "pids", f"{lab.name}-dut").text != ""

    try:
        if rounds:
            assert wait_until(lambda: "round 1 " in started.said(), 60), started.said()
        assert wait_until(is_serving, 20), started.said()
    finally:
        said = started.end(sent)
    assert said.status == 3 and said.has("^gate: cannot tell: interrupted"), said
    assert len(read_json(file)["first"]) >= rounds
    assert not is_serving()
    folders = Path(tempfile.gettempdir()).glob("dnsgauge-gate*")
    assert not [one for one in folders if one.stat().st_mtime >= began]


def test_files(lab: Lab) -> None:
    lab.serve()
    file = lab.trial(SERVER4).file
    said = lab.run("tester", DNSGAUGE, "gate", "--baseline", file, "--candidate", file)
    lab.stop_serving()
    assert said.status == 3 and said.has("^gate: cannot tell: the files have no more trials"), said
