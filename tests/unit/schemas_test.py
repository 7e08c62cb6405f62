#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The schemas of results are schemas, their fields are documented, and results fit them.

    schemas_test.py SCHEMA-DIRECTORY README RESULT...
"""

import copy
import json
import pathlib
import re
import sys

import jsonschema


def read_json(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def section_of(readme, name):
    return readme.split(f"## `{name}`\n", 1)[1].split("\n## ", 1)[0]


def documented_fields(section):
    """The names in the first column of the section's tables."""
    rows = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def main():
    schemas = {}
    for path in pathlib.Path(sys.argv[1]).glob("*.schema.json"):
        schema = read_json(path)
        jsonschema.Draft7Validator.check_schema(schema)
        schemas[schema["properties"]["schema"]["const"]] = schema
    readme = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    for name, schema in schemas.items():
        missing = set(schema["properties"]) - documented_fields(section_of(readme, name))
        assert not missing, f"the README does not tell of {missing} of {name}"
    for path in sys.argv[3:]:
        result = read_json(path)
        validator = jsonschema.Draft7Validator(schemas[result["schema"]])
        validator.validate(result)
        # A schema that takes everything would prove nothing.
        for name in schemas[result["schema"]]["required"]:
            broken = copy.deepcopy(result)
            del broken[name]
            assert not validator.is_valid(broken), f"{name} is required"
        broken = copy.deepcopy(result)
        broken["sent"] = -1
        assert not validator.is_valid(broken), "a count is not negative"


if __name__ == "__main__":
    main()
