#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every command has a manual page with all its options, a description, examples and exit statuses;
mandoc and groff find nothing wrong with any page; --help keeps to 80 columns; bash takes the
completions. An option that only --help or only the page names is a mistake.

usage: manual_pages_test.py TOP BIN
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools/man"))
import make_pages  # pylint: disable=wrong-import-position

PROGRAMS = ["dnsgauge", "fakedns", "dnsgauge-zone", "dnsgauge-queries", "dnsgauge-report"]


def output(*command):
    """Returns what a command that succeeds prints."""
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return run.stdout


def plain(page):
    """Returns a page's source as text."""
    text = re.sub(r"\\f[BIR]", "", page.read_text(encoding="utf-8"))
    return text.replace("\\-", "-")


def long_options(text):
    """Returns the options that begin a line of --help, or an entry of a page's list."""
    return set(re.findall(r"^(?:  |\.TP\n)(?:-[a-z],)?(--[a-z][-a-z0-9]*)", text, re.MULTILINE))


def lint(page):
    """Returns what mandoc and groff have to say."""
    said = subprocess.run(["mandoc", "-Tlint", "-Wstyle", page], capture_output=True, text=True,
                          check=False)
    found = said.stdout + said.stderr
    said = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True,
                          text=True, check=False)
    return found + said.stderr


def complaints(command, page):
    """Returns what is wrong with the page of a command, a list of words."""
    told = output(*command, "--help")
    for line in told.splitlines():
        if len(line) > 80:
            yield f"--help: longer than 80 columns: {line}"
    source = plain(page)
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"):
        if f"\n.SH {heading}\n" not in source:
            yield f"no section {heading}"
    # "dnsgauge-queries - reads" would be all of a list that a comma cut.
    said_first = source.partition(".SH NAME\n")[2].partition("\n.SH")[0].partition(" - ")[2]
    if len(said_first.split()) < 3:
        yield f"NAME says next to nothing: {said_first}"
    if said := lint(page):
        yield said
    here = long_options(source) - {"--help"}
    there = long_options(told) - {"--help"}
    if here != there:
        yield f"differs from --help: {sorted(here ^ there)}"


def main(top, bin_directory):
    """Exits with 1 if a page is wrong, with 77 if the tools that judge pages are not here."""
    for tool in ("mandoc", "groff"):
        if not shutil.which(tool):
            print(f"SKIP: no {tool} on this machine: see tools/install-packages")
            sys.exit(77)
    programs = [bin_directory / program for program in PROGRAMS]
    for program in programs:
        if not program.exists():
            print(f"SKIP: no {program}: build it first")
            sys.exit(77)
    wrong = []
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch)
        output(sys.executable, top / "tools/man/make_pages.py", made, "0.0.0", *programs)
        pages = 0
        for program in programs:
            _, commands = make_pages.read_program(program)
            for words in [[], *([name] for name in commands)]:
                page = made / "man" / ("-".join([program.name, *words]) + ".1")
                pages += 1
                wrong += [f"{page.name}: {text}" for text in complaints([program, *words], page)]
            bash = made / "bash" / program.name
            output("bash", "-n", bash)
        lab = top / "tools/man/dnsgauge-lab.1"
        wrong += [f"{lab.name}: {text}" for text in [lint(lab)] if text]
        for option in re.findall(r"--[a-z-]+", output("bash", top / "tools/lab", "--help")):
            if option not in plain(lab):
                wrong.append(f"{lab.name}: no {option}")
        extra = len(list((made / "man").iterdir())) - pages
        if extra or pages < 15:
            wrong.append(f"{pages} pages of commands, {extra} of none")
    print(*wrong, sep="\n")
    print(f"{pages} pages")
    sys.exit(1 if wrong else 0)


main(Path(sys.argv[1]), Path(sys.argv[2]))
