#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The schemas of results are schemas that say what each field means, the README tells of each form, and the
programs' own descriptions and an old result fit.

usage: schemas_test.py TOP BIN
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
from check_results import Schemas  # noqa: E402: the path is known only here


def objects_in(schema, at):
    """Yields each schema of an object with fields, and where it is."""
    if isinstance(schema, list):
        for number, one in enumerate(schema):
            yield from objects_in(one, f"{at}/{number}")
    elif isinstance(schema, dict):
        if "properties" in schema and "if" not in schema and "then" not in schema:
            yield at, schema
        for key, one in schema.items():
            yield from objects_in(one, f"{at}/{key}")


def check_fields(name, schema):
    """Every object is closed, and every field of it has a description of its own or is what it is called."""
    for at, one in objects_in(schema, name):
        if at.endswith(("/else", "/if", "/then")):
            continue
        assert one.get("additionalProperties") is False, f"{at} takes any field"
        unknown = set(one["required"]) - set(one["properties"])
        assert not unknown, f"{at} requires {unknown}, which it does not have"
        for field, value in one["properties"].items():
            told = value.get("description") or "$ref" in value or "const" in value
            assert told, f"{at} does not say what {field} means"


def main():
    top = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]).parent / "schemas"
    published = Schemas(folder, change=lambda schema: schema)
    readme = (top / "user/record/README.md").read_text(encoding="utf-8")
    for name, schema in published.read.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        check_fields(name, schema)
        assert name == "common" or f"`dnsgauge/{name}/" in readme, f"the README does not tell of {name}"

    for program in ("dnsgauge", "fakedns", "dnsgauge-zone", "dnsgauge-queries", "dnsgauge-report"):
        words = [pathlib.Path(sys.argv[2]) / program, "options"]
        described = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
        assert not (misfit := Schemas(folder).misfit_of_result(described)), (program, misfit)

    with tempfile.TemporaryDirectory() as made:
        page = pathlib.Path(made) / "dnsgauge-results.5"
        subprocess.run([top / "tools/man/make_results_page.py", folder, page, "0.1.0"], check=True)
        manual = page.read_text(encoding="utf-8")
    for name, schema in published.read.items():
        for field in schema.get("properties", ()):
            assert f"\\fB{field.replace('-', chr(92) + '-')}\\fR" in manual, f"the manual lacks {field} of {name}"

    # A result of an older version lacks fields, and fits all the same.
    old = json.loads((top / "tests/bench/captured/dnsgauge_pass.json").read_text(encoding="utf-8"))
    assert not (misfit := published.misfit_of_result(old)), misfit
    # A schema that takes everything would prove nothing.
    for name in published.read["trial"]["required"]:
        if name != "schema":
            broken = copy.deepcopy(old)
            del broken[name]
            assert published.misfit_of_result(broken), f"{name} is required"


if __name__ == "__main__":
    main()
