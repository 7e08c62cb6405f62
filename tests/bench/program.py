# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What all benchmarks share: options, errors, rounds, and how figures are printed."""

import argparse
import contextlib
import json
import math
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "bin"
TESTS = ROOT / "build" / "tests"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EPILOG = "Needs a build. tests/bench/README.md has commands, and what the figures mean."
# The packages of programs that are not built here.
PACKAGES = {"kxdpgun": "knot-dnsutils", "dnsperf": "dnsperf", "knotd": "knot", "nsd": "nsd", "named": "bind9"}
# The driver's end of the pair is never used.
LINK = ("ip link add v0 numtxqueues 4 numrxqueues 4 type veth peer name v1 numtxqueues 4 numrxqueues 4 && "
        "ip link set v0 up && ip link set v1 up && exec \"$@\"")


class BenchError(Exception):
    """An error that the user can mend, in one line: what, where, what to do."""


class Interrupted(Exception):
    """A signal asked for the end."""


def _raise_once(number, _frame):
    """Ignores further signals: ending takes a moment and must not be cut short."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(number)


@contextlib.contextmanager
def uninterrupted():
    """Lets signals that ask for the end wait until everything has been put back."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def kernel_setting(path, value):
    """Gives a file of the kernel this value for a while."""
    path = Path(path)
    usual = path.read_text()
    try:
        path.write_text(value)
        yield
    finally:
        with uninterrupted():
            path.write_text(usual)


@contextlib.contextmanager
def child(words, **how):
    """Runs a program without input. It ends at once if an error or a signal ends the block: otherwise the benchmark
    would wait for the program's end, and for ever if the program stands still."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, text=True, **how) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


def arguments(defaults, words=None):
    """Returns the options of the command line. Each default is a value, or (value, help), or (value, help, choices): a
    type stands for an option without a default, False for a switch, a list for several values."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(2, f"{parser.prog}: {message}: see --help\n")
    for name, default in defaults.items():
        default, text, choices = (*default, None)[:3] if isinstance(default, tuple) else (default, None, None)
        if default is False:
            how = {"action": "store_true"}
        elif isinstance(default, type):
            how = {"type": default}
        elif isinstance(default, list):
            how = {"type": type(default[0]), "nargs": "+", "default": default, "choices": choices}
        else:
            how = {"type": type(default), "default": default}
        parser.add_argument(f"--{name.replace('_', '-')}", help=text, **how)
    return parser.parse_args(words)


def start(main, root=True, needs=(), built=None, **defaults):
    """Calls main(options), and ends the process with the status that it returns, or says in a line why it failed.

    `needs` are programs that must be installed; `built` is a program of this folder."""
    options = arguments(defaults)
    for number in SIGNALS:
        signal.signal(number, _raise_once)
    try:
        if root and os.geteuid() != 0:
            raise BenchError("must be root")
        for program in needs:
            if not shutil.which(program):
                raise BenchError(f"there is no {program}: see tools/install-packages")
        if built and not (TESTS / built).exists():
            raise BenchError(f"is not built: ninja -C build {built}")
        sys.exit(main(options))
    except (BenchError, OSError, Interrupted) as error:
        text, status = str(error), 2
        if isinstance(error, FileNotFoundError) and "/" not in str(error.filename):
            text = f"there is no {error.filename}: see tools/install-packages"
        elif isinstance(error, Interrupted):
            text, status = f"interrupted by signal {error}", 128 + error.args[0]
        print(f"{Path(sys.argv[0]).name}: {text}", file=sys.stderr)
        sys.exit(status)


def say(text):
    print(text, file=sys.stderr, flush=True)


def last_line(text):
    return (text.strip().splitlines() or ["nothing"])[-1].strip()


def run(*command, good=(0,), said=False):
    """Runs a command that must end with a good status. Returns its output, or what it says to standard error."""
    # The command has a session of its own: Ctrl-C must reach only the benchmark, which then ends the command.
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", start_new_session=True)
    if done.returncode not in good:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it says nothing"]
        raise BenchError(f"'{' '.join(map(str, command))}' failed: {lines[-1]}")
    return done.stderr if said else done.stdout


def instructions_each(few, many, *words):
    """Returns the instructions of a turn, by callgrind, from two runs with `few` and `many` turns as the last word."""
    callgrind = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words)
    counts = [int(found(r"Collected : (\d+)", run(*callgrind, turns, said=True), "valgrind")) for turns in (few, many)]
    return (counts[1] - counts[0]) / (many - few)


def on_link(program, *words, toggles=None, read=None):
    """Runs the program of build/tests on an end of LINK. Returns what it prints, as JSON.

    With `read` it runs under callgrind, and read(callgrind's file) is returned as well. Entering and leaving a function
    that `toggles` names begins the count, or ends it."""
    with tempfile.NamedTemporaryFile(prefix="dnsgauge-bench.") as out:
        before = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}",
                  *(f"--toggle-collect={function}" for function in toggles or ())] if read else []
        printed = json.loads(run("unshare", "--net", "sh", "-c", LINK, "sh", *before, TESTS / program, "v0", *words))
        return (read(out.name), printed) if read else printed


def instructions_in(file):
    total = int(found(r"^(?:summary|totals): (\d+)", Path(file).read_text(errors="replace"), "callgrind"))
    if not total:
        raise BenchError("callgrind counted nothing")
    return total


def found(pattern, text, who):
    """Returns what the pattern's group matches in what `who` says."""
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise BenchError(f"{who} says something unexpected: {text.strip()[-200:]!r}")
    return match[1]


def take_turns(rounds, variants, measure):
    """Returns {variant: [what measure(variant) returns in each round]}: the variants take turns."""
    results = {variant: [] for variant in variants}
    for _ in range(rounds):
        for variant, values in results.items():
            values.append(measure(variant))
    return results


def spread(values):
    """Returns (median, lowest, highest) of the values, or None if there are none."""
    values = list(values)
    return (statistics.median(values), min(values), max(values)) if values else None


def percentile(values, percent):
    """RFC 2330 section 11.3."""
    return sorted(values)[max(math.ceil(len(values) * percent / 100), 1) - 1]


def shown(values, digits=1, unit=1):
    """Returns "median (lowest..highest)"."""
    values = spread(value / unit for value in values)
    return "-" if values is None else "{:.{d}f} ({:.{d}f}..{:.{d}f})".format(*values, d=digits)


def aligned(rows, left=1):
    """Returns the rows as lines, the first columns aligned to the left and the others to the right."""
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(str(cell).ljust(width) if i < left else str(cell).rjust(width)
                      for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows]


def show_records(records, page=None, figures=None):
    """Prints what dnsgauge-report tells of a file of records, and writes its page and figures."""
    sys.path.append(str(ROOT / "tools" / "report"))
    from dnsgauge_report import errors, output, results
    from dnsgauge_report.sections.compose import compose
    how = argparse.Namespace(form="text", output=page, figures=figures, formats=["svg"], size="page")
    try:
        output.write_document(compose(results.read_all([str(records)])), how, [str(records)])
    except errors.ReportError as error:
        raise BenchError(str(error)) from error


def print_table(heads, rows, left=1, about=""):
    """Prints the machine, what the figures are about, and the table."""
    print("\n".join([describe_machine(), about, *aligned([heads, *rows], left)]))


def said_by(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def machine():
    """Returns the conditions of the figures: machine, kernel, and programs."""
    model = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    programs = {"dnsgauge": said_by(BIN / "dnsgauge", "--version").removeprefix("dnsgauge ")}
    programs |= {name: said_by("dpkg-query", "-W", "-f=${Version}", package) for name, package in PACKAGES.items()}
    return {"cpu": model[1] if model else platform.machine(), "cpus": os.cpu_count(),
            "kernel": platform.release(), "architecture": platform.machine(), "programs": programs}


def describe_machine():
    about = machine()
    return (f"{about['cpu']}, {about['cpus']} CPUs, Linux {about['kernel']}; "
            f"dnsgauge {about['programs']['dnsgauge']}")
