# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pages: a document as one HTML file that needs nothing else."""

import math
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from .document import Cell, Chart, Document, Table, cell_text
from .drawing import embedded
from .packages import load
from .quantities import clean

SHARE = re.compile(r"([0-9,]+)(?:\.([0-9]+))? %")
DURATION = re.compile(r"-?[0-9,]+(?:\.[0-9]+)? (?:ns|µs|ms|s)")
TEMPLATES = Path(__file__).resolve().parent / "templates"


def is_number(cell: Cell) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool)


def is_share(cell: Cell) -> bool:
    """Returns whether the cell is what share_text() makes."""
    return isinstance(cell, str) and bool(SHARE.fullmatch(cell) or cell.startswith("just "))


def is_figure(cell: Cell) -> bool:
    """Returns whether the cell is a number, a share or a duration."""
    is_duration = isinstance(cell, str) and bool(DURATION.fullmatch(cell))
    return is_number(cell) or is_share(cell) or is_duration


def decimals_of(numbers: Sequence[float]) -> int | None:
    """Returns with how many decimals all numbers of a column are written: as many as the one that
    needs most, and no more than six figures of the greatest. None: the numbers are too unlike."""
    sizes = [abs(number) for number in numbers if number]
    if not sizes or max(sizes) >= 1e6 or max(sizes) > 1e4 * min(sizes):
        return None
    needed = max(len(f"{size:.6g}".partition(".")[2]) for size in sizes)
    return min(needed, max(0, 5 - math.floor(math.log10(max(sizes)))))


def column_texts(column: Sequence[Cell]) -> list[str]:
    """Returns the texts of a column: numbers, and shares, all with as many decimals."""
    told = [cell for cell in column if cell is not None]
    texts = [cell_text(cell) for cell in column]
    if all(map(is_share, told)):
        found = [SHARE.fullmatch(text) for text in texts]
        most = max((len(one[2] or "") for one in found if one), default=0)
        return [
            f"{one[1]}.{(one[2] or '').ljust(most, '0')} %" if one and most else text
            for one, text in zip(found, texts)
        ]
    if not all(map(is_number, told)) or not any(isinstance(cell, float) for cell in told):
        return texts
    decimals = decimals_of([float(cell) for cell in told if is_number(cell)])
    if decimals is None:
        return texts
    return [
        f"{cell:,.{decimals}f}" if isinstance(cell, (int, float)) else text
        for cell, text in zip(column, texts)
    ]


def table_texts(table: Table) -> list[list[str]]:
    columns = [column_texts(column) for column in zip_longest(*table.rows)]
    return [[one[place] for one in columns[: len(row)]] for place, row in enumerate(table.rows)]


def is_long(cell: Cell) -> bool:
    """Returns whether the cell's text would make a narrow column very high."""
    return isinstance(cell, str) and len(cell) > 24


def number_columns(table: Table) -> set[int]:
    """Returns the places of the columns of figures, whose texts stand to the right."""
    figures = [place for row in table.rows for place, cell in enumerate(row) if is_figure(cell)]
    return {*figures} - {0}


def to_html(document: Document) -> str:
    jinja2 = load("jinja2", "cannot write pages", "python3-jinja2")
    blocks: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "autoescape": True}
    loader, undefined = jinja2.FileSystemLoader(TEMPLATES), jinja2.StrictUndefined
    environment = jinja2.Environment(loader=loader, undefined=undefined, **blocks)
    numbers = iter(range(1, 1_000_000))

    def svg(chart: Chart) -> Any:
        import markupsafe

        return markupsafe.Markup(embedded(chart, f"f{next(numbers)}"))

    filters = {"texts": table_texts, "clean": clean, "number_columns": number_columns}
    environment.filters.update(filters)
    environment.tests.update(figure=is_number, long=is_long)
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    return environment.get_template("page.html").render(document=document, style=style, svg=svg)
