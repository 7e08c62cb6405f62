# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Latencies of runs: percentiles of histograms, and the shading of several runs (paper 004)."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import Array, Latency

# The slowest share of queries, in percent: the x axis of a logarithmic percentile histogram.
SLOWEST_PERCENT = np.logspace(-2, 2, 201)
QUANTILES = (50.0, 90.0, 99.0, 99.9)
# A bucket of a histogram is no wider than this share of its values.
BUCKET_SHARE = 0.008


@dataclass(frozen=True)
class Apart:
    """A stretch of the x axis in which the shadings of A and B do not overlap. `gaps` are what B's
    nearest edge is away from A's, as shares of A, the smallest first; above 0 where B is slower."""

    from_percent: float
    to_percent: float
    gaps: list[float]


def percentiles(run: Latency, percents: Sequence[float]) -> Array:
    """Returns the latencies at these percentiles of all queries, by RFC 2330 section 11.3: no
    interpolation; of a bucket its upper end. Throws ValueError for a run without queries."""
    if run.asked == 0:
        raise ValueError("a run without queries has no latency")
    ends = np.array([row[1] for row in run.rows] + [run.end], dtype=float)
    counts = np.cumsum([row[2] for row in run.rows] + [run.asked - run.answered])
    # Whole ranks: 99.9 % of 1,000 is the 999th, whatever floating-point numbers make of it.
    ranks = np.ceil(np.asarray(percents) * run.asked / 100 - 1e-9)
    return ends[np.searchsorted(counts, np.maximum(ranks, 1))]


def slowest_curve(run: Latency) -> Array:
    """Returns for each of SLOWEST_PERCENT the latency that this share of queries reaches; NaN
    where the share is less than one query."""
    values = percentiles(run, 100 - SLOWEST_PERCENT)
    return np.where(SLOWEST_PERCENT * run.asked >= 100 - 1e-6, values, np.nan)


# Rows of several runs, ascending: percent of the slowest queries, least, mean and greatest latency.
Shading = Sequence[Sequence[float]]


def shading_of(runs: Sequence[Latency]) -> Shading:
    """Returns the shading at each SLOWEST_PERCENT that every run tells."""
    curves = np.array([slowest_curve(run) for run in runs])
    columns = (SLOWEST_PERCENT, curves.min(axis=0), curves.mean(axis=0), curves.max(axis=0))
    return np.column_stack(columns)[np.isfinite(curves.min(axis=0))].tolist()


def gap(a: Sequence[float], b: Sequence[float]) -> float:
    """Returns how far B's nearest edge is from A's, as a share of A; 0 where they overlap, or lie
    no further apart than a bucket is wide."""
    slower, faster = b[1] / max(a[3], 1.0) - 1, b[3] / max(a[1], 1.0) - 1
    return slower if slower > BUCKET_SHARE else faster if faster < -BUCKET_SHARE else 0.0


def apart(a: Shading, b: Shading) -> list[Apart]:
    of_b = {point[0]: point for point in b}
    gaps = [(point[0], gap(point, of_b[point[0]])) for point in a if point[0] in of_b]
    found = []
    for sign, group in itertools.groupby(gaps, lambda one: np.sign(one[1])):
        percents, sizes = zip(*group)
        if sign:
            found.append(Apart(percents[0], percents[-1], sorted(sizes, key=abs)))
    return found


def chance_apart(count_a: int, count_b: int) -> float:
    """Returns the chance that equal runs' shadings do not overlap at one place of the x axis."""
    return min(1.0, 2 / math.comb(count_a + count_b, count_a))
