# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rates that searches and self-tests found, and the searches of experiments cell by cell."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..document import Cell, Chart, Section, Table
from ..drawing import SERIES, dots_in_row, height_of, legend_above, name_rows
from ..errors import ReportError
from ..grouped import grouped
from ..kinds.experiment import Experiment, ExperimentCell, found_cells
from ..kinds.search import Search, spread_of
from ..kinds.selftest import Selftest
from ..quantities import listing, plural, rate_axis, rate_text, shortened
from ..statistics.samples import Comparison
from ..tables import members
from .conditions import Results, apart_within, compared
from .figures import Figures, Judged, TITLE, ratios_chart, sentences, table_of, tell_all

# Colour, form of points and form of lines of each side.
LOOKS = {"A": (SERIES[0], "o", "-"), "B": (SERIES[1], "s", "--")}
# A file of a side: the side, its label and its rates.
Files = Sequence[tuple[str, str, Sequence[float]]]


def rate_figures(what: str, a: Results, b: Results) -> Figures:
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


def rates_chart(files: Files, comparison: Comparison) -> Chart:
    def draw(axes: Any) -> None:
        for place, (side, _, values) in enumerate(files):
            colour, mark, _ = LOOKS[side]
            dots_in_row(axes, values, -place, colour, 14, alpha=0.75, marker=mark)
        medians = members(comparison, "median_a median_b")
        for median, (side, (colour, _, dashes)) in zip(medians, LOOKS.items()):
            line = {"color": colour, "linewidth": 1, "linestyle": dashes}
            axes.axvline(median, label=f"median of {side}", **line)
        name_rows(axes, [f"{side}: {shortened(label, 16)}" for side, label, _ in files])
        rate_axis(axes.xaxis, "queries/s", 5)
        legend_above(axes, 2)

    data = [(side, label, value) for side, label, values in files for value in values]
    counts = f"{comparison.count_a} (A) and {comparison.count_b} (B)"
    caption = f"Points are results, lines medians. N = {counts}."
    heads = "set file queries_per_second"
    height = height_of(len(files))
    return Chart("results", "All results of A and B", caption, heads, data, draw, height)


def results_table(files: Files) -> Table:
    found = [spread_of(of)[:3] if of else [None] * 3 for _, _, of in files]
    rows: list[Sequence[Cell]] = [
        (side, label, len(of), *ends) for (side, label, of), ends in zip(files, found)
    ]
    return Table("Results", ("set", "file", "N", "median", "least", "greatest"), rows)


def compare_rates(a: Results, b: Results) -> Judged:
    told = tell_all([rate_figures("", a, b)])
    files = [(side, one.label, one.rates) for side, of in (("A", a), ("B", b)) for one in of]
    doubts = apart_within(files)
    if any(isinstance(one, Search) and one.at_least for one in [*a, *b]):
        doubts.append("Some searches met --max-rate, and count with less than the server keeps.")
    what = "what the Tester is allowed" if isinstance(a[0], Selftest) else "what the searches found"
    tables = [table_of(told, f"B against A: {what}"), results_table(files)]
    drawn = [rates_chart(files, told[0].comparison)]
    section = compared(a, b, Section(TITLE, sentences(told[0]), [], drawn, tables), doubts)
    return [section], [dataclasses.replace(told[0].figures, what="the rate")]


def compare_experiments(a: Sequence[Experiment], b: Sequence[Experiment]) -> Judged:
    """Returns what is said of each cell that both sides have, by its settings."""
    varied = list(dict.fromkeys(name for one in [*a, *b] for name in one.varied))

    def key_of(cell: ExperimentCell) -> Sequence[tuple[str, str]]:
        settings = tuple((name, cell.settings.get(name, "")) for name in varied)
        return settings or tuple(sorted(cell.settings.items()))

    of_a, of_b = (
        grouped((key_of(cell), cell) for one in side for cell, _ in found_cells(one))
        for side in (a, b)
    )
    shared = {
        key: [[one.search for one in of] for of in (of_a[key], of_b[key])]
        for key in of_a
        if key in of_b
    }
    if not shared:
        both = f"{a[0].label} and {b[0].label}"
        raise ReportError(f"{both}: no cell of A has the settings of one of B, and a result")
    figures = []
    for key, searches in shared.items():
        label = ", ".join(f"{name} {value}" for name, value in key) if varied else of_a[key][0].name
        figures.append(rate_figures(label, *searches))
    told = tell_all(figures)
    differing = [one for one in told if one.differs]
    cell_count = plural(len(told), "cell")
    how = "(Mann-Whitney, corrected by Holm)."
    findings = [f"No difference between A and B is shown in any of {cell_count} {how}"]
    if differing:
        findings = [f"B differs from A in {len(differing)} of {cell_count} {how}"]
    findings += [sentence for one in differing for sentence in sentences(one)]
    left_out = sum(len(one.cells) - len(found_cells(one)) for one in [*a, *b])
    left_out += len(of_a.keys() ^ of_b.keys())
    missing = f"{plural(left_out, 'cell')} without a result on both sides are left out."
    table = table_of(told, "B against A: what the searches of each cell found")
    made = Section(TITLE, findings, [], [ratios_chart(told, "rate")], [table])
    asked = [[search for of in side for search in of] for side in zip(*shared.values())]
    return [compared(a, b, made, [missing] if left_out else [], asked)], figures
