# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where documents go: the terminal, a page, figures. What cannot be written is refused before
anything is drawn, and so is a file that is one of the inputs."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .command_line import add_figure_options
from .document import Chart, Document
from .drawing import SIZES, data_csv, render
from .errors import ReportError
from .page import to_html
from .plain import FORMS, to_plain
from .whole_file import check_writable, write_whole


def add_document_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that write_document() follows."""
    forms = f"of what is printed: {', '.join(FORMS)}"
    parser.add_argument("--form", metavar="FORM", choices=FORMS, default="text", help=forms)
    parser.add_argument("--output", "-o", metavar="FILE", help="write a page with the figures, too")
    add_figure_options(parser)


def write_document(
    document: Document, arguments: argparse.Namespace, inputs: Sequence[str]
) -> None:
    """Writes the document's page and figures where they are asked for, and prints the document."""
    write_outputs(document, arguments, inputs)
    sys.stdout.write(to_plain(document, arguments.form))


def write_outputs(document: Document, arguments: argparse.Namespace, inputs: Sequence[str]) -> None:
    """Writes the page and the figures where the arguments say. Throws ReportError, before anything
    is drawn where that can be known."""
    page = Path(arguments.output) if arguments.output else None
    figures = list(named_charts(document)) if arguments.figures else []
    directory = Path(arguments.figures or "")
    if page:
        check_output(page, inputs, f"--output {page} is one of the results: name another file")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(f"cannot write figures to {directory}: {error.strerror}") from error
    for name, _ in figures:
        for form in (*arguments.formats, "csv"):
            path = directory / f"{name}.{form}"
            complaint = f"--figures: {path} is one of the results: name another directory"
            check_output(path, inputs, complaint)
    if page:
        write_whole(page, to_html(document))
    for name, chart in figures:
        for form in arguments.formats:
            write_whole(directory / f"{name}.{form}", render(chart, form, SIZES[arguments.size]))
        write_whole(directory / f"{name}.csv", data_csv(chart.data))


def named_charts(document: Document) -> Iterator[tuple[str, Chart]]:
    """Yields the figures with their names; several sections are numbered."""
    several = len(document.sections) > 1
    for number, section in enumerate(document.sections, 1):
        for chart in section.charts:
            yield f"{number}-{chart.name}" if several else chart.name, chart


def check_output(output: Path, inputs: Sequence[str], complaint: str) -> None:
    """Throws ReportError where the output is an input, or cannot be written."""
    for path in map(Path, inputs):
        if path.is_file() and output.exists() and output.samefile(path):
            raise ReportError(complaint)
    check_writable(output)
