# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Factors that matter, by how much, and levels that differ (paper 003: ANOVA, Tukey's HSD)."""

import itertools
import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas
from patsy import build_design_matrices
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm
from statsmodels.stats.oneway import anova_oneway

from . import ALPHA, Array, Tested
from .samples import Interval

# Above this many values, Shapiro and Wilk's p is not exact.
MOST_FOR_SHAPIRO = 5000


@dataclass(frozen=True)
class Effect:
    """A factor, or an interaction of two. `eta` and `omega`, without what chance explains, are
    shares of the scatter that all other effects leave."""

    factors: tuple[str, ...]
    squares: float
    freedom: float
    f_value: float
    p_value: float
    eta: float
    omega: float

    @property
    def matters(self) -> bool:
        return self.p_value <= ALPHA


@dataclass(frozen=True)
class Pair(Tested):
    """Two levels of a factor: how much the first mean is above the second, of logarithms as a
    share, with an interval that holds for all pairs at once."""

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float


@dataclass(frozen=True)
class Levels:
    """The levels of one factor, greatest mean first. Levels that share a letter do not differ."""

    factor: str
    names: tuple[str, ...]
    means: tuple[float, ...]
    counts: tuple[int, ...]
    letters: tuple[str, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Assumptions:
    """p values that residuals are normal, and that all cells scatter alike; None: not defined.
    `welch` is the p value, of cells' means, of an ANOVA that assumes neither equal scatter."""

    normal: float | None
    equal: float | None
    welch: float | None

    @property
    def hold(self) -> bool:
        return all(p_value is None or p_value > ALPHA for p_value in (self.normal, self.equal))


@dataclass(frozen=True)
class Analysis:
    """`fitted` and `residuals` are in the order of the values, and logarithms if `logarithm`."""

    effects: tuple[Effect, ...]
    residual_squares: float
    residual_freedom: float
    levels: tuple[Levels, ...]
    assumptions: Assumptions
    logarithm: bool
    why_no_interactions: str
    fitted: Array
    residuals: Array


def compact_letters(names: Sequence[str], different: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Returns letters for each name, so that two names share one exactly where they are not in
    `different`: insert and absorb (Piepho, 2004), in the order of the names."""
    groups = [set(names)]
    for first, second in different:
        for group in [one for one in groups if first in one and second in one]:
            groups.remove(group)
            for smaller in (group - {first}, group - {second}):
                if not any(smaller <= other for other in groups):
                    groups = [other for other in groups if not other < smaller] + [smaller]
    place = {name: number for number, name in enumerate(names)}
    groups.sort(key=lambda group: sorted(place[name] for name in group))
    lettered = [(letter_of(number), group) for number, group in enumerate(groups)]
    return tuple("".join(letter for letter, group in lettered if one in group) for one in names)


def letter_of(number: int) -> str:
    """Returns a, b, ..., z, a1, b1, ..."""
    turn, place = divmod(number, len(string.ascii_lowercase))
    return string.ascii_lowercase[place] + (str(turn) if turn else "")


def tukey(model: Any, column: str, factor: str, logarithm: bool) -> Levels:
    """Returns which levels of a factor differ by Tukey's HSD (and Kramer's), with compact letters.
    A level's mean is the model's, over all combinations of the other factors' levels alike."""
    frame = model.model.data.frame
    levels = {name: sorted(frame[name].unique()) for name in frame.columns if name != "y"}
    grid = pandas.DataFrame(itertools.product(*levels.values()), columns=list(levels))
    (design,) = build_design_matrices([model.model.data.design_info], grid)
    points = np.asarray(design)
    rows = {one: points[(grid[column] == one).to_numpy()].mean(axis=0) for one in levels[column]}
    means = {level: float(row @ model.params.to_numpy()) for level, row in rows.items()}
    names = sorted(means, key=lambda level: (-means[level], level))
    together = (len(names), model.df_resid)
    widest = float(stats.studentized_range.ppf(1 - ALPHA, *together)) / math.sqrt(2)
    pairs = []
    for first, second in itertools.combinations(names, 2):
        test = model.t_test(rows[first] - rows[second])
        difference, error = float(np.squeeze(test.effect)), float(np.squeeze(test.sd))
        p_value = stats.studentized_range.sf(abs(difference) / error * math.sqrt(2), *together)
        around = Interval(difference - widest * error, difference + widest * error)
        pairs.append(Pair(first, second, difference, around, min(1.0, float(p_value))))
    letters = compact_letters(names, [(pair.first, pair.second) for pair in pairs if pair.differs])
    if logarithm:
        pairs = [as_share(pair) for pair in pairs]
    middles = tuple(math.exp(means[name]) if logarithm else means[name] for name in names)
    counts = tuple(int((frame[column] == name).sum()) for name in names)
    return Levels(factor, tuple(names), middles, counts, letters, tuple(pairs))


def as_share(pair: Pair) -> Pair:
    """Returns the difference of logarithms as a share: 0.05 is 5 % more."""
    around = Interval(math.expm1(pair.interval.low), math.expm1(pair.interval.high))
    return replace(pair, difference=math.expm1(pair.difference), interval=around)


def assumptions_of(residuals: Array, cells: Sequence[Array]) -> Assumptions:
    largest = float(np.abs(np.concatenate(list(cells))).max())
    spread = float(np.ptp(residuals)) > 1e-12 * max(largest, 1e-300)
    repeated = [cell for cell in cells if len(cell) > 1]
    normal = equal = welch = None
    if spread and len(residuals) >= 3:
        normal = float(stats.shapiro(residuals[:MOST_FOR_SHAPIRO]).pvalue)
    if spread and len(repeated) > 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            equal = finite(stats.levene(*repeated, center="median").pvalue)
        if all(np.ptp(cell) > 0 for cell in repeated):
            welch = finite(anova_oneway(repeated, use_var="unequal").pvalue)
    return Assumptions(normal, equal, welch)


def finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def analyse(
    factors: Mapping[str, Sequence[str]], values: Sequence[float], logarithm: bool = False
) -> Analysis:
    """Returns the ANOVA (type II) of the values by each factor's levels, with interactions of two
    where all combinations were measured, more than once. Throws ValueError where no factor has two
    levels, or there are no more values than effects."""
    all_of_them = {name: list(map(str, levels)) for name, levels in factors.items()}
    varying = {name: levels for name, levels in all_of_them.items() if len(set(levels)) > 1}
    if not varying:
        raise ValueError("no factor has two levels")
    array = np.asarray(values, dtype=float)
    if logarithm:
        array = np.log(array)
    frame = pandas.DataFrame({f"f{place}": of for place, of in enumerate(varying.values())})
    frame["y"] = array
    columns = {f"f{number}": name for number, name in enumerate(varying)}
    by = list(columns) if len(columns) > 1 else "f0"
    cells = [group["y"].to_numpy() for _, group in frame.groupby(by)]
    possible = math.prod(frame[column].nunique() for column in columns)
    why = ""
    if len(columns) > 1 and len(cells) < possible:
        why = f"{possible - len(cells)} of {possible} combinations of levels were not measured"
    elif len(columns) > 1 and len(array) <= len(cells):
        why = "each combination of levels was measured once"
    terms = [f"C({column})" for column in columns]
    if len(columns) > 1 and not why:
        terms += [f"C({one}):C({other})" for one, other in itertools.combinations(columns, 2)]
    model = ols("y ~ " + " + ".join(terms), frame).fit()
    if model.df_resid < 1:
        raise ValueError("there are no more values than effects: repeat the searches")
    if np.linalg.matrix_rank(model.model.exog) < model.model.exog.shape[1]:
        raise ValueError("two factors always vary together: their effects cannot be told apart")
    if model.ssr <= 1e-20 * float(np.square(array).sum()):
        raise ValueError("the values of each combination of levels are all equal: no scatter")
    table = anova_lm(model, typ=2)
    squares, freedom = float(table.loc["Residual", "sum_sq"]), float(table.loc["Residual", "df"])
    noise = squares / freedom
    effects = []
    for term, row in table.drop("Residual").iterrows():
        names = tuple(columns[part.strip()[2:-1]] for part in str(term).split(":"))
        effect_squares, effect_freedom = float(row["sum_sq"]), float(row["df"])
        excess = effect_squares - effect_freedom * noise
        tests = (float(row["F"]), float(row["PR(>F)"]))
        eta = effect_squares / (effect_squares + squares)
        omega = excess / (effect_squares + (len(array) - effect_freedom) * noise)
        effects.append(Effect(names, effect_squares, effect_freedom, *tests, eta, max(0.0, omega)))
    residuals = model.resid.to_numpy()
    levels = tuple(tukey(model, column, name, logarithm) for column, name in columns.items())
    assumed, fitted = assumptions_of(residuals, cells), model.fittedvalues.to_numpy()
    found = (tuple(effects), squares, freedom, levels, assumed)
    return Analysis(*found, logarithm, why, fitted, residuals)
