# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a search for several loss ratios."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.loss_search import charts_of, goal_name
from ..charts.rates import Bar, bars_chart
from ..document import Cell, Section, Table
from ..quantities import listing, plural, rate_text, share_text
from ..results.base import asked_tables
from ..results.loss_search import Goal, LossSearch
from ..tables import rows_of, table_of


def kept(goal: Goal) -> str:
    """Returns "20,000/s losing nothing", "21,000/s losing up to 1 %"."""
    losing = "losing nothing" if goal.loss_percent == 0 else f"losing up to {goal_name(goal)}"
    return f"{rate_text(goal.lower_bound)} {losing}"


def findings(search: LossSearch) -> list[str]:
    found = [goal for goal in search.goals if goal.lower_bound is not None]
    made = (
        f"{plural(len(search.steps), 'trial')} from {rate_text(search.min_rate)} to"
        f" {rate_text(search.max_rate)} were made, each counting for every loss ratio."
    )
    if not found:
        if search.is_journal or search.end != "complete":
            return [f"The search of {search.server} has no result yet.", made]
        return [
            f"The server {search.server} keeps no rate with any of the loss ratios.",
            made,
            "A lower --min-rate may be kept.",
        ]
    first = f"The server {search.server} keeps {listing([kept(goal) for goal in found])}."
    missing = [goal_name(goal) for goal in search.goals if goal.lower_bound is None]
    open_above = [goal_name(goal) for goal in found if goal.upper_bound is None]
    rest = []
    if missing:
        rest.append(f"Not even {rate_text(search.min_rate)} is kept at {listing(missing)}")
    if open_above:
        rest.append(f"at {listing(open_above)} the highest rate tried is kept, and perhaps more")
    second = (
        f"{'; '.join(rest)}."
        if rest
        else f"Each rate is known to within {search.width_percent:g} %."
    )
    return [first, second[:1].upper() + second[1:], made]


NOTES = [
    "Queries per second. Answers: in the worst trial that counts at the lower bound"
    " (conditional throughput of RFC 9971)."
]
GOALS = (
    "may be lost=name; kept (lower bound)=lower_bound; not kept (upper bound)=upper_bound;"
    " answers"
)


def steps_table(search: LossSearch) -> Table:
    rows: list[Sequence[Cell]] = [
        (
            turn,
            goal_name(search.goals[step.goal - 1]) if 0 < step.goal <= len(search.goals) else None,
            step.rate,
            f"{step.duration_s:.3g} s",
            share_text(step.valid, step.sent),
        )
        for turn, step in enumerate(search.steps, 1)
    ]
    return Table("Trials", ("trial", "asked for by", "queries/s", "duration", "valid"), rows)


def section(search: LossSearch) -> Section:
    asked = rows_of(
        [search],
        "server; lowest rate=min_rate; highest rate=max_rate; width of the bounds=width_percent;"
        " time of bad trials=exceed_percent; trial that decides=duration_s;"
        " trials at a rate together=duration_sum_s",
    )
    conditions = asked_tables(search.fields, asked, (search.selftest, search.certificate))
    return Section(
        (
            f"{'Journal of the search' if search.is_journal else 'Search'} for loss ratios"
            f" {search.label}: {search.server}"
        ),
        findings(search),
        search.doubts(),
        charts_of(search.steps, search.goals),
        [table_of("Rates by loss ratio", search.goals, GOALS, NOTES), steps_table(search)],
        conditions,
    )


def group(searches: Sequence[LossSearch]) -> Section:
    """Returns what is said of several searches: the rates kept with each loss ratio."""
    losses = sorted({goal.loss_percent for search in searches for goal in search.goals})
    bars = [
        Bar(
            f"{search.label}, {goal_name(goal)}",
            goal.lower_bound,
            goal.lower_bound,
            goal.upper_bound or goal.lower_bound,
            1,
        )
        for loss in losses
        for search in searches
        for goal in search.goals
        if goal.loss_percent == loss and goal.lower_bound is not None
    ]
    first = f"{plural(len(searches), 'search', 'searches')} for {plural(len(losses), 'loss ratio')}"
    found = [
        (goal.loss_percent, -(goal.lower_bound or 0.0), search.label, goal)
        for search in searches
        for goal in search.goals
        if goal.lower_bound is not None
    ]
    if found:
        _, _, label, best = min(found, key=lambda one: one[:3])
        first += f": {label} keeps most with the least loss, {kept(best)}"
    first += "."
    if not bars:
        return Section("Searches for loss ratios side by side", [first])
    what = "Bars: the highest rate that is kept; lines reach to the least rate that is not."
    chart = bars_chart(bars, "Rates by loss ratio", what=what)
    return Section("Searches for loss ratios side by side", [first], [], [chart])
