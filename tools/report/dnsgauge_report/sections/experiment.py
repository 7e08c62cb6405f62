# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of an experiment: a bar for each cell, and the tables as printed."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.rates import bars_chart, grid_chart
from ..document import Cell, Chart, Section, Table
from ..quantities import plural, rate_text
from ..results.base import condition_tables
from ..results.experiment import Experiment, ExperimentCell
from ..results.search import median
from .search import bar_of, results_table

# More bars than this make a chart of their own.
MOST_BARS = 24
# Short words for settings that labels often need.
FORMS = {
    "server": "{}",
    "cores": "CPUs: {}",
    "duration": "{} s",
    "timeout": "timeout {} s",
    "accept": "{} %",
    "aaaa-share": "AAAA {} %",
    "cached-share": "cached {} %",
}
SHARES = ("aaaa-share", "cached-share")


def label_of(cell: ExperimentCell, varied: Sequence[str]) -> str:
    """Returns what tells the cell apart from the others."""
    words = [
        FORMS.get(name, f"{name} {{}}").format(cell.settings[name])
        for name in varied
        if name in cell.settings
    ]
    return ", ".join(words) or cell.name


def charts_of(experiment: Experiment) -> list[Chart]:
    varied = experiment.varied
    bars = []
    for cell in experiment.cells:
        if cell.search:
            bars.append(bar_of(cell.search, label_of(cell, varied)))
    parts = [bars[first : first + MOST_BARS] for first in range(0, len(bars), MOST_BARS)]
    if len(parts) < 2:
        return [bars_chart(part, "Highest rates") for part in parts]
    return [
        bars_chart(part, f"Highest rates, part {number} of {len(parts)}", f"rates-{number}")
        for number, part in enumerate(parts, 1)
    ]


def grids_of(experiment: Experiment) -> list[Chart]:
    """Returns RFC 8219's grid, shares of cached names by shares of AAAA records, of each of the
    other settings; none where the shares do not both vary."""
    if not set(SHARES) <= set(experiment.varied):
        return []
    others = [name for name in experiment.varied if name not in SHARES]
    grids: dict[str, dict[tuple[str, str], float]] = {}
    for cell in experiment.cells:
        place = tuple(cell.settings.get(name, "") for name in SHARES)
        if cell.search and cell.search.rates:
            label = label_of(cell, others) if others else experiment.title
            grids.setdefault(label, {})[place[0], place[1]] = median(cell.search.rates)
    return [
        grid_chart(
            rates,
            f"Rates by shares: {label}",
            "% of the names with an AAAA record",
            "% of the queries cached",
            f"grid-{number}",
        )
        for number, (label, rates) in enumerate(grids.items(), 1)
    ]


def findings(experiment: Experiment) -> list[str]:
    found = [cell for cell in experiment.cells if cell.search and cell.search.rates]
    if not found:
        first = "No cell has a result."
    else:
        ordered = sorted(found, key=lambda cell: median(cell.search.rates) if cell.search else 0.0)
        (low, least), (high, most) = (
            (label_of(cell, experiment.varied), median(cell.search.rates) if cell.search else 0.0)
            for cell in (ordered[0], ordered[-1])
        )
        first = f"{high} keeps most, {rate_text(most)}"
        first += f", and {low} least, {rate_text(least)}." if len(found) > 1 else "."
    second = f"{len(found)} of {plural(len(experiment.cells), 'cell')} have results."
    trials = sum(len(cell.search.trials) for cell in experiment.cells if cell.search)
    third = f"They took {plural(trials, 'trial')}."
    return [first, second, third]


def section(experiment: Experiment) -> Section:
    searches = [cell.search for cell in experiment.cells if cell.search]
    names = experiment.varied
    settings: list[Sequence[Cell]] = [
        (cell.name, *(cell.settings.get(name) for name in names)) for cell in experiment.cells
    ]
    conditions = [Table("What the cells differ in", ("cell", *names), settings)]
    # The machine is the same for all searches: the first search that names it stands for all.
    conditions += condition_tables(searches[0].fields) if searches else []
    return Section(
        f"Experiment {experiment.label}: {experiment.title}",
        findings(experiment),
        experiment.doubts(),
        [*charts_of(experiment), *grids_of(experiment)],
        [*experiment.tables, results_table(searches)] if searches else experiment.tables,
        conditions,
    )
