# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where documents of the statistics go: the terminal, a file, a page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .command_line import add_figure_options, write_figures
from .document import Document
from .page import to_html
from .plain import FORMS, to_plain
from .whole_file import write_whole


def add_document_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that write_document() follows."""
    parser.add_argument(
        "--form",
        metavar="FORM",
        choices=FORMS,
        default="text",
        help=f"of what is printed: {', '.join(FORMS)}",
    )
    parser.add_argument("--output", "-o", metavar="FILE", help="write a page with the figures, too")
    add_figure_options(parser)


def write_document(document: Document, arguments: argparse.Namespace) -> None:
    """Prints the document, and writes its page and figures where they are asked for."""
    if arguments.output:
        write_whole(Path(arguments.output), to_html(document))
    write_figures(document, arguments)
    sys.stdout.write(to_plain(document, arguments.form))
