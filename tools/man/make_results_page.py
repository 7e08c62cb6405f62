#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the manual page dnsgauge-results(5), which lists the fields of every JSON form, from the schemas.

usage: tools/man/make_results_page.py SCHEMAS PAGE VERSION

SOURCE_DATE_EPOCH in the environment is the date that the page carries; otherwise it is today.
"""

import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from make_pages import page_date, roff  # noqa: E402

TYPES = {"integer": "whole number", "string": "text", "boolean": "true or false", "object": "object",
         "array": "list", "number": "number", "null": "null"}
SHARED = "PARTS OF SEVERAL FORMS"


class Page:
    """The lines of the page, and the parts that the forms written so far refer to."""

    def __init__(self, schemas):
        self.schemas = schemas
        self.lines = []
        self.shared = []

    def target(self, schema, form):
        """Returns the schema that a reference leads to, and the form in which it is."""
        file, _, path = schema["$ref"].partition("#")
        form = file.removesuffix(".schema.json") or form
        found = self.schemas[form]
        for key in filter(None, path.split("/")):
            found = found[key]
        return found, form, path.rpartition("/")[2]

    def type_of(self, schema, form):
        if "$ref" in schema:
            target, where, name = self.target(schema, form)
            if not name:
                return f"dnsgauge/{where}/1" if where != form else "the same form"
            if where == "common" and "properties" in target:
                if name not in self.shared:
                    self.shared.append(name)
                return name if "null" not in target["type"] else f"{name}, or null"
            return self.type_of(target, where)
        if "const" in schema:
            return f'"{schema["const"]}"'
        if "enum" in schema:
            return ", ".join(str(value) for value in schema["enum"])
        if "anyOf" in schema:
            return " or ".join(self.type_of(one, form) for one in schema["anyOf"][::-1])
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        words = [TYPES[kind] for kind in kinds]
        items = schema.get("items", {})
        is_plain = "properties" not in items and items.get("type") != "array"
        if words[0] == "list" and is_plain and not items.get("$ref", "").startswith("#/"):
            words[0] = f"list: {self.type_of(items, form)}"
        return " or ".join(words)

    def fields(self, schema, form, prefix=""):
        """Adds an entry for each field, and for the fields in it."""
        for name, one in schema["properties"].items():
            self.lines += [".TP", f"\\fB{roff(prefix + name)}\\fR ({roff(self.type_of(one, form))})"]
            self.lines.append(roff(self.meaning(one, form)))
            inner, where = one, form
            if "$ref" in one:
                inner, where, _ = self.target(one, form)
                if where != form or not inner.get("properties"):
                    continue
            items = inner.get("items", {})
            if items.get("$ref", "").startswith("#/"):
                items, _, _ = self.target(items, where)
            if "properties" in items:
                self.fields(items, where, f"{prefix}{name}[].")
            elif "properties" in inner:
                self.fields(inner, where, f"{prefix}{name}.")

    def meaning(self, schema, form):
        if "description" in schema or "$ref" not in schema:
            return schema.get("description", "as its name says")
        target, where, _ = self.target(schema, form)
        return self.meaning(target, where)

    def section(self, title, text):
        self.lines += [f".SH {title}", roff(text)]

    def form(self, name):
        schema = self.schemas[name]
        written = schema.get("properties", {}).get("schema", {}).get("const", f"dnsgauge/{name}/1")
        self.section(f'"{written}"', schema["description"])
        if "properties" in schema:
            self.fields(schema, name)
            return
        for part in schema["$defs"].values():
            self.lines += [".PP", roff(part["description"][0].upper() + part["description"][1:] + ":")]
            self.fields(part, name)


def main():
    folder, page, version = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    schemas = {path.name.removesuffix(".schema.json"): json.loads(path.read_text(encoding="utf-8"))
               for path in folder.glob("*.schema.json")}
    made = Page(schemas)
    made.lines += [f'.TH dnsgauge\\-results 5 {page_date()} "dnsgauge {version}" "File formats"', ".SH NAME",
                   "dnsgauge\\-results \\- the JSON forms of results", ".SH DESCRIPTION",
                   "dnsgauge writes each result as a JSON object, whose member",
                   ".B schema", "names its form. The folder",
                   ".I share/dnsgauge/schemas", "has a JSON Schema of each form. New versions only add fields."]
    for name in sorted({*schemas} - {"common"}):
        made.form(name)
    made.section(f'"{SHARED}"', "Members of these forms are written in the same way wherever they are.")
    for name in made.shared:  # which grows: a part may refer to another one
        part = schemas["common"]["$defs"][name]
        made.lines += [f'.SS "{roff(name)}"', roff(part["description"])]
        made.fields(part, "common")
    made.lines += [".SH SEE ALSO", ".BR dnsgauge (1),", ".BR dnsgauge\\-queries (1)"]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(made.lines) + "\n", encoding="utf-8")


main()
