# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the subcommands share: help in the form of the other programs, and options of figures."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from .drawing import FORMATS, SIZES
from .errors import ReportError

PROGRAM = "dnsgauge-report"
STATUSES = {0: "done", 2: "the command or a file is wrong, and one line says what"}


class Form(argparse.HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=80)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: Any = None) -> None:
        super().add_usage(usage, actions, groups, "Usage: ")

    def start_section(self, heading: Any) -> None:
        heads = {"options": "Options", "positional arguments": "Arguments"}
        super().start_section(heads.get(heading, heading))

    def _format_action(self, action: argparse.Action) -> str:
        if isinstance(action, argparse._SubParsersAction):
            return "".join(map(self._format_action, action._get_subactions()))
        return super()._format_action(action)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return super()._format_action_invocation(action)
        names = ",".join(sorted(action.option_strings, key=len))
        return names if action.nargs == 0 else f"{names} {action.metavar or action.dest.upper()}"


class Parser(argparse.ArgumentParser):
    """Ends with one line that says what is wrong. `separator` is the option that "--" stands
    for; `statuses` are the meanings of the exit statuses."""

    separator = ""
    statuses = STATUSES

    def __init__(self, **options: Any) -> None:
        options |= {"formatter_class": Form, "allow_abbrev": False, "add_help": False}
        super().__init__(**options)
        self.add_argument("--help", "-h", action="help", help="print this help and end")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.separator:
            args = [self.separator if word == "--" else word for word in args]
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        meanings = "; ".join(f"{status} {meaning}" for status, meaning in self.statuses.items())
        self.epilog = f"Exit status: {meanings}."
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        raise ReportError(f"{message}: see {self.prog} --help")


class Subcommands:
    """The list that subcommands add themselves to."""

    def __init__(self, parser: Parser) -> None:
        looks: dict[str, Any] = {"title": "Subcommands", "metavar": "SUBCOMMAND"}
        looks |= {"parser_class": Parser, "required": True}
        self.parsers = parser.add_subparsers(prog=PROGRAM, **looks)

    def add(self, name: str, summary: str, run: Callable[[argparse.Namespace], int]) -> Parser:
        """Returns the parser of a new subcommand. `run` returns the exit status."""
        usage = f"{PROGRAM} {name} [OPTIONS] ARGUMENTS"
        told: dict[str, Any] = {"help": summary, "description": summary}
        parser: Parser = self.parsers.add_parser(name, usage=usage, **told)
        parser.set_defaults(run=run)
        return parser


def table_of(top: Parser) -> dict[str, Any]:
    """Returns the table of options, "dnsgauge/options/1", for manual pages and completions."""
    kind = argparse._SubParsersAction
    commands = next(action.choices for action in top._actions if isinstance(action, kind))
    return {
        "schema": "dnsgauge/options/1",
        "program": PROGRAM,
        "summary": top.description,
        "exit_status": top.statuses,
        "commands": [
            {
                "name": name,
                "usage": command.usage,
                "summary": command.description,
                "remarks": "",
                "options": [_row_of(command, action) for action in command._actions[1:]],
                "examples": [],
                "exit_status": command.statuses,
            }
            for name, command in commands.items()
        ],
    }


def _row_of(command: Parser, action: argparse.Action) -> dict[str, Any]:
    """Returns the row of an option. Its help has the default."""
    names = sorted(action.option_strings, key=len)
    return {
        "name": names[-1].removeprefix("--") if names else action.metavar,
        "group": "Options",
        "type": action.metavar if names and action.nargs != 0 else None,
        "range": None,
        "default": None,
        "required": action.required,
        "positional": not names,
        "repeatable": action.nargs == "+",
        "help": command._get_formatter()._expand_help(action)
        + "".join(f"; {short} for short" for short in names[:-1]),
    }


def add_figure_options(parser: argparse.ArgumentParser) -> None:
    figures = "write each figure, and its data as CSV, into DIR, too"
    parser.add_argument("--figures", metavar="DIR", help=figures)
    some = f"of the figures: some of {','.join(FORMATS)} (default: all)"
    parser.add_argument("--formats", metavar="LIST", type=formats, default=FORMATS, help=some)
    width = f"width of the figures: {', '.join(SIZES)} (default: column)"
    parser.add_argument("--size", metavar="SIZE", choices=SIZES, default="column", help=width)


def number(text: str) -> float:
    """Returns the number that the text is; NaN, which is within no limits, for another text."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def seconds(text: str) -> float:
    value = number(text)
    if not 0.01 <= value <= 86400:
        raise argparse.ArgumentTypeError(f"needs seconds from 0.01 to 86400, not {text!r}")
    return value


def formats(text: str) -> list[str]:
    wanted = text.split(",")
    if not set(wanted) <= set(FORMATS):
        raise argparse.ArgumentTypeError(f"takes some of {','.join(FORMATS)}, not {text!r}")
    return wanted
