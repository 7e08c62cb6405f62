#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The trial's schema and dnsgauge-report have the classes of queries that bpf/wire/reply_classes.h lists.

usage: classes_test.py SOURCE-TREE SCHEMAS
"""

import ast
import json
import pathlib
import re
import sys


def assigned(file, name):
    """Returns the literal that a Python source assigns to a name."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise LookupError(f"{file} has no {name}")


def main():
    top = pathlib.Path(sys.argv[1])
    listed = (top / "bpf/wire/reply_classes.h").read_text(encoding="utf-8")
    # Only the classes of queries have five arguments.
    wrong = set(re.findall(r'^ +X\([A-Z_]+, ([a-z_]+), "[^"]+", "[^"]+", [a-z]+\)', listed, re.MULTILINE))
    assert {"rcode", "malformed"} <= wrong, f"the list was not understood: {wrong}"

    schema = json.loads((pathlib.Path(sys.argv[2]) / "trial.schema.json").read_text(encoding="utf-8"))
    report = top / "tools/report/dnsgauge_report"
    for what, found in (
            ("the trial's schema", set(schema["properties"]["invalid"]["properties"]) - {"total"}),
            ("kinds/classes.py", set(assigned(report / "kinds/classes.py", "REASONS")))):
        assert found == wrong, f"{what} differs from reply_classes.h in {sorted(found ^ wrong)}"


if __name__ == "__main__":
    main()
