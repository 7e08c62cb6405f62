# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Windows: closed loops of N open queries, by the answers that came and by what tcpdump recorded at the server."""

import os
import statistics
import struct
import sys
import time
from pathlib import Path

import pytest
from laboratory import SERVERS, Lab, Result, check_sums, read_lines, wait_until

DELAY = 0.02  # of each answer, seconds
DELAYED = ("--xdp-mode", "off", "--fault", f"delay=100%:{DELAY * 1e3:g}ms")
NO_RATE = ("--rate",)


def read_recording(path: Path) -> list[tuple[int, bool, bytes]]:
    """Returns the datagrams in a recording, by time: nanoseconds, whether it is a query, client's port with ID."""
    octets = path.read_bytes()
    assert struct.unpack("<I", octets[:4])[0] == 0xA1B23C4D
    found = []
    at = 24
    while at < len(octets):
        seconds, nanoseconds, size, _ = struct.unpack("<4I", octets[at : at + 16])
        frame = octets[at + 16 : at + 16 + size]
        at += 16 + size
        udp = frame[14 + (40 if frame[12:14] == b"\x86\xdd" else 20) :]
        is_query = udp[2:4] == b"\x00\x35"
        port = udp[0:2] if is_query else udp[2:4]
        found.append((seconds * 10**9 + nanoseconds, is_query, port + udp[8:10]))
    return sorted(found)


def most_open(path: Path) -> int:
    """Returns how many queries were open at once by a recording in which every query is answered, after a check that
    the next query soon takes the place of one that is answered."""
    waiting: set[bytes] = set()
    most = 0
    free: list[int] = []  # since when each free place is free
    empty = []  # for how long places were free, nanoseconds
    for at, is_query, key in read_recording(path):
        if is_query:
            waiting.add(key)
            if free:
                empty.append(at - free.pop(0))
        else:
            waiting.remove(key)
            free.append(at)
        most = max(most, len(waiting))
    assert not waiting and len(free) == most
    assert statistics.median(empty) < DELAY * 1e9 / 20, empty
    return most


def check_window(r: Result, places: int) -> None:
    """Checks the figures of a window beside each other."""
    check_sums(r)
    window = r["window"]
    assert window["places"] == places and window["mean_open"] <= places
    assert window["answered_rate"] == pytest.approx(r["valid"] * 1e9 / r["sending"]["duration_ns"])
    assert not [one for one in r["doubts"] if "open on average, but" in one], r["doubts"]


@pytest.mark.parametrize(("server", "places"), [(SERVERS[0], 8), (SERVERS[1], 100)])
def test_delay(lab: Lab, server: str, places: int) -> None:
    """The answers per second are N / delay, and no more than N queries are ever open."""
    lab.serve(*DELAYED)
    recording = lab.new_folder() / "recording.pcap"
    words = ["tcpdump", "-i", "d0", "-U", "--time-stamp-precision", "nano", "-B", "16384"]
    tcpdump = lab.start("dut", *words, "-Z", "root", "-w", recording, "udp port 53")
    assert wait_until(lambda: "listening on" in tcpdump.said()), tcpdump.said()
    made = lab.trial(server, "--pace", f"window={places}", "--duration", 2, without=NO_RATE)
    time.sleep(0.3)
    tcpdump.stop()
    r = made.result()
    check_window(r, places)
    assert made.status == 0 and r["sent"] == r["valid"], made
    assert r["pace"] == {"kind": "window", "window": places, "most": None}
    # Each turn takes a little longer than the delay.
    assert 0.6 * places / DELAY < r["window"]["answered_rate"] < 1.05 * places / DELAY
    assert most_open(recording) == places
    assert len(read_recording(recording)) == 2 * r["sent"]


@pytest.mark.parametrize("fault", [f"delay=100%:{DELAY * 1e3:g}ms", "loss=10%"])
def test_tcp(lab: Lab, fault: str) -> None:
    """Windows over connections keep N queries open, too."""
    lab.serve("--fault", fault)
    options = ["--pace", "window=8", "--transport", "tcp", "--timeout", 0.1]
    r = lab.trial(SERVERS[0], *options, without=NO_RATE).result()
    check_window(r, 8)
    if "delay" in fault:
        assert r["sent"] == r["valid"]
        assert 0.6 * 8 / DELAY < r["window"]["answered_rate"] < 1.05 * 8 / DELAY
    else:
        assert r["sent"] == r["valid"] + r["lost"] and 40 < r["lost"] <= 88


def test_losses(lab: Lab) -> None:
    """A lost query frees its place when its timeout has passed: the window goes on until the end."""
    lab.serve("--fault", "loss=10%")
    options = ["--pace", "window=10", "--duration", 1, "--timeout", 0.05, "--interval", 0.25]
    r = lab.trial(SERVERS[0], *options, without=NO_RATE).result()
    check_window(r, 10)
    assert r["verdict"] == "fail" and r["sent"] == r["valid"] + r["lost"]
    # Ten places can lose a query each in 50 ms.
    assert 100 < r["lost"] <= 210
    assert len(r["intervals"]) == 4 and all(part["lost"] > 20 for part in r["intervals"])


def test_neighbour(lab: Lab) -> None:
    """Others on the Tester's CPU make a window that fails invalid, and the reason names them."""
    lab.serve("--fault", "loss=1%")
    cpu = min(os.sched_getaffinity(0))
    burner = lab.start(
        "tester",
        "nice",
        "-n",
        "-20",
        "taskset",
        "-c",
        cpu,
        sys.executable,
        "-c",
        "while True: pass",
    )
    try:
        options = ["--pace", "window=8", "--timeout", 0.5, "--cpus", cpu, "--max-others", 5]
        made = lab.trial(SERVERS[0], *options, without=NO_RATE)
    finally:
        burner.stop()
    r = made.result()
    check_sums(r)
    assert r["verdict"] == "invalid" and r["lost"] > 0, made
    assert f"python3 (process {burner.process.pid})" in r["why"] and f"CPU {cpu}" in r["why"], made


def test_rate(lab: Lab) -> None:
    """A window with a rate does not exceed it. Its last query may be one that the first gap leaves room for."""
    lab.serve()
    file = lab.new_result()
    options = ["--pace", "window=5,rate=1k", "--dns-metrics", file.with_suffix(".lines")]
    made = lab.trial(SERVERS[0], *options, without=NO_RATE)
    r = made.result()
    check_window(r, 5)
    assert not [one for one in r["doubts"] if "may answer more" in one], r["doubts"]
    assert made.has(r"^AAAA window of 5 queries at 1000 queries/s or less for 1 s"), made
    assert r["pace"] == {"kind": "window", "window": 5, "most": 1000}
    assert 900 <= r["sent"] <= 1000
    assert read_lines(file.with_suffix(".lines"))


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_more_places_than_the_rate_needs(lab: Lab, transport: str) -> None:
    """Nearly all places stay free, so nobody looks for free ones."""
    lab.serve()
    options = ["--pace", "window=100,rate=1k", "--transport", transport]
    check_window(lab.trial(SERVERS[0], *options, without=NO_RATE).result(), 100)


def test_names_end(lab: Lab) -> None:
    """A window ends with the last name."""
    lab.serve()
    options = ["--pace", "window=20", "--names", "10.0.0.0/22", "--duration", 5]
    r = lab.trial(SERVERS[1], *options, without=NO_RATE).result()
    # The whole trial takes a millisecond, of which a stall may be the most: averages say nothing.
    check_sums(r)
    assert (
        r["window"]["places"] == 20
        and r["sent"] == r["valid"] == 1024
        and r["sending"]["duration_ns"] < 4e9
    )


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ("--rate 100 --pace window=5", "--pace window sends as fast .* --pace window=5,rate=100"),
        ("--pace window=0", '--pace: "window=0": each sender keeps 1 to 10000 queries open'),
        (
            "--pace window=5 --transport tcp --queries-per-connection 3",
            "--pace window=5 with connections that end .* --pace window=5,rate=R",
        ),
        ("--pace window=5 --catch-up 2", "--catch-up: a window has no overdue queries"),
    ],
)
def test_refusals(lab: Lab, options: str, pattern: str) -> None:
    usual = "--names 10.0.0.0/16 --duration 1"
    lab.refused(f"^dnsgauge: {pattern}", *usual.split(), *options.split())
