# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge and FakeDNS over TLS: both count the same queries and the same handshakes."""

import os

import pytest
from laboratory import (
    DNSGAUGE,
    SERVER4,
    SERVER6,
    SERVERS,
    Lab,
    SecureFakedns,
    check_all_valid,
    read_json,
)
from transport_test import (
    DOT,
    check_connections,
    expect_tls,
    made_capture,
    make_selftest,
    passive_opens,
    routed,
)

# What bears a busy machine.
PATIENT = "--timeout 2 --max-lateness 60 --max-overrun 60 --max-others 100".split()


@pytest.fixture(scope="module", name="dot")
def fakedns_over_tls(lab: Lab) -> SecureFakedns:
    return SecureFakedns(lab)


@pytest.fixture(name="checked")
def checked_certificate(dot: SecureFakedns) -> tuple[str, ...]:
    """Options of a Tester that checks the certificate."""
    return ("--tls-name", "dns64perf.test", "--tls-ca", dot.files["certificate"])


def over_tls(counts: dict[str, list[int]]) -> int:
    """Returns how many queries FakeDNS has answered over TLS. It has answered no others."""
    kinds = ("A", "AAAA", "SOA", "NODATA", "REFUSED", "NOTIMP")
    *others, tls, https, quic, all_paths = map(
        sum, zip(*(counts[kind] for kind in kinds), strict=True)
    )
    assert not any((*others, https, quic)) and tls == all_paths, counts
    return tls


def handshakes(counts: dict[str, list[int]]) -> int:
    """Returns how many handshakes FakeDNS has ended well."""
    return counts["handshakes-full"][-1] + counts["handshakes-resumed"][-1]


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("resumption", ["full", "ticket"])
def test_trial(
    lab: Lab, dot: SecureFakedns, checked: tuple[str, ...], server: str, resumption: str
) -> None:
    dot.serve()
    options = "--rate 1000 --duration 0.4 --timeout 2 --queries-per-connection 20".split()
    r = expect_tls(lab, 0, server, *options, *checked, "--resumption", resumption)
    check_all_valid(r)
    mine, counts = r["connections"], dot.counts()
    assert over_tls(counts) == counts["AAAA"][3] == r["sent"] == 400
    assert mine["opened"] >= 400 / 20 and mine["tls"]["is_checked"]
    # The last connections in their places carry no query, and may be reset before FakeDNS has seen
    # the end of their handshakes.
    assert mine["opened"] - mine["at_once"] <= handshakes(counts) <= mine["opened"], (mine, counts)
    assert 0 <= mine["tls_resumed"] - counts["handshakes-resumed"][-1] <= mine["at_once"]
    assert (mine["tls_resumed"] > 0) == (resumption == "ticket")


def test_search(lab: Lab, dot: SecureFakedns) -> None:
    dot.serve()
    file = lab.new_result()
    search = "search --names 10.0.0.0/16 --min-rate 500 --max-rate 1000 --repeat 1 --resolution 500"
    common = f"--interface g0 --server {SERVER6} --duration 0.2 --pause 0 --beyond-selftest"
    said = lab.run(
        *("tester", DNSGAUGE, *search.split(), *common.split(), *DOT, *PATIENT),
        *("--json", file, "--journal", lab.new_folder() / "journal"),
    )
    assert said.status == 0 and said.has("TLS"), said
    trials = read_json(file)["trials"]
    assert all(trial["answered"] == trial["sent"] for trial in trials) and len(trials) >= 2
    counts = dot.counts()
    assert over_tls(counts) == sum(trial["sent"] for trial in trials)
    assert handshakes(counts) == 10 * len(trials)


def test_replay_of_clients(lab: Lab, dot: SecureFakedns, checked: tuple[str, ...]) -> None:
    """Each client has connections of its own, which go on from its lane's tickets."""
    dot.serve()
    capture, file = made_capture(lab), lab.new_result()
    with routed(lab, SERVER4) as prefix:
        said = lab.run(
            *("tester", DNSGAUGE, "replay", "--interface", "g0", "--server", SERVER4, *DOT),
            *("--capture", capture, "--clients", prefix, "--runs", 1, "--idle-timeout", 0.05),
            *("--resumption", "ticket", "--beyond-selftest", *PATIENT, *checked, "--json", file),
            *("--journal", lab.new_folder() / "journal"),
        )
    assert said.status == 0 and said.has("TLS"), said
    trials = read_json(file)["trials"]
    counts = dot.counts()
    # The replay also asks for the server's version, to see whether the server answers its clients.
    assert over_tls(counts) - counts["REFUSED"][3] == sum(trial["sent"] for trial in trials), counts
    assert counts["handshakes-resumed"][-1] > 0 and handshakes(counts) > 20


def test_self_tests(lab: Lab, dot: SecureFakedns) -> None:
    """They cover trials over TLS with handshakes of the same kind."""
    state, cpu = lab.new_folder(), ("--cpus", min(os.sched_getaffinity(0)))
    lab.stop_serving()
    lab.serve("--tls-self-signed")
    setup = make_selftest(lab, state, *cpu, *DOT)["setup"]
    assert (setup["transport"], setup["resumption"]) == ("dot", "full")
    for resumption in ("full", "ticket"):
        words = (*DOT, *cpu, "--rate", 500, "--duration", 0.3, "--resumption", resumption)
        r = lab.trial(SERVER4, *words, DNSGAUGE_STATE=str(state)).result()
        assert r["selftest"]["covers"] == (resumption == "full"), r["selftest"]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("expired-certificate", "certificate has expired"),
        ("wrong-name", "hostname mismatch"),
        ("close-handshake", "the server closed the connection in the handshake"),
        ("stall-handshake", ""),
    ],
)
def test_faults_of_handshakes(
    dot: SecureFakedns, checked: tuple[str, ...], fault: str, why: str
) -> None:
    """Each connection that FakeDNS spoils fails, with the reason, and no other one does."""
    dot.serve("--fault", f"{fault}=50%")
    options = "--rate 100 --duration 0.5 --timeout 1 --queries-per-connection 1".split()
    r = expect_tls(dot.lab, 1, SERVER4, *options, *checked)
    mine, counts = r["connections"], dot.counts()
    assert why in mine["tls"]["failure"] and why in r["why"], (mine, r["why"])
    spoiled = counts[fault][0]
    assert (mine["tls_failed"] > 5) == bool(why), mine
    # The run's end may come before the Tester knows.
    unknown = mine["left_opening"] + mine["unanswered"]
    assert mine["tls_failed"] <= spoiled <= mine["tls_failed"] + unknown, (mine, spoiled)
    assert r["valid"] > 0 and r["lost"] == mine["lost_unopened"] == r["sent"] - r["valid"], r


def test_too_many_handshakes(lab: Lab, dot: SecureFakedns) -> None:
    """More than one CPU can make: the Tester says that it is the limit, and not that the server failed."""
    dot.serve()
    options = (*DOT, "--handshakes", "--rate", 10_000, "--duration", 0.3, "--timeout", 0.5)
    cpu = ("--cpus", min(os.sched_getaffinity(0)), "--max-lateness", 0.02)
    r = lab.trial(SERVER4, *options, *cpu, without=("--names",)).result()
    assert r["verdict"] == "invalid" and r["own_losses"]["late_openings"] > 0, r["why"]
    assert "the Tester was too slow with TLS handshakes" in r["why"], r["why"]


@pytest.mark.parametrize(("transport", "rate"), [("tcp", 300), ("dot", 50)])
def test_handshakes_alone(lab: Lab, dot: SecureFakedns, transport: str, rate: int) -> None:
    """FakeDNS has as many handshakes as the Tester, and no query."""
    dot.serve()
    before = passive_opens(lab)
    options = ("--transport", transport, "--handshakes", "--rate", rate, "--timeout", 2)
    made = lab.expect(0, SERVER6, *options, without=("--names",))
    r, counts = made.result(), dot.counts()
    mine = r["connections"]
    assert made.has(f"^{rate} connections/s for 1 s") and made.has(
        "every connection was opened"
    ), made
    assert r["sent"] == r["valid"] == r["rtt_ns"]["count"] == rate == passive_opens(lab) - before
    assert mine["opened"] == mine["closed"] + mine["left_open"] == mine["handshake_ns"]["count"]
    assert r["workload"] == {"kind": "handshakes"} and r["rcodes"] == {} and over_tls(counts) == 0
    check_connections(r)
    assert handshakes(counts) == mine["tls_full"] == (rate if transport == "dot" else 0), counts
    dot.serve("--fault", "refuse=100%")
    r = lab.expect(1, SERVER4, *DOT, *options[2:], without=("--names",)).result()
    assert r["lost"] == r["sent"] == r["connections"]["tls_failed"] == rate
    assert r["why"].startswith(f"{rate} of {rate} connections not opened in time"), r["why"]
