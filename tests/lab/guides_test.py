# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The commands of tools/guides do what they say, as they stand, and so do the steps of the workflow.

Each runs in namespaces of its own for mounts, so that its lab meets no other lab of the same name. A verdict is a
result, whatever a busy machine makes of it. Every file that a command writes must be there at the end.
"""

import importlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from laboratory import BIN, TOP, read_json, why_not_here

GUIDES = TOP / "tools/guides"
SHORT = "server-time"  # tools/check runs this guide alone
# The guides, with the programs beyond dnsgauge's that they need.
NEEDED = {
    "ci": ["nsd"],
    "dns64": ["unbound"],
    "publish": ["nsd"],
    "resolver": ["unbound"],
    "server-time": ["named", "jq", "perf"],
    "two-servers": ["nsd", "named"],
}
# Statuses of 1 and 3 are verdicts of these commands.
PRELUDE = r"""
mount -t tmpfs none /run/netns && mkdir -p /run/dnsgauge && mount -t tmpfs none /run/dnsgauge || exit 99
trap 'dnsgauge-lab down' EXIT
trap 'said=$?; [[ $said == [13] && $BASH_COMMAND =~ ^wait|"dnsgauge "(gate|quickstart|replay|search|sweep|trial) ]] ||
    echo "FAILED with $said: $BASH_COMMAND"' ERR
"""
OUTPUT = re.compile(r"(?:--(?:json|markdown|junit|output)|tar czf) ([\w./-]+)(?=\s)")


def skip_without(*programs: str) -> None:
    """Skips the test where it cannot run."""
    if why := why_not_here():
        pytest.skip(why)
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    for program in programs:
        if not shutil.which(program, path=path):
            pytest.skip(f"no {program} on this machine: see tools/install-packages")
    for module in ("matplotlib", "jinja2", "yaml"):
        if not importlib.util.find_spec(module):
            pytest.skip(f"no python3-{module} on this machine: see tools/install-packages")


def run_script(script: str, folder: Path, *before: str, **settings: str) -> str:
    """Runs a script of bash, in a folder, by the words before it, with the programs in PATH. Returns what it said."""
    programs = folder.parent / "bin"
    programs.mkdir(exist_ok=True)
    if not (programs / "dnsgauge-lab").exists():
        (programs / "dnsgauge-lab").symlink_to(TOP / "tools/lab")
    file = folder.parent / "script"
    file.write_text(script, encoding="utf-8")
    path = f"{BIN}:{programs}:{os.environ['PATH']}:/usr/sbin:/sbin"
    with subprocess.Popen(
        [*before, "bash", file],
        cwd=folder,
        env=os.environ | {"PATH": path, "DNSGAUGE_STATE": str(folder.parent / "state")} | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
        errors="replace",
    ) as process:
        try:
            said, _ = process.communicate(timeout=400)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
    print(said)
    assert process.returncode == 0 and "FAILED with" not in said, process.returncode
    return said


def check_outputs(commands: str, folder: Path) -> None:
    """Checks that each file is there that the commands name as their output."""
    names = OUTPUT.findall(commands)
    assert names
    missing = [name for name in names if not (folder / name).exists()]
    assert not missing, missing


def parameters(names: Sequence[str]) -> list[object]:
    """Returns a parameter for each guide."""
    return [pytest.param(one, marks=() if one == SHORT else pytest.mark.more) for one in names]


def test_all_are_tried() -> None:
    assert set(NEEDED) == {guide.stem for guide in GUIDES.glob("*.md")} - {"README"}


@pytest.mark.parametrize("name", parameters(sorted(NEEDED)))
def test_guide(name: str, tmp_path: Path) -> None:
    skip_without(*NEEDED[name])
    text = (GUIDES / f"{name}.md").read_text(encoding="utf-8")
    assert text.count("\n") <= 80
    commands = "".join(re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    folder = tmp_path / "here"
    folder.mkdir()
    tmp_path.chmod(0o755)  # servers that change their user must reach their files
    run_script(PRELUDE + commands, folder, "unshare", "--mount")
    check_outputs(commands, folder)


SERVER = f"""#!/bin/sh
exec {BIN}/fakedns --interface d0 FAULT
"""


@pytest.mark.more
def test_workflow(tmp_path: Path) -> None:
    """The steps with `run` run in their order. Steps with `uses` are done by hand: folders of sources, and a build."""
    skip_without("make")
    yaml = importlib.import_module("yaml")
    job = yaml.safe_load((GUIDES / "gate.yml").read_text(encoding="utf-8"))["jobs"]["gate"]
    folder = tmp_path / "here"
    for build, fault in (("old", ""), ("new", "--fault loss=10%")):
        (folder / build).mkdir(parents=True)
        (folder / build / "Makefile").write_text("server: source\n\tinstall source server\n")
        (folder / build / "source").write_text(SERVER.replace("FAULT", fault))
    (folder / "dnsgauge/build").mkdir(parents=True)
    (folder / "dnsgauge/tools").symlink_to(TOP / "tools")
    (folder / "dnsgauge/build/bin").symlink_to(BIN)
    steps = [
        one for one in job["steps"] if "run" in one and one["name"] not in ("packages", "dnsgauge")
    ]
    assert [one["name"] for one in steps] == ["both servers", "gate", "summary"]
    # Each step is a shell of its own.
    script = "".join(
        f"( set -eo pipefail\n{one['run']}\n) || echo \"{one['name']} ended with $?\"\n"
        for one in steps
    )
    settings = {name: job["env"][name] for name in ("BUILD", "RUN")}
    summary = folder / "summary.md"
    said = run_script(
        PRELUDE + script, folder, "unshare", "--mount", GITHUB_STEP_SUMMARY=str(summary), **settings
    )
    assert "gate ended with 1" in said and "servers ended with" not in said
    assert read_json(folder / "gate.json")["verdict"] == "slower"
    assert "| share |" in summary.read_text(encoding="utf-8")
