# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Peers over QUIC that mean harm: clients of FakeDNS, and servers of dnsgauge. They cost bounded memory, get what QUIC
and RFC 9250 want, and spoil no count of others. A build without QUIC (Debian 12) leaves this test out."""

import contextlib
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from doq_test import DOQ, FAKEDNS, NAMES, counts_of, expect
from laboratory import (
    HERE,
    SERVER4,
    Lab,
    Result,
    Started,
    check_all_valid,
    check_sums,
    read_json,
    wait_until,
)
from transport_test import (
    Certificate,
    certificate_of_dns_test,
    check_connections,
    peak_memory,
    serving,
    told,
)

__all__ = ["certificate_of_dns_test"]  # a fixture

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("aioquic") is None,
    reason="no python3-aioquic on this machine: see tools/install-packages",
)

# ---- clients

CONNECTIONS = 100  # that FakeDNS has at a time
ROOM = 32 * 1024  # KiB, for all of them


def memory_of(pid: int) -> int:
    """Returns the most memory that a process had until now, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.M)
    assert found
    return int(found[1])


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("initials", {"right": 2}),
        ("silent", {}),
        ("displaced", {}),
        ("crypto-gaps", {}),
        ("crypto-far", {}),
        ("crypto-beyond", {"closed": 0x0D}),  # CRYPTO_BUFFER_EXCEEDED
        ("crypto-late", {}),
        ("close-amid", {}),
        ("garbage", {}),
        ("versions", {}),
        ("unfinished", {}),
        ("gaps", {"closed": 0x01}),  # INTERNAL_ERROR: ngtcp2 keeps 5,000 gaps
        ("octets", {"right": 20}),
        ("two", {"closed": 2}),  # DOQ_PROTOCOL_ERROR
        ("second-later", {"closed": 2}),
        ("uni", {"closed": 0x04}),  # STREAM_LIMIT_ERROR
        ("servers-stream", {"closed": 0x05}),  # STREAM_STATE_ERROR
        ("too-many", {"closed": 0x04}),
        ("too-much", {"closed": 0x03}),  # FLOW_CONTROL_ERROR
        ("resets", {"right": 1}),
        ("deaf", {}),
        ("frames", {}),
        ("ids", {"closed": 0x0A}),  # PROTOCOL_VIOLATION
    ],
)
def test_client(lab: Lab, way: str, expected: dict[str, int]) -> None:
    """An honest client beside it gets all answers. Nobody gets more than three times the octets that he sent before his
    address is known."""
    lab.stop_serving()
    fakedns = lab.serve(*FAKEDNS, "--tcp-connections", str(CONNECTIONS))
    check_all_valid(expect(lab, 0, SERVER4, *NAMES, "--rate", 200))
    before = memory_of(fakedns.process.pid)
    program = HERE / "hostile_quic_client.py"
    attack = lab.start("tester", "/usr/bin/python3", program, SERVER4, way)
    check_all_valid(expect(lab, 0, SERVER4, *NAMES, "--rate", 200))
    said = attack.wait()
    assert said.status == 0, said
    did = json.loads(said.text.splitlines()[-1])
    check_all_valid(expect(lab, 0, SERVER4, *NAMES, "--rate", 200))
    assert memory_of(fakedns.process.pid) < before + ROOM, (before, did)
    assert {name: did[name] for name in expected} == expected, did
    assert did["sent"] > 0 and did.get("share", 0) <= 300, did
    counts = counts_of(lab, fakedns)
    if way == "initials":
        assert counts["handshakes-failed"][5] >= 1400, counts
    assert counts["handshakes-full"][5] >= 30, counts


# ---- servers

OPTIONS = "--rate 20 --duration 0.5 --timeout 0.5 --connections 1".split()


def memory_of_trial(lab: Lab, *options: str) -> tuple[int, Path]:
    """Makes a trial. Returns the most memory that it had, in KiB, and its result's file."""
    file = lab.new_result()
    words = lab.trial_words(
        "--server", SERVER4, "--json", file, *DOQ, *NAMES, *(options or OPTIONS)
    )
    trial = lab.start("tester", *words)
    memory = peak_memory(trial)
    assert file.exists(), trial.said()
    return memory, file


@pytest.fixture(scope="module", name="usual_memory")
def usual_memory_of_trials(lab: Lab) -> Iterator[int]:
    lab.serve(*FAKEDNS)
    yield memory_of_trial(lab)[0]


ALL = 10  # queries
BROKEN = "the server broke QUIC's rules"


@contextlib.contextmanager
def harm(lab: Lab, certificate: Certificate, way: str) -> Iterator[Started]:
    program = HERE / "hostile_quic_server.py"
    words = ["/usr/bin/python3", program, SERVER4, certificate.key, certificate.file, way]
    with serving(lab, words) as server:
        assert wait_until(lambda: "ready" in server.said(), 30), server.said()
        yield server


def checked(file: Path, memory: int, most: int) -> Result:
    """Returns the result of a trial that took less than `most` KiB of memory."""
    r = read_json(file)
    check_sums(r)
    check_connections(r)
    assert memory < most, (memory, most)
    return r


@pytest.mark.parametrize(
    ("way", "count", "why"),
    [
        ("right", "valid", ""),
        ("forged-reset", "valid", ""),
        ("parameters", "valid", ""),
        ("refuse", "lost", ""),
        ("endless", "lost", ""),
        ("nothing", "lost", ""),
        ("no-handshake", "lost", ""),
        ("garbage", "lost", ""),
        ("other-stream", "wrong_question", ""),
        ("too-short", "wrong_question", ""),
        ("too-long", "lost_cut", "their stream ended without a whole reply"),
        ("no-length", "lost_cut", "their stream ended without a whole reply"),
        ("twice", "surplus", ""),
        ("no-end", "malformed", ""),
        ("other-id", "wrong_ids", "another message ID than 0"),
        ("reset", "lost_reset", "the server reset their stream"),
        ("too-much", "rules_broken", f"{BROKEN} (ERR_FLOW_CONTROL)"),
        ("gaps", "lost_broken", "ngtcp2 gave the connection up"),
        ("reset-lying", "rules_broken", f"{BROKEN} (ERR_FINAL_SIZE)"),
        ("own-stream", "rules_broken", f"{BROKEN} (ERR_STREAM_LIMIT)"),
        ("own-uni", "rules_broken", f"{BROKEN} (ERR_STREAM_LIMIT)"),
        ("unopened", "rules_broken", f"{BROKEN} (ERR_STREAM_STATE)"),
        ("broken-frame", "rules_broken", f"{BROKEN} (ERR_FRAME_ENCODING)"),
        ("close-odd", "other_error", "closed with another error of DoQ"),
        ("close-quic", "transport_error", "closed with an error of QUIC"),
        ("close-load", "excessive_load", "closed for excessive load"),
        ("crypto-far", "rules_broken", f"{BROKEN} (ERR_CRYPTO_BUFFER_EXCEEDED)"),
        ("tickets", "tls_broken", "QUIC failed first for this reason: Decode error"),
        ("idle", "timed_out", ""),
        ("versions", "lost_unopened", "the server has no QUIC of version 1"),
        ("other-alpn", "tls_failed", "the server refused TLS: Handshake failed"),
    ],
)
def test_server(
    lab: Lab, certificate: Certificate, usual_memory: int, way: str, count: str, why: str
) -> None:
    """Each way has a count, and ways that a user can mend have words."""
    with harm(lab, certificate, way) as server:
        memory, file = memory_of_trial(lab)
        counts = told(server)
    r = checked(file, memory, usual_memory + 16 * 1024)
    found = {**r["invalid"], **r["connections"], **r["connections"]["quic"]}
    found |= {name: r[name] for name in ("valid", "lost")}
    assert r["sent"] == ALL and counts["connections"] > 0, (r, counts)
    if count in ("valid", "lost", "lost_cut", "lost_reset", "surplus", "wrong_ids"):
        assert found[count] == ALL, found
    assert found[count] > 0 and why in r["why"], (found, r["why"])
    is_right = way in ("right", "forged-reset", "parameters", "twice", "idle")
    assert r["verdict"] == ("pass" if is_right else "fail"), (found, r["why"])


def test_streams_that_never_end(lab: Lab, certificate: Certificate, usual_memory: int) -> None:
    """dnsgauge keeps 10,000 of them on a connection, and then ends it."""
    options = "--rate 2000 --duration 8 --timeout 1 --connections 1 --allow-repeats".split()
    with harm(lab, certificate, "unended"):
        memory, file = memory_of_trial(lab, *options)
    r = checked(file, memory, usual_memory + 32 * 1024)
    assert r["connections"]["quic"]["rules_broken"] == 1, r["connections"]
    assert "the server did not end 10001 streams" in r["connections"]["tls"]["failure"], r["why"]


def test_challenges(lab: Lab, certificate: Certificate, usual_memory: int) -> None:
    """The answers to PATH_CHALLENGE frames fill QUIC's congestion window until the server acknowledges them, which this
    server does late, when it is probed. Queries that are due meanwhile wait, and all are answered.
    """
    options = "--rate 20 --duration 0.5 --timeout 5 --connections 1".split()
    with harm(lab, certificate, "challenges"):
        memory, file = memory_of_trial(lab, *options)
    r = checked(file, memory, usual_memory + 16 * 1024)
    assert r["valid"] == r["sent"] == ALL, r["why"]
    assert r["connections"]["quic"]["datagrams_received"] >= 300 * ALL, r["connections"]
