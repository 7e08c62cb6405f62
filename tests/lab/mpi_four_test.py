# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests trials of four Testers that mpirun started, with FakeDNS and Knot."""

import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from joint import (
    RATE,
    SERVERS,
    answered,
    check_parts,
    joint_trial,
    joint_words,
    launch,
    open_joint_lab,
    processes_of,
    programs,
)
from laboratory import BIN, Lab, read_json, wait_until

TESTERS = 4
# Four senders share two CPUs.
RANGE = "10.0.0.0/20"


@pytest.fixture(scope="module", name="four")
def fixture_four() -> Iterator[Lab]:
    """A lab with a link for each Tester."""
    yield from open_joint_lab(TESTERS)


@pytest.mark.parametrize("family", SERVERS)
def test_counts_are_fakedns_own(four: Lab, family: int) -> None:
    """All queries of the four Testers, and no other, reach FakeDNS."""
    links = [word for rank in range(1, TESTERS) for word in ("--interface", f"d{rank}")]
    four.stop_serving()
    four.serve(*links)
    server = four.started[-1]
    made = joint_trial(
        four, TESTERS, "--server", SERVERS[family], "--names", RANGE, "--duration", 2
    )
    four.stop_serving()
    assert made.status == 0, made
    r = made.result()
    check_parts(r, TESTERS)
    assert r["sent"] == r["valid"] == 2 * RATE == answered(server)


def test_one_that_hangs(four: Lab) -> None:
    """A Tester that hangs spoils nothing that the Testers after it say."""
    four.stop_serving()
    four.serve("--interface", "d1", "--interface", "d2", "--interface", "d3")
    words, file = joint_words(four, "--server", SERVERS[4], "--duration", 3, "--timeout", "0.5")
    started = four.start("tester", *launch(TESTERS), *words)
    assert wait_until(lambda: programs(four, TESTERS) == TESTERS, 60), started.said()
    time.sleep(1)
    os.kill(processes_of(four, started)[1], signal.SIGSTOP)
    said = started.wait()
    assert said.status == 3, said
    r = read_json(Path(file))
    assert re.fullmatch(r"Tester 1 \(.*\): sent no part of the trial: .*", r["why"]), r["why"]
    assert r["testers"][1]["clock_after"] is None and r["testers"][1]["trial"] is None
    for rank in (2, 3):
        after = r["testers"][rank]["clock_after"]
        assert abs(after["offset_ns"]) <= after["bound_ns"] < 1e9, after
        assert r["testers"][rank]["trial"]["verdict"] == "pass"
    assert wait_until(lambda: programs(four, TESTERS) == 0, 5)


@pytest.mark.parametrize("family", SERVERS)
def test_knot(four: Lab, family: int) -> None:
    """Knot DNS answers all of the four Testers."""
    if not shutil.which("knotd"):
        pytest.skip("no knotd on this machine: see tools/install-packages")
    four.stop_serving()
    folder = four.new_folder()
    listen = [
        word
        for rank in range(TESTERS)
        for one in SERVERS.values()
        for word in ("--listen", one.replace("{rank}", str(rank)))
    ]
    made = four.run(
        "dut",
        BIN / "dnsgauge-zone",
        "server",
        "knot",
        "--directory",
        folder,
        "--names",
        RANGE,
        *listen,
    )
    assert made.status == 0, made
    knot = four.start("dut", folder / "start")
    address = SERVERS[4].replace("{rank}", "3")
    dig = ("dig", "+tries=1", "+time=1", f"@{address}", "010-000-000-001.dns64perf.test", "AAAA")
    assert wait_until(lambda: four.run("tester", *dig).has("status: NOERROR"), 60), knot.said()
    trial = joint_trial(
        four, TESTERS, "--server", SERVERS[family], "--names", RANGE, "--duration", 2
    )
    knot.stop()
    assert trial.status == 0, trial
    r = trial.result()
    check_parts(r, TESTERS)
    assert r["sent"] == r["valid"] == 2 * RATE
