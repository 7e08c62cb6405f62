# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pages: a document as one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .document import Cell, Chart, Document, Table
from .drawing import embedded
from .errors import ReportError
from .quantities import clean

TEMPLATES = Path(__file__).resolve().parent / "templates"


def cell_text(cell: Cell) -> str:
    """Returns what stands in a cell."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) < 1e6 else f"{cell:,.0f}"
    return clean(cell)


def is_number(cell: Cell) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def is_long(cell: Cell) -> bool:
    """Returns whether the cell's text would make a narrow column very high."""
    return isinstance(cell, str) and len(cell) > 24


def number_columns(table: Table) -> set[int]:
    """Returns the places of the columns that hold numbers, whose short texts stand to the right as
    well."""
    return {
        place
        for place in range(1, len(table.heads))
        if any(place < len(row) and is_number(row[place]) for row in table.rows)
    }


def to_html(document: Document) -> str:
    """Returns the page."""
    try:
        import jinja2
    except ImportError as error:
        raise ReportError(
            f"cannot write pages: {error}: install the package python3-jinja2"
        ) from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    numbers = iter(range(1, 1_000_000))

    def svg(chart: Chart) -> Any:
        import markupsafe

        return markupsafe.Markup(embedded(chart, f"f{next(numbers)}"))

    environment.filters["cell"] = cell_text
    environment.filters["clean"] = clean
    environment.filters["number_columns"] = number_columns
    environment.tests["figure"] = is_number
    environment.tests["long"] = is_long
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    return environment.get_template("page.html").render(document=document, style=style, svg=svg)
