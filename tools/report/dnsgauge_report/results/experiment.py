# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Experiments: dnsgauge/experiment/1."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Annotated

from ..document import Table
from ..fields import Fields
from ..quantities import some
from ..view import Made, View
from . import search as of_search
from .base import Result, ended, sentence, whose_doubts
from .handled import Handled, Topology
from .search import Search

SCHEMA = "dnsgauge/experiment/1"


def read_settings(fields: Fields, name: str) -> dict[str, str]:
    settings = fields.inner(name)
    return {
        key: settings.text(key) if isinstance(value, str) else str(value)
        for key, value in settings.value.items()
    }


@dataclass(frozen=True, kw_only=True)
class Queues(View):
    """What dnsgauge saw of the queues of the server's machine."""

    notes: list[str] = field(default_factory=list)
    handled: Handled | None = None


@dataclass(frozen=True, kw_only=True)
class ExperimentCell(View):
    """A cell of the matrix: what was set, and the search, none where none was begun."""

    name: str
    settings: Annotated[dict[str, str], read_settings]
    failure: str = ""
    search: Search | None
    placement: Queues = Queues()

    def doubts(self) -> list[str]:
        """Returns what makes the cell's result doubtful; nothing of a cell that has none."""
        found = [ended(note) for note in self.placement.notes]
        return found + (self.search.doubts() if self.search and not self.failure else [])


@dataclass(frozen=True, kw_only=True)
class Experiment(Result):
    """An experiment, finished or not."""

    title: str
    scaled_down: str = ""
    labels: list[str]
    complete: bool
    cells: list[ExperimentCell]
    tables: Made[list[Table]]
    server_topology: Topology = field(default_factory=dict)

    @property
    def varied(self) -> list[str]:
        """Returns the settings that differ between cells."""
        names = list(dict.fromkeys(name for cell in self.cells for name in cell.settings))
        varied = [
            name for name in names if len({cell.settings.get(name) for cell in self.cells}) > 1
        ]
        # What a reader looks for first stands first.
        return sorted(varied, key=lambda name: name != "server")

    def doubts(self) -> list[str]:
        doubts = [sentence(label) for label in self.labels]
        if self.scaled_down and not any(self.scaled_down in label for label in self.labels):
            doubts.append(f"The experiment is scaled down: {ended(self.scaled_down)}")
        if not self.complete:
            doubts.append("The experiment is not complete.")
        doubts += [
            f"{cell.name} has no result: {ended(cell.failure)}"
            for cell in self.cells
            if cell.failure
        ]
        by_doubt = whose_doubts((cell.name, cell.doubts()) for cell in self.cells)
        doubts += [
            f"{'All cells' if len(names) == len(self.cells) > 1 else some(names)}: {doubt}"
            for doubt, names in by_doubt.items()
            if doubt not in doubts
        ]
        return doubts


def read_heads(fields: Fields) -> list[str]:
    """Returns a head for each column: of a table with several rows of heads, what stands above."""
    rows = fields.list_or("heads")
    if all(isinstance(row, str) for row in rows):
        return rows
    for row in rows:
        if not isinstance(row, list) or not all(isinstance(head, str) for head in row):
            raise fields.wrong("heads", "rows of texts", row)
    return [
        ", ".join(head for head in column if head)
        for column in itertools.zip_longest(*rows, fillvalue="")
    ]


def read_table(fields: Fields) -> Table:
    rows = fields.list_or("rows")
    for row in rows:
        if not isinstance(row, list) or not all(isinstance(cell, str) for cell in row):
            raise fields.wrong("rows", "rows of texts", row)
    return Table(fields.text("caption"), read_heads(fields), rows, fields.texts_or("notes"))


def read_cell(fields: Fields, label: str) -> ExperimentCell:
    search = fields.inner_or_none("search")
    label = f"{label} {fields.text('name')}"
    return ExperimentCell.read(fields, search=of_search.read(search, label) if search else None)


def read(fields: Fields, label: str) -> Experiment:
    return Experiment.of(
        fields,
        label,
        cells=[read_cell(cell, label) for cell in fields.objects_or("cells")],
        tables=[read_table(table) for table in fields.objects_or("tables")],
    )
