#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is installed names no file of the source tree: neither the programs' texts, nor their manual pages, nor the
files beside them. Exit status 77: a program is not built.

usage: installed_text_test.py TOP BIN
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = ["dnsgauge", "fakedns", "dnsgauge-zone", "dnsgauge-queries"]
# Installed as they stand in the tree. Guides are changed when they are installed.
FILES = ["tools/man/*.1", "tools/experiments/*.toml", "tools/report/dnsgauge_report/**/*.py",
         "tools/report/dnsgauge_report/templates/*", "fakedns/fakedns.toml", "fakedns/fakedns.service",
         "fakedns/fakedns.socket", "fakedns/sockets.conf"]
IN_TREE = re.compile(rb"(?<![\w./-])(?:build/bin|tools|tests)/[\w.*-]+|(?<![\w./-])(?:bpf|user|zones|fakedns)/[\w/]+\.md")


def texts_of(program, scratch):
    """Returns a program's constants, without its debug information."""
    bare = scratch / "rodata"
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata*", program, bare], check=True)
    return bare.read_bytes()


def main(top, built):
    wrong = []
    checked = 0

    def check(name, data):
        nonlocal checked
        checked += 1
        wrong.extend(f"{name}: {found.decode()}" for found in sorted(set(IN_TREE.findall(data))))

    programs = [built / name for name in PROGRAMS]
    for program in programs:
        if not program.exists():
            print(f"SKIP: no {program}: build it first")
            sys.exit(77)
    with tempfile.TemporaryDirectory() as made:
        scratch = Path(made)
        for program in programs:
            texts = texts_of(program, scratch)
            assert b"--help" in texts, f"these are not the texts of {program}"
            check(program.name, texts)
        make = [sys.executable, top / "tools/man/make_pages.py", scratch / "pages", "0.0.0"]
        subprocess.run([*make, *programs, top / "tools/report/dnsgauge-report"], check=True)
        make = [sys.executable, top / "tools/man/make_results_page.py", built.parent / "schemas"]
        subprocess.run([*make, scratch / "pages" / "results.5", "0.0.0"], check=True)
        for page in (path for path in scratch.glob("pages/**/*") if path.is_file()):
            check(page.name, page.read_bytes().replace(b"\\-", b"-"))
    files = [path for pattern in FILES for path in top.glob(pattern)]
    for path in [*files, *(built.parent / "schemas").iterdir()]:
        check(str(path), path.read_bytes())
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{checked} texts")
    assert checked > 60, "too few texts were found"
    sys.exit(1 if wrong else 0)


main(Path(sys.argv[1]), Path(sys.argv[2]))
