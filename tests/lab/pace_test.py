# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The paces of a trial, by when its queries were sent: how many, and at what distances. A sender may be late, and
never early."""

import csv
import math
import statistics
from pathlib import Path

import pytest
from laboratory import SERVER4, Lab, Result, Said, check_sums

STALL_NS = 20e6

Times = list[int]  # when the queries were sent, nanoseconds, by their number


def times_of(file: Path) -> Times:
    """Returns the times in a per-query file."""
    with file.open(encoding="ascii", newline="") as lines:
        rows = csv.DictReader(lines, delimiter=";")
        sent = {int(query["number"]): int(query["sent_ns"]) for query in rows}
    assert sorted(sent) == list(range(len(sent)))
    return [sent[number] for number in range(len(sent))]


def paced(
    lab: Lab, pace: str, *options: object, **how: tuple[str, ...]
) -> tuple[Result, Times, Said]:
    """Makes a trial whose queries are all answered. A stall of this machine moves many queries together, so such a
    trial, which says how late its latest query was, is made again."""
    file = lab.scratch / "queries.csv"
    words = ["--pace", pace, "--per-query", file, *options]
    for _ in range(5):
        made = lab.trial(SERVER4, *words, without=how.get("without", ()))
        r = made.result()
        check_sums(r)
        assert r["sent"] == r["valid"]
        if r["sending"]["lateness_ns"]["max"] < STALL_NS:
            return r, times_of(file), made
    raise AssertionError("this machine stalls again and again")


def check_late(r: Result, times: Times, due: Times) -> None:
    """Checks that no query was early, and none later than the result says."""
    late = [time - at for time, at in zip(times, due, strict=True)]
    assert min(late) >= -1
    assert max(late) <= r["sending"]["lateness_ns"]["max"] + 1


def check_poisson(r: Result, times: Times) -> None:
    """Checks that gaps are distributed like independent queries' gaps. Four standard errors are allowed."""
    mean = 1e9 / r["rate"]
    assert len(times) == r["rate"] * r["duration_s"]
    assert times == sorted(times)
    gaps = [after - before for before, after in zip(times, times[1:])]
    assert abs(statistics.fmean(gaps) / mean - 1) < 0.1
    for means in (0.5, 1, 2):
        right = math.exp(-means)
        share = sum(gap > means * mean for gap in gaps) / len(gaps)
        # A sender that was late makes a gap longer and the next ones shorter.
        allowed = 4 * math.sqrt(right * (1 - right) / len(times)) + 0.03
        assert abs(share - right) < allowed, (means, share, right)


def apart(one: Times, other: Times) -> float:
    """Returns how far the times of two trials lie apart, nanoseconds."""
    return statistics.median(abs(a - b) for a, b in zip(one, other, strict=True))


def test_constant(lab: Lab) -> None:
    lab.serve()
    r, times, _ = paced(lab, "constant")
    assert r["sent"] == 2000 and r["pace"] == {"kind": "constant"}
    check_late(r, times, [i * 10**9 // r["rate"] for i in range(len(times))])


def test_poisson(lab: Lab) -> None:
    lab.serve()
    r, times, made = paced(lab, "poisson")
    assert r["sent"] == 2000 and r["pace"] == {"kind": "poisson", "seed": 1}
    check_poisson(r, times)
    assert made.has(r"^AAAA 2000 queries/s at random \(Poisson, seed 1\) for 1 s")

    r, again, _ = paced(lab, "poisson=1")
    assert r["rfc8219"]["compliant"] is False
    check_poisson(r, again)
    assert apart(times, again) < 1e5, "the same seed gives the same times"

    r, other, _ = paced(lab, "poisson=2")
    assert r["pace"]["seed"] == 2
    check_poisson(r, other)
    assert apart(times, other) >= 1e5, "another seed gives others"


def test_steps(lab: Lab) -> None:
    lab.serve()
    options = ["--duration", 2, "--interval", 0.5]
    r, times, _ = paced(lab, "steps=500:2000:500", *options, without=("--rate",))
    assert r["sent"] == 2500 and r["rate"] == 1250
    assert r["pace"] == {"kind": "steps", "from": 500, "to": 2000, "step": 500}
    rates = range(500, 2001, 500)
    length = r["duration_s"] / len(rates)
    due = [
        round(1e9 * (step * length + i / rate))
        for step, rate in enumerate(rates)
        for i in range(math.floor(rate * length + 1e-9))
    ]
    check_late(r, times, due)


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        (
            "--rate 100 --pace steps=1:9:1",
            "--pace steps=1:9:1 has rates of its own: leave --rate out$",
        ),
        ("--pace poisson", "--rate is required: only --pace steps"),
        ("--rate 100 --pace slow", '--pace: "slow" is no pace: write constant, poisson'),
    ],
)
def test_refusals(lab: Lab, options: str, pattern: str) -> None:
    usual = "--names 10.0.0.0/16 --duration 1"
    lab.refused(f"^dnsgauge: {pattern}", *usual.split(), *options.split())
