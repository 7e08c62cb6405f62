# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps, a range of rates each tried once or several times: dnsgauge/sweep/1, their journals, or
CSV."""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from ..charts.rates import sent_scale
from ..document import Chart, Section, Table
from ..drawing import SERIES, band, legend_above, share_axis, spread
from ..errors import ReportError
from ..fields import Fields
from ..packages import check_packages
from ..quantities import (
    count_text,
    drawn_text,
    duration_axis,
    duration_text,
    plural,
    rate_text,
    shortened,
)
from ..schemas import entry, load, member
from ..tables import table_of
from ..view import View
from .base import Result, asked_tables, told_fields
from .journal import read_lines, trials_of
from .search import Search
from .series import Series, said_by_journal
from .trial import Trial

SCHEMA = "dnsgauge/sweep/1"
JOURNAL_SCHEMA = "dnsgauge/sweep-journal/1"
HEADS = ("rate", "sent", "answered")
# Columns that dnsgauge sweep --form csv has besides.
MORE_HEADS = ("repetition", "rtt_p50_ns", "rtt_p99_ns")
# Steps that a file may have: more are no sweep.
MOST_STEPS = 100_000


class Step(View):
    """A rate that was tried: `answered` are the queries answered right and in time. RTTs are of the
    answered ones, and not always known. `repetition` is 0 where nobody told it."""

    older = {"repetition": 0}

    def check(self, fields: Fields) -> None:
        if self.sent == 0 or self.answered > self.sent:
            place = f"{fields.where}: {fields.path}" if fields.path else fields.where
            raise ReportError(
                f"{place}: {self.answered} of {self.sent} queries answered: a step sends queries,"
                " and has no more answers than queries"
            )

    @property
    def share(self) -> float:
        """Returns the percentage answered."""
        return float(100 * self.answered / self.sent)

    @property
    def answered_rate(self) -> float:
        return float(self.rate * self.answered / self.sent)


class Sweep(Series):
    """Steps in the order in which they were made. The steps of a rate are its repetitions."""

    readers = {**Series.readers, "steps": Step}
    # Whoever makes a sweep need not say more than its steps.
    older = {**Series.older, "server": "the server"}

    @property
    def rates(self) -> list[float]:
        return sorted({step.rate for step in self.steps})

    @property
    def answered_whole(self) -> float:
        """Returns the highest rate at and below which every query of every step was answered; 0 if
        there is none."""
        failed = [step.rate for step in self.steps if step.answered < step.sent]
        return max((rate for rate in self.rates if not failed or rate < min(failed)), default=0.0)

    def shares(self) -> list[list[float]]:
        """Returns for each repetition the shares answered at all rates, in percent. Throws
        ReportError where not all rates have as many."""
        by_rate = {
            rate: [step.share for step in self.steps if step.rate == rate] for rate in self.rates
        }
        counts = {len(shares) for shares in by_rate.values()}
        if len(counts) > 1:
            fewest = min(by_rate, key=lambda rate: len(by_rate[rate]))
            raise ReportError(
                f"{self.label}: {len(by_rate[fewest])} steps at {rate_text(fewest)}, and"
                f" {max(counts)} at another rate: a run is a step at each rate"
            )
        return [list(run) for run in zip(*by_rate.values())]

    def doubts(self) -> list[str]:
        made = f"{plural(len(self.steps), 'step')} were made"
        doubts = self.unfinished("sweep", "trials", made)
        if self.invalid_trials:
            doubts.append(
                f"{plural(self.invalid_trials, 'invalid trial')} had to be made again; no step has"
                " them."
            )
        return [*doubts, *self.standing()]


def read(fields: Fields, label: str) -> Sweep:
    """Returns the sweep. Throws ReportError."""
    made = Sweep(fields, label)
    if not made.steps:
        raise ReportError(f"{fields.where}: there are no steps: has the sweep begun?")
    return made


def read_journal(text: str, where: str, label: str) -> Sweep:
    """Returns the sweep as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    steps = [
        step_of(record.trial, record.fields.count("repetition"))
        for record in records
        if record.trial and record.trial.verdict != "invalid" and record.trial.sent
    ]
    return Sweep(header, label, steps=steps, **said_by_journal(header, trials_of(records)))


def step_of(trial: Trial, repetition: int = 0) -> Step:
    """Returns a trial that sent something as a step."""
    half, most = (trial.rtt_ns.p50, trial.rtt_ns.p99) if trial.rtt_ns else (None, None)
    return Step(
        trial.fields, answered=trial.valid, rtt_p50_ns=half, rtt_p99_ns=most, repetition=repetition
    )


def is_csv(first_line: str) -> bool:
    """Returns whether a file that begins with this line is a sweep in CSV."""
    return set(HEADS) <= {head.strip() for head in first_line.split(",")}


def read_csv(text: str, where: str, label: str) -> Sweep:
    """Returns the sweep of a CSV file with the columns rate, sent and answered; others are left
    alone. Throws ReportError."""
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    schema = entry(member(load("sweep"), "steps"))
    steps = []
    for row in reader:
        place = f"{where} line {reader.line_num}"
        texts = [str(row.get(head) or "").strip() for head in HEADS]
        if not all(
            text.replace(".", "", 1).isdecimal() and text.isascii() and len(text) < 19
            for text in texts
        ):
            raise ReportError(
                f"{place}: {', '.join(HEADS)} are {', '.join(texts)!r}: write numbers, without"
                " units"
            )
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
    return Sweep(Fields({}, where, schema=load("sweep")), label, steps=steps)


def sweep_of(results: Iterable[Result]) -> Sweep:
    """Returns the steps of all results as one sweep: sweeps, and the trials of searches. Invalid
    trials are left out. Throws ReportError where a result has no steps."""
    steps: list[Step] = []
    labels, caveats = [], []
    results = list(results)
    for result in results:
        labels.append(result.label)
        caveats += result.doubts()
        if isinstance(result, Sweep):
            steps += result.steps
        elif isinstance(result, Search):
            found = [one for one in result.trials if one.verdict != "invalid" and one.sent]
            short = {"rtt_p50_ns": None, "rtt_p99_ns": None, "repetition": 0}
            steps += [Step(one.fields, answered=one.valid, **short) for one in found]
        elif isinstance(result, Trial):
            if result.verdict != "invalid" and result.sent:
                steps.append(step_of(result))
        else:
            raise ReportError(
                f"{result.label}: no sweep, search or trial: it has no rates with answers"
            )
    if not steps:
        raise ReportError(f"{', '.join(labels)}: no valid trial: there is nothing to fit")
    servers = {getattr(result, "server") for result in results}
    return Sweep(
        Fields({}, results[0].fields.where, schema=load("sweep")),
        ", ".join(labels),
        server=", ".join(sorted(servers)),
        steps=steps,
        caveats=list(dict.fromkeys(caveats)),
    )


MARKERS = ("o", "s", "^", "D", "v", "P")


def by_rate(steps: Sequence[Step]) -> dict[float, list[Step]]:
    """Returns the steps of each rate, ascending."""
    found: dict[float, list[Step]] = {}
    for step in sorted(steps, key=lambda one: one.rate):
        found.setdefault(step.rate, []).append(step)
    return found


def share_of(steps: Sequence[Step]) -> float:
    """Returns the percentage answered of all steps together."""
    return 100 * sum(step.answered for step in steps) / sum(step.sent for step in steps)


def runs_of(steps: Sequence[Step]) -> list[list[Step]]:
    """Returns the steps of each repetition, where they tell theirs."""
    runs: dict[int, list[Step]] = {}
    for step in steps:
        runs.setdefault(step.repetition, []).append(step)
    runs.pop(0, None)
    return [sorted(run, key=lambda one: one.rate) for run in runs.values()]


def response_chart(sweeps: Sequence[Sweep], name: str = "response-rate") -> Chart:
    """Returns the response-rate curve. Of one sweep thin lines are its repetitions, and the thick
    one has their means; of several, a line has the means of a sweep, and its shading reaches from
    the least to the greatest repetition."""
    shown = spread(sweeps)
    alone = len(sweeps) == 1
    curves = [by_rate(sweep.steps) for sweep in shown]

    def draw(axes: Any) -> None:
        for place, (sweep, curve) in enumerate(zip(shown, curves)):
            rates = list(curve)
            means = [share_of(steps) for steps in curve.values()]
            runs = runs_of(sweep.steps) if alone else []
            for number, run in enumerate(runs):
                axes.plot(
                    [step.rate for step in run],
                    [step.share for step in run],
                    color=SERIES[0],
                    alpha=0.4,
                    linewidth=0.8,
                    label="a repetition" if number == 0 else None,
                )
            if not alone:
                band(
                    axes,
                    rates,
                    [min(step.share for step in steps) for steps in curve.values()],
                    [max(step.share for step in steps) for steps in curve.values()],
                    SERIES[place],
                    0.2,
                )
            axes.plot(
                rates,
                means,
                color=SERIES[1] if alone else SERIES[place],
                marker=MARKERS[place],
                markersize=3.5,
                linewidth=1.5,
                label="mean" if alone else shortened(sweep.label, 20),
            )
        sent_scale(axes, [rate for curve in curves for rate in curve])
        share_axis(axes, min(step.share for sweep in shown for step in sweep.steps))
        axes.set_ylabel("% answered right in time")
        if not alone or runs_of(shown[0].steps):
            legend_above(axes, 2)

    counts = [len(sweep.steps) for sweep in shown]
    queries = count_text(sum(step.sent for sweep in shown for step in sweep.steps))
    if alone:
        lines = "thin lines are repetitions, the thick line is their mean. "
        number = f"{plural(counts[0], 'step')} at {plural(len(curves[0]), 'rate')}"
    else:
        lines = "lines are means, shadings reach from the least to the greatest repetition. "
        number = (
            ", ".join(f"{count} ({sweep.label})" for count, sweep in zip(counts, shown)) + " steps"
        )
    caption = (
        "Share of the queries answered right and in time, by the rate sent; "
        + (lines if max(counts) > len(curves[0]) or not alone else "")
        + f"N = {number}, {queries} queries."
    )
    caption += drawn_text(len(shown), len(sweeps), "sweep")
    text = "; ".join(
        f"{sweep.label}: "
        + ", ".join(
            f"{share_of(steps):.5g} % at {rate_text(rate)}" for rate, steps in curve.items()
        )
        for sweep, curve in zip(shown, curves)
    )
    rows = [
        (sweep.label, step.repetition, step.rate, step.sent, step.answered, step.share)
        for sweep in shown
        for step in sweep.steps
    ]
    heads = ("sweep", "repetition", "rate", "sent", "answered", "answered_percent")
    title = "Response rate"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def rtt_chart(sweeps: Sequence[Sweep], name: str = "rtt-by-rate") -> Chart:
    """Returns RTTs by rate, of the queries that were answered: medians over the repetitions. Some
    step must have an RTT."""
    told = [sweep for sweep in sweeps if any(step.rtt_p50_ns is not None for step in sweep.steps)]
    shown = spread(told)
    curves = []
    for sweep in shown:
        points = []
        for rate, steps in by_rate(sweep.steps).items():
            found = [step for step in steps if step.rtt_p50_ns is not None]
            if found:
                half, most = (
                    statistics.median(values)
                    for values in (
                        [step.rtt_p50_ns or 0.0 for step in found],
                        [step.rtt_p99_ns or step.rtt_p50_ns or 0.0 for step in found],
                    )
                )
                points.append((rate, half, most, len(found)))
        curves.append(points)

    def draw(axes: Any) -> None:
        for place, (sweep, points) in enumerate(zip(shown, curves)):
            rates, halves, mosts, _ = zip(*points)
            label = "median" if len(shown) == 1 else shortened(sweep.label, 20)
            for values, dashes, mark, told in (
                (halves, "-", "o", label),
                (mosts, "--", "s", "99th percentile" if len(shown) == 1 else None),
            ):
                axes.plot(
                    rates,
                    [max(value, 1) for value in values],
                    color=SERIES[place],
                    linestyle=dashes,
                    marker=mark,
                    markersize=3.5,
                    label=told,
                )
        axes.set_yscale("log")
        duration_axis(axes.yaxis)
        sent_scale(axes, [point[0] for points in curves for point in points])
        axes.set_ylabel("RTT")
        legend_above(axes, 2)

    rows = [(sweep.label, *point) for sweep, points in zip(shown, curves) for point in points]
    text = "; ".join(
        f"{sweep.label}: median {duration_text(points[0][1])} at {rate_text(points[0][0])},"
        f" {duration_text(points[-1][1])} at {rate_text(points[-1][0])}"
        for sweep, points in zip(shown, curves)
    )
    several = "" if len(shown) == 1 else ": medians (lines) and 99th percentiles (dashes)"
    counts = ", ".join(
        f"{sum(point[3] for point in points)}" + (f" ({sweep.label})" if several else "")
        for sweep, points in zip(shown, curves)
    )
    caption = (
        f"RTTs of the queries that were answered right and in time, by the rate sent{several}; of"
        f" repeated steps the median. N = {counts} steps."
        f"{drawn_text(len(shown), len(told), 'sweep')}"
    )
    heads = ("sweep", "rate", "p50_ns", "p99_ns", "steps")
    title = "RTT by rate"
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def charts_of(sweeps: Sequence[Sweep]) -> list[Chart]:
    """Returns the charts of sweeps that have steps."""
    told = [sweep for sweep in sweeps if sweep.steps]
    if not told:
        return []
    charts = [response_chart(told)]
    if any(step.rtt_p50_ns is not None for sweep in told for step in sweep.steps):
        charts.append(rtt_chart(told))
    return charts


# This few rates determine no break point.
FEWEST_RATES = 5


def findings(sweep: Sweep) -> list[str]:
    """Returns what the server answered, without a model."""
    if not sweep.steps:
        return [f"The sweep of {sweep.server} has no step yet."]
    curve = by_rate(sweep.steps)
    kept = sweep.answered_whole
    rates = list(curve)
    asked = (
        f"The server {sweep.server} was asked at {plural(len(rates), 'rate')}, up to"
        f" {rate_text(rates[-1])}, in {plural(len(sweep.steps), 'step')}."
    )
    if kept == rates[-1]:
        return [asked, "It answered every query right and in time at each of them."]
    first = (
        f"It answered every query right and in time up to {rate_text(kept)}"
        if kept
        else "Even at the lowest rate it did not answer every query right and in time"
    )
    return [asked, f"{first}, and {share_of(curve[rates[-1]]):.4g} % at {rate_text(rates[-1])}."]


COLUMNS = (
    "queries/s=rate; repetition=repetition?; sent; answered; answered, %=answered/sent;"
    " RTT median=rtt_p50_ns; RTT p99=rtt_p99_ns"
)


def conditions_of(sweep: Sweep) -> list[Table]:
    names = ("min_rate", "max_rate", "spacing", "rates", "repeat", "duration_s", "timeout_s")
    asked = [("server", sweep.server), *told_fields(sweep.fields, names)]
    return asked_tables(sweep.fields, asked, (sweep.selftest, sweep.certificate))


def section(sweep: Sweep) -> Section:
    """Returns what is said of one sweep: its response rate, its break point where there are enough
    rates, and its steps."""
    made = Section(
        sweep.heading("sweep"),
        findings(sweep),
        sweep.doubts(),
        charts_of([sweep]),
        [table_of("Steps", sweep.steps, COLUMNS)],
        conditions_of(sweep),
    )
    if len(sweep.rates) < FEWEST_RATES:
        return made
    check_packages()
    from ..sections import model

    of_model = model.section(sweep)
    return Section(
        made.title,
        # The page begins with three sentences: the break point is the third.
        [*made.findings[:2], *of_model.findings],
        of_model.doubts,
        [*made.charts, *of_model.charts],
        [*of_model.tables, *made.tables],
        made.conditions,
    )


def group(sweeps: Sequence[Sweep]) -> Section:
    """Returns what is said of several sweeps: servers, data sets, before and after."""
    told = [sweep for sweep in sweeps if sweep.steps]
    sentences = [f"{plural(len(sweeps), 'sweep')} are drawn over each other."]
    if len(told) > 1:
        shared = sorted(set.intersection(*(set(sweep.rates) for sweep in told)))
        if shared:
            shares = [(share_of(by_rate(sweep.steps)[shared[-1]]), sweep.label) for sweep in told]
            (least, low), (most, high) = min(shares), max(shares)
            sentences.append(
                f"At {rate_text(shared[-1])}, the highest rate of all, {high} answered"
                f" {most:.4g} % and {low} {least:.4g} %; dnsgauge-report compare tells whether"
                " that is more than chance."
            )
    return Section("Sweeps side by side", sentences, [], charts_of(told))
