# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of each kind of result. read() and read_journal() of a module return a result,
and throw ReportError; section() returns what is said of one, group() of several together."""
