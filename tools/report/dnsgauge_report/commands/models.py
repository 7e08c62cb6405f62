# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report model: models of where a server no longer keeps up; and dnsgauge-report factors:
which factors of an experiment matter."""

import argparse

from ..command_line import Subcommands
from ..document import Document
from ..errors import ReportError
from ..kinds.experiment import Experiment
from ..kinds.sweep import sweep_of
from ..output import add_document_options, write_document
from ..packages import check_packages
from ..results import read_all


def run_model(arguments: argparse.Namespace) -> int:
    check_packages()
    from ..sections import model as of_model

    results = read_all(arguments.results)
    groups = [results] if arguments.together else [[one] for one in results]
    sections = [of_model.section(sweep_of(group)) for group in groups]
    findings = [sentence for section in sections for sentence in section.findings][:3]
    title = sections[0].title if len(sections) == 1 else f"Break points of {len(sections)} results"
    write_document(Document(title, findings, sections), arguments, arguments.results)
    return 0


def run_factors(arguments: argparse.Namespace) -> int:
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
    summary = "Finds the rate from which a server no longer keeps up"
    model = subcommands.add("model", summary, run_model)
    sweeps = "sweeps (JSON, or CSV of rate, sent, answered), searches, journals or trials"
    model.add_argument("results", metavar="SWEEP", nargs="+", help=sweeps)
    together = "fit one model to all files: needed of trials"
    model.add_argument("--together", action="store_true", help=together)
    summary = "Tells which factors of an experiment matter, and which levels differ"
    factors = subcommands.add("factors", summary, run_factors)
    file = "experiment.json of dnsgauge experiment"
    factors.add_argument("experiment", metavar="EXPERIMENT", help=file)
    logarithms = "of the logarithms of the rates: effects are shares"
    factors.add_argument("--log", action="store_true", help=logarithms)
    for parser in (model, factors):
        add_document_options(parser)
