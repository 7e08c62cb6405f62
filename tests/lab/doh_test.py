# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge over HTTPS: BIND and FakeDNS count the same queries, and what is no reply has a count."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from laboratory import (
    DNSGAUGE,
    SERVER4,
    SERVER6,
    Lab,
    Result,
    SecureFakedns,
    check_all_valid,
    read_json,
)
from transport_test import (
    Certificate,
    certificate_of_dns_test,
    expect,
    made_capture,
    passive_opens,
    real_server,
    routed,
)

NAMES = "--names 10.0.0.0/20 --qtype A --duration 0.4".split()
STATISTICS = "http://127.0.0.1:8053/json/v1/server"

__all__ = ["certificate_of_dns_test"]  # a fixture


def speak_https(folder: Path, certificate: Certificate) -> None:
    """Has BIND's configuration offer DNS over HTTPS and statistics, too."""
    path, begin = folder / "named.conf", "options {\n"
    text = path.read_text(encoding="ascii")
    assert begin in text
    more = f'tls service {{ key-file "{certificate.key}"; cert-file "{certificate.file}"; }};\n'
    more += "statistics-channels { inet 127.0.0.1 port 8053; };\n"
    more += f"{begin}    listen-on port 443 tls service http default {{ {SERVER4}; }};\n"
    more += f"    listen-on-v6 port 443 tls service http default {{ {SERVER6}; }};\n"
    path.write_text(text.replace(begin, more, 1), encoding="ascii")


@pytest.fixture(scope="module", name="bind")
def bind_over_https(lab: Lab, certificate: Certificate) -> Iterator[None]:
    with real_server(lab, "bind9", lambda folder: speak_https(folder, certificate)):
        yield


def requests(lab: Lab) -> int:
    """Returns how many queries BIND has got, by its own count."""
    words = f"import urllib.request as u; print(u.urlopen('{STATISTICS}').read().decode())"
    said = lab.run("dut", "/usr/bin/python3", "-c", words)
    assert said.status == 0, said
    counts = json.loads(said.text)["nsstats"]
    return int(counts.get("Requestv4", 0) + counts.get("Requestv6", 0))


def expect_https(lab: Lab, status: int, server: str, *options: object) -> Result:
    """Makes a trial over HTTPS that ends with this exit status, and whose counts add up."""
    return expect(lab, status, server, *NAMES, *options, transport="doh")


@pytest.mark.parametrize(
    ("fault", "count"),
    [
        ("status=100%:503", "lost_http_status"),
        ("wrong-type=100%", "lost_http_type"),
        ("wrong-stream=100%", "lost_wrong_stream"),
        ("reset=100%:7", "lost_reset"),
        ("goaway=100%:7", "lost_goaway"),
    ],
)
def test_faults(lab: Lab, certificate: Certificate, fault: str, count: str) -> None:
    lab.stop_serving()
    files = ("--tls-certificate", str(certificate.file), "--tls-key", str(certificate.key))
    server = lab.serve(*files, "--https-port", "443", "--fault", fault)
    last = lab.new_result()
    r = expect_https(lab, 1, SERVER6, "--rate", 500, "--timeout", 1, "--connections", 2)
    lab.stop_serving()
    name = fault.split("=", maxsplit=1)[0]
    (met,) = re.findall(rf"^{name} +\d+ +(\d+)$", server.said(), re.M)
    counts = r["connections"]
    assert counts[count] == r["lost"] == r["sent"] - r["valid"] > 0
    # FakeDNS also counts the queries of trials that this machine's stalls spoiled.
    lost = sum(one["lost"] for one in lab.results_since(last))
    if name in ("reset", "goaway"):
        # Queries that were on their way to the server are lost, too.
        assert 0 < int(met) <= lost and r["valid"] > 0
    else:
        assert int(met) == lost and r["sent"] == r["lost"] == 200
        assert r["unexpected"] == (200 if name == "wrong-stream" else 0)
    assert counts["http"]["statuses"] == ({"503": 200} if name == "status" else {})
    assert (counts["goaways"] > 0) == (name == "goaway")


def test_series(lab: Lab) -> None:
    """Searches, sweeps and replays go over HTTPS, and FakeDNS counts alike."""
    server, capture = SecureFakedns(lab, ("--https-port", "443")), made_capture(lab)
    server.serve()
    common = f"--interface g0 --server {SERVER4} --transport doh --timeout 1 --beyond-selftest"
    common += " --max-lateness 60 --max-overrun 60 --max-others 100"
    names = "--names 10.0.0.0/16 --max-rate 500 --duration 0.2 --pause 0".split()
    answered = 0
    with routed(lab, SERVER4) as prefix:
        for words in (
            ["search", *names, "--min-rate", 250, "--resolution", 250, "--repeat", 1],
            ["sweep", *names, "--min-rate", 250, "--steps", 2],
            [*"replay --runs 1 --idle-timeout 0.05".split()]
            + ["--capture", capture, "--clients", prefix],
        ):
            file = lab.new_result()
            journal = ("--journal", lab.new_folder() / "journal", "--json", file)
            made = lab.run("tester", DNSGAUGE, *words, *common.split(), *journal)
            assert made.status == 0 and made.has("HTTPS"), made
            trials = read_json(file)["trials"]
            assert all(trial["answered"] == trial["sent"] > 0 for trial in trials), trials
            answered += sum(trial["sent"] for trial in trials)
    counts = server.counts()
    rows = [row for name, row in counts.items() if name.startswith("rcode-")]
    # The replay also asks for the server's version.
    assert sum(row[4] for row in rows) - counts["REFUSED"][4] == answered, counts
    assert sum(row[-1] for row in rows) == sum(row[4] for row in rows), counts


@pytest.mark.parametrize(
    ("server", "options"),
    [
        (SERVER4, "--rate 1000"),
        (SERVER6, "--rate 1000"),
        (SERVER6, "--rate 1000 --http-method get --connections 2"),
        (SERVER4, "--rate 100 --connections 3 --pipeline 1"),
        (SERVER6, "--rate 200 --queries-per-connection 7 --resumption ticket"),
    ],
)
@pytest.mark.usefixtures("bind")
def test_bind(lab: Lab, certificate: Certificate, server: str, options: str) -> None:
    asked, opened = requests(lab), passive_opens(lab)
    checked = ["--tls-name", "dns.test", "--tls-ca", certificate.file]
    r = expect_https(lab, 0, server, "--timeout", 2, *options.split(), *checked)
    opened = passive_opens(lab) - opened
    check_all_valid(r)
    assert requests(lab) - asked == r["sent"]
    counts = r["connections"]
    assert r["port"] == 443 and counts["opened"] == opened
    assert counts["tls"]["is_checked"] and counts["tls"]["suites"][0]["alpn"] == "h2"
    assert counts["http"]["url"] == "https://dns.test/dns-query"
    assert counts["http"]["statuses"] == {} and not counts["http"]["failure"]
    assert counts["tls_octets_sent"] > counts["http_octets_sent"] > counts["octets_sent"]
    if "--queries-per-connection" in options:
        assert counts["tls_resumed"] > 0 and opened >= r["sent"] // 7
    else:
        assert opened == counts["at_once"]
    assert "HTTP/2" in r["path"]["rtt_begins"]
    assert "queries over HTTPS, not UDP" in r["rfc8219"]["deviations"]


@pytest.mark.usefixtures("bind")
def test_other_responses(lab: Lab) -> None:
    """A path that the server does not have, and a port without TLS."""
    r = expect_https(lab, 1, SERVER4, "--rate", 500, "--timeout", 1, "--doh-path", "/other")
    counts = r["connections"]
    assert r["lost"] == r["sent"] == counts["lost_http_status"] == 200
    assert counts["http"]["statuses"] == {"404": 200}
    assert "200 lost: an HTTP status other than 200" in r["why"], r["why"]
    r = expect_https(lab, 1, SERVER6, "--rate", 500, "--port", 53, "--timeout", 0.5)
    counts = r["connections"]
    assert r["lost"] == r["sent"] == counts["lost_unopened"] == 200
    assert counts["tls_failed"] + counts["left_opening"] > 0


def test_nothing_is_left(lab: Lab) -> None:
    assert lab.has_no_leftovers()
