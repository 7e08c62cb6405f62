# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials of several Testers on one machine: mpirun starts a Tester for each link of the lab."""

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from laboratory import (
    BIN,
    USUAL,
    Lab,
    Result,
    Said,
    Started,
    Trial,
    check_sums,
    open_lab,
    why_not_here,
)

MPI = str(BIN / "dnsgauge-mpi")
SERVERS = {4: "198.18.{rank}.2", 6: "2001:2:0:{rank}::2"}
# The Testers share two CPUs: the rate of all together is low.
RATE = 2000
# After Ctrl-C mpirun then kills the Testers twenty seconds later, when the result is written.
PATIENCE = ["--mca", "odls_base_sigkill_timeout", "10"]


def why_no_mpi() -> str:
    """Returns why several Testers cannot run here; empty: they can."""
    if not shutil.which("mpirun"):
        return "no mpirun on this machine: see tools/install-packages"
    if not os.access(MPI, os.X_OK):
        return f"no {MPI}: it is built where MPI is"
    return ""


def open_joint_lab(testers: int, *options: str) -> Iterator[Lab]:
    """Yields a lab with a link for each Tester, for a fixture."""
    if why := why_not_here() or why_no_mpi():
        pytest.skip(why)
    yield from open_lab("--links", str(testers), *options)


def two_cpus() -> list[str]:
    """Returns two CPUs for senders."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("two senders need two CPUs")
    return [str(cpu) for cpu in cpus[:2]]


def launch(testers: int) -> list[str]:
    """Returns the words that start this number of Testers."""
    mpirun = ["mpirun", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe"]
    return [*mpirun, "-n", str(testers)]


def joint_words(
    lab: Lab, *options: object, without: tuple[str, ...] = ()
) -> tuple[list[str], str]:
    """Returns the words of a joint trial after mpirun's, and the file of its result."""
    file = str(lab.new_result())
    given = [str(word) for word in options]
    usual: list[str] = []
    own = {"--interface": "g{rank}", "--rate": str(RATE), "--json": file}
    for name, text in (USUAL | own).items():
        if name not in given and name not in without:
            usual += [name, text]
    return [MPI, "trial", *usual, *given], file


def joint_trial(
    lab: Lab, testers: int, *options: object, without: tuple[str, ...] = ()
) -> Trial:
    """Makes a trial of this number of Testers, without some of the usual options."""
    words, file = joint_words(lab, *options, without=without)
    said = lab.run("tester", *launch(testers), *words)
    return Trial(said.status, said.text, type(lab.scratch)(file))


@dataclass
class Campaign:
    """Many trials: the words that make them, after the launcher's, and the files that they fill."""

    lab: Lab
    words: list[str]
    journal: Path
    json: Path

    def run(self, launcher: list[str], *more: object, **settings: str) -> Said:
        """Makes the trials, with more options and with these variables in the environment."""
        return self.lab.run("tester", *launcher, *self.words, *more, **settings)

    def start(self, launcher: list[str], *more: object) -> Started:
        """Begins to make the trials in the background."""
        return self.lab.start("tester", *launcher, *self.words, *more)


def campaign(lab: Lab, program: str, command: str, *options: object) -> Campaign:
    """Returns a campaign with the usual options of trials that the options do not have."""
    folder = lab.new_folder()
    files = {"--journal": folder / "journal.jsonl", "--json": lab.new_result()}
    given = [str(word) for word in options]
    usual = USUAL | {"--interface": "g{rank}", "--timeout": "1"}
    usual |= {name: str(path) for name, path in files.items()}
    del usual["--rate"]
    if command == "selftest":
        del usual["--names"], usual["--journal"]
    words = [word for name, text in usual.items() if name not in given for word in (name, text)]
    return Campaign(lab, [program, command, *words, *given], files["--journal"], files["--json"])


def programs(lab: Lab, testers: int) -> int:
    """Returns how many of the Testers' links carry a program."""
    links = [lab.ip("-d", "link", "show", f"g{rank}") for rank in range(testers)]
    return sum(link.has("prog/xdp") for link in links)


def processes_of(lab: Lab, started: Started) -> list[int]:
    """Returns the processes of the Testers that mpirun started, ascending by rank."""
    return [int(one) for one in lab.run("tester", "pgrep", "-P", started.process.pid).text.split()]


def own_lines(text: str) -> list[str]:
    """Returns the lines in which the Testers themselves say what went wrong."""
    return [line for line in text.splitlines() if re.match("dnsgauge(-mpi)?: (?!note|[0-9])", line)]


def answered(said: Said | Started) -> int:
    """Returns how many answers a FakeDNS that has ended has counted."""
    text = said.text if isinstance(said, Said) else said.said()
    counted = re.findall(r"^rcode-NOERROR .*\s(\d+)$", text, re.MULTILINE)
    assert counted, text
    return int(counted[-1])


def check_parts(r: Result, testers: int) -> None:
    """Checks that the Testers' parts add up, and that their clocks are told right."""
    check_sums(r)
    parts = [one["trial"] for one in r["testers"]]
    assert [one["rank"] for one in r["testers"]] == list(range(testers))
    for name in ("sent", "valid", "late", "lost", "duplicate", "unexpected"):
        assert sum(part[name] for part in parts) == r[name], name
    for part in parts:
        check_sums(part)
    whole: dict[int, int] = {}
    for part in parts:
        for first, _, count in part["rtt_histogram_ns"]:
            whole[first] = whole.get(first, 0) + count
    assert {row[0]: row[2] for row in r["rtt_histogram_ns"]} == whole
    assert r["rtt_ns"]["max"] == max(part["rtt_ns"]["max"] for part in parts)
    assert r["rtt_ns"]["min"] == min(part["rtt_ns"]["min"] for part in parts)
    worst = max(part["sending"]["lateness_ns"]["max"] for part in parts)
    assert r["sending"]["lateness_ns"]["max"] == worst
    assert [lane["share"] for lane in r["sending"]["lanes"]] == list(range(testers))
    # The Testers have one clock: every offset is zero.
    for one in r["testers"]:
        for reading in (one["clock_before"], one["clock_after"]):
            assert abs(reading["offset_ns"]) <= reading["bound_ns"] < 1e9, one
        assert one["schedule_error_ns"] >= one["clock_after"]["bound_ns"]
