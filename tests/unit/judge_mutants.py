#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tries whether the judge's tests miss a condition: negates, or removes, one condition of the judge after the other
(bpf/wire/judge.h, judge_rule.h, records.h), and runs unit.judge and unit.records.

    judge_mutants.py [--build build] [--jobs 2] [--only TEXT]

Prints a table in Markdown: each mutant, and the test case that fails with it. Exit status: 0 each mutant fails a test,
or stands in EQUIVALENT with the reason why none can; 1 some do not; 2 the tests cannot be built. All mutants are in one
program, and a variable of the environment chooses one, so that the tests are compiled once.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
WIRE = TREE / "bpf" / "wire"
HEADERS = ("judge.h", "judge_rule.h", "records.h")
TESTS = ("judge", "records")
SANITIZED = "-fsanitize=address"  # a read beyond the message is a failure
PATIENCE = 300  # seconds that a run may take; a mutant may never come to an end

VERIFIER = "the caller has compared it; the verifier wants it here, too"
FASTER = "it saves steps"
# Mutants that no test can tell from the judge, by the file and the text of the condition.
EQUIVALENT = {
    "judge.h !wants_name(wants) removed": "nobody looks at the address then",
    "records.h !wire_has(&message, DNS_HEADER_SIZE) removed": VERIFIER,
    "records.h wire_has(&message, DNS_HEADER_SIZE) removed": VERIFIER,
    "records.h !wire_has(&tail, DNS_QUESTION_TAIL) removed": VERIFIER,
    "records.h data + wanted > end removed": VERIFIER,
    "records.h walk->turn >= RECORDS_CHAIN removed": "the last names are compared once more",
    "records.h walk->turn > 1 removed": FASTER,
    "records.h (walk->differs && walk->behind) removed": FASTER,
    "records.h same + 8 > message.end removed": "labels that are alike up to the message's end would be one label",
    "records.h same + 1 > message.end removed": "the expected name has been read",
    "records.h walk->other > RECORDS_MESSAGE_MAX removed": "the expected name has been read",
}

# The conditions begin after these words, and end with the bracket or the semicolon.
BEGIN = re.compile(r"\b(?:if|while) \(|\breturn |\b(?:const )?int \w+ =\s|walk->differs =\s|; i < \w+ && ")


@dataclass(frozen=True)
class Mutant:
    number: int
    place: str  # file:line
    text: str
    change: str

    @property
    def name(self):
        return f"{self.place} `{self.text}` {self.change}"


def blanked(text):
    """Returns the text with blanks in place of comments and the lines of the preprocessor."""
    blank = lambda found: re.sub(r"[^\n]", " ", found[0])  # noqa: E731
    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.DOTALL)
    return re.sub(r"^#(?:.*\\\n)*.*$", blank, text, flags=re.MULTILINE)


def end_of(text, begin):
    """Returns where the expression ends that begins there."""
    depth = 0
    for at in range(begin, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            if depth == 0:
                return at
            depth -= 1
        elif text[at] == ";" and depth == 0:
            return at
    raise ValueError("an expression without end")


def pieces(text, separator):
    """Returns the parts of an expression between separators outside of brackets, as (begin, end)."""
    found, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and text.startswith(separator, at) and at >= begin:
            found.append((begin, at))
            begin = at + len(separator)
    return found + [(begin, len(text))]


class Header:
    """A header whose conditions can be changed at run time."""

    def __init__(self, path, first):
        self.path = path
        self.plain = path.read_text(encoding="ascii")
        self.text = blanked(self.plain)
        self.mutants = []
        self.first = first
        self.edits = []  # (offset, is after what stands there, text)
        for found in BEGIN.finditer(self.text):
            begin = found.end()
            self.condition(begin, end_of(self.text, begin), found[0].startswith(("if", "while")))

    def mutant(self, begin, end, change):
        number = self.first + len(self.mutants)
        place = f"{self.path.name}:{self.plain.count(chr(10), 0, begin) + 1}"
        self.mutants.append(Mutant(number, place, " ".join(self.plain[begin:end].split()), change))
        return number

    def wrap(self, begin, end, before, behind):
        self.edits += [(begin, len(self.edits), before), (end, -len(self.edits), behind)]

    def trimmed(self, begin, end):
        text = self.text[begin:end]
        return begin + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())

    def condition(self, begin, end, is_whole):
        """Changes the conditions of an expression; the expression itself where it is a whole condition."""
        begin, end = self.trimmed(begin, end)
        text = self.text[begin:end]
        choice = pieces(text, " ? ")
        if len(choice) > 1:
            self.condition(begin, begin + choice[0][1], True)
            for part in pieces(text[choice[1][0]:], " : "):
                self.condition(begin + choice[1][0] + part[0], begin + choice[1][0] + part[1], False)
            return
        if is_whole:
            negated = self.mutant(begin, end, "negated")
            self.wrap(begin, end, f"(judge_mutant == {negated}) != !!(", ")")
        self.operands(begin, end)

    def operands(self, begin, end):
        text = self.text[begin:end]
        for separator, neutral in ((" || ", "judge_mutant != {} && ("), (" && ", "judge_mutant == {} || (")):
            separator = separator.strip()
            parts = pieces(text, separator)
            if len(parts) == 1:
                continue
            for part in parts:
                one, two = self.trimmed(begin + part[0], begin + part[1])
                number = self.mutant(one, two, "removed")
                self.wrap(one, two, "(" + neutral.format(number), "))")
                self.operands(one, two)
            return
        inner = re.fullmatch(r"!?\((.*)\)", text, re.DOTALL)
        if inner and end_of(self.text, begin + inner.start(1)) == begin + inner.end(1):
            self.operands(begin + inner.start(1), begin + inner.end(1))

    def changed(self):
        """Returns the header with all mutants in it."""
        made = self.plain
        # From the end on; at one place what begins later stands inside.
        for at, order, text in sorted(self.edits, key=lambda edit: (edit[0], edit[1]), reverse=True):
            made = made[:at] + text + made[at:]
        return made


def compile_command(build, test, output, scratch):
    commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    command = next(c for c in commands if c["file"].endswith(f"/tests/unit/{test}_test.cpp"))
    words = shlex.split(command["command"])
    words[words.index("-o") + 1] = str(output)
    # Catch comes from a precompiled header, which has no sanitizer.
    while "-include-pch" in words:
        at = words.index("-include-pch") - 1
        del words[at:at + 8]
    more = ["-include", str(scratch / "mutant.h"), "-include", "catch2/catch.hpp"]
    return [words[0], SANITIZED, "-I", str(scratch)] + words[1:] + ["-w"] + more, command["directory"]


def build_tests(build, scratch, headers):
    shutil.copytree(WIRE, scratch / "wire")
    for header in headers:
        (scratch / "wire" / header.path.name).write_text(header.changed(), encoding="ascii")
    (scratch / "mutant.h").write_text(
        "#pragma once\n#include <cstdlib>\ninline const int judge_mutant = std::atoi(std::getenv(\"JUDGE_MUTANT\"));\n",
        encoding="ascii")
    for test in TESTS:
        words, directory = compile_command(build, test, scratch / f"{test}.o", scratch)
        subprocess.run(words, cwd=directory, check=True)
        subprocess.run(["clang++", SANITIZED, scratch / f"{test}.o", "-o", scratch / test, "-lCatch2WithMain",
                        build / "tests" / "support" / "libtest_support.a", build / "libjson_instance.a", "-lfmt"],
                       check=True)


def failing_test(scratch, number):
    """Returns the test case that fails with this mutant; None: all pass."""
    for test in TESTS:
        try:
            done = subprocess.run([scratch / test, "--abort"], capture_output=True, text=True, timeout=PATIENCE,
                                  env=os.environ | {"JUDGE_MUTANT": str(number), "ASAN_OPTIONS": "detect_leaks=0"},
                                  check=False)
        except subprocess.TimeoutExpired:
            return f"unit.{test}: no end"
        if done.returncode:
            case = re.search(r"^-{20,}\n(.*)\n", done.stdout, re.MULTILINE)
            return f"unit.{test}: {case[1].strip() if case else 'it crashes'}"
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=TREE / "build", help="the build directory")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--only", default="", help="only mutants whose line has this text")
    wanted = options.parse_args()
    headers = []
    for name in HEADERS:
        headers.append(Header(WIRE / name, sum((len(h.mutants) for h in headers), 1)))
    mutants = [m for header in headers for m in header.mutants if wanted.only in m.name]
    with tempfile.TemporaryDirectory() as directory:
        scratch = Path(directory)
        try:
            build_tests(wanted.build, scratch, headers)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"judge_mutants.py: the tests cannot be built: {error}: build unit.judge first", file=sys.stderr)
            return 2
        if why := failing_test(scratch, 0):
            print(f"judge_mutants.py: without a mutant fails {why}", file=sys.stderr)
            return 2
        with ThreadPoolExecutor(wanted.jobs) as pool:
            found = list(pool.map(lambda mutant: failing_test(scratch, mutant.number), mutants))
    survivors = 0
    print("| place | condition | change | fails |\n|---|---|---|---|")
    for mutant, case in zip(mutants, found):
        reason = EQUIVALENT.get(f"{mutant.place.split(':')[0]} {mutant.text} {mutant.change}")
        survivors += case is None and reason is None
        text = mutant.text.replace("|", "\\|")
        fails = case or (f"none can: {reason}" if reason else "**none**")
        print(f"| {mutant.place} | `{text}` | {mutant.change} | {fails} |")
    print(f"\n{len(mutants)} mutants, {survivors} fail no test")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
