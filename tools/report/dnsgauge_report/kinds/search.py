# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches for the highest rate."""

import math
from collections.abc import Sequence
from statistics import median
from typing import Any

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
from .series import Journal, Series, SeriesTrial, by_load
from .trial import latency_of

KIND = "search"


def percentile(values: Sequence[float], percent: float) -> float:
    """Returns the percentile of RFC 2330 section 11.3: the smallest value with at least that
    percentage of all values at or below it. Nothing is interpolated."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100 - 1e-9) - 1)]


class SearchTrial(SeriesTrial):
    readers = {"rate": Fields.whole}


class Repetition(View):
    """One whole search: the highest rate that passed, none where it has not ended. What passed and
    failed bounds its result until then."""


class Search(Series):
    view = SearchTrial
    readers = {
        **Series.readers,
        "accept_percent": Fields.number,
        "resolution": Fields.positive,
        "repetitions": Repetition,
    }
    older = {**Series.older, "confirm": 0}
    options = {"min_rate": 1.0, "max_rate": None, "accept_percent": 100.0, "resolution": 1.0}
    keeps_invalid = True

    def check(self, fields: Fields) -> None:
        if self.rates != [one.rate for one in self.repetitions if one.rate is not None]:
            raise contradiction(fields, f"{fields.name('rates')} do not fit the repetitions")
        statistics = fields.inner_or_none("statistics")
        if statistics and self.rates:
            is_same = math.isclose(statistics.number("median"), median(self.rates))
            if statistics.count("count") != len(self.rates) or not is_same:
                raise contradiction(fields, f"{fields.name('statistics')} do not fit the rates")

    @property
    def tester_limited(self) -> int:
        """1 if the Tester was the limit, else 0, as the data of charts tell it."""
        return int(bool(self.tester_limit))

    def doubts(self) -> list[str]:
        made = f"{len(self.rates)} of {self.repeat} repetitions have a result"
        doubts = self.unfinished("search", "trials", made)
        if self.tester_limit:
            doubts.append(f"The Tester was the limit: {ended(self.tester_limit)}")
        doubts += self.made_again("trial")
        if capped := sum(bool(repetition.capped) for repetition in self.repetitions):
            unlucky = "one unlucky trial may have capped the result"
            doubts.append(f"In {capped} of {len(self.repetitions)} repetitions {unlucky}.")
        doubts += self.standing()
        if not self.rfc8219 and not self.is_journal:
            doubts += compliance_doubts(None, "search")
        return doubts


read = Search


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
    known: dict[str, Any] = {"at_least": None}
    for record in journal.records:
        if record.value["record"] == "range":
            known["max_rate"] = record.positive("max_rate")
        elif record.value["record"] == "result":
            known["at_least"] = record.number_or("at_least")
            not_offered = record.number_or("not_offered")
            if not_offered is not None:
                limit = limit_text(known["at_least"], not_offered)
                known |= {"not_offered": not_offered, "tester_limit": limit}
    confirm = journal.options.count_or("confirm")
    resolution = journal.options.number_or("resolution", 1.0) or 1.0
    made = by_load(journal.made(SearchTrial, Search.told_by, keeps_invalid=True), "repetition")
    repetitions = [repetition_so_far(these, resolution, confirm) for these in made.values()]
    known |= {"repetitions": repetitions, "confirm": confirm}
    known["rates"] = [one.rate for one in repetitions if one.rate is not None]
    return Search.of_journal(journal, **known, repeat=journal.options.count_or("repeat", 20))


def limit_text(at_least: float | None, not_offered: float) -> str:
    kept = f"the server answers at least {rate_text(at_least)}"
    return f"{kept}; the Tester is the limit at {rate_text(not_offered)}"


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
    trials, rates, server = search.trials, search.rates, search.server
    made = f"{plural(len(search.repetitions), 'repetition')} took {plural(len(trials), 'trial')}"
    made += f" from {rate_text(search.min_rate)} to {rate_text(search.max_rate)}."
    if search.at_least is not None and not rates:
        if search.not_offered is not None:
            first = sentence(limit_text(search.at_least, search.not_offered))
            only = "Only a Tester that can offer more can show how much more the server keeps."
            return [first, made, only]
        first = f"The server {server} keeps {rate_text(search.at_least)} or more: the highest rate"
        first += f" of the search passed, with {accepted(search)}."
        only = "Only a search with a higher --max-rate can show how much more it keeps."
        return [first, made, only]
    if not rates:
        passed = max((trial.rate for trial in trials if trial.verdict == "pass"), default=None)
        best = "no rate has passed so far"
        if passed is not None:
            best = f"the highest rate that passed so far is {rate_text(passed)}"
        failed = search.repetitions[-1].lowest_failed if search.repetitions else None
        if failed is not None:
            best += f", and {rate_text(failed)} failed"
        first = f"The search of {server} has no result yet: {best}."
        return [first, made, f"{count_text(search.repeat)} repetitions were asked for."]
    if search.is_journal and len(rates) < len(search.repetitions):
        made += f" Repetition {len(search.repetitions)} has not ended."
    first = f"The server {server} keeps {rate_text(median(rates))} with {accepted(search)}: the"
    first += f" median of {plural(len(rates), 'result')}, in queries per second."
    if len(rates) == 1:
        return [first, "One result has no spread: RFC 8219 asks for 20.", made]
    spread = f"{rate_text(min(rates))} and {rate_text(max(rates))}"
    second = f"The results lie between {spread}, a dispersion of {dispersion(rates):.2g} %."
    return [first, second, made]


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
    best = max(passed, key=lambda trial: trial.rate, default=None)
    if latency := best and latency_of(best.but(label=rate_text(best.rate))):
        charts.append(percentile_chart([latency], title=f"RTT by percentile, at {latency.label}"))
    return charts


def results_table(searches: Sequence[Search]) -> Table:
    rows: list[Sequence[Cell]] = []
    for search in searches:
        rates = search.rates
        found: list[Cell] = [bound_of(search) or None, None, None, None]
        if rates:
            ends = [percentile(rates, percent) for percent in (1, 99)]
            found = [median(rates), *ends, f"{dispersion(rates):.2f} %"]
        accepted = f"{search.accept_percent:.9g} %"
        rows.append([search.label, search.server, len(rates), *found, accepted])
    heads = "search; server; N; median; 1st percentile; 99th percentile; dispersion; accepted"
    notes = [
        "Queries per second. Percentiles by RFC 2330 section 11.3: below 100 results the least and"
        " the greatest."
    ]
    return Table("Highest rates", heads.split("; "), rows, notes)


def repetitions_table(search: Search) -> Table:
    rows: list[Sequence[Cell]] = []
    for number, repetition in enumerate(search.repetitions, 1):
        result = bound_text(repetition) or "-" if repetition.rate is None else repetition.rate
        verdicts = [trial.verdict for trial in search.trials if trial.repetition == number]
        capped = "perhaps" if repetition.capped else ""
        rows.append((number, result, len(verdicts), verdicts.count("invalid"), capped))
    heads = ("repetition", "result", "trials", "invalid ones", "capped by one unlucky trial")
    return Table("Repetitions", heads, rows)


TRIALS = "trial=#; repetition; queries/s=rate; verdict; valid=answered/sent; why"


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
    return median(rates), min(rates), max(rates), len(rates)


def bar_of(search: Search, label: str) -> Bar:
    if search.rates:
        return Bar(label, *spread_of(search.rates), search.tester_limited)
    if search.at_least is not None:
        return Bar(label, search.at_least, search.at_least, search.at_least, 1, 1)
    return Bar(label, 0, 0, 0, 0, failure=bound_of(search) or "no result")


def group(searches: Sequence[Search]) -> Section:
    found = [search for search in searches if search.rates]
    first = f"{plural(len(searches), 'search', 'searches')}, {len(found)} with results."
    if found:
        best = max(found, key=lambda search: median(search.rates))
        first = f"{best.label} has the highest median of"
        first += f" {plural(len(searches), 'search', 'searches')}, {rate_text(median(best.rates))}"
        first += f" ({best.server})."
    bars = bars_chart([bar_of(search, search.label) for search in searches], "Highest rates")
    curves = [(search.label, response(search)) for search in searches if len(response(search)) > 1]
    charts = [bars, response_chart(curves)] if curves else [bars]
    return Section("Searches side by side", [first], [], charts, [results_table(searches)])
