# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Known delays and losses with each server, over IPv4 and IPv6: the probe tells each in its stage, or as its fate."""

import contextlib
import ctypes
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from laboratory import SERVERS, Lab, Result, wait_until
from probe_test import (
    BY_SOCKETS,
    MILLISECOND,
    check_wrong_checksums,
    dropping,
    filtering,
    probed,
    processes_of_dut,
    sharing_its_cpu,
    trial_of_a_stopped_server,
)
from transport_test import answers, real_server, serving

pytestmark = pytest.mark.more

KINDS = ("fakedns", "nsd", "knot", "bind9", "unbound", "pdns")
NAMES = ("--names", "10.0.0.0/20", "--qtype", "A", "--allow-repeats")
SMALL = 4096  # octets of a socket's buffer


def unbound_words(lab: Lab, zone: Path) -> list[object]:
    """Returns the command of an Unbound that answers from a zone file."""
    if not shutil.which("unbound", path="/usr/sbin:/usr/bin"):
        pytest.skip("no unbound on this machine: see tools/install-packages")
    file = lab.scratch / "unbound.conf"
    interfaces = "".join(f" interface: {server}\n" for server in SERVERS)
    file.write_text(
        f"server:\n{interfaces} access-control: 0.0.0.0/0 allow\n access-control: ::/0 allow\n"
        ' username: ""\n chroot: ""\n pidfile: ""\n use-syslog: no\n do-daemonize: no\n'
        ' module-config: "iterator"\n num-threads: 1\n local-zone: "test." nodefault\n'
        f'auth-zone:\n name: dns64perf.test\n zonefile: "{zone}"\n for-upstream: no\n',
        encoding="ascii",
    )
    return ["/usr/sbin/unbound", "-d", "-c", file]


@pytest.fixture(scope="module", name="kind", params=KINDS)
def server_of_kind(lab: Lab, request: pytest.FixtureRequest) -> Iterator[str]:
    """Has a server of this kind on the DUT, with one thread that answers."""
    kind: str = request.param
    lab.stop_serving()
    with contextlib.ExitStack() as stack:
        if kind == "fakedns":
            lab.serve(*BY_SOCKETS)
            stack.callback(lab.stop_serving)
        elif kind == "unbound":
            with real_server(lab, "nsd") as (folder, _):
                zone = folder / "zone"
            running = stack.enter_context(serving(lab, unbound_words(lab, zone)))
            for server in SERVERS:
                assert wait_until(lambda: answers(lab, server), 30), running.said()  # noqa: B023
        else:
            stack.enter_context(real_server(lab, kind, options=("--workers", "1")))
        yield kind


def shrink_sockets(processes: list[int]) -> None:
    """Gives the UDP sockets of these processes a small buffer, from outside."""
    libc = ctypes.CDLL(None, use_errno=True)
    for process in processes:
        pidfd = os.pidfd_open(process)
        for link in Path(f"/proc/{process}/fd").iterdir():
            if not os.readlink(link).startswith("socket:"):
                continue
            handle = libc.syscall(438, pidfd, int(link.name), 0)  # pidfd_getfd
            assert handle >= 0, os.strerror(ctypes.get_errno())
            with socket.socket(fileno=handle) as one:
                if one.type == socket.SOCK_DGRAM and one.family != socket.AF_UNIX:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL // 2)
                    assert one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) == SMALL
        os.close(pidfd)


def check_drops(r: Result, reason: str, count: int) -> None:
    """Checks that `count` queries have this fate, and that the other lost queries found a full socket: on a busy
    machine the packaged servers' buffers are small."""
    probe = r["probe"]
    assert probe["dropped"].pop(reason) == count > 0, (r["why"], probe)
    full = r["lost"] - count
    assert probe["dropped"] == ({"socket_rcvbuff": full} if full else {}), (r["why"], probe)
    assert sum(one["drops"] for one in probe["sockets"]) == full, probe


@pytest.mark.parametrize("server", SERVERS)
def test_stopped(lab: Lab, kind: str, server: str) -> None:
    """Queries wait in the queue of a server that stands still for 50 ms."""
    _, r = trial_of_a_stopped_server(lab, 0.05, *NAMES, "--timeout", "2", server=server)
    probe = r["probe"]
    assert probe["left"] == r["valid"] + r["late"] > 0 == probe["unseen"], (kind, r["why"])
    assert r["lost"] == probe["dropped"].get("socket_rcvbuff", 0), (kind, r["why"])
    assert probe["queue_ns"]["max"] >= 40 * MILLISECOND, (kind, probe["queue_ns"])
    assert probe["stack_ns"]["p99"] < 10 * MILLISECOND, (kind, probe["stack_ns"])


@pytest.mark.parametrize("server", SERVERS)
def test_late_in_the_queue(lab: Lab, kind: str, server: str) -> None:
    """Late queries were for longest in the queue of a server that stands still for longer than the timeout."""
    words = (*NAMES, "--timeout", "0.2")
    _, r = trial_of_a_stopped_server(lab, 0.3, *words, server=server)
    late = r["probe"]["late"]
    assert sum(late.values()) == r["late"], (kind, late, r["late"])
    assert late["queue"] > 0.9 * r["late"], (kind, late)


@pytest.mark.parametrize("server", SERVERS)
def test_replies_dropped_by_netfilter(lab: Lab, kind: str, server: str) -> None:
    """The kernel refuses a reply, and the server may then give up the others of its batch, or send the reply again."""
    with filtering(lab, "output", "sport") as counted:
        r = probed(lab, server, *NAMES, "--timeout", "1.5")
        refused = counted()
    probe = r["probe"]
    given_up = probe["unanswered"]
    lost = r["lost"] - probe["dropped"].get("socket_rcvbuff", 0)
    dropped = probe["dropped_replies"].pop("netfilter_drop", 0)
    assert not probe["dropped_replies"] and dropped + given_up == lost, (kind, probe)
    assert dropped <= refused > 0, (kind, dropped, refused)


@pytest.mark.parametrize("server", SERVERS)
def test_dropped_by_netfilter(lab: Lab, kind: str, server: str) -> None:
    assert kind
    with filtering(lab, "input", "dport") as counted:
        r = probed(lab, server, *NAMES, "--timeout", "1.5")
        check_drops(r, "netfilter_drop", counted())


@pytest.mark.parametrize("server", SERVERS)
def test_dropped_by_xdp(lab: Lab, kind: str, server: str) -> None:
    assert kind
    with dropping(lab, "DROP"):
        r = probed(lab, server, *NAMES, "--timeout", "1.5")
    check_drops(r, "xdp", r["sent"] // 100)


@pytest.mark.parametrize("server", SERVERS)
def test_wrong_checksum(lab: Lab, kind: str, server: str) -> None:
    assert kind
    check_wrong_checksums(lab, server)


@pytest.mark.parametrize("server", SERVERS)
def test_cpu_of_others(lab: Lab, kind: str, server: str) -> None:
    with sharing_its_cpu(lab):
        r = probed(lab, server, *NAMES, "--duration", "0.5", "--timeout", "1")
    probe = r["probe"]
    assert probe["threads"][0]["waited_ns"] >= 10 * MILLISECOND, (kind, probe["threads"])
    assert probe["wakeup_ns"]["max"] >= MILLISECOND, (kind, probe["wakeup_ns"])


@pytest.mark.parametrize("server", SERVERS)
def test_small_buffer(lab: Lab, kind: str, server: str) -> None:
    """A few queries fill the buffer of a server that stands still. The last test: the buffers stay small."""
    shrink_sockets(processes_of_dut(lab))
    _, r = trial_of_a_stopped_server(lab, 0.05, *NAMES, "--timeout", "1.5", server=server)
    probe = r["probe"]
    assert probe["dropped"] == {"socket_rcvbuff": r["lost"]}, (kind, probe)
    assert sum(one["drops"] for one in probe["sockets"]) == r["lost"] > 50, (kind, probe)
    for one in probe["sockets"]:
        assert one["buffer_octets"] == SMALL and 0 < one["waiting"] < 16, (kind, one)
        reader = f"{one['reader']} ({one['thread']})"
        assert one["thread"] != 0 and reader in r["why"], (kind, one, r["why"])
