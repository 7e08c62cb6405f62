# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What probes saw of the queries in the server's kernel: how long stages took, what became of the
queries."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import gmean

from ..charts.stages import PARTS, STAGES, fates_by_rate_chart, fates_chart, sides_chart
from ..document import Cell, Chart, Section, Table
from ..drawing import Curves
from ..grouped import grouped
from ..kinds.base import sentence
from ..kinds.probe import LEFT, added, flows_of, left_name, lost_names
from ..quantities import count_text, duration_text, listing, p_text, percent_text, rate_text
from ..quantities import reach_text
from ..statistics import samples
from ..tables import members
from ..view import View
from .figures import (
    Figures,
    Told,
    change_sentence,
    change_sentences,
    ratios_chart,
    table_of,
    tell_all,
)

# Trials of A, and of B.
Sides = Sequence[Sequence[View]]


def shared_stages(results: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Returns the stages that all results tell, from the same moment to the same moment, and those
    that only some tell so: where some lack a stage, it is a part of another one."""
    told, by_all = set().union(*results), set(results[0]).intersection(*results)
    unlike = told - by_all
    shared = [one for one in STAGES if one in by_all and not unlike & {*PARTS.get(one, ())}]
    return shared, [one for one in STAGES if one in told and one not in shared]


def stages_sections(trials: Mapping[float, Sides], drawn: Sequence[Chart] = ()) -> list[Section]:
    """Returns which stage in the server's kernel became slower, run by run as means over the rates.
    Returns nothing where no rate has stages in all runs. `drawn` is told of a single rate, whose
    medians are compared, too."""
    kept = {
        rate: [[one.probe.times for one in of if one.probe and one.probe.stages] for of in sides]
        for rate, sides in trials.items()
    }
    # A run that lacks stages at a rate has no mean over the rates.
    at = {
        rate: sides
        for rate, sides in kept.items()
        if all(sides) and (len(kept) == 1 or [*map(len, sides)] == [*map(len, trials[rate])])
    }
    results = [one for sides in at.values() for side in sides for one in side]
    if not results:
        return []
    names, others = shared_stages(results)
    rate, *more = at
    over = ", a geometric mean of each run over the rates" if more else f" at {rate_text(rate)}"
    why = "some results lack them, or tell a part of them as another stage"
    lacking = f"These stages are not compared, because {why}: {listing(others)}."
    findings, tables = [lacking] if others else [], []
    for place, what in enumerate(("mean",) if more else ("mean", "median")):
        figures = []
        for name in names:
            every = (
                [[one[name][place] for one in side] for side in sides] for sides in at.values()
            )
            # A stage that takes no time has no ratio.
            if times := [sides for sides in every if min(*sides[0], *sides[1]) > 0]:
                over_a, over_b = (gmean(side).tolist() for side in zip(*times))
                figures.append(Figures(f"{what} of stage {name}", "ns", over_a, over_b, False))
        told = tell_all(figures)
        if what == "mean":
            findings += change_sentences(told, "No stage's mean is shown to differ.")
            findings += most_changed(told)
            charts = [ratios_chart(told, "stages")] if told and more else [*drawn]
        else:
            findings += [change_sentence(one) for one in told if one.differs]
        tables.append(table_of(told, f"{what.capitalize()}s of stages{over}: B against A"))
    title = f"Stages in the server's kernel{' over all rates' if more else over}"
    if not more:
        return [Section(title, findings, [], charts, tables)]
    # The medians of A's and of B's runs.
    curves = []
    for name in names:
        runs = ([[one[name][0] for one in side] for side in sides] for sides in at.values())
        medians = [[float(np.median(side)) for side in sides] for sides in runs]
        curves.append((name, [(rate, *both) for rate, both in zip(at, medians)]))
    rows: list[Sequence[Cell]] = [
        (rate, *(" → ".join(map(duration_text, points[turn][1:])) for _, points in curves))
        for turn, rate in enumerate(at)
    ]
    heads = ("queries/s", *names)
    tables.append(Table("Means of stages, medians of A's and of B's runs: A → B", heads, rows))
    findings += changes_by_rate(curves)
    return [Section(title, findings, [], [*charts, sides_chart(curves)], tables)]


def changes_by_rate(curves: Curves) -> list[str]:
    """Returns which stage grew most at which rates, in figures; nothing where one did at all."""
    each = ((rate, (b - a, name, rate, a, b)) for name, points in curves for rate, a, b in points)
    largest = [max(gains) for gains in grouped(each).values()]
    grew = grouped((name, times) for gain, name, *times in largest if gain > 0)
    if len(grew) < 2:
        return []
    said = [
        f"at {listing([rate_text(rate) for rate, *_ in found])} stage {name} grew most (at"
        f" {rate_text(found[-1][0])} from {' to '.join(map(duration_text, found[-1][1:]))})"
        for name, found in grew.items()
    ]
    return [sentence("; ".join(said))]


def most_changed(told: Sequence[Told]) -> list[str]:
    """Returns which figure, if any, became longer by most, as a figure and no conclusion."""
    gains = [(one.comparison.median_b - one.comparison.median_a, at) for at, one in enumerate(told)]
    gain, at = max(gains, default=(0.0, 0))
    if gain <= 0:
        return []
    what, one = told[at].figures.what, told[at].comparison
    counts = f"medians of {one.count_a} and {one.count_b} runs"
    grew = f"from {duration_text(one.median_a)} to {duration_text(one.median_b)} ({counts})"
    return [f"By its size the {what} grew most: {grew}."]


def fates_sections(rates: Sequence[float], runs: Sequence[Sides]) -> list[Section]:
    """Returns what became of the queries at the server, of the runs of A and of B, which have a
    trial at each of these rates. Returns nothing where a side has no probe, where a fate is not
    known, or where no query was lost."""
    sides = [[run for run in side if all(one.probe for one in run)] for side in runs]
    trials = [one for side in sides for run in side for one in run]
    whole, flows = flows_of([one.probe for one in trials], [one.sent for one in trials])
    names = lost_names(flow.losses for flow in flows)
    if not all(sides) or not names or not all(flow.total for flow in flows):
        return []
    in_turn = iter(flows)
    at_rates = [[[next(in_turn) for _ in run] for run in side] for side in sides]
    by_run = [[added(run) for run in side] for side in at_rates]
    both = [added(side) for side in by_run]
    told = samples.shifts([[[one.share(name) for one in of] for of in by_run] for name in names])
    counts = f"N = {len(sides[0])} and {len(sides[1])} runs; Mann-Whitney, "
    corrected = f" corrected by Holm for {len(names)} fates" if len(names) > 1 else ""
    lost = [f"{count_text(one.total - one.left)} of {count_text(one.total)}" for one in both]
    left = left_name(names)
    what = "lost" if left == LEFT else "lost or late"
    findings = [f"The probe saw {lost[0]} queries of A {what}, and {lost[1]} of B."]
    findings += [
        f"{name}: {points_text(one)} of B's queries than of A's (medians"
        f" {percent_text(one.median_b)} and {percent_text(one.median_a)} %;"
        f" {counts}{p_text(one.p_value)}{corrected})."
        for name, one in zip(names, told)
        if one.differs
    ]
    if len(findings) == 1:
        ends = {name: [flow.share(name) for flow in both] for name in names}
        at = max(names, key=lambda name: abs(ends[name][1] - ends[name][0]))
        change, p_value = map(percent_text, ends[at]), told[names.index(at)].p_value
        findings.append(
            f"{at} changed by most, from {' to '.join(change)} % of the queries. That is not shown"
            f" to be more than chance ({counts}{p_text(p_value)}{corrected})."
        )
    rows: list[Sequence[Cell]] = [(whole, *(flow.total for flow in both), *[None] * 6)]
    for name, one in zip(names, told):
        figures = members(one, "median_a|4 median_b|4 shift|4 interval.low|4 interval.high|4")
        counted = [flow.losses.get(name, 0) for flow in both]
        rows.append((name, *counted, *figures, *members(one, "p_value|4g")))
    rows.append((left, *(flow.left for flow in both), *[None] * 6))
    heads = "fate;A;B;median A, %;median B, %;B - A, points;from;to;p".split(";")
    notes = ["from, to: 95 % interval of the difference of medians, by bootstrap."]
    notes.append(f"p: Mann-Whitney{corrected}.")
    where = f"at {rate_text(rates[0])}" if len(rates) == 1 else "over all rates"
    title = f"What became of queries {where}"
    tables = [Table(f"{title}: all runs of A and of B", heads, rows, notes)]
    if len(rates) == 1:
        one_rate = fates_chart(whole, names, list(zip("AB", both)), left)
        return [Section(title, findings, [], [one_rate], tables)]
    by_rate = [[added(at) for at in zip(*side)] for side in at_rates]
    curves = [
        (name, [(rate, *(one.share(name) for one in of)) for rate, *of in zip(rates, *by_rate)])
        for name in names
    ]
    return [Section(title, findings, [], [fates_by_rate_chart(curves)], tables)]


def points_text(one: samples.Shift) -> str:
    """Returns "2.1 to 4 percentage points more" of what differs, or "more" alone."""
    way = "more" if one.median_b > one.median_a else "less"
    if one.interval is None or one.interval.holds(0):
        return way
    ends = [abs(end) for end in (one.interval.low, one.interval.high)]
    return f"{reach_text(ends, '{:.2g}'.format)} percentage points {way}"
