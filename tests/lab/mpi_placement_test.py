# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that each of two Testers sends as dnsgauge selftest --placements found best on its own link."""

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from joint import (
    MPI,
    SERVERS,
    campaign,
    check_parts,
    joint_words,
    launch,
    open_joint_lab,
    two_cpus,
)
from laboratory import DNSGAUGE, TRIES, Lab, Result, Said, read_json

TESTERS = 2
PAIR = launch(TESTERS)
FOUND = "found queue 1 best: by hand"
# Rates that the self-tests cover.
LOW = ("--min-rate", 50, "--max-rate", 100, "--resolution", 50, "--pause", 0)


def walk(lab: Lab, state: str, rank: int, cpu: str) -> None:
    """Has dnsgauge alone walk the placements of one Tester: the CPU, and by hand the second queue.

    veth has no interrupts, so that no walk tries its queues.
    """
    link = ("--interface", f"g{rank}", "--server", SERVERS[4].replace("{rank}", str(rank)))
    own = (*link, "--cpus", cpu, "--confirm", 9)
    walked = campaign(lab, DNSGAUGE, "selftest", *own, "--placements", "--repeat", 2, *LOW)
    made = walked.run([], DNSGAUGE_STATE=state)
    assert made.status == 0, made
    second = campaign(lab, DNSGAUGE, "selftest", *own, "--sender-queues", 1, "--rate", 100)
    made = second.run([], DNSGAUGE_STATE=state)
    assert made.status == 0, made
    record = read_json(second.json)
    found = read_json(walked.json)["placements"]
    os.remove(read_json(walked.json)["record"])
    sent = found["stages"][0]["walked"][0] | {"sender_queue": 1}
    stage = {"part": "transmit queue", "walked": [sent], "best": 1, "gain_percent": 9}
    found["stages"].append(stage | {"found": FOUND})
    record["placements"] = found | {"sender_queue": 1}
    with open(record["record"], "w", encoding="utf-8") as file:
        json.dump(record, file)


@pytest.fixture(scope="module", name="cpus")
def fixture_cpus() -> list[str]:
    """A CPU for each Tester."""
    return two_cpus()


@pytest.fixture(scope="module", name="pair")
def fixture_pair() -> Iterator[Lab]:
    """A lab with a link of two queues for each Tester, and FakeDNS on both."""
    for lab in open_joint_lab(TESTERS, "--queues", "2"):
        lab.serve("--interface", "d1")
        # The lab's own threads of the DUT are pinned to a CPU, which no sender takes then.
        for rank in range(TESTERS):
            threads = f"/sys/class/net/d{rank}/threaded"
            assert lab.run("dut", "sh", "-c", f"echo 0 >{threads}").status == 0
        yield lab


@pytest.fixture(scope="module", name="state")
def fixture_state(pair: Lab, cpus: list[str]) -> str:
    """The records of one walk on each Tester's link, which end on different CPUs."""
    state = str(pair.new_folder())
    for rank, cpu in enumerate(cpus):
        walk(pair, state, rank, cpu)
    return state


def while_idle(words: list[str], lab: Lab, state: str) -> Said:
    """Runs the Testers, again while a CPU that was found best is busy: another one is then chosen."""
    for _ in range(TRIES):
        made = lab.run("tester", *PAIR, *words, DNSGAUGE_STATE=state)
        if "was busy" not in made.text:
            break
    return made


def trial(lab: Lab, state: str, *options: object) -> tuple[Said, list[Result]]:
    """Makes a joint trial. Returns what it said, and the parts."""
    words, file = joint_words(lab, "--server", SERVERS[4], "--rate", 200, *options)
    made = while_idle(words, lab, state)
    assert made.status == 0, made
    r = read_json(lab.scratch / file)
    check_parts(r, TESTERS)
    return made, [one["trial"] for one in r["testers"]]


def senders(parts: list[Result]) -> list[tuple[Any, Any]]:
    """Returns CPUs and queues of each Tester's senders."""
    return [
        (part["circumstances"]["sender_cpus"], [lane["queue"] for lane in part["sending"]["lanes"]])
        for part in parts
    ]


def test_each_tester_takes_what_was_found_on_its_link(
    pair: Lab, state: str, cpus: list[str]
) -> None:
    """Each Tester's own records give its CPU and transmit queue, and each part says why."""
    made, parts = trial(pair, state)
    assert senders(parts) == [([int(cpu)], [1]) for cpu in cpus]
    for rank, part in enumerate(parts):
        why = part["circumstances"]["sender_cpus_why"]
        assert why.startswith("the self-test of ") and why.endswith("; it " + FOUND), why
        assert made.has(rf"^  sender +Tester {rank}: CPU {cpus[rank]}: .*; it {FOUND}$"), made


def test_options_win(pair: Lab, state: str, cpus: list[str]) -> None:
    """What the command line names is not asked of the records."""
    _, parts = trial(pair, state, "--sender-queues", "0")
    assert senders(parts) == [([int(cpu)], [0]) for cpu in cpus]
    _, parts = trial(pair, state, "--cpus", cpus[0])
    assert senders(parts) == [([int(cpus[0])], [0])] * TESTERS
    assert [part["circumstances"]["sender_cpus_why"] for part in parts] == [""] * TESTERS


def test_selftest_of_all_is_of_what_was_found(pair: Lab, state: str, cpus: list[str]) -> None:
    """The self-test of both has each one's CPU and queue in its set-up, and covers their search."""
    selftest = campaign(pair, MPI, "selftest", "--server", SERVERS[4], "--rate", 100)
    found = [([int(cpu)], [1]) for cpu in cpus]
    for _ in range(TRIES):
        made = selftest.run(PAIR, DNSGAUGE_STATE=state)
        assert made.status == 0, made
        setup = read_json(selftest.json)["setup"]
        senders_of_all = [
            (one["sender_cpus"], one["sender_queues"]) for one in (setup, *setup["other_testers"])
        ]
        # A self-test does not say that the best CPU was busy.
        if senders_of_all == found:
            break
    assert senders_of_all == found
    search = campaign(pair, MPI, "search", "--server", SERVERS[4], "--repeat", 1, *LOW)
    made = while_idle(search.words, pair, state)
    assert made.status == 0, made
    assert read_json(search.json)["selftest"]["covers"]
    assert made.has(rf"^  Tester 0: sender's CPU: .*; it {FOUND}$"), made


def test_a_sender_beside_the_other_ones_replies(pair: Lab, state: str, cpus: list[str]) -> None:
    """A Tester that sends from the CPU on which the other one receives leaves a doubt."""
    if cpus != ["0", "1"]:
        pytest.skip("--cpus {rank} needs CPUs 0 and 1")
    # Each reply on veth is received where the DUT sends it: on the CPU of whoever sent the query.
    made, _ = trial(pair, state, "--cpus", "{rank}")
    assert not made.has("on which replies to"), made
    record = ("--record", pair.new_folder() / "placement.json")
    threads = ("--interface", "d1", "--napi-threads", cpus[0])
    placed = pair.run("dut", DNSGAUGE, "placement", "apply", *threads, *record)
    assert placed.status == 0, placed
    made, _ = trial(pair, state, "--cpus", "{rank}")
    assert pair.run("dut", DNSGAUGE, "placement", "restore", *record).status == 0
    doubts = [line for line in made.text.splitlines() if "on which replies to" in line]
    assert len(doubts) == 1, made
    sends = r"Tester 0 \(.*\) sends from CPU 0, on which replies to Tester 1 \(.*\) are received: "
    assert re.search(sends, doubts[0]), doubts
