# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Views of JSON. A view has the members that the schema gives the object, by their names and types,
and those that a subclass adds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from .fields import Fields
from .schemas import entry, member

Reader = Callable[[Fields, str], Any]
Self = TypeVar("Self", bound="View")


class View:
    """A part of a result. A member is read when it is first asked for, which throws ReportError
    where the field is not what the schema says. Members in `known` are not read.

    `readers` has the members that another view, or a function, reads. `older` has those that files
    of older versions do not have, and what stands for them. Another member that is null, or that
    the schema does not require, is none, or empty."""

    readers: ClassVar[Mapping[str, type[View] | Reader]] = {}
    older: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, fields: Fields, **known: Any) -> None:
        self.fields = fields
        self.__dict__.update(known)
        self.check(fields)

    def __getattr__(self, name: str) -> Any:
        reader = self.readers.get(name)
        if reader is None and not member(self.__dict__["fields"].schema, name):
            raise AttributeError(f"{type(self).__name__} has no {name}")
        if name in self.older and not self.fields.has(name):
            value = self.older[name]
        elif isinstance(reader, type):
            value = read_views(reader, self.fields, name)
        else:
            value = (reader or read_member)(self.fields, name)
        self.__dict__[name] = value
        return value

    def but(self: Self, **known: Any) -> Self:
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__ | known)
        return made

    def check(self, fields: Fields) -> None:
        """Throws ReportError where members contradict each other."""


def read_views(view: type[View], fields: Fields, name: str) -> Any:
    """Returns the view of an object, none where it may be absent; of a list one for each entry."""
    known = member(fields.schema, name)
    if known.get("type") == "array":
        return [view(one) for one in fields.objects_or(name)]
    is_absent = not fields.has(name) and not (known.get("needed") and not known["nullable"])
    return None if is_absent else view(fields.inner(name))


# What reads a member of each type of a schema, and what stands for one that may be absent.
PLAIN: Mapping[str | None, tuple[Reader, Any]] = {
    "integer": (Fields.whole, None),
    "number": (Fields.number, None),
    "string": (Fields.word, ""),
    "boolean": (Fields.truth, False),
    None: (Fields.word, ""),
}
OBJECTS = functools.partial(read_views, View)
LISTS: Mapping[str, Reader] = {"string": Fields.texts_or, "object": OBJECTS}


def read_member(fields: Fields, name: str) -> Any:
    known = member(fields.schema, name)
    kind = known["type"]
    if kind == "array":
        return LISTS.get(entry(known)["type"], Fields.numbers_or)(fields, name)
    if kind == "object":
        return read_views(View, fields, name) if "properties" in known else fields.counts_or(name)
    reader, default = PLAIN[kind]
    if not fields.has(name) and (known["nullable"] or not known["needed"]):
        return default
    return reader(fields, name)
