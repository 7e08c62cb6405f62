# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests a DNS64 server from two Testers at once. AuthDNS is FakeDNS on a third host."""

import re
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from joint import SERVERS, check_parts, joint_trial, open_joint_lab
from laboratory import BIN, Lab, Result, Started, wait_until

TESTERS = 2
QUERIES = 200
SHARE = 40  # percent of the names with an AAAA record of their own
PREFIX = "2001:db8:64::/96"
AUTH = "198.18.2.1"
TRIES = 5


@dataclass
class Three:
    """The lab with Testers, DNS64 server and AuthDNS, which count on."""

    lab: Lab
    auth: Started
    trials: int = 0

    def trial(self, family: int, *options: object) -> tuple[int, Result, dict[str, int]]:
        """Makes a trial for names that nobody asked for. Returns status, result and what AuthDNS answered."""
        self.trials += 1
        words = ["--dut", "dns64", "--beyond-selftest", "--server", SERVERS[family]]
        words += ["--names", f"10.{self.trials}.0.0/16", "--rate", str(QUERIES)]
        if "--aaaa-share" not in options:
            words += ["--aaaa-share", str(SHARE)]
        before = self.counters()
        made = joint_trial(self.lab, TESTERS, *words, *options)
        r = made.result()
        check_parts(r, TESTERS)
        after = self.counters()
        return made.status, r, {name: after[name] - before[name] for name in after}

    def counters(self) -> dict[str, int]:
        """Returns how many queries AuthDNS has answered until now, by kind."""
        tables = self.auth.said().count("\nunsent ")
        self.auth.process.send_signal(signal.SIGUSR1)
        assert wait_until(lambda: self.auth.said().count("\nunsent ") > tables), self.auth.said()
        rows = dict(re.findall(r"^(\S+) .*\s(\d+)$", self.auth.said(), re.MULTILINE))
        return {name: int(rows.get(name, 0)) for name in ("A", "AAAA", "NODATA")}


@pytest.fixture(scope="module", name="three")
def fixture_three() -> Iterator[Three]:
    """Unbound as a DNS64 server, which both Testers ask on links of their own, and AuthDNS behind it."""
    if not shutil.which("unbound", path="/usr/sbin:/usr/bin"):
        pytest.skip("no unbound on this machine: see tools/install-packages")
    for lab in open_joint_lab(TESTERS, "--auth"):
        auth = lab.start("auth", BIN / "fakedns", "--interface", "a0", "--aaaa-share", SHARE)
        assert wait_until(lambda: "fakedns: ready " in auth.said(), 30), auth.said()  # noqa: B023
        servers = [
            address.replace("{rank}", str(rank))
            for address in SERVERS.values()
            for rank in range(TESTERS)
        ]
        # The first link's address is the short form of 2001:2:0:0::2.
        listen = [word for server in servers for word in ("--listen", server)]
        folder = lab.new_folder() / "unbound"
        words = ("--directory", folder, *listen, "--forward", AUTH, "--pref64", PREFIX)
        made = lab.run("dut", BIN / "dnsgauge-zone", "dns64", "unbound", *words)
        assert made.status == 0, made
        server = lab.start("dut", folder / "start")

        def answers() -> bool:
            names = ("010-000-000-001.dns64perf.test", "AAAA", "+short", "+tries=1", "+time=1")
            asked = [lab.run("tester", "dig", f"@{one}", *names) for one in servers]  # noqa: B023
            return all(one.status == 0 and ":" in one.text for one in asked)

        assert wait_until(answers, 30), server.said()
        yield Three(lab, auth)


@pytest.mark.parametrize("family", SERVERS)
def test_answers_and_what_authdns_counts(three: Three, family: int) -> None:
    """Both Testers' names are looked up once each, and every answer is judged right."""
    own = QUERIES * SHARE // 100
    # AAAA for each name; A where there is no AAAA record.
    right = {"AAAA": own, "NODATA": QUERIES - own, "A": QUERIES - own}
    # On a busy machine a resolver asks again: such a trial is made again.
    for _ in range(TRIES):
        status, r, asked = three.trial(family, "--answer-prefix", PREFIX)
        assert status == 0, r["why"]
        if asked == right:
            break
    assert asked == right
    assert r["sent"] == r["valid"] == QUERIES
    assert [part["trial"]["valid"] for part in r["testers"]] == [QUERIES // TESTERS] * TESTERS
    assert r["dns64"]["aaaa_share_percent"] == SHARE and r["answer"] == PREFIX


def test_another_prefix_is_wrong(three: Three) -> None:
    """An answer with another Pref64 is wrong in the parts of both; records of the names' own are right."""
    status, r, _ = three.trial(6, "--answer-prefix", "2001:db8:65::/96")
    assert status == 1, r["why"]
    own = QUERIES * SHARE // 100
    assert r["invalid"]["wrong_data"] == r["invalid"]["total"] == QUERIES - own
    assert r["valid"] == own
    parts = [part["trial"] for part in r["testers"]]
    assert all(part["invalid"]["wrong_data"] > 0 and part["verdict"] == "fail" for part in parts)


def test_another_share_is_wrong(three: Three) -> None:
    """Where AuthDNS has other AAAA records than the Testers were told, answers are wrong in both parts."""
    status, r, _ = three.trial(6, "--answer-prefix", PREFIX, "--aaaa-share", SHARE + 20)
    assert status == 1, r["why"]
    assert r["invalid"]["wrong_data"] == QUERIES * 20 // 100 and r["valid"] == QUERIES * 80 // 100
    assert all(part["trial"]["verdict"] == "fail" for part in r["testers"])


def test_cached_name(three: Three) -> None:
    """Every second query is for one name, which AuthDNS is asked for once."""
    for _ in range(TRIES):
        status, r, asked = three.trial(6, "--answer-prefix", PREFIX, "--cached-share", 50)
        assert status == 0, r["why"]
        if asked["AAAA"] + asked["NODATA"] == QUERIES // 2 + 1:
            break
    assert r["sent"] == r["valid"] == QUERIES
    assert asked["AAAA"] + asked["NODATA"] == QUERIES // 2 + 1, asked


def test_a_selftest_is_needed(three: Three) -> None:
    """AuthDNS is part of the Testers: without --beyond-selftest a line asks for the self-test of all."""
    words = ("--dut", "dns64", "--names", "10.200.0.0/16", "--server", SERVERS[6])
    made = joint_trial(three.lab, TESTERS, *words)
    assert made.status == 2, made
    assert made.has(r"^dnsgauge-mpi: 2000 queries/s may be beyond these Testers: "), made
