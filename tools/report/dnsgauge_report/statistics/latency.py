# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Latencies of runs: percentiles of histograms, and the shading of several runs (paper 004)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import Array

# The slowest share of queries, in percent: the x axis of a logarithmic percentile histogram.
SLOWEST_PERCENT = np.logspace(-2, 2, 201)
QUANTILES = (50.0, 90.0, 99.0, 99.9)
# A bucket of a histogram is no wider than this share of its values.
BUCKET_SHARE = 0.008


@dataclass(frozen=True)
class Run:
    """A run's RTTs as rows (from, to, count), ascending; and its queries without an answer in time,
    which count as `timeout` long."""

    histogram: Sequence[tuple[int, int, int]]
    unanswered: int
    timeout: float

    @property
    def queries(self) -> int:
        return sum(row[2] for row in self.histogram) + self.unanswered


@dataclass(frozen=True)
class Apart:
    """A stretch of the x axis in which the shadings of A and B do not overlap. Shares of A:
    `least` and `most` are what B's nearest edge is away from A's."""

    from_percent: float
    to_percent: float
    b_is_slower: bool
    least: float
    most: float


def percentiles(run: Run, percents: Sequence[float]) -> Array:
    """Returns the latencies at these percentiles of all queries, by RFC 2330 section 11.3: no
    interpolation; of a bucket its upper end. Throws ValueError for a run without queries."""
    if run.queries == 0:
        raise ValueError("a run without queries has no latency")
    ends = np.array([row[1] for row in run.histogram] + [run.timeout], dtype=float)
    counts = np.cumsum([row[2] for row in run.histogram] + [run.unanswered])
    # Whole ranks: 99.9 % of 1,000 is the 999th, whatever floating-point numbers make of it.
    ranks = np.ceil(np.asarray(percents) * run.queries / 100 - 1e-9)
    return ends[np.searchsorted(counts, np.maximum(ranks, 1))]


def slowest_curve(run: Run) -> Array:
    """Returns for each of SLOWEST_PERCENT the latency that this share of queries reaches; NaN
    where the share is less than one query."""
    values = percentiles(run, 100 - SLOWEST_PERCENT)
    return np.where(SLOWEST_PERCENT * run.queries >= 100 - 1e-6, values, np.nan)


@dataclass(frozen=True)
class Shading:
    low: Array
    mean: Array
    high: Array


def shading_of(runs: Sequence[Run]) -> Shading:
    """Returns least, mean and greatest latency of the runs at each of SLOWEST_PERCENT."""
    curves = np.array([slowest_curve(run) for run in runs])
    return Shading(curves.min(axis=0), curves.mean(axis=0), curves.max(axis=0))


def apart(a: Shading, b: Shading) -> list[Apart]:
    """Returns where the shadings do not overlap, by more than a bucket's width."""
    slower = b.low > a.high * (1 + BUCKET_SHARE)
    faster = b.high < a.low * (1 - BUCKET_SHARE)
    found = []
    for mask, is_slower in ((slower, True), (faster, False)):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
        for start, end in zip(edges[::2], edges[1::2]):
            here = slice(start, end)
            gap = (b.low[here] / a.high[here] if is_slower else b.high[here] / a.low[here]) - 1
            found.append(
                Apart(
                    float(SLOWEST_PERCENT[start]),
                    float(SLOWEST_PERCENT[end - 1]),
                    is_slower,
                    float(gap[np.argmin(np.abs(gap))]),
                    float(gap[np.argmax(np.abs(gap))]),
                )
            )
    return sorted(found, key=lambda one: one.from_percent)


def chance_apart(count_a: int, count_b: int) -> float:
    """Returns the chance that equal runs' shadings do not overlap at one place of the x axis."""
    return min(1.0, 2 / math.comb(count_a + count_b, count_a))
