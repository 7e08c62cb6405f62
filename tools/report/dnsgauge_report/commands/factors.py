# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report factors: which factors of an experiment matter."""

import argparse

from ..command_line import Subcommands
from ..document import Document
from ..errors import ReportError
from ..kinds.experiment import Experiment
from ..output import add_document_options, write_document
from ..packages import check_packages
from ..results import read_all


def run(arguments: argparse.Namespace) -> int:
    result = read_all([arguments.experiment])[0]
    if not isinstance(result, Experiment):
        raise ReportError(f"{arguments.experiment}: no experiment: name its experiment.json")
    check_packages()
    from ..sections import factors as of_factors

    section = of_factors.section(result, arguments.log)
    document = Document(section.title, section.findings[:3], [section])
    write_document(document, arguments, [arguments.experiment])
    return 0


def add_to(subcommands: Subcommands) -> None:
    summary = "Tells which factors of an experiment matter, and which levels differ"
    parser = subcommands.add("factors", summary, run)
    file = "experiment.json of dnsgauge experiment"
    parser.add_argument("experiment", metavar="EXPERIMENT", help=file)
    logarithms = "of the logarithms of the rates: effects are shares"
    parser.add_argument("--log", action="store_true", help=logarithms)
    add_document_options(parser)
