# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is said of two sets of results: A, and B against it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from scipy.stats import gmean

from ..charts.stages import PARTS, STAGES, fates_by_rate_chart, fates_chart, means_chart
from ..charts.stages import sides_chart
from ..document import Cell, Chart, Section, Table, chart
from ..drawing import BANDS, FAINT, Curves, INK, SERIES, dots_in_row, draw_curves, height_of
from ..drawing import legend_above, name_rows
from ..errors import ReportError
from ..grouped import grouped
from ..kinds.base import Result, flat, sentence, whose_doubts
from ..kinds.experiment import Experiment
from ..kinds.probe import LEFT, Probe, added, flows_of, left_name, lost_names
from ..kinds.replay import Replay, latency_band, latency_chart
from ..kinds.search import Search
from ..kinds.selftest import Selftest
from ..kinds.sweep import Sweep, sweep_of
from ..kinds.trial import Trial, latencies_of, shaded
from ..kinds.windows import WindowSweep, answers_chart
from ..quantities import MICRO, count_text, duration_text, listing, plural, rate_axis, rate_text
from ..quantities import log_ticks, percent_text, shortened, some
from ..statistics import ALPHA, POWER, Tested, latency, samples, vectors
from ..statistics.samples import Comparison, Verdict
from ..statistics.vectors import VectorComparison
from ..tables import members
from ..view import View

A, B = SERIES[0], SERIES[1]
MARKS = {A: "o", B: "s"}
Group = Sequence[tuple[str, Sequence[float]]]
Runs = Sequence[Sequence[float]]
Results = Sequence[Result]


def rates_chart(a: Group, b: Group, comparison: Comparison) -> Chart:
    rows = [(A, "A", *one) for one in a] + [(B, "B", *one) for one in b]
    medians = ((A, comparison.median_a, "A"), (B, comparison.median_b, "B"))

    def draw(axes: Any) -> None:
        for place, (colour, _, _, values) in enumerate(rows):
            looks = {"alpha": 0.75, "marker": MARKS[colour]}
            dots_in_row(axes, values, -place, colour, 14, **looks)
        for (colour, median, name), dashes in zip(medians, ("-", "--")):
            line = {"color": colour, "linewidth": 1, "linestyle": dashes}
            axes.axvline(median, label=f"median of {name}", **line)
        name_rows(axes, [f"{side}: {shortened(label, 16)}" for _, side, label, _ in rows])
        rate_axis(axes.xaxis)
        axes.locator_params(axis="x", nbins=5)
        axes.set_xlabel("queries/s")
        legend_above(axes, 2)

    data = [(side, label, value) for _, side, label, values in rows for value in values]
    counts = f"{comparison.count_a} (A) and {comparison.count_b} (B)"
    caption = f"Points are results, lines medians. N = {counts}."
    heads = "set file queries_per_second"
    height = height_of(len(rows))
    return chart("results", "All results of A and B", caption, heads, data, draw, height)


def ratios_chart(told: Sequence[Told], what: str) -> Chart:
    paths = "figures.what comparison.ratio comparison.interval.low comparison.interval.high"
    rows = [members(one, paths) for one in told]
    is_wide = max((ratio for _, ratio, *_ in rows), default=0) > MANY_TIMES

    def draw(axes: Any) -> None:
        for place, (one, (_, ratio, *ends)) in enumerate(zip(told, rows)):
            colour, mark = (B, "s") if one.differs else (FAINT, "o")
            found = (ratio, *ends)
            point, *reach = (x if x is None or is_wide else 100 * (x - 1) for x in found)
            if None not in reach:
                axes.plot(reach, [-place, -place], color=colour)
            axes.scatter([point], [-place], s=22, color=colour, marker=mark, zorder=3)
        axes.axvline(1 if is_wide else 0, color=INK, linewidth=0.8)
        name_rows(axes, [name for name, *_ in rows])
        axes.set_xlabel("B against A, times" if is_wide else "B against A, %")
        if is_wide:
            log_ticks(axes.xaxis)
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")

    caption = "Ratio of the medians with its 95 % bootstrap interval; squares differ"
    caption += f" (Mann-Whitney, corrected by Holm). N = {plural(len(rows), 'comparison')}."
    height = height_of(len(rows))
    title = "B relative to A"
    return chart(f"{what}-ratios", title, caption, "what ratio from to", rows, draw, height)


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
        rate_axis(axes.xaxis)
        axes.locator_params(axis="x", nbins=6)
        axes.set(xlabel="queries/s sent", ylabel="% answered")
        legend_above(axes)

    found = [(name, *one) for name, runs in sides for one in enumerate(runs, 1)]
    data = [(name, number, *one) for name, number, run in found for one in zip(rates, run)]
    caption = f"{BANDS} N = {comparison.count_a} (A) and {comparison.count_b} (B) runs."
    heads = "set run rate percent_answered"
    title = "Response rates of A and B"
    return chart("response-rates", title, caption, heads, data, draw)


# The differences for which the number of runs needed is given.
TITLE = "B against A"
WANTED_SHARES = (0.01, 0.03, 0.1, 0.3)
HEADS = "what;unit;n A;n B;median A;median B;B to A, %;from, %;to, %;p;chance B > A;tellable, %"
HEADS += ";runs for 1 %"
# Ratios above this are told as such, and not in percent.
MANY_TIMES = 10
# Where results were made, not how: two servers have two addresses.
PLACES = {"server", "address", "interface", "port", "dut", "journal", "json", "record", "state"}
# What a trial, or a search, says of how it was made.
ASKED = "qtype names name_order zone transport catch_up duration_s timeout_s accept_percent"
ASKED += " resolution repeat"
# Each server has its own way to start anew: only whether there was a command can be compared.
COMMAND = "before-trial"


@dataclass(frozen=True)
class Figures:
    """A figure of each run, of A and of B. `resolution`: the least share to differ by."""

    what: str
    unit: str
    a: Sequence[float]
    b: Sequence[float]
    more_is_better: bool = True
    resolution: float = 0.0


@dataclass(frozen=True)
class Told(Tested):
    """Figures and what they tell. `p_value` allows for all of the `compared` figures."""

    figures: Figures
    comparison: Comparison
    p_value: float
    compared: int

    @property
    def alpha(self) -> float:
        """Returns up to which p value, uncorrected, the figure surely differs."""
        return ALPHA / self.compared


@dataclass(frozen=True)
class Outcome:
    """What compare ends with. `verdicts` are of what --fail-if-slower judges."""

    sections: list[Section]
    verdicts: list[tuple[str, Verdict]]

    @property
    def verdict(self) -> Verdict:
        """Returns LOST where anything is lost, KEPT where all is kept."""
        found = {verdict for _, verdict in self.verdicts}
        if Verdict.LOST in found:
            return Verdict.LOST
        return Verdict.UNDECIDED if Verdict.UNDECIDED in found or not found else Verdict.KEPT


def percent(share: float) -> str:
    """Returns the share in percent, with two digits that count."""
    value = abs(100 * share)
    if value == 0:
        return "0"
    digits = max(0, 1 - math.floor(math.log10(value)))
    return f"{value:.{min(digits, 6)}f}".rstrip("0").rstrip(".") if digits else f"{value:,.0f}"


def p_text(p_value: float) -> str:
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.2g}"


def span(low: float, high: float) -> str:
    """Returns "4 to 9 % more" of two ratios."""
    if low >= 1:
        return f"{percent(low - 1)} to {percent(high - 1)} % more"
    if high <= 1:
        return f"{percent(1 - high)} to {percent(1 - low)} % less"
    return f"{percent(1 - low)} % less to {percent(high - 1)} % more"


def tell_all(figures: Sequence[Figures]) -> list[Told]:
    """Returns what can be said of all figures, by Holm's correction of their p values."""
    alpha = ALPHA / max(len(figures), 1)
    comparisons = [samples.compare(one.a, one.b, one.resolution, alpha) for one in figures]
    found = zip(figures, comparisons, samples.holm([one.p_value for one in comparisons]))
    return [Told(*all_of, len(figures)) for all_of in found]


def rounded(value: float) -> str:
    """Returns the value with three digits that count, its thousands set apart."""
    return f"{float(f'{value:.3g}'):,.10g}"


def amount(value: float, unit: str) -> str:
    if unit == "ns":
        return duration_text(value)
    return rate_text(round(value, 1)) if unit == "queries/s" else f"{value:.6g} {unit}"


def figures_text(told: Told) -> str:
    """Returns what a verdict rests on: medians, numbers of results, and the test."""
    one, unit = told.comparison, told.figures.unit
    corrected = f" corrected by Holm for {told.compared} figures" if told.compared > 1 else ""
    return (
        f"B: median {amount(one.median_b, unit)}, N = {one.count_b}; A: median"
        f" {amount(one.median_a, unit)}, N = {one.count_a}; Mann-Whitney,"
        f" {p_text(told.p_value)}{corrected}"
    )


def sentences(told: Told) -> list[str]:
    """Returns the verdict on rates in words, with its uncertainty."""
    one, interval = told.comparison, told.comparison.interval
    where = f"{told.figures.what}: " if told.figures.what else ""
    if not told.differs:
        shown = f"{where}No difference between A and B is shown ({figures_text(told)})."
        return [shown, *power_sentences(told)]
    if interval is None or interval.holds(1):
        way = "more" if one.b_is_greater > 0.5 else "less"
        by = f": from {span(interval.low, interval.high)}" if interval else ""
        return [f"{where}B keeps {way} than A ({figures_text(told)}); how much is not known{by}."]
    by = span(interval.low, interval.high)
    return [f"{where}B keeps {by} than A ({figures_text(told)})."]


def change_sentence(told: Told) -> str:
    """Returns how a figure of B that differs from A's does, in words, with its uncertainty."""
    one, interval = told.comparison, told.comparison.interval
    way = "higher" if one.b_is_greater > 0.5 else "lower"
    if interval is None or interval.holds(1):
        change = f"{way} than A's"
    elif interval.low > MANY_TIMES:
        change = f"{rounded(interval.low)} to {rounded(interval.high)} times A's"
    else:
        change = f"{span(interval.low, interval.high).rsplit(' ', 1)[0]} {way} than A's"
    return f"B's {told.figures.what} is {change} ({figures_text(told)})."


def power_sentences(told: Told) -> list[str]:
    """Returns which difference the runs could have shown, and how many runs a smaller one takes."""
    one = told.comparison
    counts = f"{one.count_a} and {one.count_b} results"
    if not one.can_differ:
        fewest = samples.fewest_runs(told.alpha)
        several = f" for {told.compared} figures" if told.compared > 1 else ""
        none = f"With {counts} no difference can be shown, however large"
        return [f"{none}: {fewest} and {fewest} are needed{several}."]
    if one.tellable is None or one.scatter is None:
        return []
    if one.scatter < 1e-9:
        return [f"All results of a set are equal: {counts} show what is above the resolution."]
    least = f"above {percent(one.tellable)} %"
    if one.tellable > MANY_TIMES:
        least = f"by a factor above {rounded(1 + one.tellable)}"
    text = f"With {counts} a difference {least} would be shown {100 * POWER:.0f} times of 100"
    for share in WANTED_SHARES:
        needed = samples.runs_needed(share, one.scatter, told.alpha)
        if share < one.tellable and share > told.figures.resolution and needed:
            return [f"{text}; {percent(share)} % would take {needed:,} of each."]
    return [f"{text}."]


def change_sentences(told: Sequence[Told], none: str) -> list[str]:
    """Returns which figures differ and how; where none does, `none` and what could be shown."""
    found = [change_sentence(one) for one in told if one.differs]
    if found or not told:
        return found or [none]
    return [none, *power_sentences(max(told, key=lambda one: one.comparison.tellable or 0))]


def table_of(all_of_them: Sequence[Told], caption: str) -> Table:
    rows: list[Sequence[Cell]] = []
    medians = [max(members(one.comparison, "median_a median_b")) for one in all_of_them]
    # Sentences have milliseconds, too.
    times = ("ms", 1e6) if max(medians, default=0) >= 1e6 else (f"{MICRO}s", 1e3)
    for told in all_of_them:
        one = told.comparison
        unit, scale = times if told.figures.unit == "ns" else (told.figures.unit, 1)
        ratios = (one.ratio, *members(one.interval, "low high"))
        rows.append(
            [
                *(told.figures.what or "rate", unit, one.count_a, one.count_b),
                *(one.median_a / scale, one.median_b / scale),
                *(None if ratio is None else round(100 * (ratio - 1), 4) for ratio in ratios),
                *(float(f"{told.p_value:.4g}"), round(one.b_is_greater, 4)),
                None if one.tellable is None else round(100 * one.tellable, 4),
                samples.runs_needed(0.01, one.scatter, told.alpha) if one.scatter else None,
            ]
        )
    notes = [
        "from, to: 95 % interval of the ratio of medians, by bootstrap.",
        "p: Mann-Whitney" + (", corrected by Holm for all rows." if len(rows) > 1 else "."),
        f"tellable: the least difference that these numbers show {100 * POWER:.0f} times of 100.",
    ]
    counts = (min(members(one.comparison, "count_a count_b")) for one in all_of_them)
    fewest = min(counts, default=0)
    if 1 < fewest < 6:
        notes.append(f"Intervals of {fewest} results hold the truth less often than 95 of 100.")
    return Table(caption, HEADS.split(";"), rows, notes)


def side_doubts(side: str, results: Sequence[Result]) -> list[str]:
    found = ((result.label, result.doubts()) for result in results)
    return [f"{side}, {doubt}" for doubt in whose_doubts(found, "all results: ")]


def asked_of(result: Result) -> dict[str, Cell]:
    """Returns how a result was made: its options, or the fields of a trial that say so."""
    inner = result.fields.inner_or_none("options")
    found = dict(flat(inner.value)) if inner else {}
    for name in ASKED.split():
        value = result.fields.value.get(name)
        if isinstance(value, (str, int, float)):
            found.setdefault(name, value)
    if judged := result.fields.inner_or_none("judged"):
        found["loosened rules of the judge"] = ", ".join(judged.texts_or("accepted")) or "none"
    if inner and COMMAND in inner.value:
        found[COMMAND] = "a command" if inner.value[COMMAND] else "none"
    return {name: value for name, value in found.items() if name not in PLACES}


def setup_of(result: Result) -> dict[str, Cell]:
    for field in ("setup", "circumstances"):
        inner = result.fields.inner_or_none(field)
        if inner:
            skipped = {"began", "started", "command", "ports", "finished"}
            return {name: value for name, value in flat(inner.value) if name not in skipped}
    return {}


def differences(
    a: Sequence[dict[str, Cell]], b: Sequence[dict[str, Cell]]
) -> list[tuple[str, str, str]]:
    """Returns the conditions of both sides whose values in A are not those in B."""

    def text(side: Sequence[dict[str, Cell]], name: str) -> str:
        values = {one[name] for one in side if name in one}
        return ", ".join(sorted("none" if value is None else str(value) for value in values))

    names = dict.fromkeys(name for one in [*a, *b] for name in one)
    rows = [(name, text(a, name), text(b, name)) for name in names]
    return [row for row in rows if row[1] and row[2] and row[1] != row[2]]


def compared(
    a: Results, b: Results, made: Section, doubts: Sequence[str] = (), asked: Sequence[Results] = ()
) -> Section:
    """Returns the section with the doubts about A and B, and with the conditions that they do not
    share. `asked`: the results whose conditions are compared, where these are not A and B."""
    sides = asked or (a, b)
    found, setup = (
        differences(*([told_by(one) for one in side] for side in sides))
        for told_by in (asked_of, setup_of)
    )
    unlike = []
    if found:
        names = listing([f"{name} ({one} and {other})" for name, one, other in found[:6]])
        more = f", and {len(found) - 6} more" if len(found) > 6 else ""
        unlike = [f"A and B were not asked alike, which may make them differ: {names}{more}."]
    table = Table("Conditions in which A and B differ", ("condition", "A", "B"), [*found, *setup])
    all_doubts = [*unlike, *doubts, *side_doubts("A", a), *side_doubts("B", b)]
    return dataclasses.replace(made, doubts=all_doubts, conditions=[table])


def apart_within(side: str, groups: Group) -> list[str]:
    """Returns the doubt that files of one side differ among themselves: then their results are not
    as many independent ones as they seem."""
    several = [values for _, values in groups if len(values) > 1]
    if len(several) < 2 or len({value for values in several for value in values}) == 1:
        return []
    p_value = float(stats.kruskal(*several).pvalue)
    if p_value > 0.01:
        return []
    return [
        f"The files of {side} differ among themselves (Kruskal-Wallis, {p_text(p_value)}):"
        " something else changed between them, and the test takes their results for more"
        " independent than they are."
    ]


def rate_figures(a: Sequence[Result], b: Sequence[Result], what: str = "") -> Figures:
    """Returns the rates of two sides. Throws ReportError where a side has none."""
    values = [[rate for one in side for rate in one.rates] for side in (a, b)]
    for side, results, rates in zip("AB", (a, b), values):
        if not rates:
            limits = [one.at_least for one in results if isinstance(one, Search) and one.at_least]
            reason = "no search of it has found a rate"
            if limits:
                most = rate_text(max(limits))
                reason = f"its server keeps {most} or more: use a higher --max-rate"
            labels = listing([one.label for one in results])
            raise ReportError(f"{labels}: {side} cannot be compared: {reason}")
    steps = [one.resolution for one in [*a, *b] if isinstance(one, Search)]
    resolution = max(steps, default=0.0) / float(np.median(values[0]))
    return Figures(what, "queries/s", values[0], values[1], True, resolution)


def compare_rates(a: Sequence[Result], b: Sequence[Result], allowed: float) -> Outcome:
    told = tell_all([rate_figures(a, b)])
    groups = [[(one.label, one.rates) for one in side] for side in (a, b)]
    doubts = [*apart_within("A", groups[0]), *apart_within("B", groups[1])]
    if any(isinstance(one, Search) and one.at_least for one in [*a, *b]):
        doubts.append("Some searches met --max-rate, and count with less than the server keeps.")
    what = "what the Tester is allowed" if isinstance(a[0], Selftest) else "what the searches found"
    drawn = rates_chart(groups[0], groups[1], told[0].comparison)
    tables = [table_of(told, f"B against A: {what}"), results_table(groups)]
    section = compared(a, b, Section(TITLE, sentences(told[0]), [], [drawn], tables), doubts)
    figures = dataclasses.replace(told[0].figures, what="the rate")
    return Outcome([section], judge_all([figures], allowed))


def results_table(groups: Sequence[Group]) -> Table:
    rows: list[Sequence[Cell]] = []
    for side, files in zip("AB", groups):
        for label, values in files:
            found = (float(np.median(values)), min(values), max(values)) if values else [None] * 3
            rows.append((side, label, len(values), *found))
    return Table("Results", ("set", "file", "N", "median", "least", "greatest"), rows)


def compare_experiments(
    a: Sequence[Experiment], b: Sequence[Experiment], allowed: float
) -> Outcome:
    """Returns what is said of each cell that both sides have, by its settings."""
    varied = list(dict.fromkeys(name for one in [*a, *b] for name in one.varied))
    names: dict[tuple[tuple[str, str], ...], str] = {}
    sides = []
    left_out = 0
    for experiments in (a, b):
        found = []
        for cell in [cell for experiment in experiments for cell in experiment.cells]:
            key = tuple((name, cell.settings.get(name, "")) for name in varied)
            label = ", ".join(f"{name} {value}" for name, value in key)
            key = key or tuple(sorted(cell.settings.items()))
            names.setdefault(key, label or cell.name)
            if cell.search and cell.search.rates:
                found.append((key, cell.search))
            else:
                left_out += 1
        sides.append(grouped(found))
    shared = [key for key in sides[0] if key in sides[1]]
    left_out += len(set(sides[0]) ^ set(sides[1]))
    if not shared:
        both = f"{a[0].label} and {b[0].label}"
        raise ReportError(f"{both}: no cell of A has the settings of one of B, and a result")
    told = tell_all([rate_figures(sides[0][key], sides[1][key], names[key]) for key in shared])
    differing = [one for one in told if one.differs]
    cell_count = plural(len(told), "cell")
    how = "(Mann-Whitney, corrected by Holm)."
    findings = [f"No difference between A and B is shown in any of {cell_count} {how}"]
    if differing:
        findings = [f"B differs from A in {len(differing)} of {cell_count} {how}"]
    findings += [sentence for one in differing for sentence in sentences(one)]
    missing = f"{plural(left_out, 'cell')} without a result on both sides are left out."
    table = table_of(told, "B against A: what the searches of each cell found")
    made = Section(TITLE, findings, [], [ratios_chart(told, "rate")], [table])
    asked = [[search for key in shared for search in side[key]] for side in sides]
    section = compared(a, b, made, [missing] if left_out else [], asked)
    return Outcome([section], judge_all([one.figures for one in told], allowed))


Vectors = tuple[list[float], list[list[float]], list[list[float]]]


def vectors_of(a: Sequence[Sweep], b: Sequence[Sweep]) -> Vectors:
    """Returns the rates, and for each run of A and B the shares answered, in percent. Throws
    ReportError where rates, or the numbers of steps at a rate, differ."""
    rates = [sorted({rate for one in side for rate in one.rates}) for side in (a, b)]
    if any(one.rates != rates[0] for one in [*a, *b]):
        labels = some([one.label for one in [*a, *b]])
        of_a, of_b = (listing([rate_text(rate) for rate in side]) for side in rates)
        raise ReportError(f"{labels}: A has trials at {of_a}, B at {of_b}: compare the same rates")
    runs_a, runs_b = (
        [[step.share for step in run] for one in side for run in one.runs()] for side in (a, b)
    )
    return rates[0], runs_a, runs_b


def vector_sentences(rates: Sequence[float], one: vectors.VectorComparison) -> list[str]:
    counts = f"N = {one.count_a} and {one.count_b} runs"
    method = f"{one.method.value}, {p_text(one.p_value)}"
    if one.method is vectors.Method.EQUAL:
        return [f"A and B answered the same share at every rate, in every run ({counts})."]
    steps = [(rate, step) for rate, step in zip(rates, one.components) if step.differs]
    if not one.differs:
        if not one.can_differ:
            counts = f"{one.count_a} and {one.count_b} runs"
            return [f"With {counts} no difference can be shown, however large: 4 and 4 are needed."]
        widest = max(step.margin for step in one.components)
        return [
            f"No difference of response rates is shown ({method}; {counts}).",
            f"They are known to {widest:.2g} percentage points at every rate.",
        ]
    texts = [f"The response rates of A and B differ ({method}; {counts})."]
    for more, word in ((True, "more"), (False, "less")):
        some = [(rate, step) for rate, step in steps if (step.mean_b > step.mean_a) == more]
        if some:
            sizes = sorted(abs(step.mean_b - step.mean_a) for _, step in some)
            low, high = f"{sizes[0]:.2g}", f"{sizes[-1]:.2g}"
            by = low if low == high else f"{low} to {high}"
            at = listing([rate_text(rate) for rate, _ in some])
            texts.append(f"B answers {by} percentage points {word} at {at}.")
    if not steps:
        texts.append("No single rate shows a difference: the rates differ together.")
    return texts


def vector_section(rates: Sequence[float], a: Runs, b: Runs) -> Section:
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


def apart_sentence(shadings: Sequence[latency.Shading], counts: Sequence[int]) -> str:
    found = latency.apart(*shadings)
    texts = []
    for one in found[:4]:
        slower = "slower" if one.gaps[0] > 0 else "faster"
        by = " to ".join(dict.fromkeys((percent(one.gaps[0]), percent(one.gaps[-1]))))
        reach = f"from the slowest {one.from_percent:.3g} % to the slowest {one.to_percent:.3g} %"
        texts.append(f"{reach} of the queries B is {slower} by {by} %")
    if len(found) > len(texts):
        texts.append(f"and so on, in {plural(len(found), 'stretch', 'stretches')}")
    if not texts:
        return "The latencies of A and B overlap everywhere: what B's runs did, A's did as well."
    chance = percent(latency.chance_apart(*counts))
    where = "; ".join(texts)
    return f"All runs of B lie apart from all of A, {where} (by chance at one place: {chance} %)."


def latency_section(
    rate: float, a: Sequence[Trial], b: Sequence[Trial], several: bool
) -> tuple[Section | None, list[Told]]:
    """Returns what is said of latencies at a rate; none where a side has no histogram."""
    runs = [latencies_of(side) for side in (a, b)]
    if not all(runs):
        return None, []
    figures = []
    where = f" at {rate_text(rate)}" if several else ""
    fewest = min(run.asked for side in runs for run in side)
    for quantile in latency.QUANTILES:
        if fewest >= 1 / (1 - quantile / 100) - 1e-6:
            a_times, b_times = (
                [max(1.0, float(latency.percentiles(run, [quantile])[0])) for run in side]
                for side in runs
            )
            figures.append(latency_figures(f"p{quantile:g} latency{where}", a_times, b_times))
    told = tell_all(figures)
    findings = change_sentences(told, "No difference of latency is shown at any percentile.")
    if min(map(len, runs)) > 1:
        shadings = [latency.shading_of(side) for side in runs]
        findings.append(apart_sentence(shadings, [len(side) for side in runs]))
    else:
        findings.append("A single run has no shading: repeat the trials.")
    drawn = shaded(list(zip("AB", runs)), f"latency-{rate:g}")
    title = f"Latency at {rate_text(rate)}"
    return Section(title, findings, [], drawn, [table_of(told, f"{title}: B against A")]), told


def latency_figures(what: str, a: Sequence[float], b: Sequence[float]) -> Figures:
    return Figures(what, "ns", a, b, False, latency.BUCKET_SHARE)


def shared_stages(results: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """Returns the stages that all results tell, from the same moment to the same moment, and those
    that only some tell so: where some lack a stage, it is a part of another one."""
    told, by_all = set().union(*results), set(results[0]).intersection(*results)
    unlike = told - by_all
    shared = [one for one in STAGES if one in by_all and not unlike & {*PARTS.get(one, ())}]
    return shared, [one for one in STAGES if one in told and one not in shared]


Probes = Sequence[Sequence[Probe | None]]


def stages_sections(probes: Mapping[float, Probes], drawn: Sequence[Chart]) -> list[Section]:
    """Returns which stage in the server's kernel became slower, run by run as means over the rates.
    Returns nothing where no rate has stages in all runs. `drawn` is told of a single rate, whose
    medians are compared, too."""
    kept = {
        rate: [[probe.times for probe in side if probe and probe.stages] for side in sides]
        for rate, sides in probes.items()
    }
    # A run that lacks stages at a rate has no mean over the rates.
    at = {
        rate: sides
        for rate, sides in kept.items()
        if all(sides) and (len(kept) == 1 or [*map(len, sides)] == [*map(len, probes[rate])])
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


def fates_sections(rates: Sequence[float], *runs: Sequence[Sequence[View]]) -> list[Section]:
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
    of_a, of_b = ([added(run) for run in side] for side in at_rates)
    both = [added(of_a), added(of_b)]
    told = samples.shifts(
        [([one.share(name) for one in of_a], [one.share(name) for one in of_b]) for name in names]
    )
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
    ends = sorted(abs(end) for end in (one.interval.low, one.interval.high))
    by = " to ".join(dict.fromkeys(f"{end:.2g}" for end in ends))
    return f"{by} percentage points {way}"


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


def compare_trials(a: Sequence[Trial], b: Sequence[Trial], allowed: float) -> Outcome:
    for one in [*a, *b]:
        if one.verdict == "invalid":
            raise ReportError(f"{one.label}: the trial is invalid: leave it out")
    # The first trials at each rate are the first run, and so on.
    in_turn = [sweep_of(sorted(side, key=lambda one: one.since_ns or 0)) for side in (a, b)]
    rates, *runs = vectors_of(*([one] for one in in_turn))
    sections = [compared(a, b, vector_section(rates, *runs))]
    judged, lost, probes = share_figures(rates, *runs), [], {}
    for rate in rates:
        of_a, of_b = ([one for one in side if one.rate == rate] for side in (a, b))
        section, told = latency_section(rate, of_a, of_b, len(rates) > 1)
        sections += [section] if section else []
        judged += [one.figures for one in told]
        lost += fates_sections([rate], *([[one] for one in side] for side in (of_a, of_b)))
        probes[rate] = [[one.probe for one in side] for side in (of_a, of_b)]
    named = (one.but(label=f"{name}: {one.label}") for name, of in zip("AB", (a, b)) for one in of)
    staged = [one.staged for one in named if one.staged]
    sections += stages_sections(probes, [means_chart(staged)] if staged else [])
    return Outcome([*sections, *lost], judge_all(judged, allowed))


def share_figures(rates: Sequence[float], a: Runs, b: Runs) -> list[Figures]:
    return [
        shares_of(f"share answered at {rate_text(rate)}", of_a, of_b)
        for rate, of_a, of_b in zip(rates, zip(*a), zip(*b))
    ]


def shares_of(what: str, a: Sequence[float], b: Sequence[float]) -> Figures:
    """Returns shares as figures, which are above 0."""
    of_a, of_b = ([max(share, 1e-9) for share in side] for side in (a, b))
    return Figures(what, "%", of_a, of_b)


def judge_all(figures: Sequence[Figures], allowed: float) -> list[tuple[str, Verdict]]:
    limits = [allowed if one.more_is_better else -allowed for one in figures]
    return [
        (one.what, samples.judge_loss(one.a, one.b, limit, len(figures)))
        for one, limit in zip(figures, limits)
    ]


def compare_sweeps(a: Sequence[Sweep], b: Sequence[Sweep], allowed: float) -> Outcome:
    rates, *sides = vectors_of(a, b)
    sections = [compared(a, b, vector_section(rates, *sides))]
    runs = [[run for one in side for run in one.runs()] for side in (a, b)]
    steps = {rate: [[run[at] for run in side] for side in runs] for at, rate in enumerate(rates)}
    probes = {rate: [[one.probe for one in side] for side in of] for rate, of in steps.items()}
    sections += [*stages_sections(probes, []), *fates_sections(rates, *runs)]
    return Outcome(sections, judge_all(share_figures(rates, *sides), allowed))


def compare_windows(a: Sequence[WindowSweep], b: Sequence[WindowSweep], allowed: float) -> Outcome:
    """Returns what is said of sweeps of windows: answers per second and RTTs, run by run as means
    over all windows, which are judged, and then at each window."""
    windows = sorted({step.window for one in a for step in one.trials})
    sides = [
        [run for one in side for run in one.runs() if [s.window for s in run] == windows]
        for side in (a, b)
    ]
    if not all(sides):
        both = f"{a[0].label} and {b[0].label}"
        raise ReportError(f"{both}: no run of A goes through the same windows as one of B")
    answers = [[[max(s.answered_rate, 1e-9) for s in run] for run in side] for side in sides]
    rtts = [[[s.rtt_p99_ns for s in run] for run in side] for side in sides]
    of_a, of_b = (gmean(side, axis=1).tolist() for side in answers)
    figures = [Figures("answers/s over all windows", "queries/s", of_a, of_b)]
    if all(rtt for side in rtts for run in side for rtt in run):
        of_a, of_b = (gmean(side, axis=1).tolist() for side in rtts)
        figures.append(latency_figures("p99 RTT over all windows", of_a, of_b))
    at_each = [
        Figures(f"answers/s at {window} open", "queries/s", *pair)
        for window, *pair in zip(windows, *(zip(*side) for side in answers))
    ]
    told, each = tell_all(figures), tell_all(at_each)
    findings = change_sentences(told, "No difference between the runs of A and B is shown.")
    findings += [change_sentence(one) for one in each if one.differs]
    tables = [
        table_of(told, "B against A: geometric means of each run over all windows"),
        table_of(each, "B against A: the steps at each window"),
    ]
    made = Section(TITLE, findings, [], [answers_chart([*a, *b])], tables)
    return Outcome([compared(a, b, made)], judge_all(figures, allowed))


def compare_replays(a: Sequence[Replay], b: Sequence[Replay], allowed: float) -> Outcome:
    sides = [
        replays[0].but(label=side, trials=[run for one in replays for run in one.trials])
        for side, replays in (("A", a), ("B", b))
    ]
    for side, replay in zip(sides, (a, b)):
        if not side.trials:
            raise ReportError(f"{replay[0].label}: there is no run: has the replay begun?")
    shares = ([run.share for run in side.trials] for side in sides)
    figures = [shares_of("share answered", *shares)]
    for name, what in (("rtt_p50_ns", "median latency"), ("rtt_p99_ns", "p99 latency")):
        values = [[getattr(run.later_part, name) for run in side.trials] for side in sides]
        if all(value is not None for one in values for value in one):
            times = ([max(1.0, value) for value in one] for one in values)
            figures.append(latency_figures(what, *times))
    told = tell_all(figures)
    findings = change_sentences(told, "No difference between the runs of A and B is shown.")
    charts = [ratios_chart(told, "replay")]
    bands = [latency_band(side.trials)[::-1] for side in sides]
    if all(bands):
        findings.append(apart_sentence(bands, [len(side.trials) for side in sides]))
        charts.insert(0, latency_chart(sides))
    captures = [one.captures for one in [*a, *b]]
    played = {(one.played, tuple(one.files), one.queries) for one in captures if one.played}
    unlike = "Not all replays play the same captures as often, and may differ for that."
    doubts = [unlike] if len(played) > 1 else []
    tables = [table_of(told, "B against A: the runs of the replays")]
    section = compared(a, b, Section(TITLE, findings, [], charts, tables), doubts)
    return Outcome([section], judge_all(figures, allowed))


def verdict_section(outcome: Outcome, allowed: float) -> Section:
    limit = f"{percent(allowed)} %"
    slower = f"slower than A by more than {limit}"
    by = listing([name for name, one in outcome.verdicts if one is outcome.verdict])
    text = {
        Verdict.KEPT: f"B is not {slower}.",
        Verdict.LOST: f"B is {slower}: {by} shows it.",
        Verdict.UNDECIDED: f"Whether B is {slower} is not shown by {by}: make more runs.",
    }[outcome.verdict]
    found = f"{text} (One-sided Mann-Whitney tests at 5 %.)"
    return Section(f"Slower by more than {limit}?", [found])


KINDS: tuple[tuple[type, Any, str], ...] = (
    (Search, compare_rates, "searches"),
    (Selftest, compare_rates, "self-tests"),
    (Trial, compare_trials, "trials"),
    (Experiment, compare_experiments, "experiments"),
    (Sweep, compare_sweeps, "sweeps"),
    (WindowSweep, compare_windows, "sweeps of windows"),
    (Replay, compare_replays, "replays"),
)


def compare(a: Sequence[Result], b: Sequence[Result], allowed: float) -> Outcome:
    """Returns what is said of B against A. Throws ReportError where they cannot be compared."""
    for kind, how, _ in KINDS:
        if all(isinstance(one, kind) for one in [*a, *b]):
            outcome: Outcome = how(a, b, allowed)
            return outcome
    names = listing([name for _, _, name in KINDS])
    labels = listing([one.label for one in [*a, *b]])
    raise ReportError(f"{labels}: results of different kinds, or of none of these: {names}")
