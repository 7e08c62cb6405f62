# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents for terminals and for other documents: text, Markdown, and CSV."""

import textwrap
from collections.abc import Sequence
from typing import Any

from .document import Document, Table
from .drawing import data_csv
from .page import is_figure, table_texts
from .quantities import clean

FORMS = ("text", "markdown", "csv")
WIDTH = 100


def to_plain(document: Document, form: str) -> str:
    """Returns the document in one of FORMS. It has the findings of its sections. CSV has the
    first table of each section alone, one below the other where their heads are the same."""
    if form == "csv":
        return to_csv([section.tables[0] for section in document.sections if section.tables])
    parts = [title(document.title, form, 1)]
    for section in document.sections:
        if section.title != document.title:
            parts.append(title(section.title, form, 2))
        parts.append(listed(section.findings, form))
        if section.doubts:
            parts.append(title("Doubts", form, 3) + "\n" + listed(section.doubts, form))
        parts += [table_text(table, form) for table in (*section.tables, *section.conditions)]
    return "\n".join(part for part in parts if part.strip())


def to_csv(tables: Sequence[Table]) -> str:
    """Returns the tables as CSV (RFC 4180), heads once as long as they stay the same."""
    parts: list[str] = []
    heads: Sequence[str] = ()
    for table in tables:
        text = data_csv(table)
        parts.append(text.partition("\r\n")[2] if table.heads == heads else text)
        heads = table.heads
    return "".join(parts)


def title(text: str, form: str, level: int) -> str:
    text = clean(text)
    if form == "markdown":
        return f"{'#' * level} {escaped(text)}\n"
    line = "" if level == 3 else "\n" + ("=" if level == 1 else "-") * len(text)
    return f"{text}{line}\n" if level < 3 else f"{text}:"


def listed(sentences: Sequence[str], form: str) -> str:
    if form == "markdown":
        return "".join(f"- {escaped(clean(text))}\n" for text in sentences)
    looks: dict[str, Any] = {"subsequent_indent": "  ", "break_on_hyphens": False}
    wrapper = textwrap.TextWrapper(WIDTH, "- ", **looks)
    return "".join(wrapper.fill(clean(text)) + "\n" for text in sentences)


def escaped(text: str) -> str:
    """Returns the text so that Markdown shows it as it is."""
    return "".join("\\" + one if one in "\\`*_[]<>|#" else one for one in text)


def table_text(table: Table, form: str) -> str:
    """Returns the table: figures to the right, everything else to the left."""
    rows = table_texts(table)
    right = [
        bool(table.rows) and all(cell is None or cell == "–" or is_figure(cell) for cell in column)
        for column in zip(*table.rows)
    ] or [False] * len(table.heads)
    heads = [clean(head) for head in table.heads]
    if form == "markdown":
        lines = [
            "| " + " | ".join(map(escaped, heads)) + " |",
            "|" + "|".join("---:" if one else "---" for one in right) + "|",
            *("| " + " | ".join(map(escaped, row)) + " |" for row in rows),
        ]
        caption = f"**{escaped(clean(table.caption))}**\n\n"
    else:
        widths = [max(map(len, column)) for column in zip(heads, *rows)]
        lines = [
            "  ".join(
                cell.rjust(width) if flush else cell.ljust(width)
                for cell, width, flush in zip(row, widths, right)
            ).rstrip()
            for row in (heads, ["-" * width for width in widths], *rows)
        ]
        caption = f"{clean(table.caption)}\n"
    gap = "\n" if form == "markdown" and table.notes else ""
    return caption + "\n".join(lines) + "\n" + gap + listed(table.notes, form)
