# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Records of generators against servers: dnsgauge/bench/1; and of floods against models of the
echo, which older versions recorded apart: dnsgauge/echo-bench/2."""

from collections.abc import Callable, Iterable, Mapping
from statistics import median
from typing import Any

from ..charts.rates import Bar, bars_chart
from ..document import Chart, Section, Table
from ..fields import Fields
from ..quantities import plural, rate_text
from ..schemas import load
from .base import Result, flat
from .search import spread_of

SCHEMA, ECHO_SCHEMA = "dnsgauge/bench/1", "dnsgauge/echo-bench/2"
OWN_GENERATOR, OWN_SERVER = "dnsgauge", "fakedns"
# CPUs that other processes may take in the median trial.
QUIET = 0.05
RATES = {
    "lossless": "Lossless: every query answered",
    "answered": "Answered, at any rate",
    "sent": "Sent, answered or not",
}
COSTS = {"generator_us": "Generator's CPU time a query", "server_us": "Server's CPU time a reply"}
NOTES = [
    "Queries per second, and microseconds of CPU time: medians over rounds (lowest to highest).",
    "lossless: the highest rate at which two trials and no other lost nothing; for dnsgauge every"
    " reply was also right. answered, sent: the most replies and queries per second in any trial.",
    "generator_us: its process and ksoftirqd of its CPU, per query sent at full speed. server_us:"
    " its processes, the threads that poll its interface and ksoftirqd of its CPU, per reply at the"
    " lossless rate; queries to a server without XDP are received on the generator's CPU.",
    "dnsperf has at most 100 queries open, so it slows down where others lose. kxdpgun and dnsperf"
    " count replies; they do not look at the data.",
]
Pair = tuple[str, str]
# By pair (generator, server), figure and round.
Figures = Mapping[Pair, Mapping[str, Mapping[int, float]]]


class Bench(Result):
    """A benchmark of generators, finished or not. A turn is one round of a pair. It `found` the
    highest rate without a loss, or none."""

    older = {"date": ""}

    @property
    def figures(self) -> Figures:
        """Returns each figure in the rounds that have it, a server's pairs together."""
        servers = list(dict.fromkeys(turn.server for turn in self.turns))
        figures: dict[Pair, dict[str, dict[int, float]]] = {}
        starts: dict[Pair, float] = {}
        for turn in sorted(self.turns, key=lambda turn: servers.index(turn.server)):
            pair = (turn.generator, turn.server)
            trials = [one for one in turn.trials if one.purpose != "start"]
            values = figures.setdefault(pair, {name: {} for name in (*RATES, *COSTS)})
            for one in turn.trials:
                starts |= {pair: one.generator_cpu} if one.purpose == "start" else {}
            for name in ("answered", "sent"):
                rates = [getattr(one, f"{name}_rate") for one in trials]
                values[name][turn.round] = max(rates, default=0.0)
            for flood in [one for one in trials if one.purpose == "flood" and one.sent][-1:]:
                spent = max(flood.generator_cpu - starts.get(pair, 0.0), 0.0)
                values["generator_us"][turn.round] = 1e6 * spent / flood.sent
            if turn.found is not None:
                values["lossless"][turn.round] = turn.found
                kept = [one for place, one in enumerate(turn.trials) if place in turn.found_trials]
                if replies := sum(one.replies for one in kept):
                    spent = sum(one.server_cpu + one.napi_cpu for one in kept)
                    values["server_us"][turn.round] = 1e6 * spent / replies
        return figures

    def doubts(self) -> list[str]:
        doubts = [] if self.complete else ["The run ended early."]
        trials = [one for turn in self.turns for one in turn.trials if one.wall]
        for name, who in (("other_cpu", "other processes"), ("stolen_cpu", "the hypervisor")):
            shares = [getattr(one, name) / one.wall for one in trials]
            if shares and median(shares) > QUIET:
                took = f"{who.capitalize()} took {100 * median(shares):.1f} % of a CPU"
                doubts.append(f"{took} in the median trial: measure again on a quiet machine.")
        return doubts


read = Bench


def read_echo(fields: Fields, label: str) -> Bench:
    turns = []
    for number, one in enumerate(fields.objects_or("rounds"), 1):
        for server in one.value:
            rates = one.numbers_or(server)
            if len(rates) != 2 or min(rates) < 0:
                raise one.wrong(server, "two rates, of queries and of replies", one.get(server))
            flood = {"purpose": "flood", "wall": 0, "sent": 0, "sent_rate": rates[0]}
            flood["answered_rate"] = rates[1]
            turn = {"round": number, "generator": OWN_GENERATOR, "server": server, "found": None}
            turns.append(turn | {"trials": [flood], "found_trials": []})
    if not turns:
        raise fields.wrong("rounds", "a list of one flood at least", fields.get("rounds"))
    made = fields.value | {"complete": True, "link": [], "turns": turns}
    return Bench(Fields(made, fields.where, fields.path, load("bench")), label)


def shown(values: Iterable[float], form: str = ",.0f") -> str | None:
    """Returns "20 (10 to 30)": median, lowest and highest."""
    found = list(values)
    middle, low, high, _ = spread_of(found) if found else (0, 0, 0, 0)
    return f"{middle:{form}} ({low:{form}} to {high:{form}})" if found else None


def ratios(over: Mapping[int, float], under: Mapping[int, float]) -> list[float]:
    """Returns the ratios round by round: drift cancels."""
    return [over[number] / under[number] for number in over if under.get(number, 0) > 0]


def best(figures: Figures, figure: str, is_wanted: Callable[[Pair], bool]) -> Pair | None:
    found = {pair: values[figure] for pair, values in figures.items() if is_wanted(pair)}
    medians = {pair: median(list(values.values())) for pair, values in found.items() if values}
    return max(medians, key=lambda pair: medians[pair]) if medians else None


def is_own(pair: Pair) -> bool:
    return pair[0] == OWN_GENERATOR


def comparisons(figures: Figures) -> Table:
    """Returns the table of this project's generator against the best other one at each server, and
    of the best own pair against the best other pair, and the best pair of others' programs."""
    own = best(figures, "lossless", is_own)
    rivals: list[tuple[Pair | None, str, list[Pair]]] = [
        ((OWN_GENERATOR, server), "other generators", [one for one in figures if one[1] == server])
        for server in dict.fromkeys(server for _, server in figures)
    ]
    rivals.append((own, "all other pairs", list(figures)))
    others = [one for one in figures if not one[1].startswith(OWN_SERVER)]
    rivals.append((own, "others' programs", others))
    rows = []
    for pair, title, those in rivals:
        cells = []
        for figure in RATES if pair and pair in figures else ():
            rival = best(figures, figure, lambda one: one in those and not is_own(one))
            found = pair and rival and ratios(figures[pair][figure], figures[rival][figure])
            whom = " and ".join(rival or ())
            cells.append(f"{shown(found, '.2f')} {whom}" if found else None)
        if any(cells) and pair:
            rows.append((" and ".join(pair), title, *cells))
    notes = ["Ratios, median of the rounds' (lowest to highest), and to which pair."]
    return Table("Ratios", ("pair", "to the best of", *RATES), rows, notes)


def link_sentence(bench: Bench) -> list[str]:
    """Returns what part the own pair has of the rate that a minimal sender fills the link with;
    nothing of runs without such rates."""
    own = best(bench.figures, "lossless", is_own)
    fills = {one.round: one.sent_rate for one in bench.link}
    share = shown(ratios(bench.figures[own]["lossless"], fills), ".2f") if own else None
    if not own or not share:
        return []
    filled = f"A minimal AF_XDP sender fills the link with {shown(fills.values())} queries a second"
    return [f"{filled}; {' and '.join(own)} keep {share} of that."]


def charts_of(figures: Figures) -> list[Chart]:
    what = "Bars: medians over rounds; lines: lowest to highest round."
    told: dict[str, Any] = {name: (title, "queries per second") for name, title in RATES.items()}
    told |= {name: (title, "microseconds") for name, title in COSTS.items()}
    charts = []
    for name, (title, unit) in told.items():
        if not any(of[name] for of in figures.values()):
            continue
        bars = []
        for pair, of in figures.items():
            ends = spread_of([*of[name].values()]) if of[name] else (0, 0, 0, 0)
            bars.append(Bar(", ".join(pair[::-1]), *ends, failure="" if of[name] else "none found"))
        charts.append(bars_chart(bars, title, name, unit, what))

    if len(charts) < len(told):
        return charts

    def draw(figure: Any) -> None:
        places = figure.subplots(2, 3).flat
        for number, (axes, one) in enumerate(zip(places, charts)):
            one.draw(axes)
            axes.set_title(one.title.partition(":")[0], fontsize=8)
            if number % 3:
                axes.set_yticklabels([])
        places[-1].set_axis_off()

    rows = [(one.name, *row) for one in charts for row in one.data.rows]
    heads = ["figure", *charts[0].data.heads]
    all_of_them = Chart("pairs", "All figures", what, heads, rows, draw, 0.9, several=True)
    return [all_of_them, *charts]


def section(bench: Bench) -> Section:
    figures = bench.figures
    rounds = len({turn.round for turn in bench.turns})
    sentences = [
        f"{plural(len(figures), 'pair')} of server and generator were measured in"
        f" {plural(rounds, 'round')}."
    ]
    for name in ("lossless", "answered"):
        if first := best(figures, name, lambda _: True):
            rate = rate_text(round(median(list(figures[first][name].values()))))
            sentences.insert(0, f"The highest {name} rate is {rate}, by {' and '.join(first)}.")
            break
    rows = []
    for (generator, server), values in figures.items():
        told = [shown(values[name].values()) for name in RATES]
        told += [shown(values[name].values(), ".2f") for name in COSTS]
        rows.append((server, generator, *told, len(values["lossless"])))
    heads = ("server", "generator", *RATES, *COSTS, "rounds with a lossless rate")
    tables = [Table("Medians over rounds", heads, rows, NOTES)]
    tables += [table for table in [comparisons(figures)] if table.rows]
    conditions = []
    for name in ("machine", "options"):
        if inner := bench.fields.inner_or_none(name):
            date = [("date", bench.date)] if name == "machine" else []
            all_of_it = [*date, *flat(inner.value)]
            conditions.append(Table(name.capitalize(), ("what", "value"), all_of_it))
    charts = charts_of(figures) if figures else []
    said = [*sentences, *link_sentence(bench)]
    return Section(f"Bench {bench.label}", said, bench.doubts(), charts, tables, conditions)
