# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of significance and models, as pure functions of numbers.

No module here reads files, knows results' JSON or prints. Random numbers (bootstrap, permutations)
come from a fixed seed, so that the same values give the same answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

# An array of numpy. mypy of Debian 12 finds no useful types for shapes and elements.
Array = Any

SEED = 8219
# The chance of calling equal sets different, and the chance to see a difference that is there.
ALPHA = 0.05
POWER = 0.8


class Tested:
    p_value: float

    @property
    def differs(self) -> bool:
        return self.p_value <= ALPHA


@dataclass(frozen=True)
class Latency:
    """RTTs in nanoseconds of one result: (from, to, count), ascending. The queries of `asked`
    without a valid reply in time count as the slowest ones. The timeout may not be known."""

    label: str
    rows: Sequence[tuple[float, float, int]]
    asked: int
    timeout_ns: float | None

    @property
    def end(self) -> float:
        """Returns where queries without an answer are drawn: at the timeout, if it is known."""
        return self.timeout_ns or (self.rows[-1][1] if self.rows else 1.0)

    @property
    def answered(self) -> int:
        return sum(row[2] for row in self.rows)

    def slowest(self) -> list[tuple[float, float]]:
        """Returns (percent, RTT) points: this percentage of the queries took longer than the RTT
        before the point, and at most the RTT at the point."""
        points = []
        above = self.asked
        for _, upper, count in self.rows:
            points.append((100 * above / self.asked, upper))
            above -= count
        if above:
            points.append((100 * above / self.asked, self.end))
        return points
