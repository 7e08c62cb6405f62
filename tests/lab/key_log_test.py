# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials over TLS, HTTPS and QUIC, beside what tcpdump recorded at the server and tshark decodes by --key-log."""

import shutil
import signal
import time
from pathlib import Path

import pytest
from decode_capture import decode
from doh_test import speak_https
from doq_test import speak_quic
from laboratory import SERVER4, SERVER6, Lab, Result, check_sums, wait_until
from transport_test import (
    DOT,
    Certificate,
    certificate_of_dns_test,
    check_connections,
    real_server,
    speak_tls,
    start,
)

__all__ = ["certificate_of_dns_test"]  # a fixture
PORTS = {"dot": 853, "doh": 443, "doq": 853}
RESUMED = ("--resumption", "ticket", "--queries-per-connection", "15")

pytestmark = pytest.mark.skipif(
    not shutil.which("tshark"), reason="no tshark on this machine: see tools/install-packages"
)


def check_recorded(lab: Lab, server: str, transport: str, *options: str) -> Result:
    """Makes a trial beside a recording, which must have the same queries, answers and connections."""
    folder = lab.new_folder()
    capture, keys = folder / "recording.pcap", folder / "keys"
    words = ["tcpdump", "-i", "d0", "-U", "--time-stamp-precision", "nano", "-B", "16384"]
    words += ["-Z", "root", "-w", str(capture), f"port {PORTS[transport]}"]
    tcpdump = lab.start("dut", *words)
    assert wait_until(lambda: "listening on" in tcpdump.said()), tcpdump.said()
    trial = "--names 10.0.0.0/20 --qtype A --rate 500 --duration 0.4".split()
    trial += ["--transport", transport, "--key-log", str(keys)]
    r = lab.trial(server, *trial, *options).result()
    time.sleep(0.3)
    tcpdump.stop()
    assert "\n0 packets dropped by kernel" in tcpdump.said(), tcpdump.said()
    check_sums(r)
    check_connections(r)
    assert "the secrets of TLS written during the trial (--key-log)" in r["rfc8219"]["deviations"]
    found, counts = decode(capture, keys, PORTS[transport]), r["connections"]
    assert found.queries.total() == len(found.queries) == r["sent"] == 200
    answered = {"NOERROR": found.rcodes.pop("0"), "SERVFAIL": found.rcodes.pop("2", 0)}
    assert not found.rcodes and r["late"] == r["lost"] == 0
    assert {name: count for name, count in answered.items() if count} == r["rcodes"]
    assert found.empty == r["invalid"]["no_answer"] and len(found.rtts) == r["valid"]
    assert len(found.opened) == counts["opened"]
    assert len(found.resumed) == counts["tls_resumed"]
    # The server sees each query later than the Tester, and each reply earlier. The result's median is a bucket's.
    assert found.median_rtt() * 1e9 <= 1.01 * r["rtt_ns"]["p50"], (found.median_rtt(), r["rtt_ns"])
    assert r["rtt_ns"]["p50"] <= 2e9 * found.median_rtt() + 5e6, (found.median_rtt(), r["rtt_ns"])
    return r


@pytest.mark.parametrize(("server", "options"), [(SERVER4, RESUMED), (SERVER6, ())])
@pytest.mark.parametrize("transport", PORTS)
def test_fakedns(lab: Lab, transport: str, server: str, options: tuple[str, ...]) -> None:
    port = {"dot": (), "doh": ("--https-port", "443"), "doq": ("--quic-port", "853")}[transport]
    lab.serve("--tls-self-signed", *port, "--fault", "servfail=3%,empty=2%")
    r = check_recorded(lab, server, transport, *options)
    assert r["invalid"]["rcode"] > 0 and r["invalid"]["no_answer"] > 0
    assert (r["connections"]["tls_resumed"] > 0) == (options == RESUMED)


@pytest.mark.parametrize(
    ("transport", "server", "options"),
    [("dot", SERVER6, ()), ("doh", SERVER4, RESUMED), ("doq", SERVER6, RESUMED)],
)
def test_real_server(
    lab: Lab, certificate: Certificate, transport: str, server: str, options: tuple[str, ...]
) -> None:
    def speak(folder: Path) -> None:
        if transport == "dot":
            speak_tls("nsd", folder, certificate)
        elif transport == "doh":
            speak_https(folder, certificate)
        else:
            speak_quic(folder)

    with real_server(lab, {"dot": "nsd", "doh": "bind9", "doq": "knot"}[transport], speak):
        r = check_recorded(lab, server, transport, *options)
    assert r["valid"] == r["sent"]


def test_file(lab: Lab) -> None:
    """It is for its owner alone, grows from trial to trial, and is whole when a trial is killed."""
    lab.serve("--tls-self-signed")
    keys = lab.new_folder() / "keys"
    for lines in (50, 100):  # of TLS 1.3: five secrets for each of ten connections
        started, _ = start(lab, SERVER4, *DOT, "--key-log", keys, "--duration", 5)
        started.end(signal.SIGKILL)
        assert keys.stat().st_mode & 0o777 == 0o600
        assert keys.read_bytes().count(b"\n") == lines
    lab.refused(
        "^dnsgauge: --key-log belongs to --transport dot, doh or doq",
        *("--names", "10.0.0.0/16", "--rate", 100, "--key-log", keys),
    )
    lab.refused(
        "^dnsgauge: cannot write --key-log /nowhere/keys: No such file",
        *("--names", "10.0.0.0/16", "--rate", 100, *DOT, "--key-log", "/nowhere/keys"),
    )
