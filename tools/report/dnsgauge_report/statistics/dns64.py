# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The model of a DNS64 server of paper 002 (section 7.2), for curves: dnsgauge itself tells the
times, with their margins.

1 / R = TC + (1 - pC) (TA + (1 - p4A) (TA + TS)): TC is the time of a cache lookup, TA of an answer
from the authoritative server, TS of a synthesis; pC is the share of cached names, p4A the share of
names with an AAAA record."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize

from . import Array

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Dns64Model:
    """Times in seconds that fit best. A sweep of one share does not tell them apart: only rates at
    the shares that were measured, and between them, mean something."""

    tc: float
    ta: float
    ts: float

    def rate(self, cached: float, aaaa: float) -> float:
        """Returns the rate at these shares, 0 to 1."""
        return float(1 / (row_of(cached, aaaa) @ np.array([self.tc, self.ta, self.ts])))


def row_of(cached: float, aaaa: float) -> Array:
    """Returns how often a query takes each of TC, TA and TS on average."""
    missed = 1 - cached
    return np.array([1.0, missed * (2 - aaaa), missed * (1 - aaaa)])


def fit(points: Sequence[Point]) -> Dns64Model:
    """Returns the least-squares fit of 1 / R to points (cached, aaaa, rate), whose times are not
    below 0. Throws ValueError where fewer than two shares differ."""
    if len({point[:2] for point in points}) < 2:
        raise ValueError("it takes rates at two different shares at least")
    matrix = np.array([row_of(cached, aaaa) for cached, aaaa, _ in points])
    inverse = np.array([1 / rate for _, _, rate in points])
    # The solver takes what is far below 1 for 0.
    scale = float(inverse.max())
    times, _ = optimize.nnls(matrix, inverse / scale)
    return Dns64Model(*(float(time * scale) for time in times))
