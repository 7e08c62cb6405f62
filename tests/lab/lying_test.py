# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A server that answers queries before they arrive (lying_server.py): such an answer makes no query valid, and a trial
with such answers says that they came."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from laboratory import BIN, HERE, SERVER4, Lab, Trial, check_sums

QUERIES = 4500  # more than there are ports, so that the server has seen a whole pass
AHEAD = 3
TIMEOUT = 1
CLIENTS = "198.19.0.0/24"
# Fast enough that queries leave while others wait at the server, which then answers what is outstanding.
LOAD: tuple[object, ...] = ("--rate", 20000, "--duration", QUERIES / 20000, "--timeout", TIMEOUT)

Workload = tuple[object, ...]


@pytest.fixture(scope="module", name="files")
def fixture_files(lab: Lab) -> Path:
    """A folder with the names in their order, a list and a capture of them."""
    folder = lab.new_folder()
    names = [f"010-000-{i // 256:03}-{i % 256:03}.dns64perf.test" for i in range(QUERIES)]
    (folder / "names").write_text("".join(f"{name}\n" for name in names), encoding="ascii")
    (folder / "list").write_text("".join(f"{name} AAAA\n" for name in names), encoding="ascii")
    subprocess.run(
        [
            BIN / "dnsgauge-queries",
            "convert",
            folder / "list",
            "--rate",
            "20000",
            "--output",
            folder / "day.pcap",
        ],
        check=True,
    )
    assert lab.run("dut", "ip", "route", "replace", CLIENTS, "via", "198.18.0.1").status == 0
    return folder


@pytest.fixture(name="workload", params=["names", "list", "capture", "clients"])
def fixture_workload(request: pytest.FixtureRequest, files: Path) -> Iterator[Workload]:
    """What is asked, and how many lucky guesses there may be: without ports of the Tester's only the transaction ID is
    to be guessed."""
    captured = ("--capture", files / "day.pcap")
    words: dict[str, Workload] = {
        "names": ("--names", "10.0.0.0/16", *LOAD),
        "list": ("--queries", files / "list", *LOAD),
        "capture": (*captured, "--timeout", TIMEOUT),
        "clients": (*captured, "--timeout", TIMEOUT, "--clients", CLIENTS),
    }
    yield words[request.param]


def lied_to(lab: Lab, files: Path, workload: Workload, manner: str) -> Trial:
    """Makes a trial of the lying server."""
    server = lab.start(
        "dut", "/usr/bin/python3", HERE / "lying_server.py", SERVER4, files / "names", AHEAD, manner
    )
    while "ready" not in server.said():
        assert server.process.poll() is None, server.said()
    without = [name for name in ("--names", "--rate", "--duration") if name not in workload]
    if "--capture" in workload:
        without.remove("--duration")
    made = lab.trial(SERVER4, *workload, without=tuple(without))
    assert server.process.poll() is None, server.said()
    server.stop()
    check_sums(made.result())
    return made


def test_no_query_is_answered_in_advance(lab: Lab, files: Path, workload: Workload) -> None:
    made = lied_to(lab, files, workload, "silent")
    r = made.result()
    lucky = 5 if "--clients" in workload else 0
    assert r["sent"] > QUERIES / 2 and r["valid"] + r["late"] <= lucky, made
    assert r["unexpected"] > r["sent"], made
    assert r["verdict"] != "pass", made


def test_a_pass_has_its_doubt(lab: Lab, files: Path, workload: Workload) -> None:
    made = lied_to(lab, files, workload, "honest")
    r = made.result()
    assert r["valid"] + r["late"] > r["sent"] / 2, made
    assert r["verdict"] == "invalid" or any("in advance" in doubt for doubt in r["doubts"]), made
    # No answer is quicker than a process can be.
    assert r["valid"] == 0 or r["rtt_ns"]["min"] > 1000, made
