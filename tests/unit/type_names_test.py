#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks that no two headers of one program define a type of the same name.

Two such types break C++'s one-definition rule: the linker keeps one of the two destructors, and the program
frees what it never allocated. Neither the compiler nor the linker says so.

usage: type_names_test.py SOURCE-DIRECTORY
"""

import collections
import re
import sys
from pathlib import Path

# The rooms that each program may link.
PROGRAMS = {program: ("bpf", room)
            for program, room in (("dnsgauge", "user"), ("fakedns", "fakedns"), ("dnsgauge-zone", "zones"))}
TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?) (\w+(?:::\w+)*)[^;()]*\{", re.MULTILINE)


def definitions(source, rooms):
    """Returns the headers that define each type outside of other types."""
    found = collections.defaultdict(list)
    for room in rooms:
        for header in sorted((source / room).rglob("*.h")):
            for name in TYPE.findall(header.read_text(encoding="utf-8")):
                found[name].append(str(header.relative_to(source)))
    return found


def main(source):
    """Exits with 1 if a type has two definitions."""
    failed = False
    for program, rooms in PROGRAMS.items():
        found = definitions(source, rooms)
        if len(found) < 10:
            sys.exit(f"{program}: only {len(found)} types found: this test looks at the wrong place")
        for name, headers in found.items():
            if len(headers) > 1:
                failed = True
                print(f"{program}: {name} is defined in {' and '.join(headers)}")
    sys.exit(1 if failed else 0)


main(Path(sys.argv[1]))
