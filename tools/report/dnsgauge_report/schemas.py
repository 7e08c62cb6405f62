# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The schemas of results, which say what a field may hold."""

import functools
import json
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import ReportError

HERE = Path(__file__).resolve().parents[1]
# Where a build of the source tree makes schemas, and where they are installed.
PLACES = (HERE.parents[1] / "build" / "schemas", HERE.parent / "schemas")
Schema = dict[str, Any]


@functools.cache
def load(name: str) -> Schema:
    """Returns the schema, files' names before all references. Throws ReportError without it."""
    for place in PLACES:
        path = place / f"{name}.schema.json"
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            return dict(json.loads(text.replace('"$ref": "#', f'"$ref": "{path.name}#')))
    raise ReportError(f"{PLACES[-1]} has no {name}.schema.json: build or install all of dnsgauge")


def schema_of(identity: str) -> Schema:
    """Returns the schema of results that have "dnsgauge/NAME/1" in the field schema."""
    return load(identity.split("/")[1])


@functools.cache
def of_kind(kind: str) -> Schema:
    """Returns the schema of a series of that kind, which requires what series of the kind have."""
    schema = {name: one for name, one in load("series").items() if name != "resolved members"}
    for one in schema["allOf"]:
        if one["if"]["properties"]["kind"]["const"] == kind:
            more = one["then"].get("properties", {}).get("trials", {}).get("items", {})
            schema["required"] = [*schema["required"], *one["then"]["required"]]
            trial = schema["$defs"]["trial"]
            trial = trial | {"required": [*trial["required"], *more.get("required", ())]}
            trials = schema["properties"]["trials"] | {"items": trial}
            schema["properties"] = schema["properties"] | {"trials": trials}
    return schema


def resolved(schema: Schema) -> Schema:
    """Returns what the schema says of a value that is not null: references are followed. The member
    "type" is a single one, and "nullable" tells whether null may stand for a value."""
    nullable = False
    for _ in range(8):
        if "anyOf" in schema:
            others = [one for one in schema["anyOf"] if one.get("type") != "null"]
            nullable = nullable or len(others) < len(schema["anyOf"])
            schema = others[0] if len(others) == 1 else {}
        elif "$ref" in schema:
            file, _, place = schema["$ref"].partition("#")
            schema = load(file.removesuffix(".schema.json"))
            for part in place.split("/")[1:]:
                schema = schema.get(part, {})
        else:
            break
    kind = schema.get("type")
    if isinstance(kind, list):
        nullable = nullable or "null" in kind
        kind = next(one for one in kind if one != "null")
    return {**schema, "type": kind, "nullable": nullable}


def member(schema: Schema, name: str) -> Schema:
    """Returns what the schema of an object says of a member; empty: it does not know it. The member
    "needed" tells whether the object must have the member."""
    if not schema:
        return schema
    known: dict[str, Schema] = schema.setdefault("resolved members", {})
    if name not in known:
        found = schema.get("properties", {}).get(name, schema.get("additionalProperties"))
        needed = {"needed": name in schema.get("required", ())}
        known[name] = resolved(found) | needed if isinstance(found, dict) else {}
    return known[name]


def entry(schema: Schema) -> Schema:
    """Returns what the schema of a list says of an entry."""
    found = schema.get("items")
    return resolved(found) if isinstance(found, dict) else {}


LIMITS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "minimum": ("at least", operator.lt),
    "maximum": ("at most", operator.gt),
    "exclusiveMinimum": ("above", operator.le),
}


def limit_broken(schema: Schema, value: float) -> str:
    """Returns the limit that the number breaks, in words; empty: none."""
    for name, (words, is_broken) in LIMITS.items():
        if name in schema and is_broken(value, schema[name]):
            return f"{words} {schema[name] or 'zero'}"
    return ""
