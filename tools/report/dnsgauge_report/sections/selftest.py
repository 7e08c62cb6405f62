# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a self-test of the Tester."""

from __future__ import annotations

from ..charts.rates import Bar, RatedTrial, bars_chart, trials_chart
from ..document import Chart, Section, Table
from ..quantities import plural, rate_text
from ..results.base import asked_tables, ended, sentence
from ..results.selftest import Selftest
from ..tables import rows_of, table_of


def findings(test: Selftest) -> list[str]:
    made = (
        f"The self-test took {plural(len(test.trials), 'trial')} of {test.duration_s:g} s against"
        f" FakeDNS at {test.server}."
    )
    if not test.decides:
        return [f"The self-test ended early ({test.end}), and decides nothing.", made]
    stopped = test.stopped_by
    if test.allowed_rate is None:
        return [
            f"The Tester may be used at no rate: {ended(stopped.why if stopped else test.end)}",
            made,
            "A lower --min-rate may be kept.",
        ]
    limit = (
        f"It is not fit for {rate_text(stopped.r)}: {ended(stopped.why)}"
        if stopped
        else "No higher rate was tried, so it may allow more."
    )
    return [
        (
            f"The Tester may be used at up to {rate_text(test.allowed_rate)}: it kept"
            f" {rate_text(test.passed_rate)}, {2 * (1 + test.delta):.3g} times as many."
        ),
        made,
        limit,
    ]


def stage_charts(test: Selftest) -> list[Chart]:
    """Returns the rates of the placements that were walked, a figure for each part that was
    placed."""
    charts = []
    for number, stage in enumerate(test.placements.stages, 1):
        bars = [
            Bar(
                one.placement + (" (best)" if place == stage.best else ""),
                one.median,
                one.lowest,
                one.highest,
                len(one.rates),
                failure="" if one.highest else "no rate passed",
            )
            for place, one in enumerate(stage.walked, 1)
        ]
        title = f"Rates by placement of the {stage.part}"
        charts.append(bars_chart(bars, title, f"placements-{number}"))
    return charts


def walked_tables(test: Selftest) -> list[Table]:
    """Returns what was found of each placement, a table for each part that was placed."""
    stages, tables = test.placements.stages, []
    for stage in stages:
        notes = [stage.found]
        if stage is stages[-1]:
            notes += map(sentence, test.placements.not_walked)
        columns = "placement; median; lowest; highest; searches"
        tables.append(table_of(f"Placements of the {stage.part}", stage.walked, columns, notes))
    return tables


def section(test: Selftest) -> Section:
    trials = [
        RatedTrial(trial.rate, trial.verdict, 1, trial.sent, trial.valid, trial.why)
        for trial in test.trials
    ]
    levels = [("kept", test.passed_rate)] if test.passed_rate is not None else []
    charts = [trials_chart(trials, "The self-test, trial by trial", levels)] if trials else []
    columns = "trial=#; for queries/s=r; tried queries/s=rate; verdict; valid=valid/sent; why"
    asked = rows_of(
        [test],
        "server; end; delta={0.delta:g}; timeout of the trials it is for=timeout_s;"
        " duration=duration_s; finished",
    )
    return Section(
        f"Self-test {test.label}: a Tester and FakeDNS at {test.server}",
        [*findings(test), *(stage.found for stage in test.placements.stages)],
        test.doubts(),
        [*charts, *stage_charts(test)],
        [*walked_tables(test), table_of("Trials", test.trials, columns)],
        asked_tables(test.fields, asked),
    )
