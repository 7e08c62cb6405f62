#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every link between the project's documents leads to a file and a heading that exist, the front page
is short, and each test that tools/THREATS.md names exists, at least one for each promise.

usage: documents_test.py TOP BUILD
"""

import json
import re
import subprocess
import sys
from pathlib import Path

FRONT_PAGE_LINES = 150
# Folders that are not the project's: of builds, and of git.
SKIPPED = re.compile(r"^(build|\.git)")


def prose(text):
    """Returns the text without blocks of code, in which nothing is a link or a heading."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(document):
    """Returns the anchors that GitHub makes of the headings."""
    headings = re.findall(r"^#+ (.*)$", prose(document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(document, link):
    """Returns why the link leads nowhere, or an empty text."""
    path, _, anchor = link.partition("#")
    target = (document.parent / path).resolve() if path else document
    if not target.exists():
        return "no such file"
    if anchor and anchor not in anchors(target):
        return "no such heading"
    return ""


TEST_NAME = re.compile(r"`((?:unit|fuzz|bpf|lab|report|vm)\.[\w-]+)`")


def tests_of(build):
    """Returns the names of the tests that ctest has."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                           capture_output=True, check=True, text=True).stdout
    return {test["name"] for test in json.loads(shown)["tests"]}


def unproven(text, tests):
    """Returns what is wrong with the names of tests, and with the table of promises."""
    wrong = [f"no test {name}" for name in TEST_NAME.findall(text) if name not in tests]
    promises = re.search(r"^## What is promised$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (.*) \| (.*) \|$", promises[1], re.MULTILINE)[1:] if promises else []
    if len(rows) < 10:
        wrong.append(f"only {len(rows)} promises")
    return wrong + [f"no test for: {row[0]}" for row in rows if not TEST_NAME.search(row[1])]


def main():
    top = Path(sys.argv[1])
    documents = [path for path in sorted(top.rglob("*.md"))
                 if not SKIPPED.match(str(path.relative_to(top)))]
    wrong = []
    links = 0
    for document in documents:
        for link in re.findall(r"\]\(([^)]+)\)", prose(document.read_text(encoding="utf-8"))):
            if re.match(r"https?://", link):
                continue
            links += 1
            complaint = broken(document, link)
            if complaint:
                wrong.append(f"{document.relative_to(top)}: ({link}): {complaint}")
    threats = (top / "tools/THREATS.md").read_text(encoding="utf-8")
    wrong += [f"tools/THREATS.md: {what}" for what in unproven(threats, tests_of(sys.argv[2]))]
    lines = len((top / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > FRONT_PAGE_LINES:
        wrong.append(f"README.md: {lines} lines, a front page has at most {FRONT_PAGE_LINES}")
    if len(documents) < 10 or links < 30:
        wrong.append(f"only {len(documents)} documents with {links} links: wrong folder?")
    print(*wrong, sep="\n")
    print(f"{len(documents)} documents, {links} links")
    sys.exit(1 if wrong else 0)


main()
