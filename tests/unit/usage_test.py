#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What somebody sees who calls the programs for the first time: help, versions, typing errors, and
options that are missing.

usage: usage_test.py BIN
"""

import re
import subprocess
import sys
from pathlib import Path

COMMANDS = {
    "dnsgauge": [
        "quickstart",
        "trial",
        "search",
        "sweep",
        "soak",
        "replay",
        "selftest",
        "calibrate",
        "experiment",
        "compare",
        "gate",
        "doctor",
        "placement",
        "probe",
    ],
    "dnsgauge-queries": ["convert", "merge", "slice", "anonymise", "names", "stats", "make"],
    "dnsgauge-zone": ["records", "server", "dns64", "resolver", "mix", "dataset"],
    "fakedns": [],
}

# What is said where nothing else is given.
MISSING = {
    "quickstart": "--interface and --server are required; --names is required, unless --queries or --handshakes is given",
    "trial": "--interface and --server are required; --rate is required, unless --capture or --pace is given; "
    "--names is required, unless --queries, --capture or --handshakes is given",
    "search": "--max-rate, --interface, --server and --journal are required; "
    "--names is required, unless --queries or --handshakes is given",
    "sweep": "--interface, --server and --journal are required; "
    "--min-rate is required, unless --windows is given; --max-rate is required, unless --windows is given; "
    "--names is required, unless --queries or --handshakes is given",
    "soak": "--interface, --server and --journal are required; --rate is required, unless --search is given; "
    "--names is required, unless --queries or --handshakes is given",
    "replay": "--interface, --server, --capture and --journal are required",
    "selftest": "--interface and --server are required; "
    "--rate is required, unless --max-rate is given",
    "calibrate": "--fakedns-interface, --fakedns-netns, --interface and --server are required",
    "experiment": "FILE is required",
    "compare": "FILE is required",
    "gate": "--baseline and --candidate are required",
    "doctor": "--interface is required",
    "placement": "ACTION is required",
    "probe": "--interface is required",
    "convert": "FILE is required",
    "slice": "FILE and --length are required",
}

# Words, and what the message about them says.
TYPING_ERRORS = [
    ("dnsgauge trail", 'there is no subcommand "trail": did you mean trial?'),
    ("dnsgauge nonsense", 'there is no subcommand "nonsense": see dnsgauge --help'),
    ("dnsgauge help serach", 'there is no subcommand "serach": did you mean search?'),
    ("dnsgauge trial --sever 192.0.2.1", "there is no option --sever: did you mean --server?"),
    ("dnsgauge trial --rate 1,5M", "--rate"),
    ("dnsgauge trial --rate", "--rate needs a value"),
    ("dnsgauge trial --rate 1 --rate 2", "--rate is given more than once"),
    ("dnsgauge-zone records --names", "--names needs a value"),
    ("dnsgauge-queries make --seed 1 --seed 2", "--seed is given more than once"),
    ("dnsgauge trial 192.0.2.1", '"192.0.2.1" is not expected here: options begin with --'),
    ("dnsgauge-zone recrods", 'there is no subcommand "recrods": did you mean records?'),
    ("dnsgauge-zone records --zoen a.test", "there is no option --zoen: did you mean --zone?"),
    ("dnsgauge-queries covnert x", 'there is no subcommand "covnert": did you mean convert?'),
    ("dnsgauge-queries stats --topp 5 x", "there is no option --topp: did you mean --top?"),
    ("fakedns --interfaces lo", "there is no option --interfaces: did you mean --interface?"),
    ("fakedns echo --prot 53", "there is no option --prot: did you mean --port?"),
]

# Options that take a text, and what --help calls that text.
VALUES = {
    "dnsgauge-queries make": "--output FILE",
    "dnsgauge-queries convert": "--client PREFIX",
    "dnsgauge-zone records": "--names CIDR",
    "dnsgauge-zone dataset": "--names NUMBER",
}

failures = []


def check(what, is_so, said=""):
    """Notes a failure."""
    print(f"{'PASS' if is_so else 'FAIL'}: {what}")
    if not is_so:
        failures.append(what)
        print(said)


def run(programs, words):
    """Returns the exit status, the output and the messages of a command line."""
    program, *rest = words.split()
    made = subprocess.run(
        [programs / program, *rest], capture_output=True, text=True, check=False, timeout=60
    )
    return made.returncode, made.stdout, made.stderr


def check_refused(programs, words, message):
    """Checks that a command line is refused in one line, which says `message`."""
    status, said, errors = run(programs, words)
    lines = errors.splitlines()
    is_told = (
        len(lines) == 1 and lines[0].startswith(words.split()[0] + ": ") and message in lines[0]
    )
    check(
        f"{words}: {message}",
        status == 2 and not said and is_told,
        f"status {status}: {said}{errors}",
    )


def sections_of(text):
    """Returns the lines of each section of --help, by its heading."""
    sections = {}
    lines = sections.setdefault("", [])
    for line in text.splitlines():
        if match := re.fullmatch(r"([A-Z][A-Za-z -]+):", line):
            lines = sections.setdefault(match[1], [])
        else:
            lines.append(line)
    return sections


def check_help(programs, program, command):
    """Checks the help of a command: groups, required options first, examples, exit statuses."""
    program_and_command = f"{program} {command}".strip()
    words = f"{program_and_command} --help"
    status, said, errors = run(programs, words)
    sections = sections_of(said)
    titles = list(sections)
    check(f"{words}: status 0, nothing else is said", status == 0 and not errors, errors)
    check(f"{words}: 80 columns", max(map(len, said.splitlines())) <= 80, said)
    has_required = "Required" in titles or program == "dnsgauge"
    check(f"{words}: required options first", not has_required or titles[1] == "Required", titles)
    check(
        f"{words}: examples and exit statuses last",
        titles[-2:] == ["Examples", "Exit status"],
        titles,
    )
    check(f"{words}: no default of what is required", "default: required" not in said, said)
    launcher = "mpirun .* " if program == "dnsgauge-mpi" else ""
    examples = [
        line
        for line in sections["Examples"]
        if re.match(f"  {launcher}{program_and_command} ", line)
    ]
    check(f"{words}: two examples or more", len(examples) >= 2, examples)
    statuses = [line[2] for line in sections["Exit status"] if re.match(r"  \d  ", line)]
    check(f"{words}: statuses of its own", statuses[0] == "0" and "2" in statuses, statuses)
    if program == "dnsgauge":
        check(
            f"dnsgauge help {command}", run(programs, f"dnsgauge help {command}") == (0, said, "")
        )


def main(programs):
    """Exits with 1 if a check fails."""
    for program, commands in COMMANDS.items():
        for command in commands or [""]:
            check_help(programs, program, command)
    # It is built where MPI is.
    if (programs / "dnsgauge-mpi").exists():
        for command in ("trial", "search", "sweep", "soak", "selftest"):
            check_help(programs, "dnsgauge-mpi", command)
    statuses = [
        run(programs, f"dnsgauge {command} --help")[1].split("\nExit status:")[1]
        for command in COMMANDS["dnsgauge"]
    ]
    check("each command of dnsgauge tells statuses of its own", len(set(statuses)) == len(statuses))
    for program, commands in COMMANDS.items():
        for words in [program, *(f"{program} {command}" for command in commands)]:
            status, said, errors = run(programs, f"{words} --help")
            check(
                f"{words} --help",
                status == 0 and said.lower().startswith("usage:") and not errors,
                errors,
            )
        status, said, _ = run(programs, f"{program} --version")
        check(
            f"{program} --version has a commit",
            re.match(rf"{program} \d+\.\d+\.\d+ \(", said),
            said,
        )
        has_bpf = program in ("dnsgauge", "fakedns")
        check(f"{program} --version: libbpf", ("libbpf" in said) == has_bpf, said)
        for command in commands:
            if command in MISSING:
                check_refused(programs, f"{program} {command}", MISSING[command])
    check_refused(programs, "dnsgauge", "a subcommand is required: see dnsgauge --help")
    for words, message in TYPING_ERRORS:
        check_refused(programs, words, message)
    for words, value in VALUES.items():
        said = run(programs, f"{words} --help")[1]
        check(f"{words} --help: {value}", f"  {value} " in said and "TEXT" not in said, said)
    sys.exit(1 if failures else 0)


main(Path(sys.argv[1]))
