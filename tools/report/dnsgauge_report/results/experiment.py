# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Experiments: dnsgauge/experiment/1."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from ..document import Table
from ..fields import Fields
from ..quantities import some
from . import search as of_search
from .base import Result, ended, sentence, whose_doubts
from .handled import CpuPlace, Handled, read_topology
from .search import Search

SCHEMA = "dnsgauge/experiment/1"


@dataclass(frozen=True)
class ExperimentCell:
    """A cell of the matrix: what was set, and the search, none where none was begun."""

    name: str
    settings: dict[str, str]
    failure: str
    search: Search | None
    notes: list[str]  # on the queues of the server's machine
    handled: Handled | None  # by that machine's queues and CPUs; none where nobody looked

    def doubts(self) -> list[str]:
        """Returns what makes the cell's result doubtful; nothing of a cell that has none."""
        found = [ended(note) for note in self.notes]
        return found + (self.search.doubts() if self.search and not self.failure else [])


@dataclass(frozen=True)
class Experiment(Result):
    """An experiment, finished or not."""

    title: str
    scaled_down: str
    labels: list[str]
    complete: bool
    cells: list[ExperimentCell]
    tables: list[Table]
    topology: dict[int, CpuPlace]  # of the server's machine, by CPU

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
    name = fields.text("name")
    settings = fields.inner("settings")
    placement = fields.inner_or_none("placement")
    return ExperimentCell(
        name,
        {
            key: (
                settings.text(key) if isinstance(settings.get(key), str) else str(settings.get(key))
            )
            for key in settings.value
        },
        fields.text_or("failure"),
        of_search.read(search, f"{label} {name}") if search else None,
        placement.texts_or("notes") if placement else [],
        Handled.read(placement.inner_or_none("handled")) if placement else None,
    )


def read(fields: Fields, label: str) -> Experiment:
    return Experiment(
        label,
        fields,
        fields.text("title"),
        fields.text_or("scaled_down"),
        fields.texts_or("labels"),
        fields.truth("complete"),
        [read_cell(cell, label) for cell in fields.objects_or("cells")],
        [read_table(table) for table in fields.objects_or("tables")],
        read_topology(fields, "server_topology"),
    )
