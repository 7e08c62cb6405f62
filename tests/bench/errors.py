# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What ends a benchmark before its time."""


class BenchError(Exception):
    """What the user can mend, in one line: what, where, what to do."""


class Interrupted(Exception):
    """A signal asked for the end."""

    def __init__(self, signal_number):
        super().__init__(f"interrupted by signal {signal_number}")
        self.signal_number = signal_number
