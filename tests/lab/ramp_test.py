# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ramps against FakeDNS whose limit is known exactly."""

import math

from laboratory import SERVER4, Lab, check_sums

LIMIT, FROM, TO, SECONDS = 2000, 1000, 8000, 4.0
WORDS = ("--pace", f"ramp={FROM}:{TO}", "--timeout", 0.3)


def test_where_a_limit_leaves_the_line(lab: Lab) -> None:
    """FakeDNS answers LIMIT queries a second, and as many at once before that. So it leaves the line when the queries
    above the limit are as many."""
    lab.serve("--rate-limit", str(LIMIT))
    made = lab.expect(1, SERVER4, *WORDS, "--duration", SECONDS, without=("--rate",))
    r = made.result()
    check_sums(r)
    assert r["pace"] == {"kind": "ramp", "from": FROM, "to": TO}
    assert r["sent"] == (FROM + TO) / 2 * SECONDS
    assert 100 <= len(r["intervals"]) <= 101  # the last query may be late
    growth = (TO - FROM) / SECONDS
    leaves = LIMIT + math.sqrt(2 * LIMIT * growth)
    ramp = r["ramp"]
    step = (TO - FROM) / 100
    assert ramp["high"] - 3 * step <= leaves <= ramp["high"] + step, (leaves, ramp)
    assert ramp["low"] <= LIMIT <= ramp["high"] and ramp["left"] <= leaves + step
    assert ramp["answered"] * 0.95 < LIMIT < ramp["answered"] * 1.05, ramp
    assert made.has(r"^  ramp +the server left the line at [0-9]+ queries/s, or between "), made


def test_a_server_that_stays_on_the_line(lab: Lab) -> None:
    lab.serve()
    made = lab.expect(0, SERVER4, *WORDS, "--duration", 1, without=("--rate",))
    assert made.result()["ramp"] == dict.fromkeys(("left", "low", "high", "answered"))
    assert made.has(f"^  ramp +no rate up to {TO} queries/s"), made
    lab.refused(
        "--pace ramp: .* --interval more than 0", "--names", "10.0.0.0/16", *WORDS, "--interval", 0
    )
