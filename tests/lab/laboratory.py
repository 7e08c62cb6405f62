# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A lab of its own for tests in Python, and trials in it: what lib.sh and trial_lib.sh are for tests in bash.

The lab and every process that Lab.start() began end with the tests, however they end.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
BIN = Path(os.environ.get("DNSGAUGE_BIN") or TOP / "build/bin").resolve()
DNSGAUGE = str(BIN / "dnsgauge")
SERVER4 = "198.18.0.2"
SERVER6 = "2001:2::2"
SERVERS = (SERVER4, SERVER6)
# The servers of a family that only tests of the label `more` try.
MORE4 = pytest.param(SERVER4, marks=pytest.mark.more)
MORE6 = pytest.param(SERVER6, marks=pytest.mark.more)
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

Result = dict[str, Any]  # a result of dnsgauge, as its JSON has it

# A trial that does not depend on how busy this machine is.
USUAL = {
    "--names": "10.0.0.0/16",
    "--rate": "2000",
    "--duration": "1",
    "--timeout": "1",
    "--max-lateness": "60",
    "--max-overrun": "60",
    "--max-others": "100",
}
# On a busy machine the last query may leave late, which makes a trial invalid and leaves all its
# counts alone. Such a trial is made again.
STALLED = re.compile(
    "(sending took|.*its queue stalled|.*; but .*(others.* had|the sender waited|the hypervisor took"
    "|the server.* wanted|had stood still|had been away))"
)
TRIES = 15


def why_not_here() -> str:
    """Returns why lab tests cannot run here; empty: they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for tool in ("ip", "tc", "ethtool", "dig"):
        if not shutil.which(tool):
            return f"no {tool} on this machine: see tools/install-packages"
    for program in ("dnsgauge", "fakedns"):
        if not os.access(BIN / program, os.X_OK):
            return f"no {BIN / program}: build it first"
    return ""


def wait_until(is_so: Callable[[], bool], patience: float = 10) -> bool:
    """Returns whether it became so within `patience` seconds."""
    end = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@dataclass
class Said:
    """What a command that has ended said, and its exit status."""

    status: int
    text: str

    def has(self, pattern: str) -> bool:
        """Returns whether a line fits the regular expression, which may begin with ^."""
        return re.search(pattern, self.text, re.MULTILINE) is not None


@dataclass
class Trial(Said):
    """What a trial said, and the file of its result, which is missing where nothing was measured."""

    file: Path

    def result(self) -> Result:
        """Returns the result. Fails where there is none."""
        assert self.file.exists(), f"no result: {self}"
        return read_json(self.file)


@dataclass
class Started:
    """A process in the background, and the file of its output."""

    process: subprocess.Popen[bytes]
    log: Path

    def said(self) -> str:
        """Returns what the process has said until now."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def end(self, sent: signal.Signals) -> Said:
        """Sends a signal, and waits until the process has ended."""
        self.process.send_signal(sent)
        return self.wait()

    def wait(self) -> Said:
        """Waits for at most two minutes until the process has ended."""
        return Said(self.process.wait(timeout=120), self.said())

    def stop(self) -> int:
        """Ends the process with TERM, and with KILL after three seconds. Returns its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=3)
        if self.process.poll() is None:
            self.process.kill()
        return self.process.wait()


@dataclass
class Lab:
    """The lab, with FakeDNS on the DUT. Owns namespaces, processes and a folder for files, until close()."""

    options: tuple[str, ...] = ()
    name: str = field(default_factory=lambda: f"dgtest{os.getpid()}")
    scratch: Path = field(init=False)
    started: list[Started] = field(default_factory=list)
    _server: Started | None = None
    _server_options: tuple[str, ...] = ()
    _results: int = 0

    def __post_init__(self) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix=f"{self.name}.", dir="/tmp"))
        # Servers that run as a user of their own must reach their files.
        self.scratch.chmod(0o755)
        (self.scratch / "results").mkdir()
        try:
            made = self._tool("up", *self.options)
            assert made.status == 0, f"no lab: {made.text}"
        except BaseException:
            self.close()
            raise

    def _tool(self, *words: str) -> Said:
        made = subprocess.run(
            [TOP / "tools/lab", "--name", self.name, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Said(made.returncode, made.stdout)

    def close(self) -> None:
        """Ends all processes, and removes the lab and its files."""
        for sent in SIGNALS:
            signal.signal(sent, signal.SIG_IGN)
        for one in self.started:
            one.stop()
        self._tool("down")
        shutil.rmtree(self.scratch)

    def words(self, host: str, *command: object) -> list[str]:
        """Returns the words that run a command on a host, tester or dut, as one process."""
        return ["ip", "netns", "exec", f"{self.name}-{host}", *map(str, command)]

    def run(self, host: str, *command: object, **settings: str) -> Said:
        """Runs a command on a host, with these variables in its environment."""
        made = subprocess.run(
            self.words(host, *command),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=os.environ | settings,
            check=False,
        )
        return Said(made.returncode, made.stdout.decode("utf-8", errors="replace"))

    def start(self, host: str, *command: object) -> Started:
        """Runs a command on a host in the background."""
        handle, log = tempfile.mkstemp(prefix="log.", dir=self.scratch)
        with open(handle, "wb") as output:
            one = Started(
                subprocess.Popen(  # pylint: disable=consider-using-with
                    self.words(host, *command), stdout=output, stderr=subprocess.STDOUT
                ),
                Path(log),
            )
        self.started.append(one)
        return one

    def ip(self, *words: object) -> Said:
        """Runs ip(8) on the Tester."""
        return self.run("tester", "ip", *words)

    def serve(self, *options: str) -> Started:
        """Has a FakeDNS with these options on the DUT: starts it, unless the one that runs has them. Returns it."""
        if self._server and self._server_options == options:
            return self._server
        self.stop_serving()
        server = self.start("dut", BIN / "fakedns", "--interface", "d0", *options)
        self._server, self._server_options = server, options

        def is_ready() -> bool:
            return "fakedns: ready " in server.said() or server.process.poll() is not None

        assert wait_until(is_ready, 30), f"fakedns is not ready: {server.said()}"
        assert server.process.poll() is None, f"fakedns does not start: {server.said()}"
        return server

    def stop_serving(self) -> None:
        """Ends FakeDNS, if it runs."""
        if self._server:
            self._server.stop()
        self._server = None

    def new_result(self) -> Path:
        """Returns the path of a result that is not written yet; whatever is written there is checked at the end."""
        self._results += 1
        return self.scratch / "results" / f"{self._results}.json"

    def results_since(self, last: Path) -> list[Result]:
        """Returns the results that were written after this one was named: of trials that stalls spoiled, too."""
        numbers = range(int(last.stem) + 1, self._results + 1)
        return [read_json(last.with_stem(str(number))) for number in numbers]

    def new_folder(self) -> Path:
        """Returns a new folder."""
        return Path(tempfile.mkdtemp(prefix="files.", dir=self.scratch))

    def new_certificates(self) -> dict[str, str]:
        """Has tools/lab make certificates of dns64perf.test. Returns the files: certificate, expired and key."""
        folder = self.new_folder()
        folder.chmod(0o755)
        made = self.run("dut", TOP / "tools/lab", "certificate", folder)
        assert made.status == 0, made
        return {name: str(folder / f"{name}.pem") for name in ("certificate", "expired", "key")}

    def has_program(self) -> bool:
        """Returns whether g0 carries an XDP program."""
        return self.ip("-d", "link", "show", "g0").has("prog/xdp")

    def has_no_leftovers(self) -> bool:
        """Returns whether g0 has no program and no file is left half. A killed process' program goes a moment later."""
        gone = wait_until(lambda: not self.has_program(), 5)
        return gone and not list(self.scratch.rglob("*.tmp*"))

    # ---- trials

    def trial_words(self, *options: object, without: tuple[str, ...] = ()) -> list[str]:
        """Returns a command line of dnsgauge trial: the options, and the usual ones that they do not have."""
        given = [str(word) for word in options]
        words = [DNSGAUGE, "trial", "--interface", "g0"]
        for name, text in USUAL.items():
            if name not in given and name not in without:
                words += [name, text]
        return words + given

    def trial(
        self, server: str, *options: object, without: tuple[str, ...] = (), **settings: str
    ) -> Trial:
        """Makes a trial, without some of the usual options, with these variables in its environment."""
        file = self.new_result()
        words = self.trial_words("--server", server, "--json", file, *options, without=without)
        said = self.run("tester", *words, **settings)
        return Trial(said.status, said.text, file)

    def start_trial(self, server: str, *options: object) -> tuple[Started, Path]:
        """Starts a trial in the background. Returns the process and its result's file when the trial's
        program is attached."""
        file = self.new_result()
        words = self.trial_words("--server", server, "--json", file, *options)
        started = self.start("tester", *words)
        assert wait_until(self.has_program), f"no program: {started.said()}"
        return started, file

    def trial_for_verdict(
        self, server: str, *options: object, without: tuple[str, ...] = ()
    ) -> Trial:
        """Makes a trial, again while this machine stalls."""
        for _ in range(TRIES):
            made = self.trial(server, *options, without=without)
            if made.status != 3 or not is_spoiled(made.result()):
                break
        return made

    def expect(
        self, status: int, server: str, *options: object, without: tuple[str, ...] = ()
    ) -> Trial:
        """Makes a trial that must end with this exit status, and whose counts add up."""
        made = self.trial_for_verdict(server, *options, without=without)
        assert made.status == status, made
        check_sums(made.result())
        return made

    def refused(self, pattern: str, *options: object) -> None:
        """Checks that a trial with these options alone ends with status 2 and a line that fits the pattern."""
        words = [DNSGAUGE, "trial", "--interface", "g0", "--server", SERVER4, *options]
        said = self.run("tester", *words)
        assert said.status == 2 and said.has(pattern), said


@dataclass
class SecureFakedns:
    """FakeDNS on the DUT with TLS, and its files."""

    lab: Lab
    options: tuple[str, ...] = ()  # that it always has
    files: dict[str, str] = field(init=False)
    server: Started = field(init=False)

    def __post_init__(self) -> None:
        self.files = self.lab.new_certificates()

    def serve(self, *options: str, certificate: str = "certificate") -> None:
        """Starts the server anew, so that it has counted nothing."""
        self.lab.stop_serving()
        given = ("--tls-certificate", self.files[certificate], "--tls-key", self.files["key"])
        self.server = self.lab.serve(*given, *self.options, *options)

    def ask(self, client: str, server: str, connections: int, queries: int) -> dict[str, int]:
        """Asks by a client beside this file, which checks the certificate. Returns what came."""
        words = ("/usr/bin/python3", HERE / client, server, self.files["certificate"])
        said = self.lab.run("tester", *words, connections, queries)
        assert said.status == 0, said
        came: dict[str, int] = json.loads(said.text)
        return came

    def counts(self) -> dict[str, list[int]]:
        """Ends the server. Returns its tables' rows."""
        self.lab.stop_serving()
        rows = re.findall(r"^(\S+)((?: +\d+)+)$", self.server.said(), re.M)
        return {name: [int(figure) for figure in figures.split()] for name, figures in rows}


def open_lab(*options: str) -> Iterator[Lab]:
    """Yields a lab, for a fixture. At the end every result in the lab's folder must fit its schema."""
    lab = Lab(options)
    try:
        yield lab
        checked = subprocess.run(
            [
                *("/usr/bin/python3", "-I", "-W", "ignore"),
                *(TOP / "tests/support/check_results.py", BIN.parent / "schemas", lab.scratch),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        lab.close()
    print(checked.stdout)
    assert (
        checked.returncode == 0
    ), f"results do not fit their schemas: {checked.stdout}{checked.stderr}"


# ---- what is true of results


def read_json(file: Path) -> Result:
    """Returns the object in a file."""
    read: Result = json.loads(file.read_text(encoding="utf-8"))
    return read


def read_lines(file: Path) -> list[Result]:
    """Returns the objects in a file, one a line."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def is_spoiled(r: Result) -> bool:
    """Returns whether this machine made the trial invalid: it stalled."""
    return r["verdict"] == "invalid" and STALLED.match(r["why"]) is not None


def check_sums(r: Result) -> None:
    """Checks that each query is in one class, and that the intervals have all queries."""
    assert r["sent"] == r["valid"] + r["late"] + r["invalid"]["total"] + r["lost"], r
    reasons = {name: count for name, count in r["invalid"].items() if name != "total"}
    assert r["invalid"]["total"] == sum(reasons.values()), r["invalid"]
    parts = r["intervals"]
    if not parts:
        return
    for name in ("sent", "valid", "late", "lost"):
        assert sum(part[name] for part in parts) == r[name], name
    for name, count in r["invalid"].items():
        assert sum(part["invalid"][name] for part in parts) == count, name
    for name, count in r["rcodes"].items():
        assert sum(part["rcodes"].get(name, 0) for part in parts) == count, name
    assert sum(part["rtt_ns"]["count"] for part in parts) == r["rtt_ns"]["count"]


def check_all_valid(r: Result) -> None:
    """Checks that every planned query was sent and answered right, and that the trial passes."""
    planned = r["rate"] * r["duration_s"]
    assert r["sent"] == r["valid"] == r["rcodes"]["NOERROR"] == r["rtt_ns"]["count"] == planned, r
    assert r["verdict"] == "pass", r["why"]
