# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What every result has, whatever its kind."""

import shlex
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import Any

from ..document import Cell, Table
from ..errors import ReportError
from ..fields import Fields, LARGEST
from ..grouped import grouped
from ..quantities import clean, duration_text, some
from ..view import View
from .handled import Handled, handled_tables

YEAR_2000_NS = 946_684_800 * 10**9


class Compliance(View):
    """How a result deviates from RFC 8219. A result without deviations is compliant."""

    def doubts(self) -> list[str]:
        told = f"Not compliant with RFC 8219: {'; '.join(self.deviations)}."
        return [told] if self.deviations else []


class Cover(View):
    """Whether a self-test, or a certificate, of the Tester covers a result."""

    readers = {"rfc8219": Compliance}

    def __init__(self, fields: Fields, name: str) -> None:
        super().__init__(fields, what=name.replace("selftest", "self-test"))

    def doubts(self) -> list[str]:
        if not self.covers:
            return [f"No {self.what} covers the result: {self.why_not or 'no reason is given'}."]
        doubts = []
        if lax := self.fields.texts_or("lax"):
            doubts.append(f"The {self.what} was laxer than by default: {'; '.join(lax)}.")
        itself = self.rfc8219 if self.fields.has("rfc8219") else None
        if itself and itself.deviations:
            deviations = "; ".join(itself.deviations)
            doubts.append(f"The {self.what} itself is not compliant with RFC 8219: {deviations}.")
        return doubts

    def text(self) -> str:
        if not self.covers:
            return f"none: {self.why_not}"
        allowed = self.fields.number_or("allowed_rate")
        return f"of {self.finished}{f', allows {allowed:,.0f}/s' if allowed else ''}"


def compliance_doubts(compliance: Compliance | None, what: str) -> list[str]:
    """Returns how a trial or a search, which `what` calls it, deviates from RFC 8219."""
    older = f"does not tell whether the {what} is compliant with RFC 8219"
    return compliance.doubts() if compliance else [f"The file is of an older version, and {older}."]


def read_cover(fields: Fields, name: str) -> Cover | None:
    return Cover(fields.inner(name), name) if fields.has(name) else None


class Result(View):
    """A result as it was read. `label` tells it apart from the others of the same page."""

    def __init__(self, fields: Fields, label: str, **known: Any) -> None:
        super().__init__(fields, label=label, **known)

    def doubts(self) -> list[str]:
        """Returns a sentence for everything that makes the result doubtful."""
        return []


def contradiction(fields: Fields, what: str) -> ReportError:
    return ReportError(f"{fields.where}: {what}: the file was changed")


def read_settings(fields: Fields, name: str) -> dict[str, str]:
    settings = fields.inner(name)
    found = settings.value.items()
    return {key: settings.text(key) if isinstance(one, str) else str(one) for key, one in found}


def whose_doubts(
    parts: Iterable[tuple[str, Iterable[str]]], everybody: str, but: Iterable[str] = ()
) -> list[str]:
    """Returns each doubt of these parts of a result once, after the names of the parts that have
    it, or after `everybody` if all of several parts have it. Leaves out the doubts in `but`."""
    told = list(parts)
    found = grouped((doubt, name) for name, doubts in told for doubt in doubts)
    several = len(told) > 1 or not everybody
    return [
        (everybody if several and len(of) == len(told) else f"{some(of)}: ") + doubt
        for doubt, of in found.items()
        if doubt not in but
    ]


def standing(
    caveats: list[str], covers: Iterable[Cover | None], compliance: Compliance | None
) -> list[str]:
    """Returns the doubts that results of all kinds may have: the result's own doubts, the doubts of
    what covers the result, and how it deviates from RFC 8219."""
    found = [doubt for cover in covers if cover for doubt in cover.doubts()]
    return [*caveats, *found, *(compliance.doubts() if compliance else [])]


def caveats_of(fields: Fields, _: str = "") -> list[str]:
    """Returns the doubts that the result carries, warnings of the Tester's queues among them."""
    placement = fields.inner_or_none("placement")
    notes = placement.texts_or("notes") if placement else []
    return [sentence(text) for text in (*fields.texts_or("doubts"), *notes)]


def ended(text: str) -> str:
    text = text.strip()
    return text + ("" if text.endswith((".", "!", "?")) else ".")


def sentence(text: str) -> str:
    text = ended(text)
    return text[:1].upper() + text[1:]


def nanoseconds_text(value: float) -> str:
    """Returns a duration, or the time where the nanoseconds are those since 1970."""
    if not -LARGEST < value < LARGEST:
        return str(value)
    if value < YEAR_2000_NS:
        return duration_text(value)
    moment = datetime.fromtimestamp(value / 1e9, timezone.utc)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def flat(value: Any, name: str = "") -> list[tuple[str, Cell]]:
    """Returns the members of an object as rows; members of inner objects have a name with dots."""
    name = name.replace("_", " ")
    if isinstance(value, dict):
        inner = {f"{name}.{key}" if name else key: one for key, one in value.items()}
        return [row for key, one in inner.items() for row in flat(one, key)]
    if isinstance(value, list):
        if any(isinstance(one, (dict, list)) for one in value):
            return [(name, f"{len(value)} entries")]
        return [(name, ", ".join(str(one) for one in value))]
    if isinstance(value, bool):
        return [(name, "yes" if value else "no")]
    if name.endswith(" ns") and isinstance(value, (int, float)):
        return [(name.removesuffix(" ns"), nanoseconds_text(value))]
    # Neither a port nor an MTU is a quantity whose thousands are set apart.
    return [(name, "–" if value is None or value == "" else clean(str(value)))]


CONDITIONS = {"options": "Options", "setup": "Set-up of the Tester"}
CONDITIONS |= {"circumstances": "Machine and interface"}


def condition_tables(fields: Fields) -> list[Table]:
    tables = []
    for field, caption in CONDITIONS.items():
        if inner := fields.inner_or_none(field):
            rows = [row for row in flat(inner.value) if row[0] != "command"]
            tables.append(Table(caption, ("what", "value"), rows))
    placement = fields.inner_or_none("placement")
    if placement and placement.has("handled"):
        tables += handled_tables(Handled(placement.inner("handled")), "on the Tester's machine")
    return tables


def told_fields(fields: Fields, names: Sequence[str]) -> list[Sequence[Cell]]:
    """Returns a table's row of each of these fields that is a text or a number."""
    told = {name: fields.value.get(name) for name in names}
    return [*flat({name: one for name, one in told.items() if isinstance(one, (str, int, float))})]


def asked_tables(
    fields: Fields, asked: Sequence[Sequence[Cell]], covers: Sequence[Cover | None] = ()
) -> list[Table]:
    """Returns the table of what was asked for, which ends with what covers the result and with its
    command, and the tables of all that the result says of how it was made."""
    rows = [*asked, *((cover.what, cover.text()) for cover in covers if cover)]
    inner = fields.inner_or_none("circumstances")
    if command := fields.texts_or("command") or (inner.texts_or("command") if inner else []):
        rows.append(("command", shlex.join(command)))
    return [Table("What was asked for", ("what", "value"), rows), *condition_tables(fields)]
