# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of significance and models, as pure functions of numbers.

No module here reads files, knows results' JSON or prints. Random numbers (bootstrap, permutations)
come from a fixed seed, so that the same values give the same answer."""

from __future__ import annotations

from typing import Any

# An array of numpy. The types that mypy of Debian 12 finds for shapes and elements help nobody.
Array = Any

SEED = 8219
# The chance of calling equal sets different, and the chance to see a difference that is there.
ALPHA = 0.05
POWER = 0.8
