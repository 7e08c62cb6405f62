# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Shares answered at the same rates, a vector of each run, and how long the answers took."""

from collections.abc import Sequence
from typing import Any

from ..document import Chart, Section, Table
from ..drawing import BANDS, INK, draw_curves, legend_above
from ..errors import ReportError
from ..kinds.sweep import Step, Sweep
from ..kinds.trial import Trial, latencies_of, shaded
from ..quantities import listing, p_text, plural, rate_axis, rate_text, reach_text, some
from ..statistics import latency, vectors
from ..statistics.vectors import VectorComparison
from ..tables import members
from .figures import Figures, Judged, change_sentences, percent, table_of, tell_all

Runs = Sequence[Sequence[float]]
# The runs of A and of B, each with a step at every rate.
Sides = Sequence[Sequence[Sequence[Step]]]


def runs_of(a: Sequence[Sweep], b: Sequence[Sweep]) -> tuple[list[float], Sides]:
    """Returns the rates, and the runs of A and of B, which have a step at each rate. Throws
    ReportError where rates, or the numbers of steps at a rate, differ."""
    rates = [sorted({rate for one in side for rate in one.rates}) for side in (a, b)]
    if any(one.rates != rates[0] for one in [*a, *b]):
        labels = some([one.label for one in [*a, *b]])
        of_a, of_b = (listing([rate_text(rate) for rate in side]) for side in rates)
        raise ReportError(f"{labels}: A has trials at {of_a}, B at {of_b}: compare the same rates")
    return rates[0], [[run for one in side for run in one.runs()] for side in (a, b)]


def response_chart(rates: Sequence[float], a: Runs, b: Runs, comparison: VectorComparison) -> Chart:
    sides = (("A", a), ("B", b))
    curves = [
        (name, [(rate, min(at), sum(at) / len(at), max(at)) for rate, *at in zip(rates, *runs)])
        for name, runs in sides
    ]

    def draw(axes: Any) -> None:
        draw_curves(axes, curves, (2,), reach=(1, 3), dashed=True)
        low, high = axes.get_ylim()
        differing = [rate for rate, step in zip(rates, comparison.components) if step.differs]
        if differing:
            looks = {"marker": "^", "clip_on": False, "zorder": 4, "label": "differs"}
            axes.scatter(differing, [low] * len(differing), s=18, color=INK, **looks)
        axes.set_ylim(low, high)
        rate_axis(axes.xaxis, "queries/s sent", 6)
        axes.set_ylabel("% answered")
        legend_above(axes)

    found = [(name, *one) for name, runs in sides for one in enumerate(runs, 1)]
    data = [(name, number, *one) for name, number, run in found for one in zip(rates, run)]
    caption = f"{BANDS} N = {comparison.count_a} (A) and {comparison.count_b} (B) runs."
    heads = "set run rate percent_answered"
    return Chart("response-rates", "Response rates of A and B", caption, heads, data, draw)


def vector_sentences(rates: Sequence[float], one: VectorComparison) -> list[str]:
    counts = f"{one.count_a} and {one.count_b} runs"
    method = f"{one.method.value}, {p_text(one.p_value)}"
    if one.method is vectors.Method.EQUAL:
        return [f"A and B answered the same share at every rate, in every run (N = {counts})."]
    steps = [(rate, step) for rate, step in zip(rates, one.components) if step.differs]
    if not one.differs:
        if not one.can_differ:
            return [f"With {counts} no difference can be shown, however large: 4 and 4 are needed."]
        widest = max(step.margin for step in one.components)
        return [
            f"No difference of response rates is shown ({method}; N = {counts}).",
            f"They are known to {widest:.2g} percentage points at every rate.",
        ]
    texts = [f"The response rates of A and B differ ({method}; N = {counts})."]
    for more, word in ((True, "more"), (False, "less")):
        some = [(rate, step) for rate, step in steps if (step.mean_b > step.mean_a) == more]
        if some:
            by = reach_text([abs(step.mean_b - step.mean_a) for _, step in some], "{:.2g}".format)
            at = listing([rate_text(rate) for rate, _ in some])
            texts.append(f"B answers {by} percentage points {word} at {at}.")
    if not steps:
        texts.append("No single rate shows a difference: the rates differ together.")
    return texts


def vector_section(rates: Sequence[float], sides: Sides) -> Section:
    a, b = ([[step.share for step in run] for run in side] for side in sides)
    if min(len(a), len(b)) < 2:
        why = "Response rates cannot be tested: it takes two runs of A and of B at least, four to"
        why += f" find a difference (there are {len(a)} and {len(b)})."
        return Section("Response rates", [why])
    one = vectors.compare(a, b)
    rows = [
        [rate, *members(step, "mean_a|6 mean_b|6"), round(step.mean_b - step.mean_a, 6)]
        + members(step, "margin|6 p_value|4g")
        for rate, step in zip(rates, one.components)
    ]
    notes = [f"{one.method.value}: {one.why}."]
    if one.t2 is not None:
        freedom = ", F with {:g} and {:g} degrees of freedom".format(*one.freedom or (0, 0))
        notes.append(f"T² = {one.t2:.6g}{freedom if one.freedom else ''}, {p_text(one.p_value)}.")
    notes.append("±, p: for all rates at once (greatest of Welch's t, by random signs).")
    heads = ("queries/s", "mean A", "mean B", "B - A", "±", "p")
    table = Table("Response rates in percent, at each rate", heads, rows, notes)
    drawn = response_chart(rates, a, b, one)
    return Section("Response rates", vector_sentences(rates, one), [], [drawn], [table])


def share_figures(rates: Sequence[float], sides: Sides) -> list[Figures]:
    shares = [[[run[place].share for run in side] for side in sides] for place in range(len(rates))]
    whats = [f"share answered at {rate_text(rate)}" for rate in rates]
    return [shares_of(what, *both) for what, both in zip(whats, shares)]


def shares_of(what: str, a: Sequence[float], b: Sequence[float]) -> Figures:
    """Returns shares as figures, which are above 0."""
    of_a, of_b = ([max(share, 1e-9) for share in side] for side in (a, b))
    return Figures(what, "%", of_a, of_b)


def apart_sentence(shadings: Sequence[latency.Shading], counts: Sequence[int]) -> str:
    found = latency.apart(*shadings)
    texts = []
    for one in found[:4]:
        slower = "slower" if one.gaps[0] > 0 else "faster"
        by = reach_text([abs(gap) for gap in one.gaps], percent)
        reach = f"from the slowest {one.from_percent:.3g} % to the slowest {one.to_percent:.3g} %"
        texts.append(f"{reach} of the queries B is {slower} by {by} %")
    if len(found) > len(texts):
        texts.append(f"and so on, in {plural(len(found), 'stretch', 'stretches')}")
    if not texts:
        return "The latencies of A and B overlap everywhere: what B's runs did, A's did as well."
    chance = percent(latency.chance_apart(*counts))
    where = "; ".join(texts)
    return f"All runs of B lie apart from all of A, {where} (by chance at one place: {chance} %)."


def latency_section(rate: float, a: Sequence[Trial], b: Sequence[Trial], several: bool) -> Judged:
    """Returns what is said of latencies at a rate; nothing where a side has no histogram."""
    runs = [latencies_of(side) for side in (a, b)]
    if not all(runs):
        return [], []
    figures = []
    where = f" at {rate_text(rate)}" if several else ""
    fewest = min(run.asked for side in runs for run in side)
    for quantile in latency.QUANTILES:
        if fewest >= 1 / (1 - quantile / 100) - 1e-6:
            times = ([latency.percentiles(run, [quantile])[0] for run in side] for side in runs)
            figures.append(latency_figures(f"p{quantile:g} latency{where}", *times))
    told = tell_all(figures)
    findings = change_sentences(told, "No difference of latency is shown at any percentile.")
    if min(map(len, runs)) > 1:
        shadings = [latency.shading_of(side) for side in runs]
        findings.append(apart_sentence(shadings, [len(side) for side in runs]))
    else:
        findings.append("A single run has no shading: repeat the trials.")
    drawn = shaded(list(zip("AB", runs)), f"latency-{rate:g}")
    title = f"Latency at {rate_text(rate)}"
    return [Section(title, findings, [], drawn, [table_of(told, f"{title}: B against A")])], figures


def latency_figures(what: str, a: Sequence[float], b: Sequence[float]) -> Figures:
    """Returns latencies as figures, which are above 0."""
    of_a, of_b = ([max(1.0, float(time)) for time in side] for side in (a, b))
    return Figures(what, "ns", of_a, of_b, False, latency.BUCKET_SHARE)
