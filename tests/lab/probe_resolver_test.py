# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The probe beside a resolver: each question to other servers is counted, as netfilter counts it, and timed."""

import contextlib
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from laboratory import BIN, SERVER4, TOP, Lab, Result, open_lab, wait_until, why_not_here
from transport_test import serving

FAR_MS = 200
PROGRAMS = {"unbound": "unbound", "bind9": "named", "knot-resolver": "kresd"}
PROGRAMS["pdns-recursor"] = "pdns_recursor"
COUNTERS = """table inet tests {
  chain out { type filter hook output priority 0; oifname d2 udp dport 53 counter; }
  chain in { type filter hook input priority 0; iifname d2 udp sport 53 counter; }
}"""


@pytest.fixture(scope="module", name="lab")
def lab_with_an_internet() -> Iterator[Lab]:
    if why := why_not_here():
        pytest.skip(why)
    if not shutil.which("nft"):
        pytest.skip("no nft on this machine: see tools/install-packages")
    yield from open_lab("--setup", "resolver")


@dataclass
class Resolver:
    """A resolver on the DUT, and names of its Internet."""

    lab: Lab
    names: Path

    def counted(self) -> list[int]:
        """Returns the questions that left, and the answers that arrived."""
        told = self.lab.run("dut", "nft", "-j", "list", "table", "inet", "tests").text
        return [int(count) for count in re.findall(r'"counter": {"packets": (\d+)', told)]

    def probed(self) -> tuple[Result, int, int]:
        """Has a trial ask for all names. Returns its result, and what was counted meanwhile."""
        before = self.counted()
        r = self.lab.trial(
            *(SERVER4, "--probe", "--queries", self.names, "--recursion-desired"),
            *("--expect", "answered", "--rate", 100, "--timeout", 8),
            without=("--names",),
        ).result()
        asked, came = (now - then for now, then in zip(self.counted(), before, strict=True))
        return r, asked, came


@contextlib.contextmanager
def resolving(lab: Lab, kind: str, loss_percent: int) -> Iterator[Resolver]:
    """Has a resolver with an empty cache on the DUT. In its Internet all servers are equally far and know their zones,
    and this share of packets is lost."""
    if not shutil.which(PROGRAMS[kind], path="/usr/sbin:/usr/bin:/usr/local/sbin"):
        pytest.skip(f"no {PROGRAMS[kind]} on this machine: see tools/install-packages")
    folder = lab.new_folder()
    folder.chmod(0o755)
    latencies = f'latency = "{FAR_MS}ms"\nregistry-latency = "{FAR_MS}ms"\n'
    for name, text in (
        ("world.toml", f'{latencies}loss = "{loss_percent}%"\ncharacters = ["lame 0%"]\n'),
        ("counters", COUNTERS),
        ("hints", lab.run("auth", BIN / "fakedns", "--internet", "--root-hints").text),
        (
            "names",
            lab.run("tester", TOP / "tools/internet-conformance", "names", "--count", 100).text,
        ),
    ):
        (folder / name).write_text(text, encoding="ascii")
    words = ("--directory", folder / "resolver", "--listen", SERVER4, "--hints", folder / "hints")
    made = lab.run("dut", BIN / "dnsgauge-zone", "resolver", kind, *words, "--family", 4)
    assert made.status == 0, made
    internet = lab.start(
        "auth", BIN / "fakedns", "--internet", folder / "world.toml", "--interface", "a0"
    )
    assert wait_until(lambda: "fakedns: ready " in internet.said(), 30), internet.said()
    assert lab.run("dut", "nft", "-f", folder / "counters").status == 0
    with contextlib.ExitStack() as stack:
        stack.callback(lab.run, "dut", "nft", "delete", "table", "inet", "tests")
        stack.callback(internet.stop)
        running = stack.enter_context(serving(lab, [folder / "resolver/start"]))
        ask = ("dig", "+tries=1", "+time=5", f"@{SERVER4}", ".", "SOA")
        assert wait_until(lambda: lab.run("tester", *ask).has("NOERROR"), 60), running.said()
        # What the resolver asks of its own accord.
        time.sleep(2)
        yield Resolver(lab, folder / "names")


def check_questions(probe: Result, asked: int, came: int) -> None:
    """Checks that the probe has the questions and answers that netfilter counted."""
    assert probe["asked"] == asked, probe
    assert probe["others_ns"]["count"] == came, probe


@pytest.mark.parametrize("kind", PROGRAMS)
def test_far_servers(lab: Lab, kind: str) -> None:
    """Every other server is as far away. No query that the resolver answers sooner has waited for one, and only such
    queries count as answered alone."""
    far = 1_000_000 * FAR_MS
    with resolving(lab, kind, 0) as resolver:
        r, asked, came = resolver.probed()
        check_questions(r["probe"], asked, came)
        others = r["probe"]["others_ns"]
        assert came == asked > 0 and far <= others["p50"] < 2 * far, others
        fresh = r["probe"]["alone_ns"]["count"]
        r, asked, came = resolver.probed()
        check_questions(r["probe"], asked, came)
        alone, server = r["probe"]["alone_ns"], r["probe"]["server_ns"]
        assert fresh < alone["count"] and 0 < alone["max"] < far, alone
        soon = sum(count for least, _, count in server["histogram"] if least < far)
        assert alone["count"] <= soon, (alone["count"], soon)


def test_lost_questions(lab: Lab) -> None:
    """The Internet loses packets. What has no answer is what netfilter saw no answer to."""
    with resolving(lab, "unbound", 10) as resolver:
        r, asked, came = resolver.probed()
        check_questions(r["probe"], asked, came)
        assert came < asked
