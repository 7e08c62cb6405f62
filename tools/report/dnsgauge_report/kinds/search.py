# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches for the highest rate."""

import dataclasses
import math
from collections.abc import Sequence
from statistics import median

from ..charts.latency import percentile_chart
from ..charts.rates import Answered, Bar, bars_chart, distribution_chart, response_chart
from ..charts.rates import trials_chart
from ..document import Cell, Chart, Section, Table
from ..fields import Fields
from ..grouped import grouped
from ..quantities import count_text, plural, rate_text
from ..tables import rows_of, table_of
from ..view import View
from .base import compliance_doubts, condition_tables, contradiction, ended, sentence
from .series import Journal, Series, SeriesTrial
from .trial import latency_of

KIND = "search"


def percentile(values: Sequence[float], percent: float) -> float:
    """Returns the percentile of RFC 2330 section 11.3: the smallest value with at least that
    percentage of all values at or below it. Nothing is interpolated."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100 - 1e-9) - 1)]


class SearchTrial(SeriesTrial):
    """A trial of a search."""

    readers = {"rate": Fields.whole}

    @property
    def valid(self) -> int:
        return int(self.answered)


class Repetition(View):
    """One whole search: the highest rate that passed, none where it has not ended. What passed and
    failed bounds its result until then."""


class Search(Series):
    """A search."""

    view = SearchTrial
    readers = {
        **Series.readers,
        "accept_percent": Fields.number,
        "resolution": Fields.positive,
        "repetitions": Repetition,
    }
    older = {**Series.older, "confirm": 0}

    def trials_of(self, repetition: int) -> list[SearchTrial]:
        return [trial for trial in self.trials if trial.repetition == repetition]

    def doubts(self) -> list[str]:
        made = f"{len(self.rates)} of {self.repeat} repetitions have a result"
        doubts = self.unfinished("search", "trials", made)
        if self.tester_limit:
            doubts.append(f"The Tester was the limit: {ended(self.tester_limit)}")
        doubts += self.made_again("trial")
        capped = sum(bool(repetition.capped) for repetition in self.repetitions)
        if capped:
            doubts.append(
                f"In {capped} of {len(self.repetitions)} repetitions one unlucky trial may have"
                " capped the result."
            )
        doubts += self.standing()
        if not self.rfc8219 and not self.is_journal:
            doubts += compliance_doubts(None, "search")
        return doubts


def read(fields: Fields, label: str) -> Search:
    """Returns the search. Throws ReportError where its figures contradict each other."""
    made = Search(fields, label)
    if made.rates != [one.rate for one in made.repetitions if one.rate is not None]:
        raise contradiction(fields, f"{fields.name('rates')} do not fit the repetitions")
    statistics = fields.inner_or_none("statistics")
    if statistics and made.rates:
        middle = statistics.number("median")
        if statistics.count("count") != len(made.rates) or not math.isclose(
            middle, median(made.rates)
        ):
            raise contradiction(fields, f"{fields.name('statistics')} do not fit the rates")
    return made


def repetition_so_far(trials: Sequence[SearchTrial], resolution: float, confirm: int) -> Repetition:
    """Returns what a journal's trials tell of a search. There is a result where a rate that failed
    lies above the highest that passed, within the resolution. A rate that passed at any try has
    passed: --confirm tries again."""
    passed = {trial.rate for trial in trials if trial.verdict == "pass"}
    fails = [trial.rate for trial in trials if trial.verdict == "fail"]
    failed = {rate for rate in fails if fails.count(rate) > confirm} - passed
    best = max(passed, default=None)
    above = min((rate for rate in failed if best is None or rate > best), default=None)
    is_found = best is not None and above is not None and above - best <= resolution
    rate = best if is_found else None
    known = {"rate": rate, "at_least": None, "highest_passed": best, "lowest_failed": above}
    return Repetition(Fields({}, ""), **known, capped=None)


def read_journal(journal: Journal) -> Search:
    """Returns the search as far as its journal tells of it. Throws ReportError."""
    options = journal.options
    max_rate = options.positive("max-rate")
    at_least = not_offered = None
    for record in journal.records:
        if record.value["record"] == "range":
            max_rate = record.positive("max_rate")
        elif record.value["record"] == "result":
            at_least = record.number_or("at_least")
            not_offered = record.number_or("not_offered")
    made = journal.made(SearchTrial, keeps_invalid=True)
    trials = grouped((trial.repetition, trial) for trial in made)
    resolution = options.number_or("resolution", 1.0) or 1.0
    confirm = options.count_or("confirm")
    repetitions = [
        repetition_so_far(these, resolution, confirm) for _, these in sorted(trials.items())
    ]
    known = journal.said() | {"trials": made, "max_rate": max_rate, "at_least": at_least}
    known |= {"resolution": resolution, "confirm": confirm, "repetitions": repetitions}
    rates = [one.rate for one in repetitions if one.rate is not None]
    if not_offered is not None:
        known |= {"not_offered": not_offered, "tester_limit": limit_text(at_least, not_offered)}
    for name, option, default in (
        ("min_rate", "min-rate", 1.0),
        ("accept_percent", "accept", 100.0),
    ):
        known[name] = options.number_or(option) or default
    repeat = options.count_or("repeat", 20)
    return Search(journal.header, journal.label, **known, repeat=repeat, rates=rates)


def limit_text(at_least: float | None, not_offered: float) -> str:
    return (
        f"the server answers at least {rate_text(at_least)}; the Tester is the limit at"
        f" {rate_text(not_offered)}"
    )


def accepted(search: Search) -> str:
    if search.accept_percent == 100:
        return "every query answered right and in time"
    return f"{search.accept_percent:.9g} % of the queries answered right and in time"


def dispersion(rates: Sequence[float]) -> float:
    """Returns (99th percentile - 1st percentile) / median, in percent."""
    return 100 * (percentile(rates, 99) - percentile(rates, 1)) / median(rates)


def bound_text(repetition: Repetition) -> str:
    """Returns what bounds the result of a repetition that has none; empty: nothing does."""
    passed, failed = repetition.highest_passed, repetition.lowest_failed
    if repetition.at_least is not None:
        return f"{rate_text(repetition.at_least)} or more"
    if passed is not None and failed is not None:
        return f"{rate_text(passed)} to {rate_text(failed)}"
    if passed is not None:
        return f"{rate_text(passed)} or more"
    return f"less than {rate_text(failed)}" if failed is not None else ""


def bound_of(search: Search) -> str:
    """Returns what bounds the result of the search's last repetition; empty: nothing does."""
    if search.at_least is not None:
        return f"{rate_text(search.at_least)} or more"
    return bound_text(search.repetitions[-1]) if search.repetitions else ""


def findings(search: Search) -> list[str]:
    """Returns what was found, in three sentences."""
    trials = search.trials
    made = (
        f"{plural(len(search.repetitions), 'repetition')} took {plural(len(trials), 'trial')} from"
        f" {rate_text(search.min_rate)} to {rate_text(search.max_rate)}."
    )
    if search.at_least is not None and not search.rates:
        if search.not_offered is not None:
            return [
                sentence(limit_text(search.at_least, search.not_offered)),
                made,
                "Only a Tester that can offer more can show how much more the server keeps.",
            ]
        return [
            (
                f"The server {search.server} keeps {rate_text(search.at_least)} or more: the"
                f" highest rate of the search passed, with {accepted(search)}."
            ),
            made,
            "Only a search with a higher --max-rate can show how much more it keeps.",
        ]
    if not search.rates:
        passed = [trial.rate for trial in trials if trial.verdict == "pass"]
        best = (
            f"the highest rate that passed so far is {rate_text(max(passed))}"
            if passed
            else "no rate has passed so far"
        )
        failed = search.repetitions[-1].lowest_failed if search.repetitions else None
        if failed is not None:
            best += f", and {rate_text(failed)} failed"
        return [
            f"The search of {search.server} has no result yet: {best}.",
            made,
            f"{count_text(search.repeat)} repetitions were asked for.",
        ]
    if search.is_journal and len(search.rates) < len(search.repetitions):
        made += f" Repetition {len(search.repetitions)} has not ended."
    rates = search.rates
    said = (
        f"The server {search.server} keeps {rate_text(median(rates))} with {accepted(search)}: the"
        f" median of {plural(len(rates), 'result')}, in queries per second."
    )
    if len(rates) == 1:
        return [said, "One result has no spread: RFC 8219 asks for 20.", made]
    return [
        said,
        (
            f"The results lie between {rate_text(min(rates))} and {rate_text(max(rates))}, a"
            f" dispersion of {dispersion(rates):.2g} %."
        ),
        made,
    ]


def response(search: Search) -> list[Answered]:
    """Returns the rates of the search's valid trials; trials of the same rate are together."""
    found = []
    by_rate = grouped((one.rate, one) for one in search.trials if one.counts)
    for rate, trials in sorted(by_rate.items()):
        sent, valid = (sum(getattr(one, name) for one in trials) for name in ("sent", "answered"))
        verdict = "fail" if any(one.verdict == "fail" for one in trials) else "pass"
        found.append(Answered(search.label, rate, sent, valid, verdict, len(trials)))
    return found


def charts_of(search: Search) -> list[Chart]:
    if not search.trials:
        return []
    levels = [("median", median(search.rates))] if search.rates else []
    charts = [trials_chart(search.trials, "The search, trial by trial", levels)]
    if len(search.rates) > 1:
        charts.append(distribution_chart(search.rates, median(search.rates)))
    answered = response(search)
    if len(answered) > 1:
        charts.append(response_chart([(search.label, answered)]))
    passed = [trial for trial in search.journal if trial.verdict == "pass"]
    if passed:
        best = max(passed, key=lambda trial: trial.rate)
        if latency := latency_of(best):
            chart = percentile_chart([dataclasses.replace(latency, label=rate_text(best.rate))])
            title = f"RTT by percentile, at {rate_text(best.rate)}"
            charts.append(dataclasses.replace(chart, title=title))
    return charts


def results_table(searches: Sequence[Search]) -> Table:
    """Returns the statistics of the results, a row for each search."""
    rows: list[Sequence[Cell]] = []
    for search in searches:
        rates = search.rates
        found: list[Cell] = [bound_of(search) or None, None, None, None]
        if rates:
            low, high = percentile(rates, 1), percentile(rates, 99)
            found = [median(rates), low, high, f"{dispersion(rates):.2f} %"]
        accepted = f"{search.accept_percent:.9g} %"
        rows.append([search.label, search.server, len(rates), *found, accepted])
    heads = (
        "search", "server", "N", "median", "1st percentile", "99th percentile", "dispersion",
        "accepted",
    )  # fmt: skip
    notes = [
        "Queries per second. Percentiles by RFC 2330 section 11.3: below 100 results the least and"
        " the greatest."
    ]
    return Table("Highest rates", heads, rows, notes)


def repetitions_table(search: Search) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            number,
            (repetition.rate if repetition.rate is not None else bound_text(repetition) or "-"),
            len(search.trials_of(number)),
            sum(trial.verdict == "invalid" for trial in search.trials_of(number)),
            "perhaps" if repetition.capped else "",
        )
        for number, repetition in enumerate(search.repetitions, 1)
    ]
    heads = ("repetition", "result", "trials", "invalid ones", "capped by one unlucky trial")
    return Table("Repetitions", heads, rows)


TRIALS = "trial=#; repetition; queries/s=rate; verdict; valid=valid/sent; why"


def conditions_of(search: Search) -> list[Table]:
    asked = rows_of(
        [search],
        "server; lowest rate=min_rate; highest rate=max_rate; resolution;"
        " repetitions asked for={0.repeat}; tries after a failed trial={0.confirm};"
        " accepted=accept_percent",
    )
    latest = [table for trial in search.journal[-1:] for table in condition_tables(trial.fields)]
    return [*search.conditions(asked), *latest]


def section(search: Search) -> Section:
    trials = table_of("Trials", search.trials, TRIALS)
    tables = [results_table([search]), repetitions_table(search), trials]
    said = (search.heading("search"), findings(search), search.doubts())
    return Section(*said, charts_of(search), tables, conditions_of(search))


def spread_of(rates: Sequence[float]) -> tuple[float, float, float, int]:
    """Returns median, least, greatest and number of the rates."""
    return median(rates), min(rates), max(rates), len(rates)


def bar_of(search: Search, label: str) -> Bar:
    """Returns the bar of a search's results."""
    if search.rates:
        return Bar(label, *spread_of(search.rates), bool(search.tester_limit))
    if search.at_least is not None:
        return Bar(label, search.at_least, search.at_least, search.at_least, 1, True)
    return Bar(label, 0, 0, 0, 0, failure=bound_of(search) or "no result")


def group(searches: Sequence[Search]) -> Section:
    """Returns what is said of several searches together."""
    found = [search for search in searches if search.rates]
    first = f"{plural(len(searches), 'search', 'searches')}, {len(found)} with results."
    if found:
        best = max(found, key=lambda search: median(search.rates))
        first = (
            f"{best.label} has the highest median of {plural(len(searches), 'search', 'searches')},"
            f" {rate_text(median(best.rates))} ({best.server})."
        )
    bars = bars_chart([bar_of(search, search.label) for search in searches], "Highest rates")
    curves = [(search.label, response(search)) for search in searches if len(response(search)) > 1]
    charts = [bars, response_chart(curves)] if curves else [bars]
    return Section("Searches side by side", [first], [], charts, [results_table(searches)])
