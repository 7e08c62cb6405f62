# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a self-test of the Tester."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.rates import Bar, RatedTrial, bars_chart, trials_chart
from ..document import Cell, Chart, Section, Table
from ..quantities import plural, rate_text, share_text
from ..results.base import asked_tables, ended, sentence
from ..results.search import median
from ..results.selftest import Selftest, Walked


def findings(test: Selftest) -> list[str]:
    made = (
        f"The self-test took {plural(len(test.trials), 'trial')} of {test.duration_s:g} s against"
        f" FakeDNS at {test.server}."
    )
    if not test.decides:
        return [f"The self-test ended early ({test.end}), and decides nothing.", made]
    if test.allowed_rate is None:
        return [
            f"The Tester may be used at no rate: {ended(test.stopped_by or test.end)}",
            made,
            "A lower --min-rate may be kept.",
        ]
    limit = (
        f"It is not fit for {rate_text(test.stopped_at)}: {ended(test.stopped_by)}"
        if test.stopped_at
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
    for number, stage in enumerate(test.stages, 1):
        bars = [
            Bar(
                placement_name(one) + (" (best)" if place == stage.best else ""),
                median(one.rates),
                min(one.rates),
                max(one.rates),
                len(one.rates),
                failure="" if max(one.rates) else "no rate passed",
            )
            for place, one in enumerate(stage.walked)
        ]
        title = f"Rates by placement of the {stage.part}"
        charts.append(bars_chart(bars, title, f"placements-{number}"))
    return charts


def placement_name(one: Walked) -> str:
    queue = [] if one.sender_queue is None else [f"transmit queue {one.sender_queue:.0f}"]
    settings = (f"{name} {value}" for name, value in one.settings.items())
    return ", ".join([f"CPU {one.sender_cpu}", *queue, *settings])


def walked_tables(test: Selftest) -> list[Table]:
    """Returns what was found of each placement, a table for each part that was placed."""
    heads = ("placement", "median", "lowest", "highest", "searches")
    return [
        Table(
            f"Placements of the {stage.part}",
            heads,
            [
                (
                    placement_name(one),
                    median(one.rates),
                    min(one.rates),
                    max(one.rates),
                    len(one.rates),
                )
                for one in stage.walked
            ],
            [stage.found, *(map(sentence, test.not_walked) if stage is test.stages[-1] else [])],
        )
        for stage in test.stages
    ]


def section(test: Selftest) -> Section:
    trials = [
        RatedTrial(trial.rate, trial.verdict, 1, trial.sent, trial.valid, trial.why)
        for trial in test.trials
    ]
    levels = [("kept", test.passed_rate)] if test.passed_rate is not None else []
    charts = [trials_chart(trials, "The self-test, trial by trial", levels)] if trials else []
    rows: list[Sequence[Cell]] = [
        (turn, asked, trial.rate, trial.verdict, share_text(trial.valid, trial.sent), trial.why)
        for turn, (asked, trial) in enumerate(zip(test.asked, test.trials), 1)
    ]
    heads = ("trial", "for queries/s", "tried queries/s", "verdict", "valid", "why")
    asked_for: list[Sequence[Cell]] = [
        ("server", test.server),
        ("end", test.end),
        ("delta", f"{test.delta:g}"),
        ("timeout of the trials it is for", f"{test.timeout_s:g} s"),
        ("duration", f"{test.duration_s:g} s"),
        ("finished", test.finished),
    ]
    return Section(
        f"Self-test {test.label}: a Tester and FakeDNS at {test.server}",
        [*findings(test), *(stage.found for stage in test.stages)],
        test.doubts(),
        [*charts, *stage_charts(test)],
        [*walked_tables(test), Table("Trials", heads, rows)],
        asked_tables(test.fields, asked_for),
    )
