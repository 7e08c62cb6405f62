# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where a server no longer keeps up: models of the rate answered, Y, by the rate sent, X, with a
break point c.

Paper 003 has Y = αX + β·min(0, X - c)² + e, which bends the line below c; a server that saturates
bends it above. Neither holds for one that answers up to a limit, nor for one that loses a share of
what is above its limit. AICc, Akaike's criterion for few points, chooses among all of them. No
model is taken whose c lies below rates at which every query was answered, or whose residuals follow
the rate."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.stattools import durbin_watson

from . import ALPHA, Array, SEED
from .samples import Interval, share_at_least

RESAMPLES = 1999
GRID = 241
# Points of the grid on either side of the best break point, ever closer to it: an interval may be
# much narrower than a step of the grid.
CLOSER = 120
# A rate answered is known no better than this share of the greatest rate: counts are whole.
ROUNDING = 1e-9
# No break point is known better than to this share of it: queries are whole, and rates are reached
# nearly.
KNOWN = 1e-4
# How rarely a right model is refused: as others fit better, and as its residuals follow the rate.
REFUSED = 0.01
# Residuals below this share of the greatest rate are no reason to refuse a model.
NEGLIGIBLE = 1e-3


class Shape(enum.Enum):
    """How a server no longer keeps up; the first two are the readings of the paper's model."""

    BELOW = "αX + β·min(0, X - c)²"
    ABOVE = "αX + β·max(0, X - c)²"
    HINGE = "αX + β·max(0, X - c)"
    LIMIT = "α·min(X, c)"


@dataclass(frozen=True)
class Curve:
    """A shape with its figures. `beta` is 0 where the shape has none."""

    shape: Shape
    alpha: float
    beta: float
    breakpoint: float

    def at(self, x: Sequence[float] | Array) -> Array:
        columns = design_of(self.shape, np.asarray(x, dtype=float), self.breakpoint)
        return columns @ [self.alpha, self.beta][: columns.shape[1]]

    def design(self, x: Array) -> Array:
        """Returns what α and β are factors of, and how the model changes with c."""
        rest = x - self.breakpoint
        slope = {
            Shape.BELOW: -2 * self.beta * np.minimum(0, rest),
            Shape.ABOVE: -2 * self.beta * np.maximum(0, rest),
            Shape.HINGE: -self.beta * (rest > 0),
            Shape.LIMIT: self.alpha * (rest > 0),
        }[self.shape]
        return np.column_stack([design_of(self.shape, x, self.breakpoint), slope])


@dataclass(frozen=True)
class Fit(Curve):
    """A model with what its least squares say: the interval of c, if this shape is right; the p
    value of the shape against the others; whether c is apart from the ends of the rates; whether
    every query was answered at rates above the interval."""

    aicc: float
    r_squared: float
    interval: Interval
    p: float
    is_inside: bool
    is_at_odds: bool


@dataclass(frozen=True)
class Model:
    """All models, the chosen one first, then by AICc; p values of the straight line, and of the
    chosen model's residuals, which must not follow the rate. `interval` holds the intervals of all
    models that can be right."""

    fits: tuple[Fit, ...]
    line_alpha: float
    line_aicc: float
    line_p: float
    residuals_p: float
    interval: Interval
    alpha_interval: Interval | None
    beta_interval: Interval | None
    fitted: Array
    residuals: Array
    points: int

    @property
    def chosen(self) -> Fit:
        return self.fits[0]

    @property
    def others(self) -> list[Fit]:
        """Returns the models besides the chosen one that can be right."""
        return can_be_right(self.fits[1:])

    @property
    def line_is_wrong(self) -> bool:
        """Returns whether a straight line is shown to be wrong, however it bends."""
        return self.line_p <= ALPHA

    @property
    def breaks(self) -> bool:
        """Returns whether the line is wrong, and the points are enough for one that bends."""
        return self.line_is_wrong and self.chosen.aicc < self.line_aicc

    @property
    def holds(self) -> bool:
        """Returns whether the chosen model says what was measured, so that its figures count."""
        return not self.chosen.is_at_odds and self.chosen.p > REFUSED and self.residuals_p > REFUSED


def can_be_right(fits: Sequence[Fit]) -> list[Fit]:
    return [one for one in fits if one.p > REFUSED and not one.is_at_odds]


def columns_of(shape: Shape, x: Array, breakpoints: Array) -> Array:
    """Returns what α and β are factors of, (break points, points, one or two)."""
    at = np.asarray(breakpoints, dtype=float)[:, None]
    if shape is Shape.LIMIT:
        return np.minimum(x[None, :], at)[:, :, None]
    rest = x[None, :] - at
    bend = {
        Shape.BELOW: np.square(np.minimum(0, rest)),
        Shape.ABOVE: np.square(np.maximum(0, rest)),
        Shape.HINGE: np.maximum(0, rest),
    }[shape]
    return np.stack([np.broadcast_to(x, bend.shape), bend], axis=2)


def design_of(shape: Shape, x: Array, breakpoint: float) -> Array:
    return columns_of(shape, x, np.array([breakpoint]))[0]


def range_of(shape: Shape, x: Array) -> tuple[float, float]:
    """Returns between which rates c can be: as many rates are on the bent side as it takes to tell
    its figures, two for β and c, one for c alone."""
    rates = np.unique(x)
    if shape is Shape.BELOW:
        return rates[1], rates[-1]
    return rates[0], rates[-1] if shape is Shape.LIMIT else rates[-2]


def parameters_of(shape: Shape) -> int:
    """Returns how many figures are found, without the scatter, which all models have."""
    return 2 if shape is Shape.LIMIT else 3


class Profile:
    """Least squares for each break point of a grid, for many Y at once. The grid grows finer
    towards a break point, if one is given."""

    def __init__(self, shape: Shape, x: Array, towards: float | None = None) -> None:
        low, high = range_of(shape, x)
        self.step = (high - low) / (GRID - 1)
        grid = np.linspace(low, high, GRID)
        if towards is not None:
            away = np.geomspace(self.step * 1e-6, high - low, CLOSER)
            grid = np.unique(np.clip([*grid, towards, *towards - away, *towards + away], low, high))
        self.grid = grid
        columns = columns_of(shape, x, grid)
        bases = np.linalg.qr(columns / columns.max(axis=(0, 1)))[0]  # (grid, points, columns)
        self.bases = bases
        self.flat_bases = bases.transpose(1, 0, 2).reshape(len(x), -1)

    def rss(self, y: Array) -> Array:
        """Returns the squares that the model leaves, (Y's, grid)."""
        projected = np.square(y @ self.flat_bases).reshape(len(y), len(self.grid), -1)
        return np.square(y).sum(axis=1, keepdims=True) - projected.sum(axis=2)

    def residuals(self, y: Array) -> Array:
        bases = self.bases[np.argmin(self.rss(y), axis=1)]
        return y - np.einsum("spc,sc->sp", bases, np.einsum("spc,sp->sc", bases, y))


def floor_of(x: Array) -> float:
    """Returns the squares that no model's residuals are told to be less than."""
    return len(x) * (ROUNDING * float(np.max(x))) ** 2


def information(rss: float, x: Array, parameters: int) -> float:
    """Returns AICc of a least-squares fit: infinite where the points are too few for it."""
    count, figures = len(x), parameters + 1
    if count <= figures + 1:
        return float("inf")
    fit = count * float(np.log(max(rss, floor_of(x)) / count))
    return fit + 2 * figures * count / (count - figures - 1)


def curve_of(shape: Shape, x: Array, y: Array) -> Curve:
    profile = Profile(shape, x)
    near = float(profile.grid[np.argmin(profile.rss(y[None, :])[0])])
    low, high = range_of(shape, x)

    def rss(breakpoint: float) -> float:
        return float(OLS(y, design_of(shape, x, breakpoint)).fit().ssr)

    bounds = (max(low, near - profile.step), min(high, near + profile.step))
    done = optimize.minimize_scalar(rss, method="bounded", bounds=bounds)
    breakpoint = float(done.x) if done.fun <= rss(near) else near
    alpha, *beta = map(float, OLS(y, design_of(shape, x, breakpoint)).fit().params)
    return Curve(shape, alpha, sum(beta), breakpoint)


def fit_shape(shape: Shape, x: Array, y: Array) -> Fit:
    curve = curve_of(shape, x, y)
    samples = samples_of(curve, x, y)
    interval = break_interval(curve, x, y, samples)
    low, high = range_of(shape, x)
    step = (high - low) / (GRID - 1)
    rss = float(np.square(y - curve.at(x)).sum())
    fits = (information(rss, x, parameters_of(shape)), 1 - rss / float(np.square(y).sum()))
    is_inside = low + step < curve.breakpoint < high - step
    is_at_odds = shape is not Shape.BELOW and interval.high < answered_whole(x, y)
    p = shape_p(shape, x, y, samples)
    found = (curve.alpha, curve.beta, curve.breakpoint)
    return Fit(shape, *found, *fits, interval, p, is_inside, is_at_odds)


def answered_whole(x: Array, y: Array) -> float:
    """Returns the highest rate at and below which everything was answered; 0 if there is none."""
    failed = x[y < x * (1 - ROUNDING)]
    kept = x[x < failed.min()] if len(failed) else x
    return float(kept.max(initial=0.0))


def fit(sent: Sequence[float], answered: Sequence[float]) -> Model:
    """Returns the models of the rates answered at the rates sent, each step a point.

    Throws ValueError for fewer than five different rates: four figures are to be found."""
    x, y = np.asarray(sent, dtype=float), np.asarray(answered, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or len(np.unique(x)) < 5:
        raise ValueError("the model needs steps at five different rates at least")
    line = OLS(y, x).fit()
    all_of_them = [fit_shape(shape, x, y) for shape in Shape]
    fits = sorted(all_of_them, key=lambda one: (one.is_at_odds, one.aicc))
    chosen = fits[0]
    possible = [chosen.interval, *(one.interval for one in can_be_right(fits[1:]))]
    fitted = chosen.at(x)
    straight = (float(line.params[0]), information(float(line.ssr), x, 1), straight_p(x, y))
    around = Interval(min(one.low for one in possible), max(one.high for one in possible))
    left, linear = residuals_p(chosen, x, y), linear_intervals(chosen, x, y)
    return Model(tuple(fits), *straight, left, around, *linear, fitted, y - fitted, len(x))


def straight_p(x: Array, y: Array) -> float:
    """Returns the p value of Y = αX against all shapes: how often samples of the straight line,
    by the wild bootstrap, gain as much from a break."""
    line = OLS(y, x).fit()
    leverage = np.square(x) / np.square(x).sum()
    samples = line.fittedvalues + signs_for(x) * line.resid / np.sqrt(1 - leverage)
    return share_at_least(gain_of_break(x, np.vstack([y, samples])))


def gain_of_break(x: Array, y: Array) -> Array:
    """Returns for each Y what a straight line leaves, relative to what the best shape leaves."""
    straight = np.square(y).sum(axis=1) - np.square(y @ x) / np.square(x).sum()
    best = np.minimum.reduce([Profile(shape, x).rss(y).min(axis=1) for shape in Shape])
    return straight / np.maximum(best, floor_of(x))


def signs_for(x: Array) -> Array:
    return np.random.default_rng(SEED).choice([-1.0, 1.0], size=(RESAMPLES, len(x)))


def shape_p(shape: Shape, x: Array, y: Array, samples: Array) -> float:
    """Returns the p value of a shape against the others: how often its samples, by the wild
    bootstrap, gain as much from the best shape."""
    values = np.vstack([y, samples])
    least = {one: Profile(one, x).rss(values).min(axis=1) for one in Shape}
    best = np.maximum(np.minimum.reduce(list(least.values())), floor_of(x))
    return share_at_least(np.maximum(least[shape], floor_of(x)) / best)


def residuals_p(chosen: Curve, x: Array, y: Array) -> float:
    """Returns the p value of the chosen model's residuals: how often residuals of its own samples,
    by the wild bootstrap, follow the rate as closely by Durbin and Watson's statistic. Repetitions
    at a rate are neighbours, too: a shape that misses a rate misses all of them on one side."""
    if np.abs(y - chosen.at(x)).max() <= NEGLIGIBLE * x.max():
        return 1.0
    order = np.argsort(x, kind="stable")
    profile = Profile(chosen.shape, x, chosen.breakpoint)
    values = np.vstack([y, samples_of(chosen, x, y)])
    found = durbin_watson(profile.residuals(values)[:, order], axis=1)
    return float(np.mean(found <= found[0] * (1 + 1e-9)))


def linear_intervals(chosen: Curve, x: Array, y: Array) -> tuple[Interval | None, Interval | None]:
    """Returns the intervals of α and β, by Student's t with HC3 errors; None: undefined."""
    design = chosen.design(x)
    scales = np.maximum(np.abs(design).max(axis=0), 1e-300)
    with np.errstate(divide="ignore", invalid="ignore"):
        done = OLS(y, design / scales).fit(cov_type="HC3", use_t=True).conf_int(ALPHA)
    if not np.isfinite(done).all():
        # A point alone decides a figure, and leaves no error to tell.
        return None, None
    found = [Interval(*map(float, row / scale)) for row, scale in zip(done[:-1], scales)]
    return found[0], found[1] if len(found) > 1 else None


def samples_of(curve: Curve, x: Array, y: Array) -> Array:
    """Returns samples of a model by the wild bootstrap: each residual stays at its rate, with a
    random sign, as a server scatters more beyond its break than before it. Residuals are made
    larger by what the fit took from them (HC3)."""
    design, fitted = curve.design(x), curve.at(x)
    basis = np.linalg.qr(design / np.maximum(np.abs(design).max(axis=0), 1e-300))[0]
    leverage = np.minimum(np.square(basis).sum(axis=1), 0.99)
    return fitted + signs_for(x) * (y - fitted) / (1 - leverage)


def break_interval(curve: Curve, x: Array, y: Array, samples: Array) -> Interval:
    """Returns the interval of c, if the shape is right.

    The interval holds all break points at which the model leaves no more of Y, relative to what
    its best break point leaves, than 95 % of the samples do at the break point they were made
    with. It holds the truth more often than the percentiles of the samples' own break points,
    which are skewed."""
    profile = Profile(curve.shape, x, curve.breakpoint)
    made_with = int(np.searchsorted(profile.grid, curve.breakpoint))

    def excess(values: Array) -> Array:
        rss = profile.rss(values)
        least = np.maximum(rss.min(axis=1, keepdims=True), floor_of(x))
        return rss / least - 1

    # Equal scatter everywhere would make this F, which the samples of short sweeps fall short of.
    freedom = len(x) - parameters_of(curve.shape)
    limit = max(
        float(np.quantile(excess(samples)[:, made_with], 1 - ALPHA)),
        float(stats.f.ppf(1 - ALPHA, 1, freedom)) / freedom,
    )
    kept = np.append(profile.grid[excess(y[None, :])[0] <= limit], curve.breakpoint)
    return Interval(float(kept.min()) * (1 - KNOWN), float(kept.max()) * (1 + KNOWN))
