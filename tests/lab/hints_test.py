# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the figures of a trial look like: servers that limit their answers, or have too little
CPU; NSD that stops, or of which one socket is dead."""

import contextlib
import os
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator

import pytest
from laboratory import BIN, SERVER4, TRIES, Lab, Result, check_sums, read_json, wait_until

TRIAL = "--rate 2000 --qtype A --source-ports 16 --timeout 0.3".split()
LIMIT = 50  # answers per second about a name
SERVERS = {
    "nsd": ("nsd", "nsd.conf"),
    "bind9": ("named", "named.conf"),
    "knot": ("knotd", "knot.conf"),
}


def hints(r: Result) -> dict[str, dict[str, int]]:
    """Returns the figures of the trial's hints, by kind."""
    return {hint["kind"]: hint["figures"] for hint in r.get("hints", [])}


def answers(lab: Lab) -> bool:
    name = "010-000-000-000.dns64perf.test"
    return lab.run("tester", "dig", "+tries=1", "+time=1", f"@{SERVER4}", name, "A").has("10.0.0.0")


@contextlib.contextmanager
def running(
    lab: Lab, kind: str, edit: Callable[[str], str], workers: int = 2
) -> Iterator[list[int]]:
    """Has a real server on the DUT, whose configuration edit() changes. Yields all its processes. The last processes of
    an NSD are the ones that answer."""
    program, configuration = SERVERS[kind]
    if not shutil.which(program, path="/usr/sbin:/usr/bin:/usr/local/sbin"):
        pytest.skip(f"no {program} on this machine: see tools/install-packages")
    folder = lab.new_folder()
    folder.chmod(0o755)
    folder = folder / kind
    made = lab.run(
        *("dut", BIN / "dnsgauge-zone", "server", kind, "--directory", folder),
        *("--workers", workers, "--names", "10.0.0.0/16", "--listen", SERVER4),
    )
    assert made.status == 0, made
    file = folder / configuration
    file.write_text(edit(file.read_text(encoding="ascii")), encoding="ascii")
    server = lab.start("dut", "nice", "-n", "-20", folder / "start")
    try:
        assert wait_until(lambda: answers(lab), 30), server.said()
        found = lab.run("dut", "ps", "-e", "-o", "pid=,ppid=").text
        rows = [line.split() for line in found.splitlines()]
        parents = [server.process.pid]
        for parent in parents:
            parents += [int(pid) for pid, of in rows if int(of) == parent]
        yield parents
    finally:
        for process in parents:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
        server.stop()


def nsd_with(line: str) -> Callable[[str], str]:
    """Returns what puts this line in place of the option's usual one."""

    def edited(text: str) -> str:
        text = re.sub(f" *{line.split()[0]}.*\n", "", text)
        return text.replace("server:\n", f"server:\n    {line}\n", 1)

    return edited


def bind_with_limit(text: str) -> str:
    return text.replace(
        "options {", f"options {{ rate-limit {{ responses-per-second {LIMIT}; }};", 1
    )


def knot_with_limit(text: str) -> str:
    module = f"mod-rrl:\n  - id: limit\n    rate-limit: {LIMIT}\n"
    return re.sub(r"(?m)^zone:\n(.*)\n", rf"{module}zone:\n\1\n    module: mod-rrl/limit\n", text)


LIMITS = {
    "nsd": nsd_with(f"rrl-ratelimit: {LIMIT}"),
    "bind9": bind_with_limit,
    "knot": knot_with_limit,
}


@pytest.mark.parametrize(
    "kind", ["nsd", *(pytest.param(one, marks=pytest.mark.more) for one in ("bind9", "knot"))]
)
def test_rate_limit(lab: Lab, kind: str) -> None:
    """The servers limit the answers about each name. NSD and BIND drop as many queries as they answer with TC, and Knot
    DNS drops none."""
    slow = ("--rate", "500", "--duration", "2", "--timeout", "2")
    one_name = ("--names", "10.0.0.0/32", "--allow-repeats")
    with running(lab, kind, LIMITS[kind]):
        made = lab.expect(1, SERVER4, *TRIAL[2:-2], *slow, *one_name)
        r = made.result()
        assert "rate_limit" in hints(r), made
        figures = hints(r)["rate_limit"]
        lost = r["lost"] - sum(r["server_drops"])
        assert figures == {"truncated": r["invalid"]["truncated"], "lost": max(lost, 0)}
        assert made.has("^  hint +looks like response-rate limiting: "), made
        assert kind != "knot" or lost < figures["truncated"] / 10


def stopped_at_first(lab: Lab, processes: list[int]) -> Result:
    """Makes a trial in whose first half second no process reads. It is made again while stalls of this machine may be
    why queries were lost, too."""
    for _ in range(TRIES):
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        started, file = lab.start_trial(SERVER4, *TRIAL, "--duration", "3")
        time.sleep(0.5)
        for process in processes:
            os.kill(process, signal.SIGCONT)
        said = started.wait()
        r = read_json(file)
        check_sums(r)
        if not any(
            r["stalls"][side][what] for side in ("tester", "server") for what in ("lost", "late")
        ):
            assert said.status == 1, said
            return r
    raise AssertionError("this machine stalls again and again")


@pytest.mark.more
def test_stopped_server_and_dead_socket(lab: Lab) -> None:
    with running(lab, "nsd", nsd_with("receive-buffer-size: 4096")) as processes:
        # Nobody reads for half a second.
        r = stopped_at_first(lab, processes)
        found = hints(r)
        assert found["first_second"] == {"failed": r["lost"] + r["late"]}
        assert found["socket_buffer"]["drops"] == sum(r["server_drops"]) <= r["lost"]
        assert found["socket_buffer"]["sockets"] == len(r["server_drops"]) == 2
        # Nobody reads one of the sockets.
        os.kill(processes[-1], signal.SIGSTOP)
        r = lab.expect(1, SERVER4, *TRIAL, "--duration", "1").result()
        found = hints(r)
        assert found["source_ports"]["lost"] == r["lost"]
        assert found["source_ports"]["ports"] == 16
        assert found["socket_buffer"]["sockets_with_drops"] >= 1
        assert "first_second" not in found
        # A server that answers looks like nothing.
        os.kill(processes[-1], signal.SIGCONT)
        assert wait_until(lambda: answers(lab), 10)
        r = lab.expect(0, SERVER4, *TRIAL, "--duration", "0.5").result()
        assert not hints(r), r["hints"]


SLOW_SERVER = f"""
import socket, time
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("{SERVER4}", 53))
print("ready", flush=True)
while True:
    server.recv(512)
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        pass
"""


def test_full_cpu(lab: Lab) -> None:
    """A server that computes for 2 ms with each query is asked four times as much as a CPU can do."""
    command = ("nice", "-n", "-20", "/usr/bin/python3", "-c", SLOW_SERVER)
    server = lab.start("dut", *command)
    assert wait_until(lambda: "ready" in server.said()), server.said()
    for _ in range(TRIES):
        r = lab.trial(SERVER4, *TRIAL).result()
        if "full_cpu" in hints(r):  # others may take the CPU for a while
            break
    server.stop()
    full = hints(r)["full_cpu"]
    cpus = [value for name, value in full.items() if name.startswith("cpu_")]
    assert cpus and all(value > 0.9 * full["sending_ns"] for value in cpus), full


@pytest.mark.parametrize(("rate", "is_behind"), [(280, True), (100, False)])
def test_a_server_that_falls_behind(lab: Lab, rate: int, is_behind: bool) -> None:
    """Ten connections with one query at a time, each of which takes 50 ms, carry 200 queries a second. A trial as long
    as its timeout passes at a higher rate, too."""
    lab.serve("--fault", "delay=100%:50ms")
    options = ("--transport", "tcp", "--pipeline", 1, "--rate", rate)
    made = lab.expect(0, SERVER4, *options)
    r = made.result()
    assert r["sent"] == r["valid"]
    assert len([one for one in r["doubts"] if "fell behind until the end" in one]) == is_behind
    backlog = r["connections"]["backlog"]
    assert backlog == sorted(backlog) or not is_behind
    if is_behind:
        assert backlog[3] > 0.2 * r["sent"], backlog
        assert made.has(
            "^  doubt +.*the server fell behind until the end: when all 280 queries "
        ), made
