# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the figures of a trial look like: NSD that limits its answers, that stops, or of which one socket is dead."""

import contextlib
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator

import pytest
from laboratory import BIN, SERVER4, TRIES, Lab, Result, check_sums, read_json, wait_until

TRIAL = "--qtype A --rate 2000 --timeout 0.3 --source-ports 16".split()


def hints(r: Result) -> dict[str, dict[str, int]]:
    """Returns the figures of the trial's hints, by kind."""
    return {hint["kind"]: hint["figures"] for hint in r.get("hints", [])}


def answers(lab: Lab) -> bool:
    name = "010-000-000-000.dns64perf.test"
    return lab.run("tester", "dig", "+tries=1", "+time=1", f"@{SERVER4}", name, "A").has("10.0.0.0")


@contextlib.contextmanager
def nsd(lab: Lab, *lines: str) -> Iterator[list[int]]:
    """Has an NSD of two processes with a socket each on the DUT, with these lines in its configuration. Yields all its
    processes; those that answer are the last ones."""
    if not shutil.which("nsd", path="/usr/sbin:/usr/bin:/usr/local/sbin"):
        pytest.skip("no nsd on this machine: see tools/install-packages")
    folder = lab.new_folder()
    folder.chmod(0o755)
    folder = folder / "nsd"
    made = lab.run(
        *("dut", BIN / "dnsgauge-zone", "server", "nsd", "--directory", folder, "--workers", 2),
        *("--names", "10.0.0.0/16", "--listen", SERVER4),
    )
    assert made.status == 0, made
    configuration = folder / "nsd.conf"
    text = configuration.read_text(encoding="ascii")
    for line in lines:
        text = re.sub(f" *{line.split()[0]}.*\n", "", text)
    text = text.replace("server:\n", "server:\n" + "".join(f"    {line}\n" for line in lines), 1)
    configuration.write_text(text, encoding="ascii")
    server = lab.start("dut", folder / "start")
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


def test_rate_limit(lab: Lab) -> None:
    """NSD limits the answers about each name."""
    one_name = ("--names", "10.0.0.0/32", "--allow-repeats")
    with nsd(lab, "rrl-ratelimit: 200"):
        made = lab.expect(1, SERVER4, *TRIAL, *one_name, "--duration", "1.5")
        r = made.result()
        figures = hints(r)["rate_limit"]
        assert figures == {"truncated": r["invalid"]["truncated"], "lost": r["lost"]}
        assert made.has("^  hint +looks like response-rate limiting: "), made
        assert "source_ports" not in hints(r)


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
    with nsd(lab, "receive-buffer-size: 4096") as processes:
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
