# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report compare: two sets of results, with honest tests."""

import argparse

from ..command_line import Subcommands, number
from ..document import Document
from ..errors import ReportError
from ..kinds.base import Result
from ..kinds.trial import Trial
from ..output import add_document_options, write_document
from ..packages import check_packages
from ..quantities import some
from ..results import read_sets

STATUSES = {
    0: "done, with --fail-if-slower: B is shown not to be slower by more",
    1: "B is shown to be slower by more",
    2: "the command or a file is wrong, and one line says what",
    3: "there are too few results to show either",
}


def share(text: str) -> float:
    """Returns the share of a text such as "5%". Throws ArgumentTypeError."""
    value = number(text.removesuffix("%").strip())
    if not text.endswith("%") or not 0 <= value < 100:
        raise argparse.ArgumentTypeError(f"takes a share from 0% to below 100%, not {text!r}")
    return value / 100


def telling(results: list[Result]) -> list[Result]:
    """Returns the results of one file. Invalid trials of repeated ones are left out, unless all are
    invalid: a user cannot leave one trial of a file out."""
    told = [one for one in results if not isinstance(one, Trial) or one.verdict != "invalid"]
    return told or results


def run(arguments: argparse.Namespace) -> int:
    if not arguments.against:
        raise ReportError("write -- between the results of A and of B: see --help")
    check_packages()
    from ..sections import compare as of_sets
    from ..statistics.samples import Verdict

    sets = read_sets([*arguments.results, *arguments.against])
    split = len(arguments.results)
    a, b = ([one for of in side for one in telling(of)] for side in (sets[:split], sets[split:]))
    allowed = arguments.fail_if_slower
    outcome = of_sets.compare(a, b, allowed or 0.0)
    sections = list(outcome.sections)
    findings = [sentence for section in sections for sentence in section.findings][:3]
    if allowed is not None:
        sections.insert(0, of_sets.verdict_section(outcome, allowed))
        findings = [*sections[0].findings, *findings][:3]
    names = [some([one.label for one in side]) for side in (a, b)]
    document = Document(f"{names[1]} (B) against {names[0]} (A)", findings, sections)
    write_document(document, arguments, [*arguments.results, *arguments.against])
    status = {Verdict.KEPT: 0, Verdict.LOST: 1, Verdict.UNDECIDED: 3}
    return 0 if allowed is None else status[outcome.verdict]


def add_to(subcommands: Subcommands) -> None:
    summary = "Compares two sets of results by tests of significance"
    parser = subcommands.add("compare", summary, run)
    parser.usage = "dnsgauge-report compare [OPTIONS] A... -- B..."
    parser.statuses = STATUSES
    parser.separator = "--against"
    parser.add_argument("results", metavar="A", nargs="+", help="results of the one set")
    against = "results of the other set, the same as --"
    parser.add_argument("--against", metavar="B", nargs="+", help=against)
    slower = "end with 1 where B is slower than A by more than SHARE, such as 5%%; with 3 where it"
    slower += " is not known"
    parser.add_argument("--fail-if-slower", metavar="SHARE", type=share, help=slower)
    add_document_options(parser)
