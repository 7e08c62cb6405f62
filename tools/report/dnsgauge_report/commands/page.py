# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report page: results as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..command_line import Subcommands, add_figure_options, write_figures
from ..errors import ReportError
from ..page import to_html
from ..results import read_all
from ..sections.compose import compose
from ..whole_file import write_whole


def add_to(subcommands: Subcommands) -> None:
    parser = subcommands.add(
        "page", "Writes a page with figures, tables and conditions of results", run
    )
    parser.add_argument("results", metavar="RESULT", nargs="+", help="files that dnsgauge wrote")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="where the page goes")
    add_figure_options(parser)


def run(arguments: argparse.Namespace) -> int:
    refuse_result_as_output(arguments.results, Path(arguments.output))
    document = compose(read_all(arguments.results))
    write_whole(Path(arguments.output), to_html(document))
    write_figures(document, arguments)
    return 0


def refuse_result_as_output(results: list[str], output: Path) -> None:
    """Throws ReportError where the page would take the place of a result."""
    for result in results:
        if output.exists() and Path(result).exists() and output.samefile(result):
            raise ReportError(f"--output {output} is one of the results: name another file")
