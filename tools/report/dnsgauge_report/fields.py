# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checked access to JSON that somebody else wrote."""

from __future__ import annotations

import json
import math
from typing import Any, TypeVar

from .errors import ReportError
from .quantities import clean
from .schemas import Schema, entry, limit_broken, member

Kind = TypeVar("Kind")
# Results of dnsgauge have no larger count, and no longer time in nanoseconds.
LARGEST = 2**63
# No result of dnsgauge is nested deeper. The readers of JSON and of fields recurse, so depth must
# be bounded.
DEEPEST = 60


def described(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, str):
        return f"the text {clean(value)[:40]!r}"
    return json.dumps(value)[:40]


def is_decimal(text: str, most: int) -> bool:
    """Returns whether the text is a decimal number without a sign, of at most `most` characters."""
    return text.replace(".", "", 1).isdecimal() and text.isascii() and len(text) <= most


def parse_json(text: str, where: str) -> Any:
    """Returns what the JSON text says. Throws ReportError for what is no JSON, and for NaN."""

    def refuse(name: str) -> Any:
        raise ReportError(f"{where}: it holds {name}, which is no JSON: the file was changed")

    try:
        value = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        what = f"no JSON from line {error.lineno}, column {error.colno} on ({error.msg})"
        raise ReportError(f"{where}: {what}: is the file cut off or edited?") from error
    except (RecursionError, ValueError) as error:
        raise ReportError(f"{where}: its JSON is nested too deep, or has a huge number") from error
    check_depth(value, where)
    return value


def check_depth(value: object, where: str) -> None:
    level = [value]
    for _ in range(DEEPEST):
        nested = [one for one in level if isinstance(one, (dict, list))]
        level = [x for one in nested for x in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return
    raise ReportError(f"{where}: its JSON is nested deeper than {DEEPEST}: no result of dnsgauge")


class Fields:
    """An object of JSON.

    Each reader throws ReportError, which names the file and the field, where the field is not what
    the reader returns. Readers that end in _or return the default for a field that is absent or
    null, as in files of older versions. Numbers keep the limits of the object's schema, where it
    has one."""

    def __init__(
        self, value: object, where: str, path: str = "", schema: Schema | None = None
    ) -> None:
        self.where = where
        self.path = path
        self.schema = schema or {}
        if not isinstance(value, dict):
            raise self.wrong("", "an object", value)
        self.value: dict[str, Any] = value

    def name(self, field: str) -> str:
        """Returns the field's name from the top of the file."""
        return f"{self.path}.{field}" if self.path and field else self.path or field or "the result"

    def wrong(self, field: str, wanted: str, value: object) -> ReportError:
        """Returns the error that says what the field is, and what it should be."""
        what = f"{self.name(field)} is {described(value)}, not {wanted}"
        return ReportError(f"{self.where}: {what}: is the file damaged or edited?")

    def has(self, field: str) -> bool:
        return self.value.get(field) is not None

    def get(self, field: str) -> Any:
        """Returns the value of a field that must be there."""
        if field not in self.value:
            raise ReportError(f"{self.where}: there is no {self.name(field)}: is the file damaged?")
        return self.value[field]

    def typed(self, field: str, kind: type[Kind], what: str) -> Kind:
        value = self.get(field)
        if not isinstance(value, kind):
            raise self.wrong(field, what, value)
        return value

    def text(self, field: str) -> str:
        return self.typed(field, str, "a text")

    def text_or(self, field: str, default: str = "") -> str:
        return self.text(field) if self.has(field) else default

    def number(self, field: str) -> float:
        value = self.size(field)
        if limit := limit_broken(member(self.schema, field), value):
            raise self.wrong(field, limit, self.value[field])
        return value

    def size(self, field: str) -> float:
        """Returns a number without regard to the schema's limits, which older counts may break."""
        value = self.get(field)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong(field, "a number", value)
        if not -LARGEST < value < LARGEST or not math.isfinite(value):
            raise self.wrong(field, "a number that a result can hold", value)
        return float(value)

    def number_or(self, field: str, default: float | None = None) -> float | None:
        return self.number(field) if self.has(field) else default

    def positive(self, field: str) -> float:
        value = self.number(field)
        if value <= 0:
            raise self.wrong(field, "above zero", self.value[field])
        return value

    def count(self, field: str) -> int:
        value = self.size(field)
        if value < 0 or value != int(value):
            raise self.wrong(field, "a count", self.value[field])
        return int(self.value[field])

    def count_or(self, field: str, default: int = 0) -> int:
        return self.count(field) if self.has(field) else default

    def whole(self, field: str) -> int:
        value = self.number(field)
        if value != int(value):
            raise self.wrong(field, "a whole number", self.value[field])
        return int(self.value[field])

    def truth(self, field: str) -> bool:
        return self.typed(field, bool, "true or false")

    def word(self, field: str) -> str:
        """Returns a text that is one of those that the schema allows."""
        value = self.text(field)
        allowed = member(self.schema, field).get("enum", [value])
        if value not in allowed:
            raise self.wrong(field, f"one of {', '.join(allowed)}", value)
        return value

    def inner(self, field: str) -> Fields:
        return Fields(self.get(field), self.where, self.name(field), member(self.schema, field))

    def inner_or_none(self, field: str) -> Fields | None:
        return self.inner(field) if self.has(field) else None

    def list_of(self, field: str) -> list[Any]:
        return self.typed(field, list, "a list")

    def list_or(self, field: str) -> list[Any]:
        return self.list_of(field) if self.has(field) else []

    def texts_or(self, field: str) -> list[str]:
        values = self.list_or(field)
        for value in values:
            if not isinstance(value, str):
                raise self.wrong(field, "a list of texts", value)
        return values

    def numbers_or(self, field: str) -> list[float]:
        rows = {f"[{number}]": value for number, value in enumerate(self.list_or(field))}
        schema = {"additionalProperties": entry(member(self.schema, field))}
        return [Fields(rows, self.where, self.name(field), schema).number(name) for name in rows]

    def objects_or(self, field: str) -> list[Fields]:
        schema = entry(member(self.schema, field))
        return [
            Fields(value, self.where, f"{self.name(field)}[{number}]", schema)
            for number, value in enumerate(self.list_or(field))
        ]

    def counts_or(self, field: str) -> dict[str, int]:
        """Returns an object's counts by name; none where the field is absent."""
        inner = self.inner_or_none(field)
        return {name: inner.count(name) for name in inner.value} if inner else {}

    def objects(self, field: str, what: str) -> list[Fields]:
        """Returns the objects of a list, which must have one."""
        found = self.objects_or(field)
        if not found:
            raise self.wrong(field, f"a list of one {what} at least", self.get(field))
        return found
