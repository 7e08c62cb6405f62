# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a self-test of the Tester."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.rates import RatedTrial, trials_chart
from ..document import Cell, Section, Table
from ..quantities import plural, rate_text, share_text
from ..results.base import command_of, command_text, condition_tables
from ..results.selftest import Selftest


def findings(test: Selftest) -> list[str]:
    made = (
        f"The self-test took {plural(len(test.trials), 'trial')} of {test.duration_s:g} s against"
        f" FakeDNS at {test.server}."
    )
    if test.allowed_rate is None:
        return [
            f"The Tester may be used at no rate: {test.stopped_by or test.end}",
            made,
            "A lower --min-rate may be kept.",
        ]
    limit = (
        f"Above that, {test.stopped_by}"
        if test.stopped_by
        else "No higher rate was tried, so it may allow more."
    )
    return [
        (
            f"The Tester may be used at up to {rate_text(test.allowed_rate)}: it kept"
            f" {rate_text(test.passed_rate)}, which is more than twice as many."
        ),
        made,
        limit,
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
    command = command_of(test.fields)
    if command:
        asked_for.append(("command", command_text(command)))
    return Section(
        f"Self-test {test.label}: a Tester and FakeDNS at {test.server}",
        findings(test),
        test.doubts(),
        charts,
        [Table("Trials", heads, rows)],
        [Table("What was asked for", ("what", "value"), asked_for), *condition_tables(test.fields)],
    )
