# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tables of views, whose columns, or rows, are texts.

"head=member" names a column and the member of each item that stands in it; the head alone is a
member's name, too. A member of a member has a dot. The unit in a member's name says how it is
written. "part/whole" is a share, and so is "part/", of 1. "text {0.member}" is a text. "member?"
leaves out a member that is empty or 0. "#" is the item's number."""

from collections.abc import Iterable, Sequence
from typing import Any

from . import schemas
from .document import Cell, Table
from .quantities import duration_text, rate_text, share_text

# Names of fields that people call otherwise, and words that they write in capitals.
WORDS = {"p50": "median", "min": "minimum", "max": "maximum", "stddev": "standard deviation"}
WORDS |= {f"p{one}".replace(".", "_"): f"{one}th percentile" for one in (90, 99, 99.9)}
CAPITALS = {"aa", "ad", "tc", "rd", "ra", "cd", "z", "cpu", "rtt", "rrsig"}


def split(columns: str, by: str = ";") -> list[tuple[str, str]]:
    """Returns heads and members of "head=member; head=member"."""
    pairs = [one.strip().rpartition("=") for one in columns.split(by)]
    return [(head or member, member) for head, _, member in pairs]


def member(item: Any, path: str) -> Any:
    """Returns a member of the item; none where it, or what it is a member of, is none."""
    for name in path.split("."):
        if item is not None:
            item = item.get(name) if isinstance(item, dict) else getattr(item, name)
    return item


def members(item: Any, paths: str) -> list[Any]:
    """Returns the members of these names as they are; with "|4" after the name rounded to four
    decimals, with "|4g" to four digits that count."""
    found = []
    for path, _, digits in (one.partition("|") for one in paths.split()):
        value = member(item, path)
        if value is not None and digits:
            value = float(f"{value:.{digits}}") if digits[-1] == "g" else round(value, int(digits))
        found.append(value)
    return found


def data_of(items: Iterable[Any], columns: str) -> tuple[list[str], list[list[Any]]]:
    """Returns heads and rows of "head=member head=member", the members as they are."""
    heads, numbered = split(columns, " "), enumerate(items, 1)
    rows = [[at if path == "#" else member(one, path) for _, path in heads] for at, one in numbered]
    return [head for head, _ in heads], rows


def cell(item: Any, path: str) -> Cell:
    """Returns what stands in a cell under heads that tell the unit of all but durations."""
    if "{" in path:
        return path.format(item)
    if path.endswith("?"):
        return cell(item, path[:-1]) if member(item, path[:-1]) else None
    part, slash, whole = path.partition("/")
    value = member(item, part) if slash else members(item, path)[0]
    if slash:
        return None if value is None else share_text(value, member(item, whole) if whole else 1)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if "_ns" in path and not path.endswith(".count") and not isinstance(value, str):
        return duration_text(value)
    return value


def said(item: Any, path: str) -> Cell:
    """Returns what stands in a cell whose head does not tell the unit."""
    value = cell(item, path)
    name = path.rpartition(".")[2]
    if value is None or isinstance(value, str):
        return rate_text(None) if name.endswith("rate") and value is None else value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if "rate" in name.split("_") or name == "resolution":
        return rate_text(round(float(value), 1))
    if name.endswith("_s"):
        return f"{value:g} s"
    return f"{value:.9g} %" if name.endswith("_percent") else value


def table_of(caption: str, items: Iterable[Any], columns: str, notes: Sequence[str] = ()) -> Table:
    heads = split(columns)
    numbered = enumerate(items, 1)
    rows = [[at if path == "#" else cell(one, path) for _, path in heads] for at, one in numbered]
    return Table(caption, [head for head, _ in heads], rows, notes)


def rows_of(items: Sequence[Any], lines: str) -> list[Sequence[Cell]]:
    return [(head, *(said(item, path) for item in items)) for head, path in split(lines)]


def head_of(path: str) -> str:
    """Returns the name of a field in words, without the unit."""
    parts = []
    for name in path.split("."):
        for unit in ("_ns", "_s", "_percent"):
            name = name.removesuffix(unit)
        words = (word.upper() if word in CAPITALS else word for word in name.split("_"))
        parts.append(WORDS.get(name) or " ".join(words))
    return ", ".join(parts)


def paths_of(schema: schemas.Schema, is_deep: bool = True, before: str = "") -> Iterable[str]:
    """Returns the path of each number, text or truth; if `is_deep`, in inner objects, too."""
    for name in schema.get("properties", {}):
        known = schemas.member(schema, name)
        if known["type"] == "object" and is_deep:
            yield from paths_of(known, before=f"{before}{name}.")
        elif known["type"] not in ("object", "array"):
            yield before + name


def field_rows(
    items: Sequence[Any], of: str = "", before: str = "", but: Iterable[str] = ()
) -> list[Sequence[Cell]]:
    """Returns a row for each field that the schema of the views knows, or of their member `of`; a
    cell for each view. What no view tells has no row. Heads begin with `before`."""
    schema = items[0].fields.schema
    known = schemas.member(schema, of) if of else schema
    rows = [
        (before + head_of(path), *(said(item, f"{of}.{path}".strip(".")) for item in items))
        for path in paths_of(known, is_deep=bool(of))
        if path not in but
    ]
    return [row for row in rows if any(cell not in (None, "", "–") for cell in row[1:])]


def field_table(caption: str, items: Sequence[Any], first: str, notes: Sequence[str] = ()) -> Table:
    """Returns a table with a row for each view. The columns are `first`, and each field that the
    schema of the views knows."""
    columns = [f"{head_of(path)}={path}" for path in paths_of(items[0].fields.schema)]
    return table_of(caption, items, "; ".join([first, *columns]), notes)
