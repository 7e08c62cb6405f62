# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge over TCP and TLS: real servers and fakedns, what becomes of connections, replies that are wrong in known
ways, self-tests and calibration, and a Tester or a server that stands still."""

import contextlib
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from laboratory import (
    BIN,
    DNSGAUGE,
    HERE,
    MORE4,
    MORE6,
    SERVER4,
    SERVER6,
    SERVERS,
    TRIES,
    Lab,
    Result,
    Started,
    check_all_valid,
    check_sums,
    is_spoiled,
    read_json,
    wait_until,
)

TCP = ("--transport", "tcp")
DOT = ("--transport", "dot")
# How attempts to open a connection end, how open connections end, and how queries are lost with one.
ATTEMPTS = ("opened", "refused", "unanswered", "failed", "tls_failed", "left_opening")
ENDS = (
    "closed",
    "closed_idle",
    "closed_by_server",
    "reset_by_server",
    "broken",
    "tls_broken",
    "http_broken",
    "left_open",
)
LOSSES = (
    "lost_unopened",
    "lost_closed",
    "lost_reset",
    "lost_broken",
    "lost_untaken",
    "lost_waiting",
    "lost_http_status",
    "lost_http_type",
    "lost_http_long",
    "lost_wrong_stream",
    "lost_stream_reset",
    "lost_goaway",
)


def check_connections(r: Result) -> None:
    """Checks that the counts of connections fit each other and the queries."""
    counts = r["connections"]
    assert counts["opened"] == sum(counts[end] for end in ENDS), counts
    assert counts["handshake_ns"]["count"] == counts["opened"], counts
    assert sum(counts[name] for name in LOSSES) <= r["lost"], (counts, r["lost"])
    # A look at the clocks that something interrupts makes earlier stamps useless.
    assert counts["unstamped"] <= 5 + r["sent"] / 100, counts


def expect(lab: Lab, status: int, server: str, *options: object, transport: str = "tcp") -> Result:
    """Makes a trial over connections that ends with this exit status, and whose counts add up."""
    r = lab.expect(status, server, "--transport", transport, *options).result()
    assert r["transport"] == transport
    check_connections(r)
    return r


def tcp_count(lab: Lab, name: str) -> int:
    """Returns a count of the server's host, by its kernel."""
    heads, counts = re.findall("^Tcp: (.*)$", lab.run("dut", "cat", "/proc/net/snmp").text, re.M)
    return int(dict(zip(heads.split(), counts.split(), strict=True))[name])


def passive_opens(lab: Lab) -> int:
    """Returns how many connections the server's host has accepted."""
    return tcp_count(lab, "PassiveOpens")


def start(
    lab: Lab, server: str, *options: object, without: tuple[str, ...] = ()
) -> tuple[Started, Path]:
    """Starts a trial in the background. Returns the process and its result's file when the first connections are
    open and some queries have been answered."""
    before = passive_opens(lab)
    file = lab.new_result()
    transport = () if "--transport" in options else TCP
    words = lab.trial_words(
        "--server", server, "--json", file, *transport, *options, without=without
    )
    started = lab.start("tester", *words)
    assert wait_until(lambda: passive_opens(lab) > before), started.said()
    time.sleep(0.5)
    return started, file


@contextlib.contextmanager
def serving(lab: Lab, host_command: list[object]) -> Iterator[Started]:
    """Has a command's server on the DUT, in place of FakeDNS."""
    lab.stop_serving()
    server = lab.start("dut", *host_command)
    try:
        yield server
    finally:
        server.stop()


def answers(lab: Lab, server: str) -> bool:
    """Returns whether a server answers over TCP, whatever it says."""
    asked = lab.run("tester", "dig", "+tcp", "+tries=1", "+time=1", f"@{server}", "dns64perf.test")
    return asked.status == 0


@contextlib.contextmanager
def stream_server(lab: Lab, address: str, *ways: str) -> Iterator[Started]:
    """Has a stream_server.py on the DUT, which is ready."""
    with serving(lab, ["/usr/bin/python3", HERE / "stream_server.py", address, *ways]) as server:
        assert wait_until(lambda: "ready" in server.said(), 30), server.said()
        yield server


def told(server: Started) -> dict[str, int]:
    """Ends a stream_server.py. Returns what it did."""
    server.stop()
    counts: dict[str, int] = json.loads(server.said().splitlines()[-1])
    return counts


# ---- servers that answer right


@pytest.mark.parametrize(
    ("server", "options"),
    [
        (SERVER4, ""),
        pytest.param(SERVER6, "", marks=pytest.mark.more),
        pytest.param(SERVER4, "--connections 1", marks=pytest.mark.more),
        (SERVER6, "--connections 100 --qtype A"),
    ],
)
def test_all_valid(lab: Lab, server: str, options: str) -> None:
    lab.serve()
    before = passive_opens(lab)
    r = expect(lab, 0, server, *options.split())
    check_all_valid(r)
    counts = r["connections"]
    assert counts["opened"] == counts["at_once"] == passive_opens(lab) - before
    assert counts["left_open"] == counts["opened"] and counts["queries_each"] == 0
    assert "kernel" in r["path"]["rtt_ends"] and r["path"]["engine"] != "AF_XDP"
    assert "queries over TCP, not UDP" in r["rfc8219"]["deviations"]
    assert "xdp_mode" not in r["circumstances"] and "source_ports" not in r["circumstances"]


@pytest.mark.parametrize(("server", "each"), [(SERVER4, 1), (SERVER6, 7)])
def test_connections_that_end(lab: Lab, server: str, each: int) -> None:
    """The server accepts as many connections as the result has."""
    lab.serve()
    before = passive_opens(lab)
    r = expect(lab, 0, server, "--queries-per-connection", each, "--rate", 500)
    check_all_valid(r)
    counts = r["connections"]
    assert counts["opened"] == passive_opens(lab) - before
    assert 0 <= counts["opened"] * each - r["sent"] <= 20 * each
    assert (
        counts["closed"] >= r["sent"] // each - counts["at_once"] and counts["queries_each"] == each
    )


def test_counts_of_fakedns(lab: Lab) -> None:
    """FakeDNS counts the same queries, all by TCP."""
    lab.stop_serving()
    fakedns = lab.serve()
    expect(lab, 0, SERVER4)
    lab.stop_serving()
    lines = [line.split() for line in fakedns.said().splitlines()]
    heads = next(line for line in lines if "xdp" in line and "tcp" in line)
    counts = {
        line[0]: dict(zip(reversed(heads), reversed(line), strict=False)) for line in lines if line
    }
    assert counts["type-AAAA"]["tcp"] == "2000", fakedns.said()


@contextlib.contextmanager
def real_server(
    lab: Lab,
    kind: str,
    change: Callable[[Path], None] = lambda folder: None,
    options: Sequence[str] = (),
) -> Iterator[tuple[Path, Started]]:
    """Has a package's server on the DUT, with names of 10.0.0.0/20, once `change` has had its configuration, which
    "dnsgauge-zone server" writes with these options. Yields its folder."""
    programs = {"knot": "knotd", "bind9": "named", "yadifa": "yadifad", "pdns": "pdns_server"}
    program = programs.get(kind, kind)
    if not shutil.which(program, path="/usr/sbin:/usr/bin:/usr/local/sbin"):
        pytest.skip(f"no {program} on this machine: see tools/install-packages")
    folder = lab.scratch / kind
    listen = [word for server in SERVERS for word in ("--listen", server)]
    made = lab.run(
        *("dut", BIN / "dnsgauge-zone", "server", kind, "--directory", folder),
        *("--names", "10.0.0.0/20", *listen, *options),
    )
    assert made.status == 0, made
    change(folder)
    with serving(lab, [folder / "start"]) as running:
        for server in SERVERS:
            ready = wait_until(lambda: answers(lab, server), 30)  # noqa: B023
            assert ready, running.said()
        yield folder, running


@pytest.mark.parametrize("kind", ["nsd", "knot", "bind9"])
def test_real_servers(lab: Lab, kind: str) -> None:
    with real_server(lab, kind):
        for server in SERVERS:
            before = passive_opens(lab)
            r = expect(lab, 0, server, "--names", "10.0.0.0/20", "--qtype", "A", "--rate", 1000)
            check_all_valid(r)
            assert r["connections"]["opened"] == passive_opens(lab) - before == 10
            r = expect(
                *(lab, 0, server, "--names", "10.0.0.0/20", "--qtype", "A", "--rate", 200),
                *("--queries-per-connection", 1),
            )
            check_all_valid(r)


# ---- TLS


@dataclass
class Certificate:
    """A certificate that vouches for dns.test, by itself, and its key."""

    key: Path
    file: Path


@pytest.fixture(scope="module", name="certificate")
def certificate_of_dns_test(lab: Lab) -> Certificate:
    folder = lab.new_folder()
    folder.chmod(0o755)
    made = Certificate(folder / "key.pem", folder / "certificate.pem")
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=dns.test".split()
    words += ["-addext", "subjectAltName=DNS:dns.test"]
    said = lab.run("dut", *words, "-keyout", made.key, "-out", made.file)
    assert said.status == 0, said
    made.key.chmod(0o644)
    return made


def speak_tls(kind: str, folder: Path, certificate: Certificate) -> None:
    """Has a server's configuration offer DNS over TLS, too."""
    key, file = certificate.key, certificate.file
    if kind == "nsd":
        path, begin = folder / "nsd.conf", "server:\n"
        more = f'    tls-service-key: "{key}"\n    tls-service-pem: "{file}"\n    tls-port: 853\n'
        more = begin + "".join(f"    ip-address: {server}@853\n" for server in SERVERS) + more
    else:
        path, begin = folder / "named.conf", "options {\n"
        more = f'tls service {{ key-file "{key}"; cert-file "{file}"; }};\n{begin}'
        more += f"    listen-on port 853 tls service {{ {SERVER4}; }};\n"
        more += f"    listen-on-v6 port 853 tls service {{ {SERVER6}; }};\n"
    text = path.read_text(encoding="ascii")
    assert begin in text
    control = f'control-enable: yes\n    control-interface: "{folder}/run/control"'
    text = text.replace("control-enable: no", control)
    path.write_text(text.replace(begin, more, 1), encoding="ascii")


def expect_tls(
    lab: Lab, status: int, server: str, *options: object, transport: str = "dot"
) -> Result:
    """Makes a trial over TLS or QUIC that ends with this exit status, and whose counts add up."""
    r = expect(lab, status, server, *options, transport=transport)
    counts = r["connections"]
    assert counts["tls_full"] + counts["tls_resumed"] == counts["opened"], counts
    assert sum(suite["connections"] for suite in counts["tls"]["suites"]) == counts["opened"]
    return r


def queries_over_tls(lab: Lab, folder: Path) -> int:
    """Returns how many queries NSD has got over TLS, by its own count."""
    said = lab.run("dut", "nsd-control", "-c", folder / "nsd.conf", "stats_noreset")
    return sum(int(count) for count in re.findall(r"^num\.tls6?=(\d+)$", said.text, re.M))


@pytest.mark.parametrize("kind", ["nsd", "bind9"])
def test_real_servers_over_tls(lab: Lab, kind: str, certificate: Certificate) -> None:
    names = "--names 10.0.0.0/20 --qtype A --duration 0.4 --timeout 2".split()
    checked = ["--tls-name", "dns.test", "--tls-ca", certificate.file]
    with real_server(lab, kind, lambda folder: speak_tls(kind, folder, certificate)) as (folder, _):
        for server in SERVERS:
            before = passive_opens(lab)
            asked = queries_over_tls(lab, folder) if kind == "nsd" else 0
            r = expect_tls(lab, 0, server, *names, *checked, "--rate", 1000)
            check_all_valid(r)
            if kind == "nsd":
                assert queries_over_tls(lab, folder) - asked == r["sent"]
            counts = r["connections"]
            assert counts["opened"] == counts["tls_full"] == passive_opens(lab) - before == 10
            assert r["port"] == 853 and counts["tls"]["is_checked"]
            assert counts["tls"]["suites"][0]["version"] == "TLSv1.3"
            assert "TLS" in r["path"]["rtt_begins"] and "record" in r["path"]["rtt_ends"]
            assert "queries over TLS, not UDP" in r["rfc8219"]["deviations"]
        one_each = [*names, "--rate", 50, "--queries-per-connection", 1]
        for kind_of_handshake in ("full", "ticket"):
            r = expect_tls(lab, 0, SERVER6, *one_each, "--resumption", kind_of_handshake)
            check_all_valid(r)
            is_ticket = kind_of_handshake == "ticket"
            assert (r["connections"]["tls_resumed"] > 0) == is_ticket, r["connections"]


def test_tls_that_fails(lab: Lab, certificate: Certificate) -> None:
    """A name that the certificate does not have, and a port without TLS."""
    names = "--names 10.0.0.0/20 --qtype A --rate 500 --duration 0.4".split()
    with real_server(lab, "nsd", lambda folder: speak_tls("nsd", folder, certificate)):
        checked = ["--tls-name", "other.test", "--tls-ca", certificate.file]
        for options, why in ((checked, "hostname mismatch"), (["--port", 53], "")):
            r = expect_tls(lab, 1, SERVER4, *names, *options, "--timeout", 0.5)
            counts = r["connections"]
            assert r["lost"] == r["sent"] == counts["lost_unopened"] == 200
            assert counts["opened"] == 0 and counts["tls_failed"] + counts["left_opening"] > 0
            assert why in counts["tls"]["failure"] and why in r["why"], r["why"]


def test_wrong_replies_over_tls(lab: Lab, certificate: Certificate) -> None:
    files = ["--tls", str(certificate.key), str(certificate.file)]
    with stream_server(lab, SERVER6, *files, *WAYS) as running:
        r = expect_tls(lab, 1, SERVER6, "--rate", 240, "--connections", 1, "--timeout", 2)
        check_ways(r, told(running))


@pytest.mark.more
def test_records_of_an_octet(lab: Lab, certificate: Certificate) -> None:
    """They take bounded memory."""
    lab.serve()
    usual, _ = start(lab, SERVER4)
    usual_memory = peak_memory(usual)
    files = ["--tls", str(certificate.key), str(certificate.file)]
    with stream_server(lab, SERVER4, *files, "right", "pieces") as running:
        options = "--transport dot --rate 20 --duration 0.5 --timeout 2 --connections 1".split()
        started, file = start(lab, SERVER4, *options)
        memory = peak_memory(started)
        counts = told(running)
    r = read_json(file)
    check_sums(r)
    check_connections(r)
    assert counts["queries"] == r["valid"] == r["sent"] == 10, r
    # The last records may still be on their way at the end.
    assert 0 <= 500 * counts["pieces"] - r["unexpected"] < 500
    assert memory < usual_memory + 32 * 1024, (memory, usual_memory)


@pytest.mark.more
def test_series_over_tls(lab: Lab, certificate: Certificate) -> None:
    usual = "--interface g0 --names 10.0.0.0/20 --qtype A --duration 0.2 --timeout 0.5 --pause 0 --max-lateness 60"
    usual += (
        f" --max-overrun 60 --max-others 100 --server {SERVER4} --transport dot --beyond-selftest"
    )
    with real_server(lab, "nsd", lambda folder: speak_tls("nsd", folder, certificate)):
        for series in (
            "search --min-rate 500 --max-rate 1000 --repeat 1 --resolution 500",
            "sweep --min-rate 500 --max-rate 1000 --steps 2",
        ):
            file = lab.new_result()
            words = [*series.split(), *usual.split(), "--journal", lab.new_folder() / "journal"]
            said = lab.run("tester", DNSGAUGE, *words, "--json", file)
            assert said.status == 0 and said.has("TLS"), said
            assert all(trial["answered"] == trial["sent"] for trial in read_json(file)["trials"])


# ---- what can be asked


@pytest.mark.parametrize(
    "options",
    [
        "--types A=60,AAAA=40 --nxdomain 10 --do 20",
        pytest.param("--name-order random", marks=pytest.mark.more),
        "--pace poisson",
        "--dut dns64 --beyond-selftest --aaaa-share 100 --cached-share 50",
        pytest.param("--edns-size 1232 --dnssec-ok", marks=pytest.mark.more),
    ],
)
def test_workloads(lab: Lab, options: str) -> None:
    lab.serve()
    file = lab.new_folder() / "queries.csv"
    r = expect(lab, 0, SERVER6, *options.split(), "--per-query", file)
    assert r["valid"] == r["sent"] == 2000
    rows = [row.split(";") for row in file.read_text(encoding="ascii").splitlines()[1:]]
    assert sorted(int(row[0]) for row in rows) == list(range(2000))
    assert all(row[4] == "valid" and int(row[5]) > 0 for row in rows)


def test_list_and_capture(lab: Lab) -> None:
    lab.serve()
    lines = lab.new_folder() / "list"
    lines.write_text(
        "".join(f"010-000-000-{i:03}.dns64perf.test A\n" for i in range(256)), encoding="ascii"
    )
    words = lab.trial_words("--server", SERVER4, *TCP, "--queries", lines, without=("--names",))
    said = lab.run("tester", *words)
    assert said.status == 0 and said.has(r"^  valid +2000 +100"), said
    capture = lines.parent / "made.pcap"
    made = "make --rate 500 --duration 2 --clients 20 --names 10.0.0.0/24 --output".split()
    assert lab.run("tester", BIN / "dnsgauge-queries", *made, capture).status == 0
    without = ("--names", "--rate")
    words = lab.trial_words("--server", SERVER4, *TCP, "--capture", capture, without=without)
    said = lab.run("tester", *words)
    assert said.status == 0 and said.has(r"^  lost +0$"), said


# ---- captures, whose clients have a connection each

CLIENTS = {SERVER4: "198.19.7.0/24", SERVER6: "2001:2:0:c0::7:0/112"}
NOT_OF_CAPTURES = ("--names", "--rate")
MAKE = (BIN / "dnsgauge-queries", "make", "--names", "10.0.0.0/24", "--duration", 1)


def made_capture(lab: Lab, rate: int = 300, clients: int = 20) -> Path:
    """Returns a capture of one second."""
    capture = lab.new_folder() / "made.pcap"
    made = lab.run("tester", *MAKE, "--rate", rate, "--clients", clients, "--output", capture)
    assert made.status == 0, made
    return capture


@contextlib.contextmanager
def routed(lab: Lab, server: str) -> Iterator[str]:
    """Leads the DUT to the prefix of the clients by way of the Tester, which is where it ends. Returns the prefix."""
    prefix = CLIENTS[server]
    family = "-6" if ":" in prefix else "-4"
    local = ("ip", family, "route", "{}", "local", prefix, "dev", "lo")
    via = "2001:2::1" if ":" in prefix else "198.18.0.1"
    back = ("ip", family, "route", "{}", prefix, "via", via)
    for host, words in (("tester", local), ("dut", back)):
        said = lab.run(host, *(word.format("add") for word in words))
        assert said.status == 0, said
    try:
        yield prefix
    finally:
        for host, words in (("tester", local), ("dut", back)):
            lab.run(host, *(word.format("del") for word in words))


def peers(lab: Lab) -> list[str]:
    """Returns the addresses at the other ends of the DNS server's open connections."""
    listed = lab.run("dut", "ss", "-Htn", "state", "established", "sport", "=", ":53").text
    return [line.split()[-1].rpartition(":")[0].strip("[]") for line in listed.splitlines()]


@pytest.mark.parametrize("server", [SERVER4, MORE6])
def test_clients_of_a_capture(lab: Lab, server: str) -> None:
    """Each client has one connection at a time, from its own address; the kernel counts as many as the result."""
    lab.serve()
    capture = made_capture(lab)
    with routed(lab, server) as prefix:
        options = ("--capture", capture, "--clients", prefix, "--expect", "answered")
        # A trial first asks whether the server answers clients.
        before = passive_opens(lab) + 1
        started, file = start(lab, server, *options, without=NOT_OF_CAPTURES)
        assert wait_until(lambda: len(peers(lab)) > 5), started.said()
        seen = peers(lab)
        assert started.wait().status == 0, started.said()
        r = read_json(file)
        counts = r["connections"]
        assert len(set(seen)) == len(seen) <= counts["opened"] <= 20, (seen, counts)
        assert all(ip_address(peer) in ip_network(prefix) for peer in seen) and seen
        assert counts["opened"] == counts["left_open"] == passive_opens(lab) - before
        assert counts["at_once"] == 0 and counts["idle_timeout"] == "10"
        check_connections(r)
        before = passive_opens(lab) + 1
        idle = ("--idle-timeout", "0.05=50,3=50")
        r = lab.trial(server, *TCP, *options, *idle, without=NOT_OF_CAPTURES).result()
        counts = r["connections"]
        assert r["valid"] == r["sent"] == r["workload"]["queries"]
        assert r["workload"]["clients_in"] == prefix
        assert counts["opened"] == counts["closed_idle"] + counts["left_open"]
        assert counts["opened"] == passive_opens(lab) - before
        assert counts["closed_idle"] > 0 and counts["left_open"] >= 10
        assert r["sent"] >= counts["waited_for_open"] >= counts["opened"]
        check_connections(r)


def test_captures_that_are_refused(lab: Lab) -> None:
    capture = made_capture(lab)
    common = (*TCP, "--capture", capture)
    lab.refused(
        "connections from 198.19.0.0/16 need a local route.*ip route add local 198.19.0.0/16",
        *(*common, "--clients", "198.19.0.0/16"),
    )
    lab.refused("--connections", *common, "--clients", "198.19.0.0/16", "--connections", "5")
    lab.refused("from 198.19.0.1.* need a local route", *common, "--source", "198.19.0.1")
    limited = "prlimit --nofile=70:70 setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource"
    words = lab.trial_words("--server", SERVER4, *common, without=NOT_OF_CAPTURES)
    said = lab.run("tester", *limited.split(), *words)
    assert said.status == 2 and said.has("^dnsgauge: --capture: .* open files, and the limit is 70")


def test_a_replay_and_what_it_looks_like(lab: Lab) -> None:
    """A recording of what the clients ask over TCP has the same queries, and is played itself."""
    lab.serve()
    capture, again = made_capture(lab), lab.new_folder() / "again.pcap"
    file, journal = lab.new_result(), again.parent / "journal"
    with routed(lab, SERVER4) as prefix:
        tcpdump = lab.start("dut", "tcpdump", "-i", "d0", "-U", "-w", again, "tcp port 53")
        assert wait_until(lambda: "listening on" in tcpdump.said(), 10), tcpdump.said()
        said = lab.run(
            *("tester", DNSGAUGE, "replay", "--interface", "g0", "--server", SERVER4, *TCP),
            *("--capture", capture, "--clients", prefix, "--runs", 1, "--journal", journal),
            *("--beyond-selftest", "--timeout", 0.5, "--json", file, "--idle-timeout", 0.2),
            *("--max-lateness", 60, "--max-overrun", 60, "--max-others", 100),
        )
        assert said.status == 0 and said.has("TCP"), said
        time.sleep(0.2)
        tcpdump.stop()
        run = read_json(file)["trials"][0]
        stats = again.parent / "stats.json"
        told_of = lab.run("tester", BIN / "dnsgauge-queries", "stats", again, "--json", stats)
        assert told_of.status == 0, told_of
        found = read_json(stats)
        # The replay also asks once whether the server answers its clients.
        assert 0 <= found["queries"] - run["sent"] <= 3, (found["queries"], run["sent"])
        assert found["queries"] == found["answers"] and found["left_out"]["tcp"] == 0, found
        assert found["tcp_messages"] == found["queries"] + found["answers"]
        said = lab.run(
            *("tester", *lab.trial_words("--server", SERVER4, *TCP, without=NOT_OF_CAPTURES)),
            *("--capture", again, "--connections", 2, "--expect", "captured"),
        )
        assert said.status == 0 and said.has(r"^  lost +0$"), said


def test_repeated_trials_and_series(lab: Lab) -> None:
    lab.serve()
    made = lab.trial(SERVER4, *TCP, "--repeat", 2, "--duration", 0.2, "--pause", 0.1)
    assert [(t["transport"], t["valid"]) for t in made.result()["trials"]] == [("tcp", 400)] * 2
    usual = "--interface g0 --names 10.0.0.0/16 --duration 0.3 --timeout 0.5 --pause 0 --max-lateness 60"
    usual += f" --max-overrun 60 --max-others 100 --server {SERVER4} --transport tcp"
    for series in (
        "search --min-rate 500 --max-rate 1000 --repeat 1 --resolution 500",
        "sweep --min-rate 500 --max-rate 1000 --steps 2",
    ):
        words = [*series.split(), *usual.split(), "--journal", lab.new_folder() / "journal"]
        refused = lab.run("tester", DNSGAUGE, *words)
        assert refused.status == 2 and refused.has("there was no self-test"), refused
        assert refused.has("dnsgauge selftest --rate 1000 .*--transport tcp"), refused
        file = lab.new_result()
        said = lab.run("tester", DNSGAUGE, *words, "--beyond-selftest", "--json", file)
        assert said.status == 0 and said.has("TCP"), said
        assert all(trial["answered"] == trial["sent"] for trial in read_json(file)["trials"])


def test_a_search_from_far_beyond_the_tester(lab: Lab) -> None:
    lab.serve()
    file = lab.new_result()
    words = "search --interface g0 --names 10.0.0.0/8 --min-rate 64 --max-rate 600000 --resolution 150000 --repeat 1"
    words += " --duration 0.5 --timeout 1 --pause 0 --max-lateness 0.05 --max-overrun 0.05 --max-others 100"
    words += f" --server {SERVER4} --transport tcp --queries-per-connection 1 --beyond-selftest"
    journal = lab.new_folder() / "journal"
    said = lab.run("tester", DNSGAUGE, *words.split(), "--journal", journal, "--json", file)
    assert said.status == 0, said
    assert said.has("the Tester is the limit at 1[0-9]{5} queries/s"), said
    result = read_json(file)
    assert result["end"] == "not offered" and result["rates"] == [], result
    assert result["at_least"] == 64 and result["not_offered"] < 160_000, result
    assert result["repetitions"][0]["lowest_failed"] is None, result
    made = [
        record["trial"]
        for record in map(json.loads, journal.read_text().splitlines()[1:])
        if record["record"] == "trial"
    ]
    for rate in (600_000, 300_032, 150_048):
        tries = [trial for trial in made if trial["rate"] == rate]
        assert len(tries) == 2 and all(trial["rate_not_offered"] for trial in tries), tries


def test_options_of_datagrams_are_refused(lab: Lab) -> None:
    common = (*TCP, "--names", "10.0.0.0/16", "--rate", "10")
    lab.refused("^dnsgauge: --vlan belongs to --transport udp", *common, "--vlan", "7")
    lab.refused("^dnsgauge: --xdp-mode belongs to", *common, "--xdp-mode", "generic")
    lab.refused(
        "^dnsgauge: --connections belongs to --transport tcp", *common[2:], "--connections", "7"
    )


# ---- what shows that the Tester is fit


def make_selftest(lab: Lab, state: Path, *options: object) -> Result:
    """Makes a self-test that this machine passes. Returns its result."""
    file = lab.new_result()
    words = f"selftest --interface g0 --server {SERVER4} --rate 500 --duration 0.3 --timeout 1 --confirm 5 --pause 0"
    words += " --max-lateness 60 --max-overrun 60 --max-others 100"
    given = [*words.split(), "--json", file, *options]
    said = lab.run("tester", DNSGAUGE, *given, DNSGAUGE_STATE=str(state))
    assert said.status == 0, said
    return read_json(file)


def test_self_tests_cover_their_own_transport(lab: Lab) -> None:
    lab.serve()
    state = lab.new_folder()
    cpus = ("--cpus", min(os.sched_getaffinity(0)))

    def cover(*options: object) -> Result:
        words = ("--rate", 500, "--duration", 0.3, *cpus, *options)
        made = lab.trial(SERVER4, *words, DNSGAUGE_STATE=str(state))
        found: Result = made.result()["selftest"]
        if not found["covers"]:
            assert made.has("beyond the Tester's self-test: there was no self-test"), made
        return found

    make_selftest(lab, state, *cpus)
    assert not cover(*TCP)["covers"]
    r = make_selftest(lab, state, *cpus, *TCP, "--connections", 5)
    assert r["allowed_rate"] == 500 and "xdp_mode" not in r["circumstances"]
    setup = r["setup"]
    assert (setup["transport"], setup["connections"], setup["queries_per_connection"]) == (
        "tcp",
        5,
        0,
    )
    assert "queries over TCP, not UDP" in r["rfc8219"]["deviations"]
    assert len(list(state.iterdir())) == 2
    assert not cover(*TCP)["covers"]
    assert cover(*TCP, "--connections", 5)["covers"]


@pytest.mark.parametrize(
    ("transport", "name"), [("tcp", "TCP"), pytest.param("doh", "HTTPS", marks=pytest.mark.more)]
)
def test_calibration(lab: Lab, transport: str, name: str) -> None:
    """Counts and RTTs are right, by FakeDNS' faults and delays; the certificate is for one transport."""
    lab.stop_serving()
    state, file = lab.new_folder(), lab.new_result()
    words = f"calibrate --interface g0 --server {SERVER6} --fakedns-interface d0 --fakedns-netns {lab.name}-dut"
    words += " --min-rate 2000 --max-rate 2000 --duration 0.2 --timeout 0.1 --attempts 12"
    words += " --max-bias 0.004 --max-lateness 60 --max-overrun 60 --connections 3"
    words += f" --json {file} --transport {transport}"
    said = lab.run("tester", DNSGAUGE, *words.split(), DNSGAUGE_STATE=str(state))
    assert said.status == 0, said
    assert said.has(
        f"^Calibration .*, {name}, connections of each sender at once: 3; timeout"
    ), said
    r = read_json(file)
    assert r["trusted"] and r["pacing"] == [] and r["setup"]["transport"] == transport
    for check in r["counting"]:
        assert check["counted"] == check["predicted"], check
    counted = r["counting"][-1]["counted"]
    assert all(counted[name] > 0 for name in ("valid", "late", "lost", "unexpected"))
    assert (counted["duplicate"] > 0) == (transport == "tcp")
    rtt = r["rtt"]
    assert [one["delay_s"] for one in rtt["delays"]] == [0.0001, 0.001, 0.01, 0.05, 0.092]
    for one in rtt["delays"]:
        assert one["rtt_ns"]["min"] >= one["delay_s"] * 1e9, one
        assert one["error_ns"]["p50"] <= one["error_ns"]["p99"], one
    assert rtt["added_ns"] > 0 and rtt["delays"][0]["error_ns"]["p50"] == 0
    for added in ("tls_added_ns", "http_added_ns"):
        assert (rtt[added] is None) == (transport == "tcp"), rtt
    assert rtt["behind_timeout"]["valid"] == 0
    (record,) = state.iterdir()
    assert record.read_bytes() == file.read_bytes()
    assert not lab.ip("netns", "pids", f"{lab.name}-dut").text.strip()
    refused = lab.run("tester", DNSGAUGE, *words.split(), "--checks", "pacing")
    assert refused.status == 2 and refused.has(
        "^dnsgauge: --checks pacing: .*over UDP alone"
    ), refused


# ---- replies and connections that are wrong


def test_wrong_data(lab: Lab) -> None:
    lab.serve()
    r = expect(lab, 1, SERVER4, "--answer-prefix", "2001:db8:1::/96")
    assert r["invalid"]["wrong_data"] == r["sent"] == 2000 and r["verdict"] == "fail"


WAYS = "right data servfail truncated octets swapped garbage twice silent cut".split()
CLASSES = {"data": "wrong_data", "servfail": "rcode", "truncated": "truncated"}


def check_ways(r: Result, counts: dict[str, int]) -> None:
    """Checks that each of 240 replies has its class: counts are what the server did."""
    assert counts["queries"] == r["sent"] == 240
    each = 24
    assert {way: counts[way] for way in WAYS} == dict.fromkeys(WAYS, each)
    for way, name in CLASSES.items():
        assert r["invalid"][name] == counts[way], (way, r["invalid"])
    assert r["invalid"]["malformed"] == counts["garbage"] + counts["cut"], r["invalid"]
    assert r["duplicate"] == counts["twice"] and r["lost"] == counts["silent"]
    assert r["valid"] == sum(counts[way] for way in ("right", "octets", "swapped", "twice"))
    assert r["connections"]["opened"] == counts["connections"] == 1


@pytest.mark.parametrize("server", [SERVER4, MORE6])
def test_each_wrong_reply_has_its_class(lab: Lab, server: str) -> None:
    """All names of 10.0.0.0/24 that are asked for here have all ways equally often."""
    with stream_server(lab, server, *WAYS) as running:
        r = expect(lab, 1, server, "--rate", 240, "--connections", 1, "--timeout", 0.5)
        check_ways(r, told(running))


@pytest.mark.parametrize(
    ("way", "end", "loss"),
    [("closed", "closed_by_server", "lost_closed"), ("reset", "reset_by_server", "lost_reset")],
)
def test_connections_that_the_server_ends(lab: Lab, way: str, end: str, loss: str) -> None:
    """Each query is long answered when the next one comes, so that each end costs one query."""
    with stream_server(lab, SERVER4, "right", "right", "right", way) as running:
        last = lab.new_result()
        r = expect(lab, 1, SERVER4, "--rate", 100, "--connections", 2, "--timeout", 0.5)
        counts = told(running)
    ended = r["connections"]
    # The server also counts the trials that this machine's stalls spoiled.
    made = [one["connections"] for one in lab.results_since(last)]
    ends = [one["closed_by_server"] + one["reset_by_server"] for one in made]
    assert (
        counts["queries"] + ended["lost_unopened"]
        >= r["sent"] - ended["lost_reset"] - ended["lost_closed"]
    )
    assert sum(ends) == counts[way], made
    assert ended[end] >= 1 and ended[loss] >= 1
    assert r["lost"] == sum(ended[name] for name in LOSSES) >= ends[-1]
    assert r["invalid"]["total"] == r["late"] == 0
    assert sum(one["opened"] for one in made) == counts["connections"]


def test_pipeline(lab: Lab) -> None:
    """Each reply takes 0.3 s, so that the last query of five on a connection waits for more than a second."""
    options = "--rate 20 --duration 0.5 --timeout 3 --connections 2 --pipeline 1".split()
    with stream_server(lab, SERVER4, "late") as running:
        r = expect(lab, 0, SERVER4, *options)
        counts = told(running)
    check_all_valid(r)
    assert counts["queries"] == r["sent"] == 10 and counts["most_late"] == 1
    assert r["connections"]["waited_for_pipeline"] == 8 and r["connections"]["pipeline"] == 1
    assert r["rtt_ns"]["max"] > 1_000_000_000


# ---- connections that FakeDNS spoils


def meet(lab: Lab, server: str, fault: str, *options: object) -> tuple[Result, int, int]:
    """Makes a trial against FakeDNS with a fault. Returns the result, and to how many connections and queries
    FakeDNS did that fault."""
    for _ in range(TRIES):
        lab.stop_serving()
        fakedns = lab.serve("--fault", fault)
        r = lab.trial(server, *TCP, *options).result()
        lab.stop_serving()
        if not is_spoiled(r):
            break
    check_sums(r)
    check_connections(r)
    done = re.search(rf"^{fault.split('=')[0]} +(\d+) +(\d+)$", fakedns.said(), re.M)
    assert done, fakedns.said()
    return r, int(done[1]), int(done[2])


# Each query is long answered when its connection gets the next one.
SLOWLY = "--rate 100 --connections 2 --timeout 0.5".split()


@pytest.mark.parametrize(
    ("server", "fault", "end", "loss"),
    [
        (SERVER4, "reset", "reset_by_server", "lost_reset"),
        (SERVER6, "close", "closed_by_server", "lost_closed"),
    ],
)
def test_fakedns_ends_connections(lab: Lab, server: str, fault: str, end: str, loss: str) -> None:
    """Each fourth query of a connection ends the connection, and is lost. So are queries after it, where a machine
    that stalls has sent some: FakeDNS reads them on a connection that it has closed, and not on one that it has
    reset."""
    r, connections, queries = meet(lab, server, f"{fault}=100%:3", *SLOWLY)
    counts = r["connections"]
    assert counts[end] == connections > 5, counts
    assert r["lost"] == counts[loss] >= queries >= connections, counts
    assert fault == "reset" or queries == r["lost"], (queries, r["lost"])
    assert r["valid"] == r["sent"] - r["lost"] and r["late"] == 0


def test_fakedns_stalls(lab: Lab) -> None:
    r, connections, queries = meet(lab, SERVER6, "stall=100%:3", *SLOWLY)
    assert r["valid"] == 6 and r["lost"] == queries == r["sent"] - 6
    assert r["connections"]["left_open"] == connections == 2
    assert sum(r["connections"][name] for name in LOSSES) == 0


@pytest.mark.parametrize(
    ("server", "fault"),
    [(SERVER4, "swap=100%"), (SERVER6, "coalesce=100%:10"), (SERVER6, "split=100%")],
)
def test_fakedns_sends_right_answers_oddly(lab: Lab, server: str, fault: str) -> None:
    r, connections, queries = meet(lab, server, fault, *SLOWLY)
    check_all_valid(r)
    assert queries == 100 and connections == r["connections"]["opened"] == 2


@pytest.mark.more
def test_octets_of_fakedns_in_segments_of_their_own(lab: Lab) -> None:
    before = tcp_count(lab, "OutSegs")
    r, _, _ = meet(lab, SERVER4, "split=100%", *SLOWLY)
    check_all_valid(r)
    assert tcp_count(lab, "OutSegs") - before >= r["connections"]["octets_received"]


def test_fakedns_refuses_a_share_of_connections(lab: Lab) -> None:
    """The order of accepting says which connections these are."""
    options = "--queries-per-connection 1 --rate 300 --timeout 2".split()
    r, connections, _ = meet(lab, SERVER4, "refuse=10%", *options)
    counts = r["connections"]
    assert connections == sum(number * 617 % 1000 < 100 for number in range(counts["opened"]))
    assert connections == counts["closed_by_server"] + counts["reset_by_server"] > 20, counts
    assert r["lost"] == sum(counts[name] for name in LOSSES) and r["lost"] + r["valid"] == r["sent"]


def peak_memory(started: Started) -> int:
    """Waits until the process has ended. Returns the most memory that it had, in KiB."""
    status = Path(f"/proc/{started.process.pid}/status")
    most = 0
    while started.process.poll() is None:
        with contextlib.suppress(OSError):
            if found := re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"), re.M):
                most = max(most, int(found[1]))
        time.sleep(0.05)
    return most


@pytest.mark.more
def test_memory_of_many_clients(lab: Lab) -> None:
    """A connection of a client takes less than 8 KiB."""
    lab.serve("--tcp-connections", "10000")
    capture = made_capture(lab, rate=3000, clients=60_000)
    common = ("--capture", capture, "--expect", "answered")
    shared, _ = start(lab, SERVER4, *common, "--connections", 10, without=NOT_OF_CAPTURES)
    usual_memory = peak_memory(shared)
    started, file = start(lab, SERVER4, *common, without=NOT_OF_CAPTURES)
    memory = peak_memory(started)
    r = read_json(file)
    check_sums(r)
    check_connections(r)
    opened = r["connections"]["opened"]
    assert opened > 2500, r["connections"]
    assert memory - usual_memory < 8 * opened, (memory, usual_memory, opened)


def test_a_server_that_sends_too_much(lab: Lab) -> None:
    """Its messages have their classes, and take bounded memory. No transaction ID of an open query is guessed: each
    query is answered before the next one comes."""
    lab.serve()
    usual, _ = start(lab, SERVER4)
    usual_memory = peak_memory(usual)
    ways = ["right", "big", "zeros", "unasked"]
    with stream_server(lab, SERVER4, *ways) as running:
        started, file = start(lab, SERVER4, "--rate", 100, "--duration", 1, "--connections", 1)
        memory = peak_memory(started)
        counts = told(running)
    r = read_json(file)
    check_sums(r)
    check_connections(r)
    assert counts["queries"] == r["sent"] == 100 and counts["connections"] == 1
    assert r["invalid"]["malformed"] == counts["big"] == 25 and r["valid"] == 75, r
    assert r["unexpected"] == 20_000 * counts["zeros"] + 100 * counts["unasked"]
    assert memory < usual_memory + 32 * 1024, (memory, usual_memory)


@pytest.mark.parametrize("server", [SERVER4, MORE6])
def test_nobody_listens(lab: Lab, server: str) -> None:
    lab.serve()
    r = expect(lab, 1, server, "--port", 54, "--timeout", 0.3)
    counts = r["connections"]
    assert r["lost"] == r["sent"] == counts["lost_unopened"] == 2000 and r["rtt_ns"]["min"] is None
    assert counts["refused"] > 0 and counts["opened"] == 0
    assert r["verdict"] == "fail" and "refused by the server" in r["why"]


@pytest.mark.parametrize("server", [SERVER4, MORE6])
def test_a_server_that_stops_for_a_moment(lab: Lab, server: str) -> None:
    """What it answers too late is late, and nothing is invalid."""
    running = lab.serve()
    started, file = start(lab, server, "--duration", 3, "--timeout", 0.25)
    running.process.send_signal(signal.SIGSTOP)
    time.sleep(0.35)
    running.process.send_signal(signal.SIGCONT)
    started.wait()
    r = read_json(file)
    check_sums(r)
    check_connections(r)
    assert r["late"] > 0 and r["invalid"]["total"] == 0, r
    assert r["lost"] == 0 or r["late"] + r["lost"] < r["sent"] / 2, r
    assert r["verdict"] in ("fail", "invalid") and r["connections"]["left_open"] == 10


@pytest.mark.parametrize("server", [MORE4, SERVER6])
def test_a_server_that_is_killed(lab: Lab, server: str) -> None:
    running = lab.serve()
    started, file = start(lab, server, "--duration", 3, "--timeout", 0.25)
    running.process.kill()
    running.process.wait()
    started.wait()
    lab.stop_serving()
    r = read_json(file)
    check_sums(r)
    check_connections(r)
    counts = r["connections"]
    assert r["lost"] > 0 and r["late"] == r["invalid"]["total"] == 0, r
    assert counts["refused"] > 0 and counts["lost_unopened"] > 0, counts
    # A connection may be opened anew while the server dies, and then be reset again.
    assert counts["reset_by_server"] + counts["closed_by_server"] >= 10, counts
    if not is_spoiled(r):
        assert r["verdict"] == "fail" and "connections:" in r["why"], r["why"]


# ---- a Tester that stands still


@pytest.mark.parametrize(
    "limits", [pytest.param("--max-lateness 0.05 --max-overrun 0.001", marks=pytest.mark.more), ""]
)
@pytest.mark.parametrize("stop_at", [0.5, 1.6])
def test_a_stopped_tester_is_no_failure_of_the_server(
    lab: Lab, limits: str, stop_at: float
) -> None:
    """The server holds each reply for 0.3 s, so that queries are open at any time; the second stop falls into the
    time in which the Tester only listens."""
    with stream_server(lab, SERVER4, "late"):
        options = ["--duration", 2, "--rate", 500, "--timeout", 1, *limits.split()]
        started, file = start(lab, SERVER4, *options)
        time.sleep(stop_at)
        started.process.send_signal(signal.SIGSTOP)
        time.sleep(2.5)
        started.process.send_signal(signal.SIGCONT)
        started.wait()
    r = read_json(file)
    check_sums(r)
    assert r["verdict"] in ("pass", "invalid"), (r["verdict"], r["why"])
    assert r["valid"] == r["sent"], r["why"]


def test_nothing_is_left(lab: Lab) -> None:
    lab.stop_serving()
    assert lab.has_no_leftovers()
