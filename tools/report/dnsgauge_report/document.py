# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page is made of, as values: sections with sentences, doubts, charts and tables."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .grouped import grouped
from .quantities import clean, duration_text, percent_text, reach_text, some

# What stands in a cell of a table.
Cell = str | int | float | None


def cell_text(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) < 1e6 else f"{cell:,.0f}"
    return clean(cell)


@dataclass(frozen=True)
class Table:
    """Rows of cells under heads. The first cell of each row names the row."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Chart:
    """A figure that can be drawn at any width.

    `name` is fit for a file's name and unique in its section; `caption` says what is drawn, with N;
    `data` is what was drawn, `rows` under `heads`, and `description` says it to readers who cannot
    see the figure.
    `draw` gets empty axes of matplotlib, or, of a figure of several axes, the figure. `height` is
    a share of the width."""

    name: str
    title: str
    caption: str
    heads: str | Sequence[str]
    rows: Iterable[Sequence[Any]]
    draw: Callable[[Any], None]
    height: float = 0.72
    several: bool = False

    @functools.cached_property
    def data(self) -> Table:
        heads = self.heads.split() if isinstance(self.heads, str) else self.heads
        return Table(self.title, heads, list(self.rows))

    @property
    def description(self) -> str:
        """Returns what the columns hold, apart for each name that the first columns have."""
        are_names = [all(isinstance(cell, str) for cell in one) for one in zip(*self.data.rows)]
        first = [*are_names, False].index(False)
        told = []
        for names, rows in grouped((tuple(one[:first]), one) for one in self.data.rows).items():
            columns = list(zip(self.data.heads, zip(*rows)))[first:]
            said = ", ".join(column_text(head, column) for head, column in columns)
            told.append(f"{', '.join(map(str, names))}: {said}".removeprefix(": "))
        return "; ".join(told) + "."

    def draw_on(self, figure: Any) -> None:
        self.draw(figure if self.several else figure.add_subplot())


def column_text(head: str, column: Sequence[Any]) -> str:
    """Returns what a column holds: "rtt 3.0 µs to 1.00 s", "verdict pass and fail"."""
    told = [cell for cell in column if cell is not None]
    if not all(isinstance(cell, (int, float)) for cell in told):
        return f"{head} {some(list(dict.fromkeys(map(str, told))))}"
    forms = {"ns": duration_text, "percent": lambda share: f"{percent_text(share)} %"}
    name, _, unit = head.rpartition("_")
    form = forms.get(unit, cell_text)
    what = (name if unit in forms else head).replace("_", " ")
    return f"{what} {reach_text(told, form) if told else 'none'}"


@dataclass(frozen=True)
class Section:
    """What a page says of one result, or of several results together.

    `findings` are sentences, the most important one first. `doubts` are sentences, too: all that
    makes the result doubtful. `conditions` are tables of how the result was made. `label` names the
    section where a page tells whose a doubt is. Charts and tables without rows are left out."""

    title: str
    findings: Sequence[str] = ()
    doubts: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    conditions: Sequence[Table] = ()
    label: str = ""

    def __post_init__(self) -> None:
        told = {"charts": [one for one in self.charts if one.data.rows]}
        tables = {name: getattr(self, name) for name in ("tables", "conditions")}
        told |= {name: [one for one in those if one.rows] for name, those in tables.items()}
        self.__dict__.update(told)


@dataclass(frozen=True)
class Document:
    """A whole page. `findings` are the three sentences at its beginning."""

    title: str
    findings: Sequence[str]
    sections: Sequence[Section] = field(default_factory=tuple)
    refresh_s: int | None = None

    def doubts(self) -> list[tuple[str, list[str]]]:
        """Returns each doubt once, with the labels of all whose doubt it is."""
        told = ((doubt, one.label or one.title) for one in self.sections for doubt in one.doubts)
        return list(grouped(told).items())
