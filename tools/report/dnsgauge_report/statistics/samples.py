# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two sets of single figures: rates that searches found, quantiles of runs' latencies."""

import bisect
import enum
import functools
import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower

from . import ALPHA, Array, POWER, SEED, Tested

RESAMPLES = 9999
# Two sets of at most this many values together have the exact distribution, even where values are
# tied.
EXACT_WITH_TIES = 16
EXACT_WITHOUT_TIES = 60
# Relative to Student's t, for large sets of normal values (Hodges and Lehmann, 1956).
EFFICIENCY = 3 / math.pi
MOST_RUNS = 100_000


@dataclass(frozen=True)
class Interval:
    low: float
    high: float

    def holds(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Comparison(Tested):
    """What can be said of B against A. Shares are of A: 0.05 is 5 %. None: too few values.

    `interval` is of `ratio`. `b_is_greater` is the chance that a value of B is above a value of A,
    where ties count half. `can_differ`: whether sets of these sizes can differ at all.
    `tellable` is the smallest share that they tell, `scatter` the standard deviation as one."""

    count_a: int
    count_b: int
    median_a: float
    median_b: float
    ratio: float
    interval: Interval | None
    p_value: float
    b_is_greater: float
    can_differ: bool
    scatter: float | None
    tellable: float | None


@dataclass(frozen=True)
class Shift(Tested):
    """By how much B's median is above A's. `interval` holds that; None: too few values."""

    median_a: float
    median_b: float
    interval: Interval | None
    p_value: float

    @property
    def shift(self) -> float:
        return self.median_b - self.median_a


class Verdict(enum.Enum):
    """Whether B has kept what it was allowed to lose no more than."""

    KEPT = "kept"
    LOST = "lost"
    UNDECIDED = "undecided"


def checked(values: Sequence[float]) -> Array:
    """Returns the values as an array. Throws ValueError without any, or for one up to 0."""
    array = np.asarray(values, dtype=float)
    if array.ndim != 1 or array.size == 0 or not np.all(np.isfinite(array)) or np.any(array <= 0):
        raise ValueError("a set needs values, all of them finite and above 0")
    return array


def share_at_least(values: Array) -> float:
    """Returns the share of values that are no less than the first one, but for rounding."""
    return float(np.mean(values >= values[0] * (1 - 1e-9)))


def mann_whitney(a: Sequence[float], b: Sequence[float], alternative: str = "two-sided") -> float:
    """Returns the p value of the Mann-Whitney test; "less" asks whether A is below B.

    Small sets have the exact distribution, by all permutations where values are tied; large sets
    have the normal one, corrected for ties and continuity."""
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    joined = np.concatenate([first, second])
    if np.ptp(joined) == 0:
        return 1.0
    tied = np.unique(joined).size < joined.size
    # A single value is not permuted: it shows no difference to so few others in any way.
    if not tied or joined.size > EXACT_WITH_TIES or min(first.size, second.size) < 2:
        method = "asymptotic" if tied or joined.size > EXACT_WITHOUT_TIES else "exact"
        done = stats.mannwhitneyu(first, second, alternative=alternative, method=method)
        return float(done.pvalue)
    # The mean rank of A orders permutations as U does. Twice a rank is a whole number.
    ranks = 2 * stats.rankdata(joined)
    how: dict[str, Any] = {"permutation_type": "independent", "vectorized": True}
    done = stats.permutation_test(
        (ranks[: first.size], ranks[first.size :]),
        lambda x, _, axis: np.sum(x, axis=axis) - first.size * (joined.size + 1),
        **(how | {"n_resamples": np.inf, "alternative": alternative}),
    )
    return min(1.0, float(done.pvalue))


def interval_of(a: Array, b: Array, change: Callable[[Array, Array], Array]) -> Interval:
    """Returns the percentile bootstrap's 95 % interval of change(median(b), median(a)), a ratio or
    a difference.

    The interval cannot be wider than the values span: with fewer than six values a set, it holds
    the truth less often."""
    how: dict[str, Any] = {"n_resamples": RESAMPLES, "batch": 1000, "vectorized": True}
    how |= {"confidence_level": 1 - ALPHA, "method": "percentile"}
    how |= {"random_state": np.random.default_rng(SEED)}
    of = lambda x, y, axis: change(np.median(y, axis=axis), np.median(x, axis=axis))  # noqa: E731
    interval = stats.bootstrap((a, b), of, **how).confidence_interval
    return Interval(float(interval.low), float(interval.high))


def scatter_of(*sets: Array) -> float | None:
    """Returns the standard deviation of the logarithms, pooled; None: single values."""
    freedom = sum(values.size - 1 for values in sets)
    squares = sum(values.size * np.var(np.log(values)) for values in sets)
    return math.sqrt(squares / freedom) if freedom else None


def can_differ(count_a: int, count_b: int, alpha: float = ALPHA) -> bool:
    """Returns whether the two most different sets of these sizes have a p value up to alpha."""
    return 2 / math.comb(count_a + count_b, count_a) <= alpha


def fewest_runs(alpha: float) -> int:
    """Returns how many values each set needs to differ at all."""
    return next(count for count in itertools.count(2) if can_differ(count, count, alpha))


@functools.lru_cache(maxsize=None)
def attained_alpha(count_a: int, count_b: int, alpha: float) -> float:
    """Returns the greatest p value up to alpha that untied sets of these sizes can have."""
    if count_a + count_b > EXACT_WITHOUT_TIES:
        return alpha
    attained = 0.0
    for u in range(count_a * count_b // 2 + 1):
        # `below` values of B lie below all of A, one value lies among A's, and the others lie
        # above.
        below, among = divmod(u, count_a)
        places = [-1.0] * below + [count_a - among - 0.5] + [float(count_a)] * count_b
        b = places[:count_b] + np.linspace(0, 0.1, count_b)
        p_value = float(stats.mannwhitneyu(np.arange(count_a), b, method="exact").pvalue)
        if p_value > alpha:
            break
        attained = p_value
    return attained


@functools.lru_cache(maxsize=None)
def smallest_effect(count_a: int, count_b: int, alpha: float = ALPHA) -> float | None:
    """Returns which difference, in standard deviations, is seen with the chance POWER."""
    if not can_differ(count_a, count_b, alpha):
        return None
    power = TTestIndPower()
    attained = attained_alpha(count_a, count_b, alpha)

    def missing(effect: float) -> float:
        with np.errstate(divide="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            seen = power.power(effect, count_a * EFFICIENCY, attained, ratio=count_b / count_a)
        return float(seen) - POWER

    return float(optimize.brentq(missing, 1e-3, 8))


def runs_needed(share: float, scatter: float | None, alpha: float = ALPHA) -> int | None:
    """Returns how many values each set needs to tell the share; None: unknown, or too many."""
    if scatter is None:
        return None
    spread = scatter

    def tells(count: int) -> bool:
        effect = smallest_effect(count, count, alpha)
        return effect is not None and effect * spread <= math.log1p(share)

    counts = range(2, MOST_RUNS)
    place = bisect.bisect_left(counts, True, key=tells)
    return counts[place] if place < len(counts) else None


def compare(
    a: Sequence[float], b: Sequence[float], resolution: float = 0.0, alpha: float = ALPHA
) -> Comparison:
    """Returns what can be said of two sets, where shares below `resolution` cannot be told, and p
    values up to alpha show a difference. Throws ValueError where a set is empty, or a value is not
    above 0."""
    first, second = checked(a), checked(b)
    above = float(np.sum(np.sign(second[:, None] - first)) + first.size * second.size) / 2
    effect = smallest_effect(first.size, second.size, alpha)
    scatter = scatter_of(first, second)
    tellable = None
    if effect is not None and scatter is not None:
        tellable = max(math.expm1(effect * scatter), resolution)
    median_a, median_b = float(np.median(first)), float(np.median(second))
    counts = (first.size, second.size)
    interval = interval_of(first, second, np.divide) if min(counts) > 1 else None
    chances = (mann_whitney(first, second), above / math.prod(counts), can_differ(*counts, alpha))
    medians = (median_a, median_b, median_b / median_a)
    return Comparison(*counts, *medians, interval, *chances, scatter, tellable)


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns the p values, corrected by Holm."""
    return list(map(float, multipletests(p_values, ALPHA, method="holm")[1])) if p_values else []


def shifts(pairs: Sequence[Sequence[Sequence[float]]]) -> list[Shift]:
    """Returns the differences of B from A in each pair of sets, of any values."""
    corrected = holm([mann_whitney(a, b) for a, b in pairs])
    return [
        Shift(
            *(float(np.median(a)), float(np.median(b))),
            interval_of(a, b, np.subtract) if min(len(a), len(b)) > 1 else None,
            p_value,
        )
        for (a, b), p_value in zip(pairs, corrected)
    ]


def judge_loss(a: Sequence[float], b: Sequence[float], allowed: float, judged: int = 1) -> Verdict:
    """Returns whether B is below A by more than the share `allowed`; a share below 0 asks whether B
    is above A, where more is worse. Each answer takes a one-sided Mann-Whitney test of B against A
    moved by that share. `judged` sets are judged at once: the chance of any false LOST among them
    is ALPHA."""
    first, second = checked(a), checked(b)
    limit = first * (1 - allowed)
    worse, better = ("less", "greater") if allowed >= 0 else ("greater", "less")
    if mann_whitney(second, limit, worse) <= ALPHA / judged:
        return Verdict.LOST
    if mann_whitney(second, limit, better) <= ALPHA:
        return Verdict.KEPT
    return Verdict.UNDECIDED
