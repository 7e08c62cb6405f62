# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Journals: a line of JSON that says which series of trials it is, and one for each record."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields, parse_json
from ..quantities import clean
from ..schemas import schema_of
from .trial import Trial

HEAD = re.compile(r'\s*\{\s*"schema"\s*:\s*"dnsgauge/[a-z-]*journal/')


@dataclass(frozen=True)
class Record:
    """A line: `kind` says what it records. `trial` is there where it is "trial"."""

    kind: str
    fields: Fields
    trial: Trial | None


def read_lines(text: str, where: str, label: str) -> tuple[Fields, Sequence[Record]]:
    """Returns the first line, and the records. Half a last line, which a crash leaves, or a program
    that is just writing, is left out. Throws ReportError."""
    lines = text.split("\n")
    if text and not text.endswith("\n"):
        lines.pop()
    place = f"{where} line 1"
    header = Fields(parse_json(lines[0], place), place)
    schema = header.text("schema")
    kinds = schema_of(schema)["else"]["properties"]["record"]["enum"]
    header = Fields(header.value, place, schema=schema_of(schema.replace("-journal", "")))
    records = []
    made_at = set()
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        place = f"{where} line {number}"
        fields = Fields(parse_json(line, place), place)
        kind = fields.text("record")
        if kind not in kinds:
            raise ReportError(
                f"{place}: record is {clean(kind)[:40]!r}: use the dnsgauge-report of the version"
                " that wrote it"
            )
        made = Trial(fields.inner("trial"), f"{label} {number - 1}") if kind == "trial" else None
        if made and made.verdict != "invalid":
            # A trial that was invalid is made again in its place.
            its_place = (fields.count("repetition"), fields.count("number"))
            if its_place in made_at:
                raise ReportError(
                    f"{place}: number is {its_place[1]} for the second time in repetition"
                    f" {its_place[0]}: the file was changed"
                )
            made_at.add(its_place)
        records.append(Record(kind, fields, made))
    return header, records


def trials_of(records: Sequence[Record]) -> list[Trial]:
    return [record.trial for record in records if record.trial]
