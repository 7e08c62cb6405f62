# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A module for each kind of result: its view, its figures, and what a page says of it."""
