# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The error that a user can mend."""


class ReportError(Exception):
    """One line that says what is wrong, where, and what to do. Ends the program with status 2."""
