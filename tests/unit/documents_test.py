#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every link between the project's documents leads to a file and a heading that exist, and the
front page is short.

usage: documents_test.py TOP
"""

import re
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
    lines = len((top / "README.md").read_text(encoding="utf-8").splitlines())
    if lines > FRONT_PAGE_LINES:
        wrong.append(f"README.md: {lines} lines, a front page has at most {FRONT_PAGE_LINES}")
    if len(documents) < 10 or links < 30:
        wrong.append(f"only {len(documents)} documents with {links} links: wrong folder?")
    print(*wrong, sep="\n")
    print(f"{len(documents)} documents, {links} links")
    sys.exit(1 if wrong else 0)


main()
