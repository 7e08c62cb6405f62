# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two sets of vectors: response rates at the same steps, a vector per run (paper 003)."""

from __future__ import annotations

import enum
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from statsmodels.stats import multivariate

from . import ALPHA, Array, SEED, Tested
from .samples import share_at_least

FLIPS = 4999
BATCH = 500


class Method(enum.Enum):
    EQUAL = "no run differs from another"
    HOTELLING = "Hotelling's T²"
    SEPARATE = "T² with a covariance for each set, by random signs"
    GREATEST = "the greatest of Welch's t, by random signs"


@dataclass(frozen=True)
class Component(Tested):
    """One step. `p_value` and `margin`, of mean_b - mean_a, hold for all steps at once."""

    mean_a: float
    mean_b: float
    p_value: float
    margin: float


@dataclass(frozen=True)
class VectorComparison:
    """`why` says why this method. `freedom` is of F; None: by random signs. `box_p` is of Box's M;
    None: not defined. `can_differ`: whether this number of runs can differ at ALPHA at all."""

    method: Method
    why: str
    count_a: int
    count_b: int
    p_value: float
    t2: float | None
    freedom: tuple[float, float] | None
    box_p: float | None
    can_differ: bool
    components: tuple[Component, ...]

    @property
    def differs(self) -> bool:
        return self.can_differ and self.p_value <= ALPHA


def box_m(a: Array, b: Array) -> float | None:
    """Returns the p value of Box's M test, that both sets have the same covariances; of one step,
    of Levene's with medians. None: not defined, as with no more runs than steps."""
    size = a.shape[1]
    if min(len(a), len(b)) <= max(size, 2):
        return None
    if size == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            p_value = float(stats.levene(a[:, 0], b[:, 0], center="median").pvalue)
        return p_value if math.isfinite(p_value) else None
    covariances = [np.cov(a, rowvar=False), np.cov(b, rowvar=False)]
    if any(np.linalg.matrix_rank(one) < size for one in covariances):
        return None
    p_value = float(multivariate.test_cov_oneway(covariances, [len(a), len(b)]).pvalue)
    return p_value if math.isfinite(p_value) else None


def hotelling(a: Array, b: Array) -> tuple[float, tuple[float, float], float]:
    """Returns T², the degrees of freedom of its F, and the p value."""
    if a.shape[1] == 1:
        with warnings.catch_warnings():
            # scipy warns of a set whose runs are all alike, such as runs that answered everything.
            warnings.simplefilter("ignore", RuntimeWarning)
            done = stats.ttest_ind(a[:, 0], b[:, 0])
        return float(done.statistic) ** 2, (1.0, float(len(a) + len(b) - 2)), float(done.pvalue)
    done = multivariate.test_mvmean_2indep(a, b)
    return float(done.t2), (float(done.df[0]), float(done.df[1])), float(done.pvalue)


def separate_t2(a: Array, b: Array) -> Array:
    """Returns d' (Sa / na + Sb / nb)^-1 d of sets (..., runs, steps); or infinity."""

    def noise(runs: Array) -> Array:
        rest = runs - runs.mean(axis=-2, keepdims=True)
        return np.swapaxes(rest, -1, -2) @ rest / (runs.shape[-2] - 1) / runs.shape[-2]

    both = noise(a) + noise(b)
    difference = (b.mean(axis=-2) - a.mean(axis=-2))[..., None]
    usable = np.linalg.cond(both) < 1e12
    both = np.where(usable[..., None, None], both, np.eye(both.shape[-1]))
    t2 = (np.swapaxes(difference, -1, -2) @ np.linalg.solve(both, difference))[..., 0, 0]
    return np.where(usable, t2, np.inf)


def welch_t(a: Array, b: Array, floor: Array) -> Array:
    """Returns |t| of each step of sets (..., runs, steps). `floor`, far below any scatter that
    counts, is what a variance is at least."""
    noise = a.var(axis=-2, ddof=1) / a.shape[-2] + b.var(axis=-2, ddof=1) / b.shape[-2]
    return np.abs(b.mean(axis=-2) - a.mean(axis=-2)) / np.sqrt(noise + floor)


def flipped(a: Array, b: Array) -> Iterator[tuple[Array, Array]]:
    """Yields pairs of sets (batch, runs, steps): the pair as it is, then FLIPS pairs of the runs'
    distances from their mean with random signs. Each distance stays in its set: where one set
    scatters more, false alarms stay at ALPHA."""
    yield a[None], b[None]
    random = np.random.default_rng(SEED)
    for start in range(0, FLIPS, BATCH):
        size = min(BATCH, FLIPS - start)
        yield tuple(  # type: ignore[misc]
            random.choice([-1.0, 1.0], size=(size, len(runs), 1)) * (runs - runs.mean(axis=0))
            for runs in (a, b)
        )


def compare(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> VectorComparison:
    """Returns what can be said of the means of two sets of runs. A run is its values at all steps.

    Throws ValueError where a set has fewer than two runs, or runs have different steps."""
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if first.ndim != 2 or second.ndim != 2 or first.shape[1] != second.shape[1]:
        raise ValueError("all runs need the same steps")
    if min(len(first), len(second)) < 2:
        raise ValueError("a set needs two runs at least")
    counts = (len(first), len(second))
    # Steps at which every run has the same value tell nothing, and leave no covariance to invert.
    varies = np.ptp(np.concatenate([first, second]), axis=0) > 0
    means = [(float(x), float(y)) for x, y in zip(first.mean(axis=0), second.mean(axis=0))]
    if not varies.any():
        components = tuple(Component(*pair, p_value=1.0, margin=0.0) for pair in means)
        same = (Method.EQUAL, "every run has the same values", *counts)
        return VectorComparison(*same, 1.0, None, None, None, can_differ(*counts), components)
    first, second = first[:, varies], second[:, varies]
    signs = Flipped.of(first, second)
    found = iter(zip(signs.p_values.tolist(), signs.margins.tolist()))
    tests = [next(found) if vary else (1.0, 0.0) for vary in varies.tolist()]
    components = tuple(Component(*pair, *test) for pair, test in zip(means, tests))
    method, why, box_p = method_for(first, second, signs)
    t2, freedom = (None, None) if method is Method.GREATEST else (float(signs.t2[0]), None)
    p_value = share_at_least(signs.greatest if method is Method.GREATEST else signs.t2)
    if method is Method.HOTELLING:
        t2, freedom, p_value = hotelling(first, second)
    can = method is Method.HOTELLING or can_differ(*counts)
    return VectorComparison(method, why, *counts, p_value, t2, freedom, box_p, can, components)


@dataclass(frozen=True)
class Flipped:
    """What flipped() gives: T² and the greatest t of each pair of sets, the first ones as the sets
    are; and p values and margins that hold for all steps at once."""

    t2: Array
    greatest: Array
    p_values: Array
    margins: Array

    @staticmethod
    def of(a: Array, b: Array) -> Flipped:
        floor = 1e-12 * np.concatenate([a, b]).var(axis=0)
        t2s, ts = [], []
        for one, other in flipped(a, b):
            t2s.append(separate_t2(one, other))
            ts.append(welch_t(one, other, floor))
        t = np.concatenate(ts)
        greatest = t.max(axis=1)
        error = np.sqrt(a.var(axis=0, ddof=1) / len(a) + b.var(axis=0, ddof=1) / len(b) + floor)
        p_values = (greatest[:, None] >= t[0] * (1 - 1e-9)).mean(axis=0)
        if not can_differ(len(a), len(b)):
            p_values = np.ones(a.shape[1])
        margins = np.quantile(greatest, 1 - ALPHA, method="higher") * error
        return Flipped(np.concatenate(t2s), greatest, p_values, margins)


def can_differ(count_a: int, count_b: int) -> bool:
    """Returns whether this number of runs can differ at ALPHA where nothing is known of their
    distribution: by chance, runs lie apart in one of all the ways to share them out between A and
    B."""
    alike = 2 if count_a == count_b else 1
    return alike / math.comb(count_a + count_b, count_a) <= ALPHA


def method_for(a: Array, b: Array, signs: Flipped) -> tuple[Method, str, float | None]:
    """Returns how the sets are compared, why, and the p value of Box's M."""
    size, runs = a.shape[1], len(a) + len(b)
    rest = np.concatenate([a - a.mean(axis=0), b - b.mean(axis=0)])
    is_regular = runs - 2 >= size and np.linalg.matrix_rank(rest) == size
    box_p = box_m(a, b) if is_regular else None
    if box_p is not None and box_p > ALPHA:
        why = f"Box's M finds no difference of covariances (p = {box_p:.2g})"
        return Method.HOTELLING, why, box_p
    if is_regular and runs - 2 >= 2 * size and math.isfinite(signs.t2[0]):
        why = "there are too few runs for Box's M"
        if box_p is not None:
            why = f"covariances differ (Box's M, p = {box_p:.2g})"
        return Method.SEPARATE, why, box_p
    return Method.GREATEST, f"{runs} runs do not determine the covariances of {size} steps", box_p
