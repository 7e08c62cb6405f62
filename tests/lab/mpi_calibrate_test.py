# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the calibration of two Testers together, each against a FakeDNS of its own."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from joint import MPI, SERVERS, launch, open_joint_lab, own_lines, programs
from laboratory import BIN, Lab, Result, Said, read_json, wait_until

TESTERS = 2
# Even a busy machine keeps these tolerances; the errors that the tests make are larger.
TERMS = {
    "--interface": "g{rank}",
    "--fakedns-interface": "d{rank}",
    "--min-rate": "1000",
    "--max-rate": "1000",
    "--duration": "0.5",
    "--timeout": "0.25",
    "--max-lateness": "60",
    "--max-overrun": "60",
    "--max-bias": "0.004",
    "--attempts": "12",
}


@pytest.fixture(scope="module", name="pair")
def fixture_pair() -> Iterator[Lab]:
    """A lab with a link for each Tester, and no server."""
    yield from open_joint_lab(TESTERS)


def calibrate(lab: Lab, family: int, *options: object) -> tuple[Said, Path, Path]:
    """Calibrates with the usual terms. Returns what was said, the result's file and the records' folder."""
    given = [str(word) for word in options]
    file, state = lab.new_result(), lab.new_folder()
    usual = TERMS | {
        "--server": SERVERS[family],
        "--fakedns-netns": f"{lab.name}-dut",
        "--json": str(file),
    }
    words = [word for name, text in usual.items() if name not in given for word in (name, text)]
    launcher = launch(TESTERS)
    said = lab.run("tester", *launcher, MPI, "calibrate", *words, *given, DNSGAUGE_STATE=str(state))
    return said, file, state


def check_left_clean(lab: Lab) -> None:
    """Checks that no program and no FakeDNS is left on any link."""
    assert wait_until(lambda: programs(lab, TESTERS) == 0, 5)
    links = [lab.run("dut", "ip", "-d", "link", "show", f"d{rank}") for rank in range(TESTERS)]
    assert not any(link.has("prog/xdp") for link in links)
    assert not lab.run("dut", "ip", "netns", "pids", f"{lab.name}-dut").has("^[0-9]+ [0-9]")


def check_each(r: Result, said: Said) -> None:
    """Checks that the parts of both Testers make up the whole, and that each has a row of the table."""
    host = os.uname().nodename
    names = [{"rank": rank, "host": host} for rank in range(TESTERS)]
    for check in r["counting"]:
        parts = check["testers"]
        assert [{key: part[key] for key in ("rank", "host")} for part in parts] == names
        for part in parts:
            assert part["counted"] == part["predicted"], part
        for name, count in check["counted"].items():
            assert sum(part["counted"][name] for part in parts) == count, name
    rtt = r["rtt"]
    for check in (*rtt["at_once"], *rtt["delays"], rtt["before_timeout"], rtt["behind_timeout"]):
        for name in ("sent", "valid", "late"):
            assert sum(part[name] for part in check["testers"]) == check[name], check
        assert min(part["rtt_min_ns"] for part in check["testers"]) == check["rtt_ns"]["min"]
    for check in rtt["delays"]:
        assert check["bias_ns"] in [part["bias_ns"] for part in check["testers"]], check
    for rank, queries in enumerate((3 + 25 + 250, 2 + 25 + 250)):
        assert said.has(rf"^{rank} \({host}\) +{queries} +0 .* nothing$"), said


@pytest.mark.parametrize("family", SERVERS)
def test_all_together(pair: Lab, family: int) -> None:
    """Every class is counted right over all Testers, and no RTT of any of them is wrong."""
    said, file, state = calibrate(pair, family)
    assert said.status == 0, said
    r: Result = read_json(file)
    assert r["trusted"] and r["doubts"] == [] and r["pacing"] == []
    assert [check["rate"] for check in r["counting"]] == [10, 100, 1000]
    for check in r["counting"]:
        assert check["counted"] == check["predicted"], check
    counted = r["counting"][-1]["counted"]
    for name in ("valid", "late", "lost", "rcode", "wrong_data", "duplicate", "unexpected"):
        assert counted[name] > 0, name
    for check in r["rtt"]["delays"]:
        assert check["rtt_ns"]["min"] >= check["delay_s"] * 1e9, check
    assert r["rtt"]["behind_timeout"]["valid"] == 0
    check_each(r, said)
    (other,) = r["setup"]["other_testers"]
    assert other["interface"] == "g1"
    (record,) = state.iterdir()
    assert record.read_bytes() == file.read_bytes()
    check_left_clean(pair)


def lying_fakedns(lab: Lab, right: str, wrong: str) -> Path:
    """Returns a FakeDNS that reads `wrong` where it is told `right`, on the link of Tester 1 alone."""
    file = lab.new_folder() / "lying"
    file.write_text(
        "#!/bin/bash\n"
        f'[[ " $* " == *" d1 "* ]] || exec "{BIN}/fakedns" "$@"\n'
        f'exec "{BIN}/fakedns" "${{@/{right}/{wrong}}}"\n',
        encoding="ascii",
    )
    file.chmod(0o755)
    return file


def test_a_wrong_count_of_one(pair: Lab) -> None:
    """What one Tester's server does otherwise than it was told is in the sums."""
    liar = lying_fakedns(pair, "servfail=2%", "servfail=3%")
    said, file, state = calibrate(
        pair, 4, "--fakedns", liar, "--checks", "counting", "--attempts", 1
    )
    assert said.status == 1, said
    assert said.has(
        r"^Not to be trusted: counts, Tester 1 \(.*\): at 1000 queries/s the Tester counted "
    ), said
    (doubt,) = [one for one in read_json(file)["doubts"] if "at 1000 queries/s" in one["why"]]
    assert doubt["figure"] == "counts" and doubt["testers"] == [1]
    assert said.has(r"^0 \(.* nothing$") and said.has(r"^1 \(.* counts$"), said
    assert not list(state.iterdir())


def test_a_wrong_rtt_of_one(pair: Lab) -> None:
    """Too long RTTs of one Tester are not hidden by the other's RTTs."""
    liar = lying_fakedns(pair, ":1000000ns", ":21000000ns")
    said, file, _ = calibrate(pair, 4, "--fakedns", liar, "--checks", "rtt", "--attempts", 2)
    assert said.status == 1, said
    r = read_json(file)
    whys = [doubt["why"] for doubt in r["doubts"]]
    assert any(
        re.match(
            r"Tester 1 \(.*\): when FakeDNS holds replies for 1000\.0 us, "
            r"the shortest RTT differs by [12]\d{4}\.",
            why,
        )
        for why in whys
    ), whys
    (check,) = [one for one in r["rtt"]["delays"] if one["delay_s"] == 0.001]
    first, second = check["testers"]
    assert second["bias_ns"] == check["bias_ns"] > 1e7 > abs(first["bias_ns"])


BAD = [
    ("--checks pacing: the clock at the other end of a link", ("--checks", "pacing,rtt")),
    (r"Tester 1 \(.*\): .*fakedns does not run: .*nope", ("--hosts", 'fakedns-interface = "nope"')),
    (
        r"Tester 1 \(.*\): .*hosts.toml:4: .*\.fault-cpu 5000: must be",
        ("--hosts", "fault-cpu = 5000"),
    ),
    ("--max-rate {rank}00: all Testers have the same value", ("--max-rate", "{rank}00")),
]


@pytest.mark.parametrize(("pattern", "options"), BAD)
def test_bad_input(pair: Lab, pattern: str, options: tuple[str, ...]) -> None:
    """One clear line says what is wrong, and at which Tester."""
    hosts = pair.new_folder() / "hosts.toml"
    host = os.uname().nodename
    hosts.write_text(f'[["{host}"]]\n\n[["{host}"]]\n{options[1]}\n', encoding="utf-8")
    given = [options[0], hosts if options[0] == "--hosts" else options[1]]
    said, _, _ = calibrate(pair, 4, *given)
    assert said.status == 2, said
    assert said.has(f"^dnsgauge-mpi: {pattern}"), said
    assert len([line for line in own_lines(said.text) if "calibrating" not in line]) == 1, said
    check_left_clean(pair)
