# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Errors that end a benchmark early."""

import signal
import sys

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class BenchError(Exception):
    """An error that the user can mend, in one line: what, where, what to do."""


class Interrupted(Exception):
    """A signal asked for the end."""

    def __init__(self, signal_number):
        super().__init__(f"interrupted by signal {signal_number}")
        self.signal_number = signal_number


def _raise_once(number, _frame):
    """Ignores further signals: ending takes a moment and must not be cut short."""
    for other in SIGNALS:
        signal.signal(other, signal.SIG_IGN)
    raise Interrupted(number)


def end_by_signals():
    """Makes signals raise Interrupted, so that the benchmark ends what it began."""
    for number in SIGNALS:
        signal.signal(number, _raise_once)


def run_benchmark(name, main):
    """Ends the process with the status that main() returns, or says in a line why it failed."""
    end_by_signals()
    try:
        sys.exit(main())
    except BenchError as error:
        print(f"{name}: {error}", file=sys.stderr)
        sys.exit(2)
    except FileNotFoundError as error:
        print(f"{name}: there is no {error.filename}: see tools/install-packages", file=sys.stderr)
        sys.exit(2)
    except Interrupted as interruption:
        print(f"{name}: {interruption}", file=sys.stderr)
        sys.exit(128 + interruption.signal_number)
