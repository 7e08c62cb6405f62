# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The probe in the server's kernel: each known delay is in its stage, and each loss has its fate, to the query."""

import contextlib
import csv
import json
import os
import re
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from laboratory import (
    BIN,
    DNSGAUGE,
    SERVER4,
    SERVERS,
    TRIES,
    Lab,
    Result,
    Started,
    read_json,
    read_lines,
    wait_until,
)
from transport_test import real_server

BY_SOCKETS = ("--xdp-mode", "off")
MILLISECOND = 1_000_000
RECEIVED = "/sys/class/net/d0/statistics/rx_packets"
STAGES = ("stack", "queue", "wakeup", "server", "leave")
ONE_AND_MORE = [pytest.param(SERVER4, marks=pytest.mark.more), SERVERS[1]]


def check_by_time(probe: Result, queries: list[list[int]]) -> None:
    """Checks that the rows by time have these queries' stages, to the nanosecond."""
    queries.sort(key=sum)
    begin = 0
    rows = probe.get("by_time", [])
    for row in rows:
        alike = queries[begin : begin + row["queries"]]
        begin += row["queries"]
        assert [sum(times) for times in zip(*alike)] == [row[f"{name}_ns"] for name in STAGES], row
    assert begin == len(queries) and len(rows) <= 100, rows


def check_each_query(r: Result, file: Path) -> None:
    """Checks that the per-query file tells what the result does: each query's fate, and where late ones were for
    longest. The stages are a part of the RTT."""
    probe: Result = r["probe"]
    late = dict.fromkeys((*STAGES, "way", "unknown"), 0)
    fates: Counter[str] = Counter()
    seen: list[list[int]] = []
    wires: list[int] = []
    unseen = 0
    with file.open(encoding="ascii", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=";"):
            fates[row["fate"]] += 1
            wires += [int(row["wire_ns"])] if row["wire_ns"] else []
            times = {name: int(row[f"{name}_ns"] or -1) for name in STAGES}
            has_stages = min(times[name] for name in STAGES[1:]) >= 0
            # A reader on another CPU may have a query before the kernel tells of its arrival in the socket.
            times["stack"] = max(times["stack"], 0)
            unseen += row["fate"] == "left" and not has_stages
            if has_stages:
                seen.append(list(times.values()))
            if row["fate"] != "left":
                assert not has_stages, row
                assert row["class"] == "lost", row
            elif row["rtt_ns"] and has_stages:
                times["way"] = int(row["rtt_ns"]) - sum(times.values())
                assert times["way"] > 0, row
                if row["class"] == "late":
                    late[max(times, key=lambda name: times[name])] += 1
    told = probe["dropped"] | {f"reply_{name}": n for name, n in probe["dropped_replies"].items()}
    told |= {name: probe[name] for name in ("left", "unread", "unanswered")}
    told[""] = r["sent"] - probe["arrived"] + probe["forgotten"] + probe["repeated"]
    assert fates == Counter({name: count for name, count in told.items() if count}), (fates, probe)
    assert unseen == probe["unseen"], (unseen, probe)
    wire = probe.get("wire_ns", {"count": 0, "max": 0})
    assert (len(wires), max(wires, default=0)) == (wire["count"], wire["max"]), (wires, wire)
    check_by_time(probe, seen)
    late["unknown"] = r["late"] - sum(late.values())
    assert late == probe["late"], (late, probe["late"])


def probed(lab: Lab, server: str, *options: str, loses_on_the_way: bool = False) -> Result:
    """Makes a trial with a probe, whatever its verdict. Returns its result, whose queries all have a fate."""
    file = lab.scratch / "each-query.csv"
    made = lab.trial(server, "--probe", "--per-query", file, *options)
    r = made.result()
    check_each_query(r, file)
    probe: Result = r["probe"]
    assert probe["arrived"] == probe["followed"], probe
    assert loses_on_the_way or r["sent"] == probe["arrived"], probe
    fates = sum(probe[name] for name in ("unread", "unanswered", "left", "forgotten", "repeated"))
    assert probe["followed"] == fates + dropped(probe) + sum(probe["dropped_replies"].values())
    assert sum(probe["late"].values()) == r["late"]
    counts = {name: probe[f"{name}_ns"]["count"] for name in STAGES}
    assert {counts[name] for name in STAGES[1:]} == {probe["left"]}, probe
    assert 0.9 * probe["left"] <= counts["stack"] <= probe["left"], counts
    for name, count in counts.items():
        assert sum(row[2] for row in probe[f"{name}_ns"]["histogram"]) == count
    return r


def dropped(probe: Result) -> int:
    return sum(probe["dropped"].values())


@pytest.mark.parametrize("server", SERVERS)
def test_all_answered(lab: Lab, server: str) -> None:
    """Every query leaves with a reply, and the stages are shorter than the RTT."""
    lab.serve(*BY_SOCKETS)
    r = probed(lab, server, "--timeout", "2")
    probe = r["probe"]
    assert probe["left"] == r["sent"] == r["valid"] + r["late"]
    inside = sum(probe[f"{name}_ns"]["mean"] for name in STAGES)
    assert 0 < inside < r["rtt_ns"]["mean"]
    (thread,) = probe["threads"]
    assert thread["name"] == "fakedns" and thread["queries"] == r["sent"] and thread["ran_ns"] > 0


@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["packaged", "two_workers"])
@pytest.mark.parametrize("kind", ["nsd", "knot", "bind9", "yadifa", "pdns"])
def test_real_servers(lab: Lab, kind: str, workers: tuple[str, ...]) -> None:
    """The probe sees each server read, whatever system call it receives by, and in whatever thread. On a busy machine
    a small socket is full."""
    lab.stop_serving()
    with real_server(lab, kind, options=workers):
        for server in SERVERS:
            r = probed(lab, server, "--names", "10.0.0.0/20", "--qtype", "A", "--timeout", "2")
            probe = r["probe"]
            assert probe["left"] == r["valid"] + r["late"] > 0, r["why"]
            assert r["lost"] == probe["dropped"].get("socket_rcvbuff", 0), r["why"]
            assert probe["unseen"] == 0, probe
            assert sum(thread["queries"] for thread in probe["threads"]) == probe["left"]


@pytest.mark.parametrize("kind", ["nsd", "knot", "bind9", "pdns"])
def test_sharing_sockets(lab: Lab, kind: str) -> None:
    """One port of a client leaves one of two sockets idle, and the text says so. Many ports leave none."""
    lab.stop_serving()
    file = lab.scratch / "sharing.json"
    words = ("--probe", "--names", "10.0.0.0/20", "--qtype", "A", "--timeout", "2", "--rate", "200")
    with real_server(lab, kind, options=("--workers", "2")):
        for server in SERVERS:
            told = lab.trial(server, *words, "--source-ports", "1")
            probe = told.result()["probe"]
            read, idle = probe["sharing"]
            assert read["address"] == idle["address"] == server, probe["sharing"]
            assert read["queries"] == probe["left"] > 0 == idle["queries"], probe["sharing"]
            assert read["thread"] in {thread["thread"] for thread in probe["threads"]}, probe
            assert f"sockets     2 share {server}; of the queries" in told.text, told.text
            assert "; none from 1 socket: the kernel chooses" in told.text, told.text
            file.write_text(json.dumps(told.result()), encoding="utf-8")
            advice = lab.run("dut", DNSGAUGE, "doctor", "--interface", "d0", "--probe", file)
            assert advice.has("^warn +server-steering .*from 1 of 2 sockets at"), advice
            probe = lab.trial(server, *words, "--source-ports", "64").result()["probe"]
            counts = [socket["queries"] for socket in probe["sharing"]]
            assert len(counts) == 2 and min(counts) > 0 and sum(counts) == probe["left"], counts


@pytest.mark.parametrize("server", SERVERS)
def test_delay_is_the_servers(lab: Lab, server: str) -> None:
    lab.serve(*BY_SOCKETS, "--fault", "delay=100%:20ms")
    times = probed(lab, server, "--timeout", "2")["probe"]["server_ns"]
    assert 20 * MILLISECOND <= times["p50"] < 40 * MILLISECOND, times


@pytest.mark.parametrize("server", SERVERS)
def test_late(lab: Lab, server: str) -> None:
    """The stage is told in which late queries were for longest, with a file of all queries and without one."""
    lab.serve(*BY_SOCKETS, "--fault", "delay=10%:300ms")
    for r in (
        probed(lab, server, "--timeout", "0.25"),
        lab.trial(server, "--probe", "--timeout", "0.25").result(),
    ):
        late = r["probe"]["late"]
        assert sum(late.values()) == r["late"] > 0 == late["unknown"], r
        assert late["server"] > 0 == late["leave"], late
        told = f"the probe says where the {r['late']} late were for longest: "
        assert told in r["why"] and f"{late['server']} in server" in r["why"], r["why"]


def processes_of_dut(lab: Lab) -> list[int]:
    """Returns the processes on the DUT: the server's, while nothing else runs there."""
    told = lab.ip("netns", "pids", f"{lab.name}-dut")
    return [int(word) for word in told.text.split()]


def packets_of_dut(lab: Lab) -> int:
    """Returns how many packets have come to the DUT's interface."""
    return int(lab.run("dut", "cat", RECEIVED).text)


def trial_of_a_stopped_server(
    lab: Lab, stopped: float, *options: object, server: str = SERVER4
) -> tuple[int, Result]:
    """Makes a trial with a probe. The DUT's server is stopped for `stopped` seconds. Returns the status and the
    result."""
    processes = processes_of_dut(lab)
    before = packets_of_dut(lab)
    started, file = lab.start_trial(server, "--probe", "--duration", 3, *options)
    assert wait_until(lambda: packets_of_dut(lab) > before + 200), started.said()
    for sent in (signal.SIGSTOP, signal.SIGCONT):
        for process in processes:
            os.kill(process, sent)
        if sent == signal.SIGSTOP:
            time.sleep(stopped)
    return started.wait().status, read_json(file)


def test_late_in_the_queue(lab: Lab) -> None:
    """Queries wait in the queue of a server that stands still."""
    lab.serve(*BY_SOCKETS)
    _, r = trial_of_a_stopped_server(lab, 0.3, "--timeout", "0.2")
    late = r["probe"]["late"]
    assert late["queue"] > 0 == late["unknown"] + late["server"], late
    assert sum(late.values()) == r["late"], (late, r["late"])


def test_too_late(lab: Lab) -> None:
    """A reply that leaves after twice the timeout is no loss on the way back."""
    lab.serve(*BY_SOCKETS, "--fault", "delay=10%:300ms")
    # The trial listens until then, for the last of its queries, and FakeDNS answers later ones, too.
    r = probed(lab, SERVER4, "--timeout", "0.1")
    assert r["lost"] > 0 and r["probe"]["too_late"] > 0, r
    assert f"{r['probe']['too_late']} answered after twice the timeout" in r["why"], r["why"]
    assert "lost on the way back" not in r["why"], r["why"]


def test_unanswered(lab: Lab) -> None:
    """A server that keeps silent by choice has read the queries."""
    lab.serve(*BY_SOCKETS, "--fault", "loss=10%")
    for _ in range(TRIES):
        r = probed(lab, SERVER4, "--timeout", "1.5")
        if r["late"] == 0:
            break
    assert 0 < r["lost"] == r["probe"]["unanswered"] and dropped(r["probe"]) == 0
    assert (
        f"the probe says of the {r['lost']} lost: {r['lost']} read by the server, which" in r["why"]
    )


def test_stopped_server(lab: Lab) -> None:
    """Queries wait in the socket's queue while the server is stopped."""
    lab.serve(*BY_SOCKETS)
    status, r = trial_of_a_stopped_server(lab, 0.1, "--timeout", "2")
    assert status in (0, 3)
    probe = r["probe"]
    assert probe["queue_ns"]["max"] >= 80 * MILLISECOND, probe["queue_ns"]
    assert probe["stack_ns"]["p99"] < 10 * MILLISECOND, probe["stack_ns"]
    # It read them many at a time.
    assert probe["server_ns"]["count"] == probe["left"] > 0 == probe["unseen"], probe


def test_peek(lab: Lab) -> None:
    """A look at a query is no read. This server receives by recvmsg()."""
    lab.stop_serving()
    code = (
        "import socket, time\n"
        "server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        f"server.bind(('{SERVER4}', 53))\n"
        "while True:\n"
        "    server.recvmsg(512, 0, socket.MSG_PEEK)\n"
        "    time.sleep(0.02)\n"
        "    query, _, _, client = server.recvmsg(512)\n"
        "    server.sendto(query[:2] + b'\\x84' + query[3:], client)\n"
    )
    server = lab.start("dut", "/usr/bin/python3", "-c", code)
    time.sleep(1)
    probe = probed(lab, SERVER4, "--rate", "20")["probe"]
    server.stop()
    assert probe["left"] == probe["followed"] > 0, probe
    assert probe["queue_ns"]["p50"] >= 20 * MILLISECOND > probe["server_ns"]["p50"], probe


@contextlib.contextmanager
def sharing_its_cpu(lab: Lab) -> Iterator[None]:
    """Has the DUT's server on one CPU, which another process takes for a second, once queries come. A trial's set-up
    may take longer."""
    cpu = max(os.sched_getaffinity(0))
    for process in processes_of_dut(lab):
        for thread in Path(f"/proc/{process}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cpu})
    code = (
        "import time\n"
        "def packets():\n"
        f"    with open('{RECEIVED}') as file:\n"
        "        return int(file.read())\n"
        "before = packets()\n"
        "print('ready', flush=True)\n"
        "while packets() < before + 100:\n"
        "    time.sleep(0.001)\n"
        "end = time.monotonic() + 1\n"
        "while time.monotonic() < end:\n"
        "    pass\n"
    )
    other = lab.start(
        "dut", "nice", "-n", "-20", "taskset", "-c", cpu, "/usr/bin/python3", "-c", code
    )
    assert wait_until(lambda: "ready" in other.said()), other.said()
    yield
    assert other.wait().status == 0, other.said()


def test_cpu_of_others(lab: Lab) -> None:
    """The server's thread is ready, and others have its CPU."""
    lab.serve(*BY_SOCKETS)
    with sharing_its_cpu(lab):
        probe = probed(lab, SERVER4, "--duration", "0.5", "--timeout", "1")["probe"]
    lab.stop_serving()
    assert probe["threads"][0]["waited_ns"] >= 10 * MILLISECOND, probe["threads"]
    assert probe["wakeup_ns"]["max"] >= MILLISECOND, probe["wakeup_ns"]


def test_full_socket(lab: Lab) -> None:
    """A server that has no time fills its socket's buffer. The probe names the socket."""
    server = lab.serve(*BY_SOCKETS)
    os.kill(server.process.pid, signal.SIGSTOP)
    r = probed(lab, SERVER4, "--rate", "20000", "--timeout", "0.2")
    os.kill(server.process.pid, signal.SIGCONT)
    probe = r["probe"]
    full = probe["dropped"]["socket_rcvbuff"]
    # Ten thousand queries are open. Now and then five have the same ID, and the oldest loses its place.
    assert r["lost"] == r["sent"] == full + probe["unread"] + probe["forgotten"]
    assert probe["unread"] > 0 and probe["forgotten"] < 10, probe
    (socket,) = probe["sockets"]
    assert (socket["process"], socket["name"]) == (server.process.pid, "fakedns")
    assert socket["drops"] == full and probe["unread"] <= socket["waiting"] <= r["sent"] - full + 1
    told = f"{full} dropped before the server: a full socket buffer (net.core.rmem_max, SO_RCVBUF)"
    assert f"{told} of fakedns" in r["why"], r["why"]
    lab.stop_serving()


def test_no_server(lab: Lab) -> None:
    lab.serve(*BY_SOCKETS, "--port", "5300")
    r = probed(lab, SERVER4, "--timeout", "0.2")
    assert r["probe"]["dropped"] == {"no_socket": r["sent"]}
    assert f"{r['sent']} dropped before the server: no socket at the port" in r["why"]


@contextlib.contextmanager
def ruled(lab: Lab, rules: str) -> Iterator[None]:
    """Has the DUT a table of netfilter with these chains."""
    if not shutil.which("nft"):
        pytest.skip("no nft on this machine: see tools/install-packages")
    file = lab.scratch / "rules"
    file.write_text(f"table inet tests {{\n{rules}}}\n", encoding="ascii")
    assert lab.run("dut", "nft", "-f", file).status == 0
    try:
        yield
    finally:
        lab.run("dut", "nft", "delete", "table", "inet", "tests")


@pytest.mark.parametrize("server", ONE_AND_MORE)
def test_many_rules(lab: Lab, server: str) -> None:
    """Netfilter's rules take time on the way to the socket: `stack` has this time, and `queue` does not."""
    lab.serve(*BY_SOCKETS)
    without = probed(lab, server, "--timeout", "2")["probe"]
    rule = "  udp dport 9 counter\n"
    with ruled(lab, f" chain many {{\n  type filter hook input priority 0;\n{8000 * rule} }}\n"):
        ruled_by = probed(lab, server, "--timeout", "2")["probe"]
    # The fastest queries: others may have the server's CPU.
    least = [
        one[f"{name}_ns"]["histogram"][0][0] for one in (without, ruled_by) for name in STAGES[:2]
    ]
    assert least[2] >= 20_000 > max(least[0], least[1], least[3]), least


@contextlib.contextmanager
def filtering(lab: Lab, hook: str, direction: str) -> Iterator[Callable[[], int]]:
    """Has netfilter drop each 100th packet at a hook of the DUT. Yields what tells how many it dropped."""
    rules = (
        f" chain drops {{\n  type filter hook {hook} priority 0;\n"
        f"  udp {direction} 53 numgen inc mod 100 == 0 counter drop\n }}\n"
    )

    def counted() -> int:
        told = lab.run("dut", "nft", "-j", "list", "table", "inet", "tests")
        counter = re.search(r'"counter": {"packets": (\d+)', told.text)
        assert counter, told
        return int(counter[1])

    with ruled(lab, rules):
        yield counted


@pytest.mark.parametrize(
    ("hook", "direction", "field", "server"),
    [("input", "dport", "dropped", SERVERS[0]), ("output", "sport", "dropped_replies", SERVERS[1])],
)
def test_netfilter(lab: Lab, hook: str, direction: str, field: str, server: str) -> None:
    """Each drop by a rule is counted, on the way in and out. FakeDNS sends a reply again that the kernel refuses."""
    lab.serve(*BY_SOCKETS)
    with filtering(lab, hook, direction) as counted:
        r = probed(lab, server, "--timeout", "1.5")
        count = counted()
    assert r["probe"][field] == {"netfilter_drop": r["lost"]}, (r["probe"], r["lost"])
    assert count == r["lost"] if hook == "input" else count >= r["lost"] > 0


@contextlib.contextmanager
def holding(lab: Lab, milliseconds: int) -> Iterator[None]:
    """Has the DUT's interface hold packets between its driver and the network stack (GRO), in hope of more of their
    flow."""
    timeout = "/sys/class/net/d0/gro_flush_timeout"
    for words in (
        ("ethtool", "-K", "d0", "gro", "on", "rx-gro-list", "on"),
        ("sh", "-c", f"echo {milliseconds * MILLISECOND} >{timeout}"),
    ):
        made = lab.run("dut", *words)
        assert made.status == 0, made
    try:
        yield
    finally:
        lab.run("dut", "ethtool", "-K", "d0", "rx-gro-list", "off")
        lab.run("dut", "sh", "-c", f"echo 0 >{timeout}")


@pytest.mark.parametrize("server", ONE_AND_MORE)
def test_first_sight(lab: Lab, server: str) -> None:
    """The time from the interface to the network stack is told where the user wants it, and a known delay is there."""
    lab.serve(*BY_SOCKETS)
    assert "wire_ns" not in probed(lab, server, "--timeout", "2")["probe"]
    words = ("--probe-first-sight", "--rate", "20", "--timeout", "2")
    least = []
    for delay in (0, 30):
        with holding(lab, delay):
            r = probed(lab, server, *words)
        probe = r["probe"]
        assert probe["sighted"] == probe["wire_ns"]["count"] == r["sent"] == probe["left"], probe
        deviations = json.dumps(r["rfc8219"])
        assert "an XDP program of the probe at the server's interface" in deviations, deviations
        least.append(probe["wire_ns"]["p50"])
        assert probe["stack_ns"]["p50"] < MILLISECOND, probe["stack_ns"]
    assert least[0] < MILLISECOND and 30 * MILLISECOND <= least[1] < 34 * MILLISECOND, least


def test_no_room_for_a_first_sight(lab: Lab) -> None:
    """An interface carries one XDP program."""
    lab.serve("--xdp-mode", "native")
    told = 'the XDP program "fakedns[^"]*" is attached to d0, and there is room for one: stop'
    said = lab.run("dut", DNSGAUGE, "probe", "--interface", "d0", "--first-sight")
    assert said.status == 2 and said.has(f"^dnsgauge: .*{told}"), said
    assert said.text.count("\n") == 1, said
    said = lab.trial(SERVER4, "--probe", "--probe-first-sight")
    assert said.status == 2 and said.has(told), said


def test_share(lab: Lab) -> None:
    """A part of the queries is followed, and all are counted."""
    lab.serve(*BY_SOCKETS)
    r = lab.trial(SERVER4, "--probe", "--probe-share", "10", "--rate", "10000").result()
    probe = r["probe"]
    assert probe["arrived"] == r["sent"] and 700 < probe["followed"] < 1300
    assert probe["followed"] == probe["left"] + probe["unread"] + probe["unanswered"] + dropped(
        probe
    )
    assert probe["stack_ns"]["count"] == probe["leave_ns"]["count"] == 0
    assert probe["unseen"] == 0 < probe["server_ns"]["count"], probe
    assert probe["server_ns"]["count"] == probe["left"], probe
    deviations = json.dumps(r["rfc8219"])
    assert "a probe in the server's kernel, which followed 10 % of the queries" in deviations


def answered_by_xdp(lab: Lab, server: Started) -> int:
    """Ends FakeDNS. Returns how many AAAA queries it says that its XDP program answered."""
    lab.stop_serving()
    told = re.search("^AAAA +([0-9]+) ", server.said(), re.MULTILINE)
    assert told, server.said()
    return int(told[1])


@pytest.mark.parametrize("server", ONE_AND_MORE)
@pytest.mark.parametrize("mode", ["native", "generic"])
def test_server_by_xdp(lab: Lab, mode: str, server: str) -> None:
    """An XDP program answers before the network stack, or drops: the probe counts what FakeDNS and the Tester do."""
    lab.stop_serving()
    fakedns = lab.serve("--xdp-mode", mode, "--fault", "loss=10%")
    r = lab.trial(server, "--probe", "--timeout", "2").result()
    probe, replied = r["probe"], r["sent"] - r["lost"]
    # FakeDNS also counts the answers that it then loses by choice. In native mode the probe does not see them.
    assert probe["xdp_sent"] == replied == answered_by_xdp(lab, fakedns) - r["lost"] > 0, (probe, r)
    seen = r["lost"] if mode == "generic" else 0
    assert sum(probe["dropped"].values()) == probe["arrived"] == seen < r["sent"], probe
    assert probe["left"] == probe["unread"] == probe["taken"] == probe["xdp_dropped"] == 0, probe
    fate = "dropped before the server: an XDP program" if seen else "never reached the server's"
    assert f"the probe says of the {r['lost']} lost: {r['lost']} {fate}" in r["why"], r["why"]
    told = f"(its interface dropped as many packets: driver.rx_queue_0_xdp_drops {r['lost']})"
    assert (told in r["why"]) == (mode == "native"), r["why"]
    assert any(f"an XDP program sent back {replied} packets" in doubt for doubt in r["doubts"]), r


@pytest.mark.parametrize("server", ONE_AND_MORE)
def test_server_by_af_xdp(lab: Lab, server: str) -> None:
    """Knot takes every query by AF_XDP. While it is stopped, each query waits in its ring or finds no room."""
    lab.stop_serving()
    names = "--names 10.0.0.0/20 --qtype A".split()
    with real_server(lab, "knot", options=("--xdp", "d0", "--workers", "1")) as (_, running):
        r = lab.trial(server, "--probe", *names, "--timeout", "2").result()
        probe = r["probe"]
        assert probe["taken"] == r["sent"] == r["valid"] + r["late"], probe
        assert probe["arrived"] == probe["refused"] == 0, probe
        assert any("took 2000 packets by AF_XDP" in doubt for doubt in r["doubts"]), r["doubts"]
        os.kill(running.process.pid, signal.SIGSTOP)
        r = lab.trial(
            *(server, "--probe", *names, "--allow-repeats", "--rate", "20000"),
            *("--duration", "0.5", "--timeout", "0.2"),
        ).result()
        os.kill(running.process.pid, signal.SIGCONT)
        probe = r["probe"]
        assert r["lost"] == r["sent"] == probe["taken"] + probe["refused"], probe
        assert probe["taken"] > 0 and probe["refused"] > 0, probe
        assert f"{probe['refused']} refused by the server's AF_XDP socket" in r["why"], r["why"]
    lab.run("dut", "ip", "link", "set", "dev", "d0", "xdp", "off")


@contextlib.contextmanager
def dropping(lab: Lab, action: str, mode: str = "xdpdrv") -> Iterator[None]:
    """Has an XDP program at the DUT's interface do this with each 100th UDP packet: DROP it, send it back (TX), or
    whatever the expression does."""
    if not shutil.which("clang"):
        pytest.skip("no clang on this machine: see tools/install-packages")
    source, program = lab.scratch / "drop.c", lab.scratch / "drop.o"
    source.write_text(
        "struct packet { unsigned begin, end; };\n"
        "enum { DROP = 1, PASS, TX };\n"
        "static unsigned count;\n"
        '__attribute__((section("xdp"))) int drop(struct packet *packet) {\n'
        " unsigned char *at = (void *)(long)packet->begin;\n"
        " if (at + 24 > (unsigned char *)(long)packet->end)\n"
        "  return PASS;\n"
        " if (at[12] == 8 ? at[23] != 17 : at[12] != 0x86 || at[20] != 17)\n"
        "  return PASS;\n"
        f" return ++count % 100 ? PASS : {action};\n}}\n",
        encoding="ascii",
    )
    made = lab.run("dut", "clang", "-O2", "-g", "-target", "bpf", "-c", source, "-o", program)
    assert made.status == 0, made
    attach = ("ip", "link", "set", "dev", "d0", mode)
    made = lab.run("dut", *attach, "obj", program, "sec", "xdp")
    assert made.status == 0, made
    try:
        yield
    finally:
        lab.run("dut", *attach, "off")


@pytest.mark.parametrize(("mode", "server"), [("xdpdrv", SERVERS[0]), ("xdpgeneric", SERVERS[1])])
def test_dropped_by_xdp(lab: Lab, mode: str, server: str) -> None:
    """What an XDP program drops at the server's interface is the server's machine's doing."""
    lab.serve(*BY_SOCKETS)
    with dropping(lab, "DROP", mode):
        r = probed(lab, server, "--timeout", "1.5")
    assert r["lost"] > 0 and r["probe"]["dropped"] == {"xdp": r["lost"]}, (r["why"], r["probe"])
    assert f"{r['lost']} dropped before the server: an XDP program" in r["why"], r["why"]


def test_sent_back_by_xdp(lab: Lab) -> None:
    """Queries that an XDP program sends back as they are count as sent, and no reply arrives."""
    lab.serve(*BY_SOCKETS)
    with dropping(lab, "TX"):
        r = probed(lab, SERVER4, "--timeout", "1.5", loses_on_the_way=True)
    assert r["sent"] - r["probe"]["arrived"] == r["probe"]["xdp_sent"] == r["lost"] > 0, r
    assert f"{r['lost']} answered, or sent back by an XDP program, and no reply" in r["why"]


def test_drops_of_a_trials_interface(lab: Lab) -> None:
    """What the server's interface drops before the network stack is named: here, redirects to an interface that takes
    none."""
    lab.serve(*BY_SOCKETS)
    with dropping(lab, "((int (*)(unsigned, unsigned long long))23)(1, 0)"):
        r = probed(lab, SERVER4, "--timeout", "1.5", loses_on_the_way=True)
    drops = r["probe"]["interface_drops"]
    assert drops["driver.rx_queue_0_drops"] == r["sent"] - r["probe"]["arrived"] == r["lost"] > 0, r
    told = f"{r['lost']} never reached the server's network stack (its interface dropped as many packets: "
    assert told in r["why"], r["why"]


def test_lost_on_the_way(lab: Lab) -> None:
    """What never reaches the server's network stack as a query is not held against the server."""
    lab.serve(*BY_SOCKETS)
    with dropping(lab, "(at[14] = 0, PASS)"):
        r = probed(lab, SERVER4, "--timeout", "1.5", loses_on_the_way=True)
    assert r["sent"] - r["probe"]["arrived"] == r["lost"] > 0
    assert r["verdict"] == "invalid"
    assert f"but {r['lost']} queries never reached the server's network stack" in r["why"]


def started_probe(lab: Lab) -> tuple[Started, Path, Path]:
    """Starts a probe on the DUT. Returns it, its result's file, and its file of queries."""
    file, log = lab.new_result(), lab.scratch / "queries.csv"
    return begun_probe(lab, "--json", file, "--per-query", log), file, log


def begun_probe(lab: Lab, *options: object) -> Started:
    """Starts a probe on the DUT. Returns it when it follows queries."""
    probe = lab.start("dut", DNSGAUGE, "probe", "--interface", "d0", *options)
    told = "dnsgauge: following queries to port 53 at d0, until Ctrl-C\n"
    assert wait_until(lambda: told in probe.said(), 60), probe.said()
    return probe


def test_alone(lab: Lab) -> None:
    """dnsgauge probe beside somebody else's load, until Ctrl-C; and nothing is left behind."""
    lab.serve(*BY_SOCKETS)
    alone, file, log = started_probe(lab)
    r = lab.trial(SERVER4, "--timeout", "2").result()
    said = alone.end(signal.SIGINT)
    assert said.status == 0 and said.has("^  server .*from the read until"), said
    probe = read_json(file)["probe"]
    assert probe["arrived"] == r["sent"]
    with log.open(encoding="ascii", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter=";"))
    assert len(rows) == r["sent"] and probe["unlogged"] == 0
    assert {(row["client"], row["fate"]) for row in rows} == {("198.18.0.1", "left")}
    assert len({(row["port"], row["id"]) for row in rows}) == r["sent"]
    for stage in (f"{name}_ns" for name in STAGES):
        times = [int(row[stage]) for row in rows if row[stage]]
        assert len(times) == probe[stage]["count"]
        assert max(times) == probe[stage]["max"]
        assert sum(times) == pytest.approx(probe[stage]["mean"] * len(times))
    check_by_time(probe, [[int(row[f"{name}_ns"] or 0) for name in STAGES] for row in rows])
    advice = lab.run("dut", DNSGAUGE, "doctor", "--interface", "d0", "--probe", file)
    assert advice.has("^ok +server-sockets +no query found a full socket"), advice
    assert advice.has("^(ok|warn) +server-cpus +.* CPUs for "), advice
    begun_probe(lab).end(signal.SIGKILL)
    time.sleep(0.5)
    assert not lab.run("dut", "bpftool", "prog").has("name probe_")


def check_wrong_checksums(lab: Lab, server: str) -> None:
    """Sends queries whose UDP checksum is wrong. The probe must have each of them."""
    alone, file, log = started_probe(lab)
    header = "IPv6" if ":" in server else "IP"
    made = lab.run(
        *("tester", "/usr/bin/python3", "-c"),
        f"from scapy.all import DNS, DNSQR, {header}, UDP, send\n"
        f"send([{header}(dst='{server}') / UDP(sport=40000 + i, dport=53, chksum=1) / "
        "DNS(id=i, qd=DNSQR(qname='dns64perf.test')) for i in range(20)], verbose=False)",
    )
    assert made.status == 0, made
    time.sleep(0.3)
    alone.end(signal.SIGINT)
    assert read_json(file)["probe"]["dropped"] == {"udp_csum": 20}
    dropped_ones = re.findall(";([0-9]+);([0-9]+);udp_csum;;;;;;$", log.read_text("ascii"), re.M)
    assert sorted(dropped_ones) == sorted((str(40000 + i), str(i)) for i in range(20))


def test_drops_of_the_interface(lab: Lab) -> None:
    """The interface's own counters are told, whatever packets it dropped, and an XDP program's drops in its driver."""
    lab.serve(*BY_SOCKETS)
    with dropping(lab, "DROP"):
        alone, file, _ = started_probe(lab)
        made = lab.run(
            *("tester", "/usr/bin/python3", "-c"),
            "from scapy.all import Ether, IP, Raw, UDP, sendp\n"
            "to_all = Ether(dst='ff:ff:ff:ff:ff:ff')\n"
            "unknown, udp = [Raw(bytes(60))] * 20, [IP(dst='198.18.0.2') / UDP(dport=9)] * 200\n"
            "to_all.type = 0x88b5\n"
            "sendp([to_all / one for one in unknown], iface='g0', verbose=False)\n"
            "to_all.type = 0x0800\n"
            "sendp([to_all / one for one in udp], iface='g0', verbose=False)",
        )
        assert made.status == 0, made
        time.sleep(0.3)
        said = alone.end(signal.SIGINT)
    drops = read_json(file)["probe"]["interface_drops"]
    assert drops["rx_dropped"] >= 20, drops
    assert sum(count for name, count in drops.items() if name.endswith("xdp_drops")) >= 2, drops
    assert said.has(f"^  interface +lost received packets.* rx_dropped {drops['rx_dropped']}"), said


@pytest.mark.parametrize("server", SERVERS)
def test_wrong_checksum(lab: Lab, server: str) -> None:
    lab.serve(*BY_SOCKETS)
    check_wrong_checksums(lab, server)


def test_wrong_input(lab: Lab) -> None:
    """Each mistake gets one line."""
    file = lab.scratch / "both"
    mistakes: dict[str, tuple[object, ...]] = {
        'no interface "d7".*which has d0': ("--interface", "d7"),
        "--interface is required": (),
        "must be .*0.001 to 100": ("--interface", "d0", "--share", "0"),
        "both name .*/both: give": ("--interface", "d0", "--json", file, "--per-query", file),
    }
    for pattern, words in mistakes.items():
        said = lab.run("dut", DNSGAUGE, "probe", *words)
        assert said.status == 2 and said.has(pattern), said
    assert not file.exists()
    rights = lab.run(
        "dut", "setpriv", "--bounding-set=-bpf,-sys_admin", DNSGAUGE, "probe", "--interface", "d0"
    )
    assert rights.status == 2 and rights.text.count("\n") == 1, rights
    assert rights.has("or grant CAP_BPF$"), rights
    quiet = lab.run("dut", DNSGAUGE, "probe", "--interface", "d0", "--duration", "0.2")
    assert quiet.status == 3 and quiet.has("^  arrived +0 "), quiet
    over_tcp = "--probe --transport tcp --rate 1 --names 10.0.0.0/8".split()
    lab.refused("--probe belongs to --transport udp", *over_tcp)
    lab.refused(
        "--probe-share needs --probe", "--probe-share", "10", "--rate", "1", "--names", "10.0.0.0/8"
    )


def test_replay(lab: Lab) -> None:
    """Each run of a replay has what the probe saw of it, under queries of many clients."""
    lab.stop_serving()
    lab.serve(*BY_SOCKETS, "--fault", "loss=10%")
    lab.run("dut", "ip", "route", "replace", "198.19.0.0/16", "via", "198.18.0.1")
    capture, journal, file = lab.scratch / "played.pcap", lab.scratch / "journal", lab.new_result()
    made = lab.run(
        *("dut", BIN / "dnsgauge-queries", "make", "--rate", "1000", "--duration", "1"),
        *("--clients", "50", "--names", "10.0.0.0/24", "--output", capture),
    )
    assert made.status == 0, made
    words = f"--interface g0 --server {SERVER4} --capture {capture} --clients 198.19.0.0/16 --duration 1 --timeout 2"
    limits = (
        "--before-trial true --max-lateness 60 --max-overrun 60 --max-others 100 --beyond-selftest"
    )
    replay = [DNSGAUGE, "replay", "--probe", "--journal", journal, "--json", file]
    replay += words.split() + limits.split()
    for more in (["--runs", 1], ["--runs", 2, "--resume"]):
        said = lab.run("tester", *replay, *more)
        assert said.status == 0, said
    runs = read_json(file)["trials"]
    whole = [line["trial"] for line in read_lines(journal) if line.get("record") == "trial"]
    assert len(runs) == 2 <= len(whole)
    for run in runs:
        probe = run["probe"]
        assert run["sent"] == probe["followed"] > 900 and probe["repeated"] == 0, run
        assert run["answered"] + run["late"] == probe["left"] == probe["server_ns"]["count"], run
        assert run["lost"] == probe["unanswered"] + dropped(probe) > 0, run
        assert f"the probe says of the {run['lost']} lost: " in run["why"], run
    for r in whole:
        assert r["workload"]["clients"] == 50 and r["probe"]["server_ns"]["histogram"], r


def test_replies_dropped_by_xdp(lab: Lab) -> None:
    """Replies that are longer than the other end takes are dropped on the way out. The last test: such an end has no
    IPv6."""
    lab.serve("--xdp-mode", "native")
    lab.ip("link", "set", "dev", "g0", "mtu", "90")
    r = lab.trial(SERVER4, "--probe", "--timeout", "0.2").result()
    probe = r["probe"]
    assert probe["xdp_dropped"] == r["sent"] == r["lost"] > 0 == probe["xdp_sent"], (probe, r)
    assert f"{r['lost']} dropped on the way out of the server's interface" in r["why"], r["why"]
