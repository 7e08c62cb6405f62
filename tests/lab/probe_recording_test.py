# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The probe against other witnesses of the same run: perf, which records the server's system calls, and tcpdump, which
records the packets at the server's interface. All three must count the same, and agree on times."""

import csv
import re
import shutil
import signal
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from laboratory import SERVER4, SERVERS, Lab, read_json
from probe_test import STAGES, started_probe
from transport_test import real_server

pytestmark = pytest.mark.more

# By their numbers on x86-64.
READS = {45: "recvfrom", 47: "recvmsg", 299: "recvmmsg"}
SENDS = {44: "sendto", 46: "sendmsg", 307: "sendmmsg"}
MICROSECOND = 1000
Key = tuple[int, int]
Times = dict[Key, int]


@dataclass
class Call:
    """A system call of the server: when it began and ended, and how many messages it moved."""

    since: int
    until: int
    messages: int


def packets(file: Path, is_ipv6: bool) -> tuple[Times, Times]:
    """Returns when queries arrived and replies left, by the client's port and the ID, by the machine's monotonic
    clock."""
    from scapy.utils import RawPcapReader  # takes a second

    # The capture's clock may be set; not within the second that the trial took.
    ahead = time.clock_gettime_ns(time.CLOCK_REALTIME) - time.monotonic_ns()
    udp = 14 + (40 if is_ipv6 else 20)
    found: tuple[Times, Times] = ({}, {})
    for octets, about in RawPcapReader(str(file)):
        source, target, _, _, number = (
            int.from_bytes(octets[at : at + 2], "big") for at in range(udp, udp + 10, 2)
        )
        is_reply = source == 53
        key = (target if is_reply else source, number)
        assert key not in found[is_reply], key
        found[is_reply][key] = about.sec * 10**9 + about.usec - ahead
    return found


def calls(text: str, threads: set[int], numbers: Iterable[int], many: int) -> list[Call]:
    """Returns the calls with these numbers that moved messages. `many` moves more than one at a time."""
    begun: dict[int, int] = {}
    done = []
    for thread, second, nano, event, number, result in re.findall(
        r"^ *(\d+) +(\d+)\.(\d+): +raw_syscalls:sys_(\w+): NR (\d+)(?: = (-?\d+))?", text, re.M
    ):
        if int(thread) not in threads or int(number) not in numbers:
            continue
        moment = int(second) * 10**9 + int(nano)
        if event == "enter":
            begun[int(thread)] = moment
        elif int(result) > 0 and int(thread) in begun:
            messages = int(result) if int(number) == many else 1
            done.append(Call(begun[int(thread)], moment, messages))
    return sorted(done, key=lambda call: call.until)


def check_calls(done: list[Call], times: Iterable[int], what: str) -> None:
    """Checks that each call moved as many messages as the probe has times within the call."""
    moments = sorted(times)
    # The clocks' distance is known to some microseconds.
    slack = 20 * MICROSECOND
    if sum(call.messages for call in done) != len(moments):
        others = [
            call
            for call in done
            if sum(call.since - slack <= moment <= call.until + slack for moment in moments)
            != call.messages
        ]
        pytest.fail(f"{what}: {len(moments)} times; other calls than the probe's: {others}")
    at, within = 0, 0
    for call in done:
        mine = moments[at : at + call.messages]
        at += call.messages
        within += sum(call.since - slack <= moment <= call.until + slack for moment in mine)
    print(f"{what}: {len(done)} calls, {within} of {len(moments)} times within their call")
    assert within >= 0.99 * len(moments), what


def check_times(differences: list[int], what: str) -> None:
    """Checks that two witnesses agree, but for what interrupts come between their looks."""
    far = sorted(abs(one) for one in differences)
    median, most = far[len(far) // 2], far[len(far) * 99 // 100]
    print(f"{what}: apart by {median} ns in the median, by {most} ns at the 99th percentile")
    assert median < 10 * MICROSECOND, what


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("kind", ["nsd", "knot"])
def test_other_witnesses(lab: Lab, kind: str, server: str) -> None:
    """Sixteen queries are open at a time. Knot reads several at once, NSD one after the other."""
    for program, package in (("perf", "linux-perf"), ("tcpdump", "tcpdump")):
        if not shutil.which(program):
            pytest.skip(f"no {program} on this machine: install the package {package}")
    lab.stop_serving()
    capture, recording = lab.scratch / "seen.pcap", lab.scratch / "calls.perf"
    numbers = " || ".join(f"id == {number}" for number in (*READS, *SENDS))
    events = [("-e", f"raw_syscalls:sys_{end}", "--filter", numbers) for end in ("enter", "exit")]
    with real_server(lab, kind, options=("--workers", "1")):
        alone, file, log = started_probe(lab)
        recorders = [
            lab.start(
                *("dut", "tcpdump", "-i", "d0", "-w", capture, "-U", "-B", "20000"),
                *("--time-stamp-precision=nano", "udp", "port", "53"),
            ),
            lab.start(
                *("dut", "perf", "record", "-a", "-k", "CLOCK_MONOTONIC", "-o", recording),
                *(word for event in events for word in event),
            ),
        ]
        time.sleep(2)
        names = ("--names", "10.0.0.0/20", "--qtype", "A", "--allow-repeats", "--timeout", "2")
        load = ("--pace", "window=16,rate=20000", "--duration", "1")
        r = lab.trial(server, *names, *load, without=("--rate",)).result()
        time.sleep(0.5)
        for one in (*recorders, alone):
            one.end(signal.SIGINT)
    script = lab.run(
        "dut", "perf", "script", "-i", recording, "--ns", "-F", "tid,time,event,trace"
    ).text
    threads = {thread["thread"] for thread in read_json(file)["probe"]["threads"]}
    came, left = packets(capture, server != SERVER4)

    seen: dict[str, Times] = defaultdict(dict)
    with log.open(encoding="ascii", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=";"):
            key = (int(row["port"]), int(row["id"]))
            stack, queue, wakeup, work, leave = (int(row[f"{name}_ns"] or 0) for name in STAGES)
            seen["came"][key] = int(row["arrived_ns"])
            seen["read"][key] = seen["came"][key] + stack + queue + wakeup
            seen["replied"][key] = seen["read"][key] + work
            seen["left"][key] = seen["replied"][key] + leave
    assert seen["came"].keys() == came.keys() == left.keys()
    assert len(came) == r["sent"] == r["valid"] + r["late"] > 0
    # The probe's times begin with the probe.
    start = int(statistics.median(came[key] - seen["came"][key] for key in came))
    check_times([came[key] - start - seen["came"][key] for key in came], "arrivals")
    check_times([left[key] - start - seen["left"][key] for key in came], "replies leaving")
    reads = calls(script, threads, READS, 299)
    check_calls(reads, (start + one for one in seen["read"].values()), "reads")
    sends = calls(script, threads, SENDS, 307)
    check_calls(sends, (start + one for one in seen["replied"].values()), "sends")
    # Queries of one call were read at one time.
    batches = Counter(Counter(seen["read"].values()).values())
    assert batches == Counter(call.messages for call in reads)
    assert (max(batches) > 1) == (kind == "knot"), batches
