#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests "dnsgauge experiment FILE --plan": what it says about an experiment, and what it refuses.

usage: experiment_plan_test.py DNSGAUGE
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

AUTHORITATIVE = """title = "T"
[search]
interface = "lo"
address = "127.0.0.1"
names = "10.0.0.0/8"
duration = 1
timeout = 0.25
max-rate = 1000
"""

# Half of 1,000 queries are for the cached name: 501 names, in parts of 512.
DNS64 = """title = "T"
[search]
interface = "lo"
dut = "dns64"
address = "2001:2::2"
answer-prefix = "64:ff9b::/96"
names = "10.0.0.0/8"
fresh-names = true
duration = 1
timeout = 1
min-rate = 900
max-rate = 1000
resolution = 50
repeat = 1
aaaa-share = 0
cached-share = 50
"""

wrong = []


def plan(dnsgauge, text):
    """Returns the exit status and the output."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "e.toml"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([dnsgauge, "experiment", file, "--plan"], capture_output=True,
                              text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).replace(str(file), "FILE")


def expect(what, holds, said):
    if not holds:
        wrong.append(f"{what}: not so: {said}")


def test_names(dnsgauge):
    status, said = plan(dnsgauge, DNS64 + "[matrix]\naccept = 100\n")
    # The trials are both ends and one in the middle. FreshNames counts one trial more for each
    # confirmed one.
    row = re.search(r"^cell +900-1000 +(\d+) .*?s +(\d+) +16777216", said, re.MULTILINE)
    expect("fresh names", status == 0 and row and int(row[2]) % 512 == 0 and
           int(row[2]) // 512 >= int(row[1]), said)
    started = '[matrix]\nserver = "a"\n[servers.a]\nstart = ["true"]\nrestart-each-trial = true\n'
    status, said = plan(dnsgauge, DNS64.replace("fresh-names = true\n", "") + started)
    expect("the cached share's names", status == 0 and re.search(r" 501 +16777216", said), said)


def test_notes(dnsgauge):
    status, said = plan(dnsgauge, DNS64 + "[matrix]\naccept = [100, 99]\n")
    expect("a note on the prefix, once", status == 0 and said.count("note: ") == 1 and
           "RFC 6052" in said, said)
    status, said = plan(dnsgauge, AUTHORITATIVE + "[matrix]\naccept = [100, 99]\n")
    expect("no note", status == 0 and "note: " not in said, said)


def test_tables(dnsgauge):
    status, said = plan(dnsgauge, AUTHORITATIVE + "[matrix]\naccept = [100, 99]\nduration = [1, 2]\n"
                        '[table]\ncolumns = ["duration"]\n')
    expect("a key that is in no table", status == 2 and
           said.startswith("dnsgauge: FILE:10: accept: it varies") and said.count("\n") == 1, said)


def refused(dnsgauge, text):
    """Returns the one line that refuses to run the experiment."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "e.toml"
        file.write_text(text, encoding="utf-8")
        done = subprocess.run([dnsgauge, "experiment", file, "--directory", f"{scratch}/made"],
                              env={**os.environ, "DNSGAUGE_STATE": scratch}, capture_output=True,
                              text=True, check=False)
        said = done.stderr.replace(str(file), "FILE")
        expect("a refusal is one line", done.returncode == 2 and said.count("\n") == 1, said)
        return said


def test_words(dnsgauge):
    """Messages call what the file sets by the file's keys."""
    for what, text, message in (
            ("two keys", AUTHORITATIVE + "[matrix]\nmin-rate = [1000, 2000]\n",
             "FILE:10: min-rate 1000 must be below max-rate 1000 (cell 1000)"),
            ("a key that the file lacks", AUTHORITATIVE.replace("/8", "/24") + "[matrix]\naccept = 100\n",
             "a shorter trial, or allow-repeats (cell "),
            ("another spelling", AUTHORITATIVE + '[matrix]\nsource = "::1"\n',
             "source and address must be of one family")):
        said = refused(dnsgauge, text)
        expect(what, message in said and "--allow" not in said and "--source" not in said, said)


def main():
    dnsgauge = sys.argv[1]
    test_words(dnsgauge)
    test_names(dnsgauge)
    test_notes(dnsgauge)
    test_tables(dnsgauge)
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


main()
