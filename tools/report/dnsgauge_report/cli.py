# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The program dnsgauge-report."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .command_line import Parser, PROGRAM, Subcommands, table_of
from .commands import compare, models, page, watch
from .errors import ReportError

# Each of them has add_to(), which adds subcommands.
COMMANDS = (page, watch, compare, models)


def version() -> str:
    """Returns version and commit, from a file that the build makes beside this package."""
    started = Path(sys.argv[0]).absolute()
    for place in (Path(__file__).resolve().parents[1], started.parents[1]):
        if (place / "version").is_file():
            return (place / "version").read_text(encoding="utf-8").strip()
    return "of a source tree that has not been built"


def parser() -> Parser:
    summary = "Shows results of dnsgauge as pages and figures, and compares them"
    usage = f"{PROGRAM} SUBCOMMAND [OPTIONS] ARGUMENTS"
    top = Parser(prog=PROGRAM, description=summary, usage=usage)
    told: dict[str, Any] = {"version": f"{PROGRAM} {version()}", "help": "print the version"}
    top.add_argument("--version", action="version", **told)
    subcommands = Subcommands(top)
    for command in COMMANDS:
        command.add_to(subcommands)
    return top


def main(words: Sequence[str] | None = None) -> int:
    try:
        if (sys.argv[1:] if words is None else list(words)) == ["options"]:
            print(json.dumps(table_of(parser())))
            return 0
        arguments = parser().parse_args(words)
        status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except (ReportError, MemoryError) as error:
        little = "there is too little memory for these files: see ulimit -v"
        print(f"{PROGRAM}: {little if isinstance(error, MemoryError) else error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader of the output has gone, which is no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
