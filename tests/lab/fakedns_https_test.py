# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""FakeDNS over HTTPS: right answers, other clients, certificates, refusals, and faults of connections."""

import shutil

import pytest
from laboratory import BIN, SERVER4, SERVERS, Lab, SecureFakedns

CONNECTIONS = 3
QUERIES = 20
ALL = CONNECTIONS * QUERIES
NAME = "010-000-000-007.dns64perf.test"
URL = f"https://{SERVER4}/dns-query"


def ask(doh: SecureFakedns, server: str = SERVER4) -> dict[str, int]:
    return doh.ask("ask_over_https.py", server, CONNECTIONS, QUERIES)


@pytest.fixture(scope="module", name="doh")
def fakedns_over_https(lab: Lab) -> SecureFakedns:
    """The file's server."""
    return SecureFakedns(lab, ("--https-port", "443"))


@pytest.mark.parametrize("server", SERVERS)
def test_answers_are_right(doh: SecureFakedns, server: str) -> None:
    doh.serve()
    assert ask(doh, server) == {"right": ALL}
    counts = doh.counts()
    assert counts["A"] == [0, 0, 0, 0, ALL, 0, ALL]
    assert counts["handshakes-full"] == [0, 0, 0, 0, CONNECTIONS, 0, CONNECTIONS]


def test_other_clients(doh: SecureFakedns) -> None:
    doh.serve()
    asked = 0
    for tool, words in (
        ("kdig", ("kdig", f"@{SERVER4}", "+https", "+retry=0", NAME, "A")),
        ("kdig", ("kdig", f"@{SERVER4}", "+https-get", "+retry=0", NAME, "A")),
        (
            "curl",
            ("curl", "-sSkv", "--http2", "-o", "/dev/null", f"{URL}?dns=AAABAAABAAAAAAAAAAACAAE"),
        ),
    ):
        if not shutil.which(tool):
            continue
        said = doh.lab.run("tester", *words)
        right = "< HTTP/2 200" if tool == "curl" else r"^010-000-000-007\..*\sA\s+10\.0\.0\.7$"
        assert said.status == 0 and said.has(right), said
        asked += 1
    if not asked:
        pytest.skip("neither kdig nor curl on this machine: see tools/install-packages")
    counts = doh.counts()
    assert sum(counts[f"rcode-{name}"][4] for name in ("NOERROR", "REFUSED")) == asked


def test_an_expired_certificate(doh: SecureFakedns) -> None:
    doh.serve(certificate="expired")
    assert ask(doh) == {"no connection": CONNECTIONS}
    counts = doh.counts()
    assert counts["A"][-1] == 0 and counts["handshakes-failed"][4] == CONNECTIONS, counts


@pytest.mark.parametrize(
    ("fault", "came", "met"),
    [
        ("refuse=100%", {"no connection": CONNECTIONS}, 0),
        ("reset=100%:7", {"right": 3 * 7, "cut": 3 * 13, "reset": 3}, 3 * 13),
        ("close=100%:7", {"right": 3 * 7, "cut": 3 * 13, "closed": 3}, 3 * 13),
        ("stall=100%:7", {"right": 3 * 7, "silent": 3 * 13}, 3 * 13),
        # The last answered query was the seventh: streams are odd.
        ("goaway=100%:7", {"right": 3 * 7, "silent": 3 * 13, "goaway": 3, "last": 3 * 13}, 3 * 13),
        ("swap=100%", {"right": ALL, "early": ALL // 2}, ALL),
        ("wrong-stream=100%", {"wrong": ALL}, ALL),
        ("coalesce=100%:10", {"right": ALL}, ALL),
        ("split=100%", {"right": ALL}, ALL),
        ("wrong-type=100%", {"typed": ALL}, ALL),
        ("status=100%:500", {"refused": ALL}, ALL),
    ],
)
def test_faults_of_connections(
    doh: SecureFakedns, fault: str, came: dict[str, int], met: int
) -> None:
    doh.serve("--fault", fault)
    assert ask(doh) == came
    assert doh.counts()[fault.split("=")[0]] == [CONNECTIONS, met]


def test_faults_of_answers(doh: SecureFakedns) -> None:
    doh.serve("--fault", "loss=50%,delay=50%:200ms")
    came = ask(doh)
    counts = doh.counts()
    assert came["right"] == counts["delay"][2] and came["silent"] == counts["loss"][2]
    assert came["right"] + came["silent"] == ALL


def test_ports_are_refused(doh: SecureFakedns) -> None:
    doh.lab.stop_serving()
    files = ("--tls-certificate", doh.files["certificate"], "--tls-key", doh.files["key"])
    for words, why in (
        (("--https-port", "443"), "--https-port 443: give --tls-certificate"),
        (
            (*files, "--https-port", "853"),
            "TCP port 853 on d0 is in use: .* another --https-port",
        ),
    ):
        said = doh.lab.run("dut", BIN / "fakedns", "--interface", "d0", *words)
        assert said.status == 2 and said.has(why), said


def test_nothing_is_left(doh: SecureFakedns) -> None:
    doh.lab.stop_serving()
    assert doh.lab.has_no_leftovers()
