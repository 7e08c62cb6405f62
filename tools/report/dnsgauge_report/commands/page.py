# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report page: results as one HTML file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..command_line import Subcommands, add_figure_options, write_figures
from ..document import Document, Section
from ..page import to_html, write_whole
from ..quantities import listing, plural
from ..results import read_all
from ..results.base import Result
from ..results.trial import Trial
from ..sections import trial as of_trial


def section_of(result: Result) -> Section:
    """Returns what is said of one result."""
    assert isinstance(result, Trial)
    return of_trial.section(result)


def compose(results: Sequence[Result]) -> Document:
    """Returns the page of the results."""
    sections = [section_of(result) for result in results]
    if len(results) == 1:
        return Document(sections[0].title, sections[0].findings, sections)
    trials = [result for result in results if isinstance(result, Trial)]
    groups = [of_trial.group(trials)] if len(trials) > 1 else []
    doubtful = sum(bool(section.doubts) for section in sections)
    findings = [
        (
            f"The page shows {plural(len(results), 'result')}:"
            f" {listing([result.label for result in results])}."
        ),
        *(group.findings[0] for group in groups),
        (
            f"{doubtful} of them are doubtful, for reasons that stand below."
            if doubtful
            else "Nothing makes them doubtful."
        ),
    ]
    return Document(plural(len(results), "result"), findings, [*groups, *sections])


def run(arguments: argparse.Namespace) -> int:
    document = compose(read_all(arguments.results))
    write_whole(Path(arguments.output), to_html(document))
    write_figures(document, arguments)
    return 0


def add_to(subcommands: Subcommands) -> None:
    parser = subcommands.add(
        "page", "Writes a page with figures, tables and conditions of results", run
    )
    parser.add_argument("results", metavar="RESULT", nargs="+", help="files that dnsgauge wrote")
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="where the page goes")
    add_figure_options(parser)
