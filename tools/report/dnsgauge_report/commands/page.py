# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report page: results as one HTML file."""

import argparse

from ..command_line import Subcommands, add_figure_options
from ..output import write_outputs
from ..results import read_all
from ..sections.compose import compose


def add_to(subcommands: Subcommands) -> None:
    summary = "Writes a page with figures, tables and conditions of results"
    parser = subcommands.add("page", summary, run)
    parser.add_argument("results", metavar="RESULT", nargs="+", help="files that dnsgauge wrote")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="where the page goes")
    add_figure_options(parser)


def run(arguments: argparse.Namespace) -> int:
    write_outputs(compose(read_all(arguments.results)), arguments, arguments.results)
    return 0
