# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge over QUIC: Knot DNS counts the same queries. A build without QUIC (Debian 12) leaves this test out."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from laboratory import (
    SERVER4,
    SERVERS,
    Lab,
    Result,
    check_all_valid,
    check_sums,
    read_json,
    wait_until,
)
from transport_test import expect_tls, real_server

DOQ = ("--transport", "doq")
NAMES = ("--names", "10.0.0.0/20", "--qtype", "A")


def expect(lab: Lab, status: int, server: str, *options: object) -> Result:
    """Makes a trial over QUIC that ends with this exit status, and whose counts add up."""
    r = expect_tls(lab, status, server, *options, transport="doq")
    assert all(suite["alpn"] == "doq" for suite in r["connections"]["tls"]["suites"])
    return r


# ---- Knot DNS


def speak_quic(folder: Path) -> None:
    """Has Knot DNS answer over QUIC, too, and count by protocol."""
    path = folder / "knot.conf"
    text = path.read_text(encoding="ascii")
    listen = f"server:\n    listen-quic: [ {', '.join(SERVERS)} ]\n"
    stats = "mod-stats:\n  - id: default\n    request-protocol: on\ntemplate:\n"
    text = text.replace("server:\n", listen, 1).replace("template:\n", stats, 1)
    text = text.replace(
        "  - id: default\n    storage", "  - id: default\n    global-module: mod-stats\n    storage"
    )
    path.write_text(text, encoding="ascii")


def queries_over_quic(lab: Lab, folder: Path) -> int:
    """Returns how many queries Knot DNS has got over QUIC, by its own count."""
    said = lab.run("dut", "knotc", "-c", folder / "knot.conf", "stats")
    return sum(
        int(count) for count in re.findall(r"request-protocol\[quic[46]\] = (\d+)", said.text)
    )


@pytest.fixture(scope="module", name="knot")
def knot_over_quic(lab: Lab) -> Iterator[Path]:
    with real_server(lab, "knot", speak_quic) as (folder, _):
        yield folder


@pytest.mark.parametrize("server", SERVERS)
def test_knot(lab: Lab, knot: Path, server: str) -> None:
    """kdig asks first: a second opinion on the server."""
    name = "010-000-000-001.dns64perf.test"
    asked = lab.run("tester", "kdig", "+quic", "+short", f"@{server}", name, "A")
    assert asked.text.split() == ["10.0.0.1"], asked
    before = queries_over_quic(lab, knot)
    r = expect(lab, 0, server, *NAMES, "--rate", 200)
    check_all_valid(r)
    assert queries_over_quic(lab, knot) - before == r["sent"]
    assert r["connections"]["opened"] == r["connections"]["left_open"] == 10


@pytest.mark.parametrize(("resumption", "full"), [("full", 100), ("ticket", 10)])
def test_handshakes(lab: Lab, knot: Path, resumption: str, full: int) -> None:
    """Each query has a connection of its own."""
    r = expect(
        *(lab, 0, SERVER4, *NAMES, "--rate", 100, "--queries-per-connection", 1),
        *("--resumption", resumption),
    )
    check_all_valid(r)
    counts = r["connections"]
    assert counts["closed"] >= 90 and counts["tls_full"] >= full, counts
    assert (counts["tls_resumed"] == 0) == (resumption == "full"), counts


def test_silence(lab: Lab, knot: Path) -> None:
    """A server that stops answering fails, and its connections are counted."""
    pid = int((knot / "run/knot.pid").read_text(encoding="ascii"))
    before = queries_over_quic(lab, knot)
    file = lab.new_result()
    options = (*DOQ, *NAMES, "--rate", "200", "--timeout", "0.5", "--json", file)
    trial = lab.start("tester", *lab.trial_words("--server", SERVER4, *options))
    try:
        assert wait_until(lambda: queries_over_quic(lab, knot) > before), trial.said()
        os.kill(pid, signal.SIGSTOP)
        said = trial.wait()
    finally:
        os.kill(pid, signal.SIGCONT)
    assert said.status == 1, said
    r = read_json(file)
    check_sums(r)
    assert r["connections"]["quic"]["gone_silent"] == 10, r["connections"]
    assert r["connections"]["quic"]["unheeded"] > 10, r["connections"]
    assert "10 connections gone silent" in r["why"], r["why"]
