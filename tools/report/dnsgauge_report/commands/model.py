# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report model: models of where a server no longer keeps up."""

import argparse

from ..command_line import Subcommands
from ..document import Document
from ..kinds.sweep import sweep_of
from ..output import add_document_options, write_document
from ..packages import check_packages
from ..results import read_all


def run(arguments: argparse.Namespace) -> int:
    check_packages()
    from ..sections import model as of_model

    results = read_all(arguments.results)
    groups = [results] if arguments.together else [[one] for one in results]
    sections = [of_model.section(sweep_of(group)) for group in groups]
    findings = [sentence for section in sections for sentence in section.findings][:3]
    title = sections[0].title if len(sections) == 1 else f"Break points of {len(sections)} results"
    write_document(Document(title, findings, sections), arguments, arguments.results)
    return 0


def add_to(subcommands: Subcommands) -> None:
    parser = subcommands.add("model", "Finds the rate from which a server no longer keeps up", run)
    sweeps = "sweeps (JSON, or CSV of rate, sent, answered), searches, journals or trials"
    parser.add_argument("results", metavar="SWEEP", nargs="+", help=sweeps)
    together = "fit one model to all files: needed of trials"
    parser.add_argument("--together", action="store_true", help=together)
    add_document_options(parser)
