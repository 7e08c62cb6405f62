# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Gates, which decide whether a server is slower than another one: dnsgauge/gate/1."""

import shlex
from statistics import median
from typing import Any

from ..document import Chart, Section, Table
from ..drawing import BLUE, FAINT, VERMILION, band, dots, draw_line, legend_above
from ..quantities import drawn_text, duration_text, percent_text, plural, rate_text
from ..tables import data_of, table_of
from ..view import View
from .base import Result, asked_tables, ended, sentence

SCHEMA = "dnsgauge/gate/1"
SIDES = ("baseline", "candidate")
DIFFERENCES = ("median_difference", "low", "high", "margin")
COLUMNS = "figure; baseline; candidate; worse by=median_difference; at least=low; at most=high;"
COLUMNS += " allowed=margin; verdict; in round=decided_in?"


class Judged(View):
    """A figure, with what each round showed of it."""

    def value_text(self, side: str) -> str:
        values = [value for one in self.rounds if (value := getattr(one, side)) is not None]
        if not values:
            return "–"
        middle = median(values)
        if self.figure == "share":
            return f"{percent_text(middle)} %"
        return rate_text(round(middle)) if self.figure == "rate" else duration_text(middle)

    def text(self, difference: float | None) -> str:
        return "–" if difference is None else f"{difference:+.3g} {self.unit}"


class Gate(Result):
    readers = {"figures": Judged}

    @property
    def rounds(self) -> int:
        return len(self.first) or max((len(one.rounds) for one in self.figures), default=0)

    def doubts(self) -> list[str]:
        found = [sentence(doubt) for doubt in self.fields.texts_or("doubts")]
        if self.invalid_trials:
            trials = plural(self.invalid_trials, "trial was", "trials were")
            found.append(f"{trials} invalid: their rounds were made again.")
        return found


read = Gate


def differences_chart(one: Judged) -> Chart:
    rounds = list(enumerate(one.rounds, 1))
    known = [round_.difference for _, round_ in rounds if round_.difference is not None]
    middle = median(known) if known else 0.0
    # On a busy machine one of two trials may be many times slower.
    scatter = max(median([abs(value - middle) for value in known] or [0.0]), one.margin, 1e-6)
    drawn = [value for value in known if abs(value - middle) <= 5 * scatter]

    def line(name: str) -> list[float]:
        found = (getattr(round_, name) for _, round_ in rounds)
        return [float("nan") if value is None else value for value in found]

    def draw(axes: Any) -> None:
        turns = [turn for turn, _ in rounds]
        band(axes, turns, line("low"), line("high"), BLUE, 0.2)
        draw_line(axes, turns, line("high"), BLUE, "bounds", drawstyle="steps-post")
        draw_line(axes, turns, line("low"), BLUE, drawstyle="steps-post")
        dots(axes, zip(turns, line("difference")), FAINT, 12, label="round")
        axes.axhline(one.margin, color=VERMILION, linestyle="--", linewidth=1.2, label="allowed")
        reach = [0.0, one.margin, *drawn]
        room = 0.1 * (max(reach) - min(reach)) or 1.0
        axes.set(ylim=(min(reach) - room, max(reach) + room), xlim=(0.5, len(rounds) + 0.5))
        axes.locator_params(axis="x", integer=True)
        axes.set(xlabel="round", ylabel=f"{one.figure}: worse by ({one.unit})")
        legend_above(axes)

    caption = "Above 0 the candidate is worse. Lines: the bounds of the median difference after"
    caption += f" each round; dashed: what is allowed. N = {plural(len(rounds), 'round')}."
    caption += drawn_text(len(drawn), len(rounds), "round")
    data = data_of(one.rounds, "round=# baseline candidate difference low high")
    return Chart(one.figure, f"Differences: {one.figure}", caption, *data, draw)


def figures_table(gate: Gate) -> Table:
    told = []
    for one in gate.figures:
        texts = {side: one.value_text(side) for side in SIDES}
        texts |= {name: one.text(getattr(one, name)) for name in DIFFERENCES}
        told.append(one.but(**texts))
    notes = ["Medians of the rounds. The bounds hold for the median difference until the verdict."]
    return table_of("Figures that decide", told, COLUMNS, notes)


def probe_tables(gate: Gate) -> list[Table]:
    """Returns what a probe saw of both servers; no table without a probe."""
    if not gate.probe:
        return []
    note = "A probe saw this, which decided nothing. The bounds hold for the median difference"
    ends = "median_difference; at least=low; at most=high"
    stages = f"stage; baseline=baseline_ns; candidate=candidate_ns; longer by={ends}"
    fates = f"fate; baseline; candidate; more by={ends}"
    times = ("Stages in the server's kernel, p50", gate.probe.stages, stages, [f"{note}, in %."])
    lost = ("Lost queries", gate.probe.fates, fates, [f"{note}, in percentage points."])
    return [table_of(*times), table_of(*lost)]


def findings(gate: Gate) -> list[str]:
    told = {
        "slower": "The candidate is slower",
        "not slower": "The candidate is not slower",
        "cannot tell": "The gate cannot tell whether the candidate is slower",
    }
    made = plural(gate.rounds, "round")
    made += f" in {gate.spent_s:.0f} s" if gate.made_trials else ""
    error = f"a verdict is wrong in {gate.error_percent:g} % of such cases at most"
    return [f"{told[gate.verdict]}: {ended(gate.why)}", f"It took {made}; {error}."]


def section(gate: Gate) -> Section:
    charts = [differences_chart(one) for one in gate.figures if one.rounds]
    asked = [(side, shlex.join(gate.fields.texts_or(side))) for side in SIDES]
    asked.append(("order of the rounds", "files" if gate.seed is None else f"seed {gate.seed}"))
    said = (f"Gate {gate.label}: {gate.verdict}", findings(gate), gate.doubts(), charts)
    tables = [figures_table(gate), *probe_tables(gate)]
    return Section(*said, tables, asked_tables(gate.fields, asked))
