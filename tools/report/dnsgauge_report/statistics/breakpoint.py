# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The break-point model of paper 003: Y = αX + β·hinge(X - c)² + e.

X is the rate sent, Y the rate answered, c the break point. The paper prints min(0, X - c), which
bends the line below c; a server that saturates bends it above, max(0, X - c). Both are fitted, and
the one with the lower AIC is taken."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats
from statsmodels.regression.linear_model import OLS

from . import ALPHA, Array, SEED
from .samples import Interval

RESAMPLES = 1999
GRID = 241
# A rate answered is known no better than this share of the greatest rate: counts are whole.
ROUNDING = 1e-9


class Hinge(enum.Enum):
    """Where the line bends: the two readings of the paper's model."""

    BELOW = "min(0, X - c)"
    ABOVE = "max(0, X - c)"


@dataclass(frozen=True)
class Fit:
    """One reading of the model. Intervals hold with 1 - ALPHA. `is_inside`: whether c is apart
    from the ends of the rates, where it would say nothing."""

    hinge: Hinge
    alpha: float
    beta: float
    breakpoint: float
    aic: float
    r_squared: float
    is_inside: bool


@dataclass(frozen=True)
class Model:
    """The reading with the lower AIC, its intervals, and what it is chosen over. `line_p` is the p
    value of the straight line: by AIC alone, too many straight lines would have a break."""

    chosen: Fit
    other: Fit
    line_alpha: float
    line_aic: float
    line_p: float
    interval: Interval
    alpha_interval: Interval | None
    beta_interval: Interval | None
    fitted: Array
    residuals: Array
    points: int

    @property
    def breaks(self) -> bool:
        """Returns whether there is a break point to speak of."""
        return self.line_p <= ALPHA and self.chosen.aic < self.line_aic


def hinge_of(hinge: Hinge, x: Array, breakpoints: Array) -> Array:
    """Returns hinge(x - c)², a row for each break point."""
    rest = x[None, :] - np.asarray(breakpoints, dtype=float)[:, None]
    return np.square(np.minimum(0, rest) if hinge is Hinge.BELOW else np.maximum(0, rest))


def predict(fit: Fit, x: Sequence[float]) -> Array:
    """Returns the rates answered that the model says."""
    array = np.asarray(x, dtype=float)
    return fit.alpha * array + fit.beta * hinge_of(fit.hinge, array, np.array([fit.breakpoint]))[0]


def range_of(hinge: Hinge, x: Array) -> tuple[float, float]:
    """Returns between which rates c can be: two rates at least must be on the bent side."""
    rates = np.unique(x)
    return (rates[1], rates[-1]) if hinge is Hinge.BELOW else (rates[0], rates[-2])


class Profile:
    """Least squares for each break point of a grid, for many Y at once."""

    def __init__(self, hinge: Hinge, x: Array, *more: float) -> None:
        low, high = range_of(hinge, x)
        self.step = (high - low) / (GRID - 1)
        self.grid = np.sort(np.append(np.linspace(low, high, GRID), more))
        bends = hinge_of(hinge, x, self.grid)
        design = np.stack(
            [np.broadcast_to(x / np.max(x), bends.shape), bends / np.max(bends)], axis=2
        )
        bases = np.linalg.qr(design)[0]  # (grid, points, 2)
        self.flat_bases = bases.transpose(1, 0, 2).reshape(len(x), -1)

    def rss(self, y: Array) -> Array:
        """Returns the squares that the model leaves, (Y's, grid)."""
        explained = np.square(y @ self.flat_bases).reshape(len(y), len(self.grid), 2).sum(axis=2)
        return np.square(y).sum(axis=1, keepdims=True) - explained


def design_of(hinge: Hinge, x: Array, breakpoint: float) -> Array:
    return np.column_stack([x, hinge_of(hinge, x, np.array([breakpoint]))[0]])


def information(rss: float, x: Array, parameters: int) -> float:
    """Returns Akaike's criterion of a least-squares fit. `parameters` leaves out the scatter,
    which all models have."""
    floor = len(x) * (ROUNDING * float(np.max(x))) ** 2
    return len(x) * float(np.log(max(rss, floor) / len(x))) + 2 * (parameters + 1)


def fit_hinge(hinge: Hinge, x: Array, y: Array) -> Fit:
    """Returns the least-squares fit of one reading."""
    profile = Profile(hinge, x)
    near = float(profile.grid[np.argmin(profile.rss(y[None, :])[0])])
    low, high = range_of(hinge, x)

    def rss(breakpoint: float) -> float:
        return float(OLS(y, design_of(hinge, x, breakpoint)).fit().ssr)

    bounds = (max(low, near - profile.step), min(high, near + profile.step))
    done = optimize.minimize_scalar(rss, method="bounded", bounds=bounds)
    breakpoint = float(done.x) if done.fun <= rss(near) else near
    fit = OLS(y, design_of(hinge, x, breakpoint)).fit()
    inside = low + profile.step < breakpoint < high - profile.step
    return Fit(
        hinge,
        float(fit.params[0]),
        float(fit.params[1]),
        breakpoint,
        information(float(fit.ssr), x, 3),
        float(fit.rsquared),
        inside,
    )


def fit(sent: Sequence[float], answered: Sequence[float]) -> Model:
    """Returns the model of the rates answered at the rates sent, each step a point.

    Throws ValueError for fewer than five different rates: four figures are to be found."""
    x, y = np.asarray(sent, dtype=float), np.asarray(answered, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or len(np.unique(x)) < 5:
        raise ValueError("the model needs steps at five different rates at least")
    line = OLS(y, x).fit()
    chosen, other = sorted((fit_hinge(hinge, x, y) for hinge in Hinge), key=lambda one: one.aic)
    line_aic = information(float(line.ssr), x, 1)
    fitted = predict(chosen, x)
    return Model(
        chosen,
        other,
        float(line.params[0]),
        line_aic,
        straight_p(x, y),
        break_interval(chosen, x, y, fitted),
        *linear_intervals(chosen, x, y),
        fitted,
        y - fitted,
        len(x),
    )


def straight_p(x: Array, y: Array) -> float:
    """Returns the p value of Y = αX against both readings: how often samples of the straight line,
    by the wild bootstrap, gain as much from a break."""
    line = OLS(y, x).fit()
    leverage = np.square(x) / np.square(x).sum()
    samples = line.fittedvalues + signs_for(x) * line.resid / np.sqrt(1 - leverage)
    gains = gain_of_break(x, np.vstack([y, samples]))
    return float(np.mean(gains >= gains[0] * (1 - 1e-9)))


def gain_of_break(x: Array, y: Array) -> Array:
    """Returns for each Y what a straight line leaves, relative to what the better reading
    leaves."""
    straight = np.square(y).sum(axis=1) - np.square(y @ x) / np.square(x).sum()
    best = np.minimum(*(Profile(hinge, x).rss(y).min(axis=1) for hinge in Hinge))
    floor = len(x) * (ROUNDING * float(np.max(x))) ** 2
    return straight / np.maximum(best, floor)


def signs_for(x: Array) -> Array:
    """Returns random signs for all points of RESAMPLES samples."""
    return np.random.default_rng(SEED).choice([-1.0, 1.0], size=(RESAMPLES, len(x)))


def linear_intervals(chosen: Fit, x: Array, y: Array) -> tuple[Interval | None, Interval | None]:
    """Returns the intervals of α and β; None: not defined. Student's t with HC3 errors, of the
    model made linear in c."""
    scales = np.array([x.max(), np.square(np.ptp(x)), abs(chosen.beta) * np.ptp(x) or 1.0])
    design = np.column_stack([design_of(chosen.hinge, x, chosen.breakpoint), slope_of(chosen, x)])
    with np.errstate(divide="ignore", invalid="ignore"):
        done = OLS(y, design / scales).fit(cov_type="HC3", use_t=True).conf_int(ALPHA)
    if not np.isfinite(done).all():
        # A point alone decides a figure, and leaves no error to tell.
        return None, None
    alpha, beta = (Interval(*map(float, row / scale)) for row, scale in zip(done[:2], scales))
    return alpha, beta


def break_interval(chosen: Fit, x: Array, y: Array, fitted: Array) -> Interval:
    """Returns the interval of c by the wild bootstrap: each residual stays at its rate, with a
    random sign, as a server scatters more behind its break than before it. Residuals are made
    larger by what the fit took from them (HC3).

    The interval holds all break points at which the model leaves no more of Y, relative to what
    its best break point leaves, than 95 % of the samples do at the break point they were made
    with. It holds the truth more often than the percentiles of the samples' own break points,
    which are skewed."""
    design = np.column_stack([design_of(chosen.hinge, x, chosen.breakpoint), slope_of(chosen, x)])
    basis = np.linalg.qr(design / np.maximum(np.abs(design).max(axis=0), 1e-300))[0]
    leverage = np.minimum(np.square(basis).sum(axis=1), 0.99)
    samples = fitted + signs_for(x) * (y - fitted) / (1 - leverage)
    profile = Profile(chosen.hinge, x, chosen.breakpoint)
    made_with = int(np.searchsorted(profile.grid, chosen.breakpoint))
    floor = len(x) * (ROUNDING * float(np.max(x))) ** 2

    def excess(values: Array) -> Array:
        rss = profile.rss(values)
        least = np.maximum(rss.min(axis=1, keepdims=True), floor)
        return rss / least - 1

    # Equal scatter everywhere would make this F, which the samples of short sweeps fall short of.
    freedom = len(x) - 3
    limit = max(
        float(np.quantile(excess(samples)[:, made_with], 1 - ALPHA)),
        float(stats.f.ppf(1 - ALPHA, 1, freedom)) / freedom,
    )
    kept = np.append(profile.grid[excess(y[None, :])[0] <= limit], chosen.breakpoint)
    return Interval(float(kept.min()), float(kept.max()))


def slope_of(fit: Fit, x: Array) -> Array:
    """Returns how the model changes with its break point."""
    rest = x - fit.breakpoint
    return (
        -2 * fit.beta * (np.minimum(0, rest) if fit.hinge is Hinge.BELOW else np.maximum(0, rest))
    )
