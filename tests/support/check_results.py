#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks results that dnsgauge wrote against the schemas, which must name every field.

usage: check_results.py SCHEMAS [--older] PATH...

SCHEMAS is the folder of the schemas. PATH is a result, a journal, a file in the dns-metrics form, "-" for
standard input, or a folder, in which every file that is one of these is checked. Prints what does not fit,
and exits with status 1 if anything does not. With --older results may lack fields that older versions did not have.
"""

import json
import pathlib
import sys

import jsonschema

SUFFIX = ".schema.json"
LARGEST = 64 << 20  # octets; a larger file in a folder is no result


def strict(schema):
    """Returns the schema with every property required, but for those marked as optional, and those that
    only some kinds of series have.

    A schema's own list of required properties is shorter: it admits the files of older versions.
    """
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    same = {key: strict(value) for key, value in schema.items()}
    if "written" in schema:  # what older results of this kind lack
        same["required"] = [*schema["required"], *schema["written"]]
    if schema.get("additionalProperties") is False:
        same["required"] = [name for name, one in schema["properties"].items()
                            if not one.get("optional") and name not in schema.get("sometimes", ())]
    return same


class Schemas:
    """The schemas in a folder. A result fits if it has every field that its schema names, and no other."""

    def __init__(self, folder, change=strict):
        paths = sorted(pathlib.Path(folder).resolve().glob("*" + SUFFIX))
        if not paths:
            sys.exit(f"there are no schemas in {folder}")
        self.read = {path.name.removesuffix(SUFFIX): json.loads(path.read_text(encoding="utf-8"))
                     for path in paths}
        store = {path.as_uri(): change(self.read[path.name.removesuffix(SUFFIX)]) for path in paths}
        self.validators = {
            path.name.removesuffix(SUFFIX): jsonschema.Draft202012Validator(
                store[path.as_uri()],
                resolver=jsonschema.RefResolver(path.as_uri(), store[path.as_uri()], store=store))
            for path in paths}

    def misfit(self, value, name):
        """Returns where and why the value does not fit the schema of that name; empty: it fits."""
        error = jsonschema.exceptions.best_match(self.validators[name].iter_errors(value))
        if error is None:
            return ""
        return f"{name}{SUFFIX}: at {error.json_path}: {error.message[:500]}"

    def misfit_of_result(self, value):
        """As misfit(), by the schema that the value names."""
        form = value["schema"].removeprefix("dnsgauge/").rpartition("/")[0]
        if form not in self.validators:
            return f"there is no schema of {value['schema']}"
        return self.misfit(value, form)


def is_result(value):
    return isinstance(value, dict) and str(value.get("schema", "")).startswith("dnsgauge/")


def parse(text):
    """Returns the object that the text is, or None."""
    if not text.startswith("{"):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def values_of(text):
    """Yields the place and the result for each result in a file, and the schema where the result names none."""
    whole = parse(text)
    if is_result(whole) and "\n" in text.strip():
        yield "", whole, None
        return
    # A crash may leave half a last line.
    lines = [parse(line) for line in text.split("\n")]
    form = lines[0]["schema"].split("/")[1] if is_result(lines[0]) else ""
    for number, value in enumerate(lines, 1):
        if form.endswith("-journal") and value is not None:
            yield f" line {number}", value, form
        elif is_result(value):
            yield f" line {number}", value, None
        elif isinstance(value, dict) and is_result(value.get("dnsgauge")):  # dns-metrics
            yield f" line {number}", value["dnsgauge"], None


def files_in(path):
    if not path.is_dir():
        return [path]
    return [file for file in sorted(path.rglob("*"))
            if file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST]


def main():
    folder, *paths = sys.argv[1:]
    is_older = paths[0] == "--older"
    schemas = Schemas(folder, change=(lambda schema: schema) if is_older else strict)
    fit = 0
    misfits = []
    for path in paths[is_older:]:
        for file in [path] if path == "-" else files_in(pathlib.Path(path)):
            data = sys.stdin.buffer.read() if file == "-" else file.read_bytes()
            found = 0
            for place, value, name in values_of(data.decode("utf-8", errors="replace")):
                found += 1
                misfit = schemas.misfit(value, name) if name else schemas.misfit_of_result(value)
                if misfit:
                    misfits.append(f"{file}{place}: {misfit}")
                else:
                    fit += 1
            if not found and not pathlib.Path(path).is_dir():
                misfits.append(f"{file}: no result of dnsgauge")
    print(*misfits, sep="\n", end="\n" if misfits else "")
    print(f"{fit} results fit their schemas")
    sys.exit(1 if misfits else 0)


if __name__ == "__main__":
    main()
