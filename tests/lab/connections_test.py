# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Delayed acknowledgements, short listen queues, EDNS options of connections, captures over two transports, and
resolvers over TLS."""

import re
import shutil
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from laboratory import (
    BIN,
    SERVER4,
    SERVERS,
    TRIES,
    Lab,
    check_all_valid,
    check_sums,
    is_spoiled,
    read_json,
    wait_until,
)
from transport_test import (
    DOT,
    TCP,
    answers,
    check_connections,
    passive_opens,
    serving,
    stream_server,
)


@pytest.fixture(scope="module", name="tls_files")
def files_of_tls(lab: Lab) -> tuple[str, str, str, str]:
    """The options of a server that speaks TLS."""
    files = lab.new_certificates()
    return ("--tls-certificate", files["certificate"], "--tls-key", files["key"])


# ---- acknowledgements, and listen queues


def median_rtt(lab: Lab, acks: str) -> float:
    """Returns the median RTT of a query each 20 ms on one connection."""
    options = ("--rate", 50, "--connections", 1, "--duration", 0.8, "--acks", acks)
    r = lab.trial(SERVER4, *TCP, *options).result()
    check_sums(r)
    check_connections(r)
    assert r["valid"] == r["sent"] == 40 and r["connections"]["acks"] == acks, r
    return float(r["rtt_ns"]["p50"])


def test_delayed_acknowledgements_hold_replies(lab: Lab) -> None:
    """The server writes a reply in two parts, with Nagle's algorithm: the second part waits until the Tester has
    acknowledged the first one, which it does with its next query. A machine that stalls hides that.
    """
    with stream_server(lab, SERVER4, "halves"):
        for _ in range(TRIES):
            delayed, quick = median_rtt(lab, "delayed"), median_rtt(lab, "quick")
            if quick < 10e6 < 20e6 < delayed < 23e6:
                break
    assert quick < 10e6 < 20e6 < delayed < 23e6, (quick, delayed)


@pytest.fixture(name="short_queues")
def listen_queues_of_one(lab: Lab) -> Iterator[None]:
    """Servers that start on the DUT have the shortest listen queues."""
    names = ("net.core.somaxconn", "net.ipv4.tcp_syncookies")
    before = [lab.run("dut", "sysctl", "-n", name).text.strip() for name in names]
    for name, value in zip(names, ("1", "0"), strict=True):
        assert lab.run("dut", "sysctl", "-qw", f"{name}={value}").status == 0
    yield
    for name, value in zip(names, before, strict=True):
        lab.run("dut", "sysctl", "-qw", f"{name}={value}")


@pytest.mark.usefixtures("short_queues")
def test_a_short_listen_queue(lab: Lab) -> None:
    """A server that accepts nothing for a moment lets two connections into its queue. The kernel of the others sends
    its SYN again after a second."""
    options = ("--rate", 100, "--duration", 0.2, "--timeout", 3)
    for _ in range(TRIES):
        lab.stop_serving()
        server = lab.serve()
        file = lab.new_result()
        before = passive_opens(lab)
        server.process.send_signal(signal.SIGSTOP)
        words = lab.trial_words("--server", SERVER4, "--json", file, *TCP, *options)
        started = lab.start("tester", *words)
        assert wait_until(lambda: passive_opens(lab) > before), started.said()  # noqa: B023
        time.sleep(0.3)
        server.process.send_signal(signal.SIGCONT)
        said = started.wait()
        lab.stop_serving()
        r = read_json(file)
        if not is_spoiled(r):
            break
    check_connections(r)
    check_all_valid(r)
    counts = r["connections"]
    assert counts["opened"] == 10 and counts["unanswered"] == 0, counts
    assert counts["syn_retransmissions"] >= 6 and counts["handshake_ns"]["p50"] > 1e9, counts
    assert said.has("SYN segments retransmitted"), said


# ---- EDNS options of connections

UDP_KEEPALIVE = "--names 10.0.0.0/24 --types A=100 --rate 10 --duration 1 --edns-options keepalive"


@pytest.mark.parametrize("server", SERVERS)
def test_padding_and_keepalive(lab: Lab, tls_files: tuple[str, ...], server: str) -> None:
    """Queries are padded to 128 octets, and FakeDNS' answers to 468 inside TLS alone. FakeDNS closes connections that
    were idle for 7 s."""
    lab.serve("--tcp-idle", "7", *tls_files)
    options = (
        "--edns-options",
        "padding,keepalive",
        "--types",
        "A=100",
        "--rate",
        500,
        "--duration",
        0.4,
    )
    for transport in (TCP, DOT):
        made = lab.expect(0, server, *transport, *options, "--timeout", 2)
        r = made.result()
        check_all_valid(r)
        check_connections(r)
        assert r["workload"]["edns_options"] == "padding,keepalive"
        assert made.has("^ +EDNS +padding,keepalive"), made
        counts, replies = r["connections"], r["replies"]
        assert counts["octets_sent"] == 200 * (2 + 128), counts
        told = counts["keepalive_ns"]
        assert told["count"] == 200 and told["min"] == told["max"] == 7_000_000_000, told
        assert made.has("200 replies named the server's idle timeout: 7"), made
        if transport is DOT:
            assert replies["octets"]["min"] == replies["octets"]["max"] == 468, replies
        else:
            assert replies["octets"]["max"] < 128, replies
    lab.refused("--transport tcp or dot", *UDP_KEEPALIVE.split())


# ---- captures over UDP and TCP at once


def write_capture(file: Path, over_tcp: list[bool]) -> None:
    """Writes queries of ten clients, one each 2 ms, as packets of IPv4, without checksums."""
    with file.open("wb") as capture:
        capture.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
        for number, is_tcp in enumerate(over_tcp):
            name = b"\x0f010-000-000-%03d\x09dns64perf\x04test\x00" % (number % 256)
            query = struct.pack("!6H", number, 0, 1, 0, 0, 0) + name + b"\x00\x01\x00\x01"
            ports = struct.pack("!HH", 2000 + number, 53)
            if is_tcp:
                head = ports + struct.pack("!IIBBHHH", 1, 1, 0x50, 0x18, 1000, 0, 0)
                data = head + struct.pack("!H", len(query)) + query
            else:
                data = ports + struct.pack("!HH", 8 + len(query), 0) + query
            addresses = bytes([192, 0, 2, number % 10, 198, 51, 100, 1])
            kind = (0x4500, 20 + len(data), 0, 0, 64, 6 if is_tcp else 17, 0)
            packet = struct.pack("!HHHHBBH", *kind) + addresses + data
            size = len(packet)
            capture.write(struct.pack("<IIII", number // 500, number % 500 * 2000, size, size))
            capture.write(packet)


def test_captures_over_both_transports(lab: Lab) -> None:
    """FakeDNS counts as many queries over each transport as the capture has."""
    over_tcp = [number % 4 == 0 or number > 480 for number in range(500)]
    capture = lab.new_folder() / "both.pcap"
    write_capture(capture, over_tcp)
    options = ("--transport", "capture", "--cpus", "0,1", "--capture", capture)
    for _ in range(TRIES):
        lab.stop_serving()
        fakedns = lab.serve()
        made = lab.trial(SERVER4, *options, "--timeout", 2, without=("--names", "--rate"))
        lab.stop_serving()
        r = made.result()
        if not is_spoiled(r):
            break
    check_sums(r)
    check_connections(r)
    assert made.status == 0 and r["valid"] == r["sent"] == 500, made
    udp, tcp = r["by_transport"]
    assert (udp["transport"], tcp["transport"]) == ("udp", "tcp")
    assert tcp["planned"] == tcp["sent"] == tcp["valid"] == sum(over_tcp), tcp
    assert udp["planned"] == udp["sent"] == udp["valid"] == 500 - sum(over_tcp), udp
    for part in (udp, tcp):
        assert part["rtt_ns"]["count"] == part["valid"], part
    assert r["connections"]["opened"] == 10, r["connections"]
    counts = re.search(r"^A +(\d+) +(\d+) +(\d+)", fakedns.said(), re.M)
    assert counts, fakedns.said()
    by_path = [int(count) for count in counts.groups()]
    assert [sum(by_path[:2]), by_path[2]] == [udp["sent"], tcp["sent"]], fakedns.said()
    write_capture(capture, [False] * 10)
    said = lab.trial(SERVER4, *options, without=("--names", "--rate"))
    assert said.status == 2 and said.has("no query of the captures came over TCP"), said
    said = lab.trial(SERVER4, "--transport", "capture")
    assert said.status == 2 and said.has("only captures say what carried"), said


# ---- resolvers, which know the names of 10.0.0.0/24 by themselves

NAMES = [(f"010-000-000-{n:03}.dns64perf.test", f"10.0.0.{n}") for n in range(256)]


def count_of_unbound(lab: Lab, folder: Path) -> int:
    """Returns how many queries Unbound has got over TLS, by its own count."""
    said = lab.run("dut", "unbound-control", "-c", folder / "unbound.conf", "stats_noreset")
    found = re.search(r"^num\.query\.tls=(\d+)$", said.text, re.M)
    assert found, said
    return int(found[1])


def count_of_knot_resolver(_: Lab, folder: Path) -> int:
    """Returns how many queries Knot Resolver has got over TLS, by its own count."""
    (path,) = (folder / "data/control").iterdir()
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(10)
        control.connect(str(path))
        control.sendall(b"stats.get('request.dot')\n")
        said = ""
        while not (found := re.search(r"(\d+)\n", said)):
            more = control.recv(4096)
            assert more, said
            said += more.decode("ascii")
    return int(found[1])


RESOLVERS: dict[str, tuple[str, str, Callable[[Lab, Path], int]]] = {
    "unbound": (
        "unbound.conf",
        "server:\n    extended-statistics: yes\n    local-zone: dns64perf.test static\n"
        + "".join(f'    local-data: "{name} A {address}"\n' for name, address in NAMES)
        + "remote-control:\n    control-enable: yes\n    control-interface: {folder}/run/control\n",
        count_of_unbound,
    ),
    "knot-resolver": (
        "kresd.conf",
        "modules.load('stats')\n"
        + "".join(f"hints['{name}'] = '{address}'\n" for name, address in NAMES),
        count_of_knot_resolver,
    ),
}


@pytest.mark.parametrize("kind", RESOLVERS)
def test_resolvers_over_tls(lab: Lab, tls_files: tuple[str, ...], kind: str) -> None:
    program = {"unbound": "unbound", "knot-resolver": "kresd"}[kind]
    if not shutil.which(program, path="/usr/sbin:/usr/bin"):
        pytest.skip(f"no {program} on this machine: see tools/install-packages")
    file, more, count = RESOLVERS[kind]
    folder, hints = lab.scratch / kind, lab.new_folder() / "hints"
    hints.write_text(". 3600 NS a.root.\na.root. 3600 A 198.18.0.1\n", encoding="ascii")
    listen = [word for server in SERVERS for word in ("--listen", server)]
    made = lab.run(
        *("dut", BIN / "dnsgauge-zone", "resolver", kind, "--directory", folder),
        *("--hints", hints, *listen, *tls_files),
    )
    assert made.status == 0, made
    with (folder / file).open("a", encoding="ascii") as configuration:
        configuration.write(more.replace("{folder}", str(folder)))
    names = ("--names", "10.0.0.0/24", "--qtype", "A", "--recursion-desired", "--rate", 500)
    with serving(lab, [folder / "start"]) as running:
        for server in SERVERS:
            ready = wait_until(lambda: answers(lab, server), 30)  # noqa: B023
            assert ready, running.said()
            before = count(lab, folder)
            options = (*DOT, *names, "--connections", 4, "--duration", 0.4, "--timeout", 2)
            r = lab.expect(0, server, *options).result()
            check_all_valid(r)
            check_connections(r)
            assert count(lab, folder) - before == r["sent"] == 200
            assert r["port"] == 853 and r["connections"]["tls_full"] == 4


def test_servers_without_tls_are_refused(lab: Lab, tls_files: tuple[str, ...]) -> None:
    for words, why in (
        (("knot", *tls_files), "knot does not answer over TLS"),
        (("nsd", *tls_files, "--https-port", "443"), "nsd does not answer over HTTPS"),
        (("nsd", *tls_files[:2]), "--tls-certificate needs --tls-key"),
    ):
        said = lab.run(
            *(
                "dut",
                str(BIN / "dnsgauge-zone"),
                "server",
                *words,
                "--directory",
                str(lab.scratch / "none"),
            ),
            *("--names", "10.0.0.0/24", "--listen", SERVER4),
        )
        assert said.status == 2 and said.has(why), said


def test_nothing_is_left(lab: Lab) -> None:
    lab.stop_serving()
    assert lab.has_no_leftovers()
