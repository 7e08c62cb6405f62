# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""FakeDNS over TLS: right answers, tickets, certificates, and faults of connections."""

import shutil

import pytest
from laboratory import BIN, SERVER4, SERVERS, Lab, Said, SecureFakedns

CONNECTIONS = 5
QUERIES = 20


def ask(dot: SecureFakedns, server: str) -> dict[str, int]:
    return dot.ask("ask_over_tls.py", server, CONNECTIONS, QUERIES)


def kdig(dot: SecureFakedns, server: str) -> Said:
    """Asks as somebody does who checks the certificate."""
    if not shutil.which("kdig"):
        pytest.skip("no kdig on this machine: see tools/install-packages")
    return dot.lab.run(
        *("tester", "kdig", f"@{server}", "+tls-hostname=dns64perf.test", "+retry=0"),
        *(f"+tls-ca={dot.files['certificate']}", "010-000-000-007.dns64perf.test", "A"),
    )


@pytest.fixture(scope="module", name="dot")
def fakedns_over_tls(lab: Lab) -> SecureFakedns:
    """The file's server."""
    return SecureFakedns(lab)


@pytest.mark.parametrize("server", SERVERS)
def test_tickets_spare_handshakes(dot: SecureFakedns, server: str) -> None:
    dot.serve()
    came = ask(dot, server)
    assert came == {"right": CONNECTIONS * QUERIES, "cut": 0, "resumed": CONNECTIONS - 1}
    counts = dot.counts()
    assert counts["A"] == [0, 0, 0, CONNECTIONS * QUERIES, 0, 0, CONNECTIONS * QUERIES]
    assert counts["handshakes-full"] == [0, 0, 0, 1, 0, 0, 1]
    assert counts["handshakes-resumed"][-1] == CONNECTIONS - 1
    assert counts["handshakes-failed"][-1] == 0


def test_no_tickets(dot: SecureFakedns) -> None:
    dot.serve("--fault", "no-resumption=100%")
    assert ask(dot, SERVER4)["resumed"] == 0
    counts = dot.counts()
    assert counts["handshakes-full"][-1] == CONNECTIONS and counts["handshakes-resumed"][-1] == 0
    assert counts["no-resumption"] == [CONNECTIONS, 0]


@pytest.mark.parametrize("server", SERVERS)
def test_certificates(dot: SecureFakedns, server: str) -> None:
    dot.serve()
    said = kdig(dot, server)
    assert said.status == 0 and said.has(r"^010-000-000-007\..*\sA\s+10\.0\.0\.7$"), said
    dot.serve(certificate="expired")
    said = kdig(dot, server)
    assert said.status != 0 and said.has("[Ee]rror in the certificate|expired"), said
    counts = dot.counts()
    assert counts["A"][-1] == 0 and counts["handshakes-failed"][-1] >= 1, counts


@pytest.mark.parametrize(
    ("fault", "right", "met"),
    [
        ("close=100%:7", 7, QUERIES - 7),
        ("swap=100%", QUERIES, QUERIES),
        ("coalesce=100%:10", QUERIES, QUERIES),
        ("split=100%", QUERIES, QUERIES),
    ],
)
def test_faults_inside_tls(dot: SecureFakedns, fault: str, right: int, met: int) -> None:
    dot.serve("--fault", fault)
    came = ask(dot, SERVER4)
    assert came["right"] == CONNECTIONS * right
    assert came["cut"] == (CONNECTIONS if right < QUERIES else 0)
    assert dot.counts()[fault.split("=")[0]] == [CONNECTIONS, CONNECTIONS * met]


def test_wrong_files_are_refused(dot: SecureFakedns) -> None:
    dot.lab.stop_serving()
    key = ("--tls-key", dot.files["key"])
    for words, why in (
        (("--tls-certificate", "/nowhere", *key), "--tls-certificate /nowhere: No such file"),
        (("--tls-certificate", dot.files["certificate"]), "--tls-certificate needs --tls-key"),
        (key, "--tls-key needs --tls-certificate"),
        (
            ("--tls-certificate", dot.files["certificate"], *key, "--tls-port", "53"),
            "TCP port 53 on d0 is in use: .* another --tls-port",
        ),
    ):
        said = dot.lab.run("dut", BIN / "fakedns", "--interface", "d0", *words)
        assert said.status == 2 and said.has(why), said


def test_nothing_is_left(dot: SecureFakedns) -> None:
    dot.lab.stop_serving()
    assert dot.lab.has_no_leftovers()
