# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps, a range of rates each tried once or several times; also in CSV."""

import csv
import statistics
from collections.abc import Iterable, Sequence
from operator import mul
from typing import Any

from ..charts.latency import rtts_chart
from ..charts.rates import sent_scale
from ..charts.stages import STAGES, medians_chart, rates_chart
from ..document import Chart, Section, Table
from ..drawing import SERIES, draw_curves, legend_above, share_axis, spread
from ..errors import ReportError
from ..fields import Fields, is_decimal
from ..grouped import grouped
from ..packages import check_packages
from ..quantities import count_text, drawn_text, plural, rate_text
from ..schemas import of_kind
from ..tables import members, table_of
from .base import Result
from .probe import NEVER, Probe, lost_names
from .search import Search
from .series import COLUMNS, Series, SeriesTrial, by_load, rtts_by_load, trial_row, trial_schema
from .trial import Trial

KIND = "sweep"
HEADS = ("rate", "sent", "answered")
# Columns that dnsgauge sweep --form csv has besides.
MORE_HEADS = ("repetition", "rtt_p50_ns", "rtt_p99_ns")
# Steps that a file may have: more are no sweep.
MOST_STEPS = 100_000


class Step(SeriesTrial):
    """A rate that was tried. RTTs are not always known. `repetition` is 0 where it is not known.
    `probe`: what the server's kernel saw, where it was asked."""

    readers = {"probe": Probe}

    def check(self, fields: Fields) -> None:
        if self.sent == 0:
            raise fields.wrong("sent", "at least 1", 0)
        super().check(fields)

    def rest_beside(self, stages: Sequence[str]) -> float | None:
        """Returns what these stages leave of the mean RTT; none where it is not known."""
        return self.probe.rest_of(self.rtt_mean_ns, self.answered, self.late + self.invalid, stages)


class Sweep(Series):
    """Steps in the order in which they were made. The steps of a rate are its repetitions."""

    view = Step
    needs = ("trials", "step")
    # Whoever makes a sweep need not say more than its steps.
    older = {**Series.older, "server": "the server"}

    @property
    def rates(self) -> list[float]:
        return sorted({step.rate for step in self.trials})

    @property
    def answered_whole(self) -> float:
        """Returns the highest rate up to which all steps answered every query; 0: there is none."""
        failed = [step.rate for step in self.trials if step.answered < step.sent]
        return max((rate for rate in self.rates if not failed or rate < min(failed)), default=0.0)

    def runs(self) -> list[list[Step]]:
        """Returns for each repetition its steps at all rates, ascending. Throws ReportError where
        not all rates have as many."""
        curve = by_load(self.trials, "rate")
        fewest, *_, most = sorted(map(len, curve.values())) * 2
        if fewest < most:
            rate = next(rate for rate, steps in curve.items() if len(steps) == fewest)
            what = f"{fewest} steps at {rate_text(rate)}, and {most} at another rate"
            raise ReportError(f"{self.label}: {what}: a run is a step at each rate")
        return [list(run) for run in zip(*curve.values())]

    def doubts(self) -> list[str]:
        made = f"{plural(len(self.trials), 'step')} were made"
        return self.doubts_of("sweep", made, rest="; no step has them")


read = Sweep


read_journal = Sweep.of_journal


def is_csv(first_line: str) -> bool:
    return set(HEADS) <= {head.strip() for head in first_line.split(",")}


def read_csv(text: str, where: str, label: str) -> Sweep:
    """Returns the sweep of a CSV file with the columns rate, sent and answered; others are left
    alone. Throws ReportError."""
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    schema = trial_schema(KIND)
    steps = []
    for row in reader:
        place = f"{where} line {reader.line_num}"
        texts = [str(row.get(head) or "").strip() for head in HEADS]
        if not all(is_decimal(text, 18) for text in texts):
            what = f"{', '.join(HEADS)} are {', '.join(texts)!r}"
            raise ReportError(f"{place}: {what}: write numbers, without units")
        values = dict(zip(HEADS, map(float, texts)))
        values |= {
            head: float(row[head])
            for head in MORE_HEADS
            if isinstance(row.get(head), str) and row[head].isascii() and row[head].isdecimal()
        }
        steps.append(Step(Fields(values, place, schema=schema)))
        if len(steps) > MOST_STEPS:
            raise ReportError(f"{where}: more than {MOST_STEPS} steps: no sweep")
    if not steps:
        raise ReportError(f"{where}: there are no steps below the heads: has the sweep begun?")
    return Sweep(Fields({}, where, schema=of_kind(KIND)), label, trials=steps)


def sweep_of(results: Iterable[Result]) -> Sweep:
    """Returns the steps of all results as one sweep: sweeps, and the trials of searches. Invalid
    trials are left out. Throws ReportError where a result has no steps."""
    steps: list[Step] = []
    results = list(results)
    label = ", ".join(result.label for result in results)
    caveats = dict.fromkeys(doubt for result in results for doubt in result.doubts())
    for result in results:
        if isinstance(result, Sweep):
            steps += result.trials
        elif isinstance(result, Search):
            short = {"rtt_p50_ns": None, "rtt_p99_ns": None, "repetition": 0}
            steps += [one.but(**short) for one in result.trials if one.counts]
        elif isinstance(result, Trial):
            if result.verdict != "invalid" and result.sent:
                where, path = result.fields.where, result.fields.path
                steps.append(Step(Fields(trial_row(result), where, path, trial_schema(KIND))))
        else:
            what = "no sweep, search or trial"
            raise ReportError(f"{result.label}: {what}: it has no rates with answers")
    if not steps:
        raise ReportError(f"{label}: no valid trial: there is nothing to fit")
    server = ", ".join(sorted({getattr(result, "server") for result in results}))
    fields = Fields({}, results[0].fields.where, schema=of_kind(KIND))
    return Sweep(fields, label, server=server, trials=steps, caveats=list(caveats))


def share_of(steps: Sequence[Step]) -> float:
    """Returns the percentage answered of all steps together."""
    return 100 * sum(step.answered for step in steps) / sum(step.sent for step in steps)


def ends_of(rate: float, steps: Sequence[Step]) -> tuple[float, float, float, float]:
    shares = [step.share for step in steps]
    return rate, min(shares), share_of(steps), max(shares)


def response_chart(sweeps: Sequence[Sweep]) -> Chart:
    shown = spread(sweeps)
    alone = len(sweeps) == 1
    curves = [(sweep.label, by_load(sweep.trials, "rate")) for sweep in shown]
    every = [step for sweep in shown for step in sweep.trials]
    ordered = sorted(every if alone else [], key=lambda one: one.rate)
    runs = grouped((step.repetition, step) for step in ordered if step.repetition)

    def draw(axes: Any) -> None:
        looks: dict[str, Any] = {"color": SERIES[0], "alpha": 0.4, "linewidth": 0.8}
        for number, run in enumerate(runs.values()):
            looks["label"] = None if number else "a repetition"
            axes.plot(*zip(*((step.rate, step.share) for step in run)), **looks)
        drawn = [(label, [ends_of(*one) for one in curve.items()]) for label, curve in curves]
        if alone:
            rates, _, shares, _ = zip(*drawn[0][1])
            looks = {"color": SERIES[1], "linewidth": 1.5}
            axes.plot(rates, shares, marker="o", markersize=3.5, label="mean", **looks)
        else:
            draw_curves(axes, drawn, (2,), reach=(1, 3))
        sent_scale(axes, [step.rate for step in every])
        share_axis(axes, min(step.share for step in every))
        axes.set_ylabel("% answered right in time")
        if runs:
            legend_above(axes, 2)

    steps, rates = len(shown[0].trials), len(curves[0][1])
    lines, number = "", f"{plural(steps, 'step')} at {plural(rates, 'rate')}"
    if not alone:
        lines = "lines are means, shadings reach from the least to the greatest repetition. "
        number = ", ".join(f"{len(sweep.trials)} ({sweep.label})" for sweep in shown) + " steps"
    elif steps > rates:
        lines = "thin lines are repetitions, the thick line is their mean. "
    caption = f"Share of the queries answered right and in time, by the rate sent; {lines}N ="
    caption += f" {number}, {count_text(sum(step.sent for step in every))}"
    caption += f" queries.{drawn_text(len(shown), len(sweeps), 'sweep')}"
    paths = "repetition rate sent answered share"
    rows = [[sweep.label, *members(step, paths)] for sweep in shown for step in sweep.trials]
    heads = "sweep repetition rate sent answered answered_percent"
    return Chart("response-rate", "Response rate", caption, heads, rows, draw)


def rtt_chart(sweeps: Sequence[Sweep]) -> Chart:
    told = [(sweep.label, rtts_by_load(sweep.trials, "rate")) for sweep in sweeps]
    return rtts_chart(told, ("rtt-by-rate", "the rate sent", "rate"), sent_scale)


def stages_charts(sweep: Sweep) -> list[Chart]:
    """Returns the server's stages by rate; none where fewer than two rates have them."""
    means, medians = [], []
    probed = [step for step in sweep.trials if step.probe and step.probe.stages]
    # A kernel that loses a tracepoint between two steps is another machine's.
    names = [name for name in STAGES if all(name in step.probe.stages for step in probed)]
    for rate, steps in by_load(probed, "rate").items():
        counts = [step.probe.server_ns.count for step in steps]
        columns = [[step.probe.means[name] for step in steps] for name in names]
        columns.append([step.rest_beside(names) for step in steps])
        sums = [None if None in one else sum(map(mul, counts, one)) for one in columns]
        means.append((rate, *(one and one / sum(counts) for one in sums), sum(counts)))
        halves = ([step.probe.stages[name].p50 for step in steps] for name in names)
        medians.append((rate, *map(statistics.median, halves)))
    return [rates_chart(names, means), medians_chart(names, medians)] if len(means) > 1 else []


def charts_of(sweeps: Sequence[Sweep]) -> list[Chart]:
    told = [sweep for sweep in sweeps if sweep.trials]
    charts = [response_chart(told), rtt_chart(told)] if told else []
    return [*charts, *stages_charts(told[0])] if len(told) == 1 else charts


# This few rates determine no break point.
FEWEST_RATES = 5


def findings(sweep: Sweep) -> list[str]:
    """Returns what the server answered, without a model."""
    if not sweep.trials:
        return [f"The sweep of {sweep.server} has no step yet."]
    curve = by_load(sweep.trials, "rate")
    kept = sweep.answered_whole
    rates = list(curve)
    asked = f"The server {sweep.server} was asked at {plural(len(rates), 'rate')}, up to"
    asked += f" {rate_text(rates[-1])}, in {plural(len(sweep.trials), 'step')}."
    if kept == rates[-1]:
        return [asked, "It answered every query right and in time at each of them."]
    first = (
        f"It answered every query right and in time up to {rate_text(kept)}"
        if kept
        else "Even at the lowest rate it did not answer every query right and in time"
    )
    return [asked, f"{first}, and {share_of(curve[rates[-1]]):.4g} % at {rate_text(rates[-1])}."]


def fates_of_steps(steps: Sequence[Step]) -> Table:
    found = [(step, dict(step.probe.losses), step.probe.lates) for step in steps if step.probe]
    names = lost_names(losses for _, losses, _ in found)
    late = lost_names(lates for *_, lates in found)
    rows = [
        (step.rate, step.sent, step.sent - step.probe.arrived, step.probe.followed)
        + (*(losses.get(name, 0) for name in names), step.probe.left)
        + tuple(lates.get(name, 0) for name in late)
        for step, losses, lates in found
    ]
    heads = ("queries/s", "sent", NEVER, "followed", *names, "reply left", *late)
    return Table("What the server's kernel saw of each step's queries", heads, rows)


ASKED = ("min_rate", "max_rate", "spacing", "rates_wanted", "repeat", "duration_s", "timeout_s")


def section(sweep: Sweep) -> Section:
    """Returns what is said of a sweep: response rate, break point if rates are enough, steps."""
    title, said, doubts = sweep.heading("sweep"), findings(sweep), sweep.doubts()
    tables = [
        table_of("Steps", sweep.trials, COLUMNS.replace(" verdict;", "")),
        fates_of_steps(sweep.trials),
    ]
    charts = charts_of([sweep])
    if len(sweep.rates) >= FEWEST_RATES:
        check_packages()
        from ..sections import model

        of_model = model.section(sweep)
        # The page begins with three sentences: the break point is the third.
        said, doubts = [*said[:2], *of_model.findings], list(of_model.doubts)
        charts, tables = [*charts, *of_model.charts], [*of_model.tables, *tables]
    return Section(title, said, doubts, charts, tables, sweep.told(*ASKED))


def group(sweeps: Sequence[Sweep]) -> Section:
    told = [sweep for sweep in sweeps if sweep.trials]
    sentences = [f"{plural(len(sweeps), 'sweep')} are drawn over each other."]
    if len(told) > 1:
        shared = sorted(set.intersection(*(set(sweep.rates) for sweep in told)))
        if shared:
            at_most = ((by_load(sweep.trials, "rate")[shared[-1]], sweep.label) for sweep in told)
            shares = [(share_of(steps), label) for steps, label in at_most]
            (least, low), (most, high) = min(shares), max(shares)
            sentences.append(
                f"At {rate_text(shared[-1])}, the highest rate of all, {high} answered"
                f" {most:.4g} % and {low} {least:.4g} %; dnsgauge-report compare tells whether"
                " that is more than chance."
            )
    return Section("Sweeps side by side", sentences, [], charts_of(told))
