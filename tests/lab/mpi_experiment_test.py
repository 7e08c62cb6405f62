# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests an experiment whose searches two Testers make together."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from joint import MPI, SERVERS, launch, open_joint_lab, own_lines, processes_of, programs
from laboratory import Lab, read_json, wait_until

TESTERS = 2

# A server is one FakeDNS on both links, which a hook starts: once, at the Tester of rank 0.
FILE = """
title = "Two durations"
scaled-down = "a test"

[variables]
namespace = "NAMESPACE"

[search]
interface = "g{rank}"
address = "ADDRESS"
names = "10.0.0.0/16"
timeout = 1
beyond-selftest = true
min-rate = 300
max-rate = 900
resolution = 600
repeat = 1
pause = 0
max-lateness = 60
max-overrun = 60
max-others = 100

[matrix]
server = ["fakedns"]
duration = [0.5, 1]

[servers.fakedns]
start = [
    "sh", "-c",
    "echo start >>$0; exec ip netns exec ${namespace} ${bin}/fakedns --interface d0 --interface d1", "STARTS",
]

[table]
columns = ["server", "duration"]
"""


@pytest.fixture(scope="module", name="pair")
def fixture_pair() -> Iterator[Lab]:
    """A lab with a link for each Tester, and no server."""
    yield from open_joint_lab(TESTERS)


def write_file(lab: Lab, family: int, **changed: str) -> tuple[Path, Path]:
    """Writes an experiment. Returns it, and the file in which the server's starts are counted."""
    folder = lab.new_folder()
    text = FILE.replace("NAMESPACE", f"{lab.name}-dut").replace("ADDRESS", SERVERS[family])
    text = text.replace("STARTS", str(folder / "starts"))
    for old, new in changed.items():
        text = text.replace(old, new)
    file = folder / "experiment.toml"
    file.write_text(text, encoding="ascii")
    return file, folder / "starts"


def journals(directory: Path) -> dict[str, list[int]]:
    """Returns how many Testers made each trial, by journal."""
    made = {}
    for journal in sorted(directory.glob("*.jsonl")):
        lines = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
        made[journal.stem] = [
            len(line["trial"]["testers"]) for line in lines if line.get("record") == "trial"
        ]
    return made


@pytest.mark.parametrize("family", SERVERS)
def test_searches_of_all(pair: Lab, family: int) -> None:
    """All trials of all cells are joint ones; hooks run once for each cell."""
    file, starts = write_file(pair, family)
    directory = file.with_name("results")
    made = pair.run("tester", *launch(TESTERS), MPI, "experiment", file, "--directory", directory)
    assert made.status == 0, made
    trials = journals(directory)
    assert len(trials) == 2 and all(set(testers) == {TESTERS} for testers in trials.values())
    assert starts.read_text(encoding="ascii").count("start") == 2
    table = read_json(directory / "experiment.json")
    assert [cell["search"]["at_least"] for cell in table["cells"]] == [900, 900]
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)


def test_plan_and_resume(pair: Lab) -> None:
    """The plan names the program; an experiment whose Tester was killed goes on."""
    file, _ = write_file(pair, 4)
    said = pair.run("tester", *launch(TESTERS), MPI, "experiment", file, "--plan")
    assert said.status == 0 and said.has(r"dnsgauge-mpi search .*--interface='?g\{rank\}"), said
    directory = file.with_name("results")
    words = [*launch(TESTERS), MPI, "experiment", file, "--directory", directory]
    started = pair.start("tester", *words)
    assert wait_until(lambda: any(journals(directory).values()), 60), started.said()
    os.kill(processes_of(pair, started)[1], 9)
    assert started.wait().status == 128 + 9, started.said()
    made = pair.run("tester", *words, "--resume")
    assert made.status == 0, made
    assert len(journals(directory)) == 2
    assert wait_until(lambda: programs(pair, TESTERS) == 0, 5)


def test_bad_input(pair: Lab) -> None:
    """What all Testers must agree on is refused, with file, line and cell."""
    file, _ = write_file(pair, 4, **{"timeout = 1": 'timeout = "{rank}"'})
    said = pair.run("tester", *launch(TESTERS), MPI, "experiment", file, "--plan")
    assert said.status == 2, said
    assert said.has(r"^dnsgauge-mpi: .*experiment\.toml:12: timeout \{rank\}: all Testers"), said
    assert len(own_lines(said.text)) == 1, said
