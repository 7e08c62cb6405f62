# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of sweeps: one, or several beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.sweep import by_rate, charts_of, share_of
from ..document import Section, Table
from ..packages import check_packages
from ..quantities import plural, rate_text
from ..results.base import asked_tables, told_fields
from ..results.sweep import Sweep
from ..tables import table_of

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
    kind = "Journal of the sweep" if sweep.is_journal else "Sweep"
    made = Section(
        f"{kind} {sweep.label}: {sweep.server}",
        findings(sweep),
        sweep.doubts(),
        charts_of([sweep]),
        [table_of("Steps", sweep.steps, COLUMNS)],
        conditions_of(sweep),
    )
    if len(sweep.rates) < FEWEST_RATES:
        return made
    check_packages()
    from . import model

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
