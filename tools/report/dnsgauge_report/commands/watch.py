# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report watch: a page that is written anew while the trials of a series go on."""

import argparse
import dataclasses
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from ..command_line import Subcommands, seconds
from ..errors import ReportError
from ..kinds.series import Series
from ..output import check_output
from ..page import to_html
from ..results import labels_of, read_one, require_file
from ..sections.compose import compose
from ..whole_file import write_whole


def add_to(subcommands: Subcommands) -> None:
    summary = "Writes the page of a search, sweep, soak or replay anew as its trials end"
    parser = subcommands.add("watch", summary, run)
    journal = "the --journal of the search, sweep, soak or replay"
    parser.add_argument("journal", metavar="JOURNAL", help=journal)
    page = "where the page goes; it reloads itself"
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help=page)
    often = "how often to look for new trials (default: 5)"
    parser.add_argument("--every", metavar="SECONDS", type=seconds, default=5.0, help=often)


def mark_of(path: Path) -> tuple[int, int, bool]:
    """Returns which file the journal is, its size, and whether a process holds its lock, as
    dnsgauge does while it searches. What is written in between is read the next time."""
    import fcntl

    goes_on = True
    try:
        with open(path, "rb") as file:
            with suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                goes_on = False
            now = os.fstat(file.fileno())
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from error
    return now.st_ino, now.st_size, goes_on


def write_page(path: str, output: Path, refresh_s: int | None) -> int:
    """Writes the page of the journal as it is now. Returns how many trials it has."""
    journal = read_one(path, labels_of([path])[0])[0]
    if not isinstance(journal, Series) or not journal.is_journal:
        raise ReportError(f"{path}: no journal of a search, sweep, soak or replay: name one")
    write_whole(output, to_html(dataclasses.replace(compose([journal]), refresh_s=refresh_s)))
    return len(journal.trials)


def run(arguments: argparse.Namespace) -> int:
    path = Path(arguments.journal)
    output = Path(arguments.output)
    check_output(output, [str(path)], f"--output {output} is the journal: name another file")
    require_file(arguments.journal)
    refresh_s = max(1, round(arguments.every))
    seen = None
    while True:
        mark = *_, goes_on = mark_of(path)
        if mark != seen:
            trials = write_page(str(path), output, refresh_s if goes_on else None)
            seen = mark
            print(f"{output}: {trials} trials", file=sys.stderr)
        if not goes_on:
            return 0
        time.sleep(arguments.every)
