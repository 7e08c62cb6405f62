# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A set of results against another one, A and B: each module compares one kind of thing."""
