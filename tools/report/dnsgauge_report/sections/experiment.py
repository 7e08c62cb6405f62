# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of an experiment: a bar for each cell, and the tables as printed."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.experiment import (
    Place,
    SharePoint,
    grouped_chart,
    results_chart,
    shares_chart,
)
from ..charts.placement import pairs_chart, processes_chart
from ..charts.rates import bars_chart, grid_chart
from ..document import Cell, Chart, Section, Table
from ..drawing import spread
from ..packages import check_packages
from ..quantities import plural, rate_text
from ..results.base import condition_tables
from ..results.experiment import Experiment, ExperimentCell
from ..results.search import Search, median, percentile
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


# Charts of one kind: more of them are no overview.
MOST_CHARTS = 4


def found_cells(experiment: Experiment) -> list[tuple[ExperimentCell, Search]]:
    """Returns the cells that have results, with them."""
    return [(cell, cell.search) for cell in experiment.cells if cell.search and cell.search.rates]


def by_cores(experiment: Experiment) -> list[Chart]:
    """Returns medians and 1st percentiles by CPU cores and server, for each of the other settings;
    none where the cores do not vary."""
    if "cores" not in experiment.varied:
        return []
    others = [name for name in experiment.varied if name not in ("server", "cores")]
    groups: dict[str, list[Place]] = {}
    for cell, search in found_cells(experiment):
        server = cell.settings.get("server", search.server)
        place = Place(
            cell.settings.get("cores", ""), server, search.rates, bool(search.tester_limit)
        )
        groups.setdefault(label_of(cell, others) if others else "", []).append(place)
    charts = []
    for number, (label, places) in enumerate(spread(list(groups.items()), MOST_CHARTS), 1):
        of = f": {label}" if label else ""
        charts += [
            grouped_chart(places, median, f"Medians{of}", "CPU cores", f"medians-{number}"),
            grouped_chart(
                places,
                lambda rates: percentile(rates, 1),
                f"1st percentiles{of}",
                "CPU cores",
                f"p1-{number}",
            ),
        ]
    return charts


def all_results(experiment: Experiment) -> list[Chart]:
    """Returns all results of the cells, where there are several of a cell."""
    cells = [
        (label_of(cell, experiment.varied), search.rates)
        for cell, search in found_cells(experiment)
    ]
    if not any(len(rates) > 1 for _, rates in cells):
        return []
    parts = [cells[first : first + MOST_BARS] for first in range(0, len(cells), MOST_BARS)]
    return [results_chart(part, f"results-{number}") for number, part in enumerate(parts, 1)]


def number_or_none(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def by_shares(experiment: Experiment) -> list[Chart]:
    """Returns rates by the shares of cached names and of AAAA records with the model's curve, for
    each of the other settings; none where neither varies."""
    if not set(SHARES) & set(experiment.varied):
        return []
    others = [name for name in experiment.varied if name not in SHARES]
    check_packages()
    groups: dict[str, list[SharePoint]] = {}
    # Without a word of it, an experiment that varies these shares is of a DNS64 server.
    is_dns64 = all(one.settings.get("dut", "dns64") == "dns64" for one in experiment.cells)
    for cell, search in found_cells(experiment):
        aaaa, cached = (number_or_none(cell.settings.get(name, "0")) for name in SHARES)
        if aaaa is None or cached is None:
            continue
        point = SharePoint(
            cached,
            aaaa,
            median(search.rates),
            min(search.rates),
            max(search.rates),
            len(search.rates),
            bool(search.tester_limit),
        )
        groups.setdefault(label_of(cell, others) if others else "", []).append(point)
    charts = []
    for number, (label, points) in enumerate(spread(list(groups.items()), MOST_CHARTS), 1):
        if len({(one.cached, one.aaaa) for one in points}) > 1:
            title = f"Rates by shares{', with the model' if is_dns64 else ''}"
            title += f": {label}" if label else ""
            charts.append(shares_chart(points, title, f"shares-{number}", is_dns64))
    return charts


def by_processes(experiment: Experiment) -> list[Chart]:
    """Returns rates by server processes, for each of the other settings; none where the processes
    do not vary."""
    if "processes" not in experiment.varied:
        return []
    others = [name for name in experiment.varied if name != "processes"]
    curves: dict[str, dict[str, list[float]]] = {}
    for cell, search in found_cells(experiment):
        label = label_of(cell, others) if others else ""
        curves.setdefault(label, {})[cell.settings.get("processes", "")] = search.rates
    title = "Rates by server processes"
    return [processes_chart(curves, "server processes", "processes", title)] if curves else []


def cpus_of(text: str) -> tuple[int, ...]:
    """Returns the CPUs of "0,2-3"; none where the text is no list."""
    cpus: list[int] = []
    try:
        for part in text.split(","):
            first, _, last = part.partition("-")
            cpus += range(int(first), int(last or first) + 1)
    except ValueError:
        return ()
    return tuple(cpus)


def by_server_cpus(experiment: Experiment) -> list[Chart]:
    """Returns rates on single CPUs, and the map of pairs, for each of the other settings; none
    where the server's CPUs do not vary."""
    if "server-cpus" not in experiment.varied:
        return []
    others = [name for name in experiment.varied if name != "server-cpus"]
    groups: dict[str, dict[tuple[int, ...], list[float]]] = {}
    for cell, search in found_cells(experiment):
        label = label_of(cell, others) if others else ""
        cpus = cpus_of(cell.settings.get("server-cpus", ""))
        groups.setdefault(label, {})[cpus] = search.rates
    singles = {
        label: {str(cpus[0]): rates for cpus, rates in group.items() if len(cpus) == 1}
        for label, group in groups.items()
    }
    singles = {label: group for label, group in singles.items() if group}
    charts = []
    if singles:
        title = "Rates on single CPUs"
        charts.append(processes_chart(singles, "CPU", "single-cpus", title))
    for number, (label, group) in enumerate(spread(list(groups.items()), MOST_CHARTS), 1):
        places = {cpus: rates for cpus, rates in group.items() if len(cpus) in (1, 2)}
        if any(len(cpus) == 2 for cpus in places):
            title = f"Rates on pairs of CPUs{': ' + label if label else ''}"
            charts.append(pairs_chart(places, experiment.server_topology, title, f"pairs-{number}"))
    return charts


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
        first = (
            f"Of {plural(len(found), 'combination')} {high} keeps most, {rate_text(most)}, and"
            f" {low} least, {rate_text(least)}: queries per second, medians of the searches."
            if len(found) > 1
            else f"{high} keeps {rate_text(most)}: queries per second, the median of the searches."
        )
    second = f"{len(found)} of {plural(len(experiment.cells), 'cell')} have results."
    trials = sum(len(cell.search.trials) for cell in experiment.cells if cell.search)
    third = f"They took {plural(trials, 'trial')}."
    return [first, second, third]


def handled_tables(experiment: Experiment) -> list[Table]:
    """Returns how the packets of each cell were shared out among the queues and among the CPUs of
    the server's machine; no table of what nobody counted."""
    told = [
        (cell.name, cell.placement.handled) for cell in experiment.cells if cell.placement.handled
    ]
    counts: dict[str, dict[str, dict[str, int | None]]] = {
        "queue": {name: {one.queue: one.packets for one in of.queues} for name, of in told},
        "CPU that received them": {
            name: {f"CPU {one.cpu}": one.processed for one in of.cpus} for name, of in told
        },
    }
    tables = []
    for what, cells in counts.items():
        columns = list(dict.fromkeys(column for found in cells.values() for column in found))
        if any(count is not None for found in cells.values() for count in found.values()):
            rows = [(name, *map(found.get, columns)) for name, found in cells.items()]
            caption = f"Packets of the server's machine in each cell, by {what}"
            tables.append(Table(caption, ("cell", *columns), rows))
    return tables


def section(experiment: Experiment) -> Section:
    searches = [cell.search for cell in experiment.cells if cell.search]
    names = experiment.varied
    settings: list[Sequence[Cell]] = [
        (cell.name, *(cell.settings.get(name) for name in names)) for cell in experiment.cells
    ]
    conditions = [Table("What the cells differ in", ("cell", *names), settings)]
    # The machine is the same for all searches: the first search that names it stands for all.
    conditions += condition_tables(searches[0].fields) if searches else []
    tables = [*experiment.tables, *([results_table(searches)] if searches else [])]
    return Section(
        f"Experiment {experiment.label}: {experiment.title}",
        findings(experiment),
        experiment.doubts(),
        [
            *charts_of(experiment),
            *by_cores(experiment),
            *by_processes(experiment),
            *by_server_cpus(experiment),
            *by_shares(experiment),
            *grids_of(experiment),
            *all_results(experiment),
        ],
        [*tables, *handled_tables(experiment)],
        conditions,
    )
