# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Experiments: dnsgauge/experiment/1."""

import functools
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from statistics import fmean as mean, median
from typing import Any

from ..charts.rates import Bar, bar_looks, bars_chart, grid_chart, number_of, results_each
from ..document import Cell, Chart, Section, Table
from ..drawing import INK, SERIES, dots, dots_in_row, draw_tiles, height_of, legend_above
from ..drawing import name_rows, spread
from ..fields import Fields
from ..grouped import grouped
from ..packages import check_packages
from ..quantities import drawn_text, plural, rate_axis, rate_text, shortened
from ..tables import member, members
from ..view import View
from . import search as of_search
from .base import Result, condition_tables, ended, read_settings, sentence, whose_doubts
from .handled import PlacementSeen, Topology, read_topology
from .search import Search, bar_of, percentile, results_table, spread_of
from .series import series_in

SCHEMA = "dnsgauge/experiment/1"


class ExperimentCell(View):
    """A cell of the matrix: what was set, and the search, none where none was begun. `placement` is
    what dnsgauge saw of the queues of the server's machine."""

    readers = {"settings": read_settings, "placement": PlacementSeen}

    def doubts(self) -> list[str]:
        """Returns what makes the cell's result doubtful; nothing of a cell that has none."""
        notes = self.placement.fields.texts_or("notes") if self.placement else ()
        has_result = self.search and not self.failure
        return [*map(ended, notes), *(self.search.doubts() if has_result else [])]


class Experiment(Result):
    readers = {"server_topology": read_topology}

    @property
    def varied(self) -> list[str]:
        """Returns the settings that differ between cells. How a search is made is none of them:
        rules adapt that to what the cells are of."""
        ways = {"min-rate", "max-rate", "resolution", "allow-repeats"}
        settings = [name for cell in self.cells for name in cell.settings if name not in ways]
        names = list(dict.fromkeys(settings))
        varied = [one for one in names if len({cell.settings.get(one) for cell in self.cells}) > 1]
        # What a reader looks for first stands first.
        return sorted(varied, key=lambda name: name != "server")

    def doubts(self) -> list[str]:
        doubts = [sentence(label) for label in self.labels]
        if self.scaled_down and not any(self.scaled_down in label for label in self.labels):
            doubts.append(f"The experiment is scaled down: {ended(self.scaled_down)}")
        if not self.complete:
            doubts.append("The experiment is not complete.")
        failed = [cell for cell in self.cells if cell.failure]
        doubts += [f"{cell.name} has no result: {ended(cell.failure)}" for cell in failed]
        of_cells = ((cell.name, cell.doubts()) for cell in self.cells)
        return doubts + whose_doubts(of_cells, "All cells: ", doubts)


def rows_of_texts(fields: Fields, name: str) -> list[Any]:
    rows = fields.list_or(name)
    for row in rows:
        if not isinstance(row, list) or not all(isinstance(cell, str) for cell in row):
            raise fields.wrong(name, "rows of texts", row)
    return rows


def read_heads(fields: Fields) -> list[str]:
    """Returns a head for each column: of a table with several rows of heads, what stands above."""
    if all(isinstance(row, str) for row in fields.list_or("heads")):
        return fields.texts_or("heads")
    columns = itertools.zip_longest(*rows_of_texts(fields, "heads"), fillvalue="")
    return [", ".join(filter(None, column)) for column in columns]


def read_table(fields: Fields) -> Table:
    rows = rows_of_texts(fields, "rows")
    return Table(fields.text("caption"), read_heads(fields), rows, fields.texts_or("notes"))


def read_cell(fields: Fields, label: str) -> ExperimentCell:
    search = fields.inner_or_none("search")
    label = f"{label} {fields.text('name')}"
    made = Search(series_in(search, of_search.KIND), label) if search else None
    return ExperimentCell(fields, search=made)


def read(fields: Fields, label: str) -> Experiment:
    cells = [read_cell(cell, label) for cell in fields.objects_or("cells")]
    tables = [read_table(table) for table in fields.objects_or("tables")]
    return Experiment(fields, label, cells=cells, tables=tables)


Statistic = Callable[[Sequence[float]], float]


@dataclass(frozen=True)
class Place:
    """What one cell found, drawn at `across` (CPU cores) in the colour of `series` (the server)."""

    across: str
    series: str
    rates: Sequence[float]
    tester_limited: int = 0


def places_chart(
    places: Sequence[Place],
    title: str,
    across: str,
    name: str,
    statistic: Statistic | None = None,
    share_of: str = "",
) -> Chart:
    """Returns the rates by what stands across, a colour for each series: bars of the statistic,
    hatched where the Tester was the limit, or lines of means with minimum and maximum, hollow where
    the Tester was the limit. With `share_of` the rates are percentages of that."""
    columns = sorted({one.across for one in places}, key=number_of)
    told = list(dict.fromkeys(one.series for one in places))
    series = spread(told)
    shown = [one for one in places if one.series in series]
    shown.sort(key=lambda one: (series.index(one.series), number_of(one.across)))
    step = 0.8 / len(series) if statistic else 0.08
    middle = statistic or mean
    kinds = {"rate": middle} if statistic else {"mean": mean, "minimum": min, "maximum": max}

    def draw(axes: Any) -> None:
        for order, label in enumerate(series):
            those = [one for one in shown if one.series == label]
            shift = (order - (len(series) - 1) / 2) * step
            points = [(columns.index(one.across) + shift, middle(one.rates)) for one in those]
            looks: dict[str, Any] = {"label": shortened(label, 18) if label else None}
            if statistic:
                for point, one in zip(points, those):
                    bar = bar_looks(SERIES[order], one.tester_limited)
                    axes.bar(*point, width=step * 0.92, **bar)
                dots(axes, [], SERIES[order], 30, marker="s", **looks)
                continue
            at, middles = zip(*points)
            below = [height - min(one.rates) for height, one in zip(middles, those)]
            above = [max(one.rates) - height for height, one in zip(middles, those)]
            looks |= {"marker": "o", "markersize": 3.5, "capsize": 2.5, "elinewidth": 0.9}
            axes.errorbar(at, middles, yerr=[below, above], color=SERIES[order], **looks)
            for point, one in zip(points, those):
                looks = {"markersize": 3.5, "color": SERIES[order], "mfc": "white", "zorder": 3}
                axes.plot(*(point if one.tester_limited else ((), ())), "o", **looks)
        axes.set_xticks(range(len(columns)), columns)
        axes.grid(axis="x", visible=False)
        axes.set(xlim=(-0.6, len(columns) - 0.4), ylim=(0, None))
        axes.set(xlabel=across, ylabel=f"% of {share_of}" if share_of else "queries per second")
        if not share_of:
            rate_axis(axes.yaxis)
        if any(series):
            legend_above(axes, 3)

    caption = "" if statistic else "Means, with minimum and maximum. "
    caption += f"N = {results_each(len(one.rates) for one in shown)}."
    caption += drawn_text(len(series), len(told), "server")
    if any(one.tester_limited for one in shown):
        caption += f" {'Hatched' if statistic else 'Hollow'}: the Tester was the limit, so the"
        caption += " server may keep more."
    rows = [
        (one.across, one.series, *(figure(one.rates) for figure in kinds.values()))
        + (len(one.rates), one.tester_limited)
        for one in shown
    ]
    heads = (across, "server", *kinds, "results", "tester_limited")
    return Chart(name, title, caption, heads, rows, draw)


def results_chart(cells: Sequence[tuple[str, Sequence[float]]], name: str = "results") -> Chart:
    """Returns how the results of each cell lie around their median, which lets cells of any rate be
    compared. Every rate must be above 0."""
    middles = [median(rates) for _, rates in cells]
    found = [
        (label, sorted(rates), [100 * (rate / middle - 1) for rate in sorted(rates)])
        for (label, rates), middle in zip(cells, middles)
    ]

    def draw(axes: Any) -> None:
        axes.axvline(0, color=INK, linewidth=0.8)
        for row, (_, _, shares) in enumerate(found):
            dots_in_row(axes, shares, -row, SERIES[0], 11, alpha=0.7)
        name_rows(axes, [label for label, _ in cells], bare=True)
        axes.margins(x=0.06)
        axes.xaxis.get_major_locator().set_params(nbins=6)
        axes.set_xlabel("% from the median of the cell")

    caption = "Each result is a point, against the median of its cell. N ="
    caption += f" {results_each(len(rates) for _, rates in cells)}."
    rows = [(label, *row) for label, rates, shares in found for row in zip(rates, shares)]
    named, heads = (name, "How the results scatter"), "what rate percent_from_median"
    return Chart(*named, caption, heads, rows, draw, height_of(len(cells)))


@dataclass(frozen=True)
class SharePoint(Bar):
    """What a cell found at shares of cached names and of names with an AAAA record, in percent."""

    cached: float = 0
    aaaa: float = 0


def shares_chart(
    points: Sequence[SharePoint], title: str, name: str, has_model: bool = True
) -> Chart:
    """Returns rates by the share that varies, with the curve of paper 002's model of a DNS64 server
    if `has_model`. Where both shares vary, the rates stand by the share of AAAA records, a line for
    each share of cached names. Two shares at least must differ."""
    from ..statistics import dns64

    by_cached = len({one.aaaa for one in points}) == 1
    across = "% of the queries cached" if by_cached else "% of the names with an AAAA record"
    # The share of a point that stands across, and the share that tells lines apart.
    shares = [(one.cached, one.aaaa) if by_cached else (one.aaaa, one.cached) for one in points]
    fitted = [one for one in points if not one.tester_limited]
    model = None
    if has_model and len({(one.cached, one.aaaa) for one in fitted}) > 1:
        model = dns64.fit([(one.cached / 100, one.aaaa / 100, one.middle) for one in fitted])

    def draw(axes: Any) -> None:
        lines = grouped(sorted((line, place) for place, line in shares))
        colours = dict(zip(lines, itertools.cycle(SERIES)))
        for (place, line), one in zip(shares, points):
            colour = colours[line]
            axes.plot([place, place], [one.least, one.greatest], color=INK, linewidth=1)
            looks = {"facecolor": "none" if one.tester_limited else colour, "edgecolor": colour}
            axes.scatter([place], [one.middle], s=24, zorder=3, **looks)
        for line, places in lines.items():
            if model and len(places) > 1:
                drawn = [places[0] + (places[-1] - places[0]) * part / 60 for part in range(61)]
                pairs = [(one, line) if by_cached else (line, one) for one in drawn]
                rates = [model.rate(cached / 100, aaaa / 100) for cached, aaaa in pairs]
                label = "model" if len(lines) == 1 else f"{line:g} % cached"
                axes.plot(drawn, rates, color=colours[line], linewidth=1.2, label=label)
        axes.set(ylim=(0, None), xlim=(-4, 104))
        rate_axis(axes.yaxis)
        axes.set(xlabel=across, ylabel="queries per second")
        if axes.get_legend_handles_labels()[0]:
            legend_above(axes, 3)

    caption = "Points: medians; bars: lowest to highest result"
    caption += "; curve: the model of paper 002, fitted to the medians" if model else ""
    caption += f". N = {results_each(one.results for one in points)}."
    if any(one.tester_limited for one in points):
        caption += " Hollow: the Tester was the limit; the model is not fitted to these."
    paths = "cached aaaa middle least greatest results tester_limited"
    told = [model and round(model.rate(one.cached / 100, one.aaaa / 100), 1) for one in points]
    rows = [[*members(one, paths), rate] for one, rate in zip(points, told)]
    heads = "cached_percent aaaa_percent median lowest highest results tester_limited model"
    return Chart(name, title, caption, heads, rows, draw)


def in_order(cpus: Sequence[int], topology: Topology) -> list[int]:
    """Returns the CPUs, those near each other next to each other. Unknown ones come last."""
    known = sorted((cpu for cpu in cpus if cpu in topology), key=lambda cpu: topology[cpu].order)
    return known + sorted(cpu for cpu in cpus if cpu not in topology)


def pairs_chart(
    results: Mapping[tuple[int, ...], Sequence[float]], topology: Topology, title: str, name: str
) -> Chart:
    """Returns mean rates of pairs of CPUs, and of single ones on the diagonal, as a map: CPUs that
    are near each other stand next to each other, lines separate caches and sockets."""
    rates = {place: mean(found) for place, found in results.items()}
    cpus = in_order(sorted({cpu for place in rates for cpu in place}), topology)
    least, most = min(rates.values()), max(rates.values())

    def draw(axes: Any) -> None:
        names = [str(cpu) for cpu in cpus]
        tiles = {(str(place[0]), str(place[-1])): rate for place, rate in rates.items()}
        tiles |= {(row, column): rate for (column, row), rate in tiles.items()}
        draw_tiles(axes, tiles, names, names, 6)
        for at, (one, other) in enumerate(zip(cpus, cpus[1:]), 1):
            if one not in topology or other not in topology:
                continue
            is_far = topology[one].socket != topology[other].socket
            if is_far or topology[one].order[1:3] != topology[other].order[1:3]:
                looks = {"color": INK, "linewidth": 2.0 if is_far else 0.8, "clip_on": False}
                axes.plot([at, at], [0, len(cpus)], **looks)
                axes.plot([0, len(cpus)], [at, at], **looks)
        axes.set(xlabel="CPU", ylabel="CPU")

    best = max(rates, key=lambda place: rates[place])
    caption = "Numbers and shades: mean rates, queries per second; the diagonal is a single CPU."
    if least > 0 and most > least:
        who = f"CPU {best[0]} is" if len(best) == 1 else f"CPUs {' and '.join(map(str, best))} are"
        caption += f" {who} {100 * (most / least - 1):.0f} % above the slowest."
    if any(cpu in topology for cpu in cpus):
        caption += " A thick line separates sockets, a thin one caches."
    caption += f" N = {results_each([len(found) for found in results.values()])}."
    rows = [(place[0], place[-1], rate) for place, rate in rates.items()]
    height = min(1.0, 0.3 + 0.08 * len(cpus))
    return Chart(name, title, caption, "cpu other_cpu mean_rate", rows, draw, height)


# More bars than this make a chart of their own.
MOST_BARS = 24
# Short words for settings that labels often need.
FORMS = {"server": "{}", "cores": "CPUs: {}", "duration": "{} s", "timeout": "timeout {} s"}
FORMS |= {"accept": "{} %", "aaaa-share": "AAAA {} %", "cached-share": "cached {} %"}
SHARES = ("aaaa-share", "cached-share")
# Stands on an axis of numbers for a cell that does without the setting.
NO_NUMBER = "none"


def label_of(cell: ExperimentCell, varied: Sequence[str]) -> str:
    told = {name: cell.settings[name] for name in varied if name in cell.settings}
    words = [FORMS.get(name, f"{name} {{}}").format(value) for name, value in told.items()]
    return ", ".join(words) or cell.name


def charts_of(experiment: Experiment) -> list[Chart]:
    varied = experiment.varied
    bars = [bar_of(cell.search, label_of(cell, varied)) for cell in experiment.cells if cell.search]
    parts = parts_of(bars)
    if len(parts) < 2:
        return [bars_chart(part, "Highest rates") for part in parts]
    title = f"Highest rates, part {{}} of {len(parts)}"
    return [bars_chart(one, title.format(at), f"rates-{at}") for at, one in enumerate(parts, 1)]


def parts_of(rows: Sequence[Any]) -> list[Sequence[Any]]:
    """Returns the rows in parts of MOST_BARS."""
    return [rows[first : first + MOST_BARS] for first in range(0, len(rows), MOST_BARS)]


# Charts of one kind: more of them are no overview.
MOST_CHARTS = 4
Found = list[tuple[ExperimentCell, Search]]


def rates_of(search: Search) -> Sequence[float]:
    """Returns the results, or what the server keeps at least; none where neither is known."""
    return search.rates or [rate for rate in [search.at_least] if rate]


def place_of(search: Search, across: str, series: str) -> Place:
    return Place(across, series, rates_of(search), search.tester_limited)


def found_cells(experiment: Experiment, with_bounds: bool = False) -> Found:
    """Returns the cells that have results. With `with_bounds` a result may be what the server keeps
    at least."""
    pairs = [(cell, cell.search) for cell in experiment.cells if cell.search]
    return [one for one in pairs if (rates_of(one[1]) if with_bounds else one[1].rates)]


def by_others(experiment: Experiment, *names: str, with_bounds: bool = False) -> dict[str, Found]:
    """Returns the cells that have results by what they share besides these settings: its label, or
    nothing where nothing else varies. No cells where the last of the settings does not vary."""
    others = [name for name in experiment.varied if name not in names]
    told = found_cells(experiment, with_bounds) if names[-1] in experiment.varied else []
    return grouped((label_of(one[0], others) if others else "", one) for one in told)


def shown_of(groups: Mapping[str, Any]) -> Iterable[tuple[int, str, Any]]:
    """Returns the groups that get a chart, numbered, each with the end of its title."""
    for number, (label, group) in enumerate(spread(list(groups.items()), MOST_CHARTS), 1):
        yield number, f": {label}" if label else "", group


def by_cores(experiment: Experiment) -> list[Chart]:
    """Returns medians and 1st percentiles by CPU cores and server, for each of the other settings;
    none where the cores do not vary."""
    first = functools.partial(percentile, percent=1)
    forms: dict[str, tuple[str, Statistic]] = {"medians": ("Medians", median)}
    forms["p1"] = ("1st percentiles", first)
    charts = []
    for number, of, cells in shown_of(by_others(experiment, "server", "cores")):
        places = [
            place_of(one, cell.settings.get("cores", ""), cell.settings.get("server", one.server))
            for cell, one in cells
        ]
        for name, (what, statistic) in forms.items():
            where = (f"{what}{of}", "CPU cores", f"{name}-{number}")
            charts.append(places_chart(places, *where, statistic))
    return charts


def grids_of(experiment: Experiment) -> list[Chart]:
    """Returns RFC 8219's grid, shares of cached names by shares of AAAA records, of each of the
    other settings; none where the shares do not both vary."""
    if not set(SHARES) <= set(experiment.varied):
        return []
    axes = ("% of the names with an AAAA record", "% of the queries cached")
    charts = []
    for number, (label, cells) in enumerate(by_others(experiment, *SHARES).items(), 1):
        rates = {}
        for cell, search in cells:
            aaaa, cached = (cell.settings.get(name, "") for name in SHARES)
            rates[aaaa, cached] = median(search.rates)
        title = f"Rates by shares: {label or experiment.title}"
        charts.append(grid_chart(rates, title, *axes, f"grid-{number}"))
    return charts


def all_results(experiment: Experiment) -> list[Chart]:
    varied, found = experiment.varied, found_cells(experiment)
    cells = [(label_of(cell, varied), search.rates) for cell, search in found]
    if not any(len(rates) > 1 for _, rates in cells):
        return []
    return [results_chart(one, f"results-{at}") for at, one in enumerate(parts_of(cells), 1)]


def by_shares(experiment: Experiment) -> list[Chart]:
    """Returns rates by the shares of cached names and of AAAA records with the model's curve, for
    each of the other settings; none where neither varies."""
    varied = [name for name in SHARES if name in experiment.varied]
    if not varied:
        return []
    check_packages()
    # Without a word of it, an experiment that varies these shares is of a DNS64 server.
    is_dns64 = all(one.settings.get("dut", "dns64") == "dns64" for one in experiment.cells)
    charts = []
    for number, of, cells in shown_of(by_others(experiment, *SHARES, varied[0])):
        points = []
        for cell, search in cells:
            with suppress(ValueError):
                aaaa, cached = (float(cell.settings.get(name, "0")) for name in SHARES)
                bar = (*spread_of(search.rates), search.tester_limited)
                points.append(SharePoint("", *bar, cached=cached, aaaa=aaaa))
        if len({(one.cached, one.aaaa) for one in points}) > 1:
            title = f"Rates by shares{', with the model' if is_dns64 else ''}{of}"
            charts.append(shares_chart(points, title, f"shares-{number}", is_dns64))
    return charts


def by_number(experiment: Experiment, setting: str, what: str) -> list[Chart]:
    """Returns rates by a setting that is a number; none where it does not vary."""
    groups = by_others(experiment, setting, with_bounds=True)
    places = [
        place_of(one, of.settings.get(setting) or NO_NUMBER, label)
        for label, group in groups.items()
        for of, one in group
    ]
    return [places_chart(places, f"Rates by {what}", what, setting)] if places else []


def by_connections(experiment: Experiment) -> list[Chart]:
    """Returns rates by the queries that a connection carries, and the same as shares of the rates
    over UDP where these are known."""
    setting, what = "queries-per-connection", "queries a connection"
    charts = by_number(experiment, setting, what)
    places = []
    for label, cells in by_others(experiment, "transport", setting, with_bounds=True).items():
        over_udp = [rates_of(one) for of, one in cells if of.settings.get("transport") == "udp"]
        for of, one in cells if len(over_udp) == 1 else ():
            if of.settings.get(setting):
                series = ", ".join(filter(None, (label, of.settings.get("transport", ""))))
                shares = [100 * rate / mean(over_udp[0]) for rate in rates_of(one)]
                places.append(replace(place_of(one, of.settings[setting], series), rates=shares))
    if places:
        title, udp = "Rates over connections beside UDP", "the rate over UDP"
        charts.append(places_chart(places, title, what, "shares-of-udp", share_of=udp))
    return charts


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
    groups = {
        label: {cpus_of(cell.settings.get("server-cpus", "")): one.rates for cell, one in cells}
        for label, cells in by_others(experiment, "server-cpus").items()
    }
    pairs = [(label, *one) for label, group in groups.items() for one in group.items()]
    singles = [Place(str(cpus[0]), label, rates) for label, cpus, rates in pairs if len(cpus) == 1]
    charts = []
    if singles:
        charts.append(places_chart(singles, "Rates on single CPUs", "CPU", "single-cpus"))
    for number, of, group in shown_of(groups):
        places = {cpus: rates for cpus, rates in group.items() if len(cpus) in (1, 2)}
        if any(len(cpus) == 2 for cpus in places):
            title = f"Rates on pairs of CPUs{of}"
            charts.append(pairs_chart(places, experiment.server_topology, title, f"pairs-{number}"))
    return charts


def findings(experiment: Experiment) -> list[str]:
    found = found_cells(experiment)
    first = "No cell has a result."
    if found:
        ordered = sorted(found, key=lambda one: median(one[1].rates))
        (low, least), (high, most) = (
            (label_of(cell, experiment.varied), rate_text(median(search.rates)))
            for cell, search in (ordered[0], ordered[-1])
        )
        first = f"{high} keeps {most}: queries per second, the median of the searches."
        if len(found) > 1:
            count = plural(len(found), "combination")
            first = f"Among {count} {high} keeps most, {most}, and {low} least, {least}: queries"
            first += " per second, medians of the searches."
    second = f"{len(found)} of {plural(len(experiment.cells), 'cell')} have results."
    trials = sum(len(cell.search.trials) for cell in experiment.cells if cell.search)
    return [first, second, f"They took {plural(trials, 'trial')}."]


def handled_tables(experiment: Experiment) -> list[Table]:
    """Returns how the packets of each cell were shared out among the queues and among the CPUs of
    the server's machine; no table of what nobody counted."""
    of_cells = ((cell.name, member(cell, "placement.handled")) for cell in experiment.cells)
    told = [(name, handled) for name, handled in of_cells if handled]
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
        (cell.name, *map(cell.settings.get, names)) for cell in experiment.cells
    ]
    conditions = [Table("What the cells differ in", ("cell", *names), settings)]
    # The machine is the same for all searches: the first search that names it stands for all.
    conditions += condition_tables(searches[0].fields) if searches else []
    tables = [*experiment.tables, results_table(searches), *handled_tables(experiment)]
    charts = charts_of(experiment) + by_cores(experiment)
    charts += by_number(experiment, "processes", "server processes") + by_connections(experiment)
    charts += by_server_cpus(experiment) + by_shares(experiment)
    charts += grids_of(experiment) + all_results(experiment)
    title = f"Experiment {experiment.label}: {experiment.title}"
    return Section(title, findings(experiment), experiment.doubts(), charts, tables, conditions)
