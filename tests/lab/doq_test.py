# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge over QUIC: FakeDNS and Knot DNS count the same queries. A build without QUIC (Debian 12) leaves this test
out."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from laboratory import (
    DNSGAUGE,
    SERVER4,
    SERVER6,
    SERVERS,
    Lab,
    Result,
    Started,
    check_all_valid,
    check_sums,
    read_json,
    wait_until,
)
from transport_test import expect_tls, make_selftest, real_server

DOQ = ("--transport", "doq")
NAMES = ("--names", "10.0.0.0/20", "--qtype", "A")


def expect(lab: Lab, status: int, server: str, *options: object) -> Result:
    """Makes a trial over QUIC that ends with this exit status, and whose counts add up."""
    r = expect_tls(lab, status, server, *options, transport="doq")
    assert all(suite["alpn"] == "doq" for suite in r["connections"]["tls"]["suites"])
    return r


# ---- FakeDNS

FAKEDNS = ("--tls-self-signed", "--quic-port", "853")


def counts_of(lab: Lab, server: Started) -> dict[str, list[int]]:
    """Ends FakeDNS. Returns its tables' rows."""
    lab.stop_serving()
    rows = re.findall(r"^(\S+)((?: +\d+)+)$", server.said(), re.M)
    return {name: [int(figure) for figure in figures.split()] for name, figures in rows}


def total(results: list[Result], name: str) -> int:
    """Returns the sum of a count over results. A server also counts the trials that this machine's stalls spoiled."""
    return sum({**one, **one["connections"], **one["invalid"]}[name] for one in results)


@pytest.mark.parametrize("server", SERVERS)
def test_fakedns(lab: Lab, server: str) -> None:
    """kdig asks first: a second opinion on FakeDNS."""
    fakedns = lab.serve(*FAKEDNS)
    name = "010-000-000-001.dns64perf.test"
    asked = lab.run("tester", "kdig", "+quic", "+short", f"@{server}", name, "A")
    assert asked.text.split() == ["10.0.0.1"], asked
    last = lab.new_result()
    r = expect(lab, 0, server, *NAMES, "--rate", 2000)
    check_all_valid(r)
    counts, made = counts_of(lab, fakedns), lab.results_since(last)
    assert counts["A"][5] == total(made, "sent") + 1 and counts["unsent"][5] == 0
    assert counts["handshakes-full"][5] == total(made, "opened") + 1 == 10 * len(made) + 1


def test_resumption(lab: Lab) -> None:
    fakedns = lab.serve(*FAKEDNS)
    last = lab.new_result()
    r = expect(
        *(lab, 0, SERVER4, *NAMES, "--rate", 50, "--queries-per-connection", 1),
        *("--resumption", "ticket", "--timeout", 5),
    )
    check_all_valid(r)
    counts, made = counts_of(lab, fakedns), lab.results_since(last)
    assert counts["handshakes-resumed"][5] == total(made, "tls_resumed") > 0
    assert counts["handshakes-full"][5] == total(made, "tls_full")


@pytest.mark.parametrize(
    ("fault", "count"),
    [
        ("reset=100%:20", "reset_by_server"),
        ("close=100%:20", "closed_by_server"),
        ("reset-stream=100%:20", "lost_reset"),
        ("wrong-stream=100%", ""),
        ("stall-handshake=100%", "left_opening"),
        ("refuse=100%", "refused"),
        ("split=100%", None),
        ("swap=100%", None),
    ],
)
def test_faults(lab: Lab, fault: str, count: str | None) -> None:
    """Tries faults of connections. A count of None means that the fault makes nothing wrong."""
    fakedns = lab.serve(*FAKEDNS, "--fault", fault)
    rate = 50 if fault.startswith("split") else 500  # 66 datagrams an answer
    options = (*NAMES, "--rate", rate, "--timeout", 2, "--connections", 2)
    last = lab.new_result()
    r = expect(lab, 1 if count is not None else 0, SERVER6, *options)
    counts, made = counts_of(lab, fakedns)[fault.split("=")[0]], lab.results_since(last)
    assert counts[0] > 0, counts
    found = {**r["connections"], **r["connections"]["quic"]}
    if count is None:
        check_all_valid(r)
        assert counts[1] == total(made, "sent")
    elif count:
        assert found[count] > 0, found
    if fault.startswith("reset-stream"):
        assert found["lost_reset"] == r["lost"] == r["sent"] - 40
        assert counts[1] == total(made, "lost")
    if fault.startswith("wrong-stream"):
        assert r["invalid"]["wrong_question"] == r["sent"]
        assert counts[1] == total(made, "wrong_question")


def test_fitness(lab: Lab) -> None:
    """Self-test and calibration over QUIC; FakeDNS' faults and delays are counted and timed."""
    lab.serve(*FAKEDNS)
    state = lab.new_folder()
    assert make_selftest(lab, state, *DOQ, "--connections", 5)["allowed_rate"] == 500
    lab.stop_serving()
    file = lab.new_result()
    words = f"calibrate --interface g0 --server {SERVER6} --fakedns-interface d0 --fakedns-netns {lab.name}-dut"
    words += " --min-rate 2000 --max-rate 2000 --duration 0.2 --timeout 0.1 --attempts 12"
    words += " --max-bias 0.004 --max-lateness 60 --max-overrun 60 --connections 3"
    said = lab.run(
        "tester", DNSGAUGE, *words.split(), "--json", file, *DOQ, DNSGAUGE_STATE=str(state)
    )
    assert said.status == 0, said
    r = read_json(file)
    for check in r["counting"]:
        assert check["counted"] == check["predicted"], check
    assert all(check["counted"][name] > 0 for name in ("valid", "late", "lost", "unexpected"))
    assert r["rtt"]["added_ns"] > r["rtt"]["quic_added_ns"] and r["rtt"]["tls_added_ns"] is None


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
    before, last = queries_over_quic(lab, knot), lab.new_result()
    r = expect(lab, 0, server, *NAMES, "--rate", 200)
    check_all_valid(r)
    assert queries_over_quic(lab, knot) - before == total(lab.results_since(last), "sent")
    assert r["connections"]["opened"] == r["connections"]["left_open"] == 10


@pytest.mark.parametrize(("resumption", "full"), [("full", 50), ("ticket", 10)])
def test_handshakes(lab: Lab, knot: Path, resumption: str, full: int) -> None:
    """Each query has a connection of its own."""
    r = expect(
        *(lab, 0, SERVER4, *NAMES, "--rate", 50, "--queries-per-connection", 1),
        *("--resumption", resumption, "--timeout", 5),
    )
    check_all_valid(r)
    counts = r["connections"]
    assert counts["closed"] >= 40 and counts["tls_full"] >= full, counts
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
