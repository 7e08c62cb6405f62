# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches for several loss ratios at once."""

import math
from collections.abc import Sequence
from typing import Any

from ..charts.rates import Bar, bars_chart, sent_scale, turns_scale
from ..document import Chart, Section
from ..drawing import FAINT, INK, SERIES, beside, dots, height_of, legend_above, name_rows
from ..fields import Fields
from ..quantities import listing, log_ticks, plural, rate_axis, rate_text
from ..schemas import entry, member
from ..tables import data_of, rows_of, table_of
from ..view import View
from .base import contradiction, sentence
from .search import SearchTrial
from .series import Journal, Series

KIND = "loss-search"
# Options that a journal may lack.
OPTIONAL = ("exceed_percent", "width_percent", "duration_s", "duration_sum_s")


class Goal(View):
    """A loss ratio, and the rates between which the server begins to lose more.
    `conditional_throughput` are the answers per second at the lower bound, in the worst trial that
    counts."""

    @property
    def name(self) -> str:
        return f"{self.loss_percent:.6g} %"

    def check(self, fields: Fields) -> None:
        if (self.lower_bound or 0.0) > (self.upper_bound or math.inf):
            raise contradiction(fields, f"{fields.name('lower_bound')} is above the upper bound")


class LossStep(SearchTrial):
    """A trial that counts. `goal`: the loss ratio that asked for it, from 1; 0 in journals."""

    readers = {**SearchTrial.readers, "duration_s": Fields.positive}
    older = {**SearchTrial.older, "goal": 0}


class LossSearch(Series):
    """A search. The goals of journals have no bounds."""

    view = LossStep
    readers = {**Series.readers, "goals": Goal}
    needs = ("goals", "loss ratio")
    options = {"min_rate": 1.0, "max_rate": None, **dict.fromkeys(OPTIONAL, 0.0)}

    def doubts(self) -> list[str]:
        return self.doubts_of("search", "bounds are missing")


read = LossSearch


def loss_ratios(options: Fields) -> list[float]:
    """Returns the loss ratios of a text such as "0,0.01,1", in percent. Throws ReportError."""
    text = options.text_or("loss-ratios")
    wrong = options.wrong("loss-ratios", "a list of percentages", text)
    try:
        found = [float(word) for word in text.split(",") if word]
    except ValueError as error:
        raise wrong from error
    if not all(0 <= loss <= 100 for loss in found):
        raise wrong
    return found


def read_journal(journal: Journal) -> LossSearch:
    schema = entry(member(journal.header.schema, "goals"))
    unbounded = Fields({}, journal.header.where, "goals", schema)
    goals = [Goal(unbounded, loss_percent=loss) for loss in loss_ratios(journal.options)]
    return LossSearch.of_journal(journal, goals=goals)


def mark_of(step: LossStep, goals: Sequence[Goal]) -> tuple[str, str]:
    """Returns colour and form: the loss ratio that asked for the trial, and if it lost more."""
    if not step.goal or step.goal > len(goals):
        return FAINT, "o"
    is_good = step.loss <= goals[step.goal - 1].loss_percent
    return SERIES[(step.goal - 1) % len(SERIES)], "o" if is_good else "X"


def steps_chart(steps: Sequence[LossStep], goals: Sequence[Goal]) -> Chart:
    bounded = [goal for goal in goals if goal.lower_bound is not None]

    def draw(axes: Any) -> None:
        turns = range(1, len(steps) + 1)
        axes.plot(turns, [step.rate for step in steps], color=FAINT, linewidth=0.6, zorder=2)
        for turn, step in zip(turns, steps):
            colour, mark = mark_of(step, goals)
            dots(axes, [(turn, step.rate)], colour, 24, marker=mark, zorder=3)
        for place, goal in enumerate(goals):
            looks: dict[str, Any] = {"color": SERIES[place % len(SERIES)], "linestyle": "--"}
            axes.plot([], [], marker="o", label=goal.name, **looks)
            if goal in bounded:
                axes.axhline(goal.lower_bound, linewidth=0.8, **looks)
        turns_scale(axes, [step.rate for step in steps])
        legend_above(axes, 4, title="most that may be lost", title_fontsize=7.5)

    caption = "Each trial at its rate, in the order in which they were made; colours: the loss"
    caption += " ratio that asked for it; crosses: it lost more than that; dashes: the rate that is"
    caption += f" kept. N = {plural(len(steps), 'trial')}."
    data = data_of(steps, "trial=# rate duration_s sent valid=answered loss_percent=loss goal")
    return Chart("trials", "The search, trial by trial", caption, *data, draw)


def losses_chart(steps: Sequence[LossStep], goals: Sequence[Goal]) -> Chart:
    losses = [*(step.loss for step in steps), *(goal.loss_percent for goal in goals)]
    floor = min(filter(None, losses), default=1.0) / 4

    def draw(axes: Any) -> None:
        for is_lost, size in ((True, 12), (False, 18)):
            points = [(one.rate, one.loss or floor) for one in steps if bool(one.loss) == is_lost]
            dots(axes, points, SERIES[0], size, alpha=0.7, zorder=3)
        for goal in goals:
            axes.axhline(goal.loss_percent or floor, color=FAINT, linewidth=0.8, linestyle="--")
        axes.set_ylim(floor * 0.6, 150)
        log_ticks(axes.yaxis)
        ticks = [tick for tick in axes.get_yticks() if floor * 2 < tick <= 100]
        axes.set_yticks([floor, *ticks], ["none", *(f"{tick:.6g}" for tick in ticks)])
        sent_scale(axes, [step.rate for step in steps])
        axes.set_ylabel("% not answered right in time")

    caption = "Queries without a right answer in time, by the rate sent; dashes: the loss ratios."
    caption += f" The axis of losses is logarithmic. N = {plural(len(steps), 'trial')}."
    data = data_of(steps, "rate sent valid=answered loss_percent=loss")
    return Chart("loss-by-rate", "Loss by rate", caption, *data, draw)


def bounds_chart(goals: Sequence[Goal], steps: int) -> Chart:
    def draw(axes: Any) -> None:
        labels = {"kept": "rate kept", "answers": "answers per second"}
        for place, goal in enumerate(goals):
            low, high = goal.lower_bound, goal.upper_bound or goal.lower_bound
            if low is None:
                axes.text(0, -place, " no bound", va="center", fontsize=7, color=FAINT)
            else:
                axes.plot([low, high], [-place, -place], color=SERIES[0], linewidth=3)
                label = labels.pop("kept", None)
                axes.scatter([low], [-place], s=34, color=SERIES[0], zorder=3, label=label)
                beside(axes, rate_text(round(low)), (high, -place), shift=(6, 0))
            if (answers := goal.conditional_throughput) is not None:
                looks: dict[str, Any] = {"s": 26, "marker": "|", "color": INK, "zorder": 4}
                axes.scatter([answers], [-place], label=labels.pop("answers", None), **looks)
        axes.set_xlim(0, 1.22 * max(one.upper_bound or one.lower_bound or 0.0 for one in goals))
        name_rows(axes, [one.name for one in goals])
        rate_axis(axes.xaxis, "queries per second", 5)
        axes.set_ylabel("may be lost")
        if goals[0].lower_bound is not None:
            legend_above(axes, 2)

    caption = "Points: the highest rate that is kept with each loss ratio; bars reach to the least"
    caption += f" rate that is not. N = {plural(steps, 'trial')}."
    columns = "loss_percent lower_bound upper_bound answers_per_second=conditional_throughput"
    named, data = ("bounds", "Rates by loss ratio"), data_of(goals, columns)
    return Chart(*named, caption, *data, draw, height_of(len(goals)))


def kept(goal: Goal) -> str:
    """Returns "20,000/s losing nothing", "21,000/s losing up to 1 %"."""
    losing = "losing nothing" if goal.loss_percent == 0 else f"losing up to {goal.name}"
    return f"{rate_text(goal.lower_bound)} {losing}"


def findings(search: LossSearch) -> list[str]:
    found = [goal for goal in search.goals if goal.lower_bound is not None]
    made = f"{plural(len(search.trials), 'trial')} from {rate_text(search.min_rate)} to"
    made += f" {rate_text(search.max_rate)} were made, each counting for every loss ratio."
    if not found and (search.is_journal or search.end != "complete"):
        return [f"The search of {search.server} has no result yet.", made]
    if not found:
        first = f"The server {search.server} keeps no rate with any of the loss ratios."
        return [first, made, "A lower --min-rate may be kept."]
    first = f"The server {search.server} keeps {listing([kept(goal) for goal in found])}."
    missing = [goal.name for goal in search.goals if goal.lower_bound is None]
    open_above = [goal.name for goal in found if goal.upper_bound is None]
    rest = []
    if missing:
        rest.append(f"not even {rate_text(search.min_rate)} is kept at {listing(missing)}")
    if open_above:
        rest.append(f"at {listing(open_above)} the highest rate tried is kept, and perhaps more")
    known = f"each rate is known to within {search.width_percent:g} %"
    return [first, sentence("; ".join(rest) or known), made]


NOTES = [
    "Queries per second. Answers: in the worst trial that counts at the lower bound"
    " (conditional throughput of RFC 9971)."
]
GOALS = "may be lost=name; kept (lower bound)=lower_bound; not kept (upper bound)=upper_bound;"
GOALS += " answers=conditional_throughput|1"


def section(search: LossSearch) -> Section:
    goals, steps = search.goals, search.trials
    asked = rows_of(
        [search],
        "server; lowest rate=min_rate; highest rate=max_rate; width of the bounds=width_percent;"
        " time of bad trials=exceed_percent; trial that decides=duration_s;"
        " trials at a rate together=duration_sum_s",
    )
    names = {number: goal.name for number, goal in enumerate(goals, 1)}
    told = [step.but(asked_by=names.get(step.goal)) for step in steps]
    columns = "trial=#; asked for by=asked_by; queries/s=rate; duration={0.duration_s:.3g} s;"
    columns += " valid=answered/sent"
    tables = [table_of("Rates by loss ratio", goals, GOALS, NOTES)]
    tables.append(table_of("Trials", told, columns))
    charts = [steps_chart(steps, goals), losses_chart(steps, goals)] if steps else []
    if steps and any(goal.lower_bound is not None for goal in goals):
        charts.insert(0, bounds_chart(goals, len(steps)))
    said = (search.heading("search for loss ratios"), findings(search), search.doubts())
    return Section(*said, charts, tables, search.conditions(asked))


def group(searches: Sequence[LossSearch]) -> Section:
    pairs = [(search.label, goal) for search in searches for goal in search.goals]
    losses = len({goal.loss_percent for _, goal in pairs})
    found = [(goal.loss_percent, of, goal) for of, goal in pairs if goal.lower_bound is not None]
    found.sort(key=lambda one: one[0])
    ends = [(f"{of}, {one.name}", one.lower_bound, one.upper_bound) for _, of, one in found]
    bars = [Bar(label, low, low, high or low, 1) for label, low, high in ends]
    first = f"{plural(len(searches), 'search', 'searches')} for {plural(losses, 'loss ratio')}"
    if found:
        _, label, best = min(found, key=lambda one: (one[0], -one[2].lower_bound, one[1]))
        first += f": {label} keeps most with the least loss, {kept(best)}"
    what = "Bars: the highest rate that is kept; lines reach to the least rate that is not."
    chart = bars_chart(bars, "Rates by loss ratio", what=what)
    return Section("Searches for loss ratios side by side", [f"{first}."], [], [chart])
