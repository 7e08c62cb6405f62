# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Typed views of JSON. A view's members are fields of a result that figures and tables use, by the
fields' own names: a line says which type each has. The schemas say what else the fields may hold.

A member with a default may be absent from the JSON, or null. The reader of Annotated[type, reader]
gets the object and the member's name."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Hashable, Sequence
from typing import Annotated, Any, TypeVar, cast

from .fields import Fields

Reader = Callable[[Fields, str], Any]
Self = TypeVar("Self", bound="View")
Member = TypeVar("Member")

PLAIN: dict[object, Reader] = {
    int: Fields.count,
    float: Fields.number,
    str: Fields.text,
    bool: Fields.truth,
    list[str]: Fields.texts_or,
    list[float]: Fields.numbers_or,
    dict[str, int]: Fields.counts_or,
    Fields: Fields.inner,
    list[Fields]: Fields.objects_or,
}
# A text that is one of those in the schema, a number above zero, and what no field holds.
Word = Annotated[str, Fields.word]
Positive = Annotated[float, Fields.positive]
Made = Annotated[Member, None]


@dataclasses.dataclass(frozen=True, kw_only=True)
class View:
    """A part of a result, as values."""

    @classmethod
    def read(cls: type[Self], fields: Fields, /, **known: Any) -> Self:
        """Returns the view of the object. Members in `known` are not read. Throws ReportError."""
        for name, reader, default in readers_of(cast(Hashable, cls)):
            if name not in known and (default is dataclasses.MISSING or fields.has(name)):
                known[name] = reader(fields, name)
        view = cls(**known)
        view.check(fields)
        return view

    @classmethod
    def like(cls: type[Self], other: object, **known: Any) -> Self:
        """Returns the view whose members, but for those in `known`, are the other's."""
        names = [name for name, _, _ in readers_of(cast(Hashable, cls)) if name not in known]
        return cls(**{name: getattr(other, name) for name in names}, **known)

    def check(self, fields: Fields) -> None:
        """Throws ReportError where members contradict each other."""


@functools.cache
def readers_of(view: Hashable) -> list[tuple[str, Reader, Any]]:
    """Returns name, reader and default of each member that a constructor takes."""
    hints = typing.get_type_hints(view, include_extras=True)
    members = [(one, reader_of(hints[one.name])) for one in dataclasses.fields(cast(Any, view))]
    return [(one.name, reader, default_of(one)) for one, reader in members if reader]


def default_of(member: dataclasses.Field[Any]) -> Any:
    made = member.default_factory is not dataclasses.MISSING
    return None if made else member.default


def reader_of(hint: Any) -> Any:
    """Returns what reads a member of this type; None where nothing does."""
    if typing.get_origin(hint) is Annotated:
        return next((one for one in hint.__metadata__ if callable(one)), None)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return reader_of(typing.get_args(hint)[0])
    if hint in PLAIN:
        return PLAIN[hint]
    inner = typing.get_args(hint)[0] if typing.get_origin(hint) in (list, Sequence) else None
    for one, reader in ((hint, read_view), (inner, read_views)):
        if isinstance(one, type) and issubclass(one, View):
            return functools.partial(reader, one)
    return None


def read_view(view: type[View], fields: Fields, name: str) -> View:
    return view.read(fields.inner(name))


def read_views(view: type[View], fields: Fields, name: str) -> list[View]:
    return [view.read(one) for one in fields.objects_or(name)]
