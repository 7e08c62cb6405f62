# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps of windows: closed loops of ever more open queries, and such loops beside open ones."""

import functools
import statistics
from collections.abc import Sequence
from typing import Any

from ..charts.latency import draw_rtts, rtts_chart
from ..charts.rates import sent_scale
from ..document import Chart, Section
from ..drawing import draw_curves, legend_above, mark_estimate, rows_of, spread
from ..grouped import grouped
from ..quantities import drawn_text, log_ticks, plural, rate_axis, rate_text
from ..tables import members, table_of
from .series import Series, SeriesTrial, by_load, rtts_by_load
from .sweep import Sweep
from .trial import Trial

KIND = "window-sweep"


class Step(SeriesTrial):
    @property
    def answered_rate(self) -> float:
        """Returns the answers per second, which the rate, a whole number, does not tell."""
        return float(self.fields.number("answered_rate"))


class WindowSweep(Series):
    view = Step

    @staticmethod
    def told_by(trial: Trial) -> dict[str, Any]:
        names = ("answered_rate", "mean_open", "mean_open_by_rtt")
        window = trial.fields.inner("window")
        return {"window": window.count("places")} | {name: window.number(name) for name in names}

    def runs(self) -> list[list[Step]]:
        return list(grouped((step.repetition, step) for step in self.trials).values())

    def doubts(self) -> list[str]:
        made = f"{plural(len(self.trials), 'step')} were made"
        return self.doubts_of("sweep", made, "trials, and no knee", "; no step has them")


read = WindowSweep


read_journal = functools.partial(WindowSweep.of_journal, knee=None)


def windows_axis(axes: Any, _: object = None) -> None:
    log_ticks(axes.xaxis)
    axes.set_xlabel("open queries")


def ends_of(window: int, steps: Sequence[Step]) -> tuple[int, float, float, float]:
    rates = [max(step.answered_rate, 1e-3) for step in steps]
    return window, min(rates), statistics.median(rates), max(rates)


def answers_chart(sweeps: Sequence[WindowSweep]) -> Chart:
    shown = spread(sweeps)
    knee = shown[0].knee if len(sweeps) == 1 else None
    knee = knee if knee and knee.open else None
    told = [(sweep.label, by_load(sweep.trials, "window").items()) for sweep in shown]
    curves = [(label, [ends_of(*one) for one in windows]) for label, windows in told]

    def draw(axes: Any) -> None:
        draw_curves(axes, curves, (2,), ("median",), reach=(1, 3))
        if knee:
            mark_estimate(axes, "knee", *members(knee.open, "value low high"))
            legend_above(axes, 2)
        windows_axis(axes)
        log_ticks(axes.yaxis)
        rate_axis(axes.yaxis)
        axes.set_ylabel("answers per second")

    counts = ", ".join(plural(len(sweep.trials), "step") for sweep in shown)
    caption = "Answers per second by open queries, both axes logarithmic: lines are medians,"
    caption += " shadings reach from the least to the greatest repetition."
    caption += " The green line is the knee, with its 95 % interval." if knee else ""
    caption += f" N = {counts}.{drawn_text(len(shown), len(sweeps), 'sweep')}"
    title = "Answers per second by open queries"
    heads = "sweep window least median greatest"
    return Chart("answers-by-window", title, caption, heads, rows_of(curves), draw)


def rtt_chart(sweeps: Sequence[WindowSweep]) -> Chart:
    told = [(sweep.label, rtts_by_load(sweep.trials, "window")) for sweep in sweeps]
    return rtts_chart(told, ("rtt-by-window", "open queries", "window"), windows_axis)


def knee_findings(sweep: WindowSweep) -> list[str]:
    knee = sweep.knee
    if knee is None:
        return []
    if knee.open is None:
        return [f"No knee of {sweep.server} is told: {knee.why_not}."]
    low, high = f"{knee.open.low:.4g}", f"{knee.open.high:.4g}"
    return [
        f"The knee of {sweep.server} lies at {knee.open.value:.4g} open queries (95 %: {low} to"
        f" {high}), at {rate_text(round(knee.answered_rate))} answered.",
        f"Twice as many open queries bring {knee.below.value:.3g} times the answers below the knee,"
        f" and {knee.above.value:.3g} times above it ({plural(knee.runs, 'run')}).",
    ]


COLUMNS = "window; repetition=repetition?; open=mean_open; open by RTT=mean_open_by_rtt;"
COLUMNS += " answers/s=answered_rate; sent; answered; RTT median=rtt_p50_ns; RTT p99=rtt_p99_ns"
NOTES = (
    "open: by the times at which places were free; by RTT: by Little's law, rate times RTT, which"
    " must agree.",
)


def section(sweep: WindowSweep) -> Section:
    if not sweep.trials:
        return Section(sweep.heading("sweep"), [f"The sweep of {sweep.server} has no step yet."])
    windows = by_load(sweep.trials, "window")
    rates = {at: statistics.median(one.answered_rate for one in of) for at, of in windows.items()}
    best = max(rates, key=lambda window: rates[window])
    said = knee_findings(sweep)
    said.append(
        f"{sweep.server} answered {rate_text(round(rates[best]))} at most, with {best} open"
        f" queries, of {plural(len(windows), 'window')} from {min(windows)} to {max(windows)}."
    )
    charts = [answers_chart([sweep]), rtt_chart([sweep])]
    tables = [table_of("Steps", sweep.trials, COLUMNS, NOTES)]
    asked = sweep.told("repeat", "duration_s", "timeout_s")
    return Section(sweep.heading("sweep"), said, sweep.doubts(), charts, tables, asked)


def group(sweeps: Sequence[WindowSweep]) -> Section:
    told = [sweep for sweep in sweeps if sweep.trials]
    sentences = [f"{plural(len(sweeps), 'sweep')} of windows are drawn over each other."]
    charts = [answers_chart(told), rtt_chart(told)] if told else []
    return Section("Windows side by side", sentences, [], charts)


OMISSION = "A closed loop asks again only when an answer has come: while a server is slow it is"
OMISSION += " asked less, so few of the RTTs see a pause (coordinated omission). At a constant rate"
OMISSION += " queries go on through a pause, and their RTTs tell of it. The closed loop shows the"
OMISSION += " most that a server answers and at which RTT; the open one shows what clients get who"
OMISSION += " do not wait for each other."


def both(closed: Sequence[WindowSweep], opened: Sequence[Sweep]) -> Section:
    drawn = []
    loops = {WindowSweep: ("closed", "window", "{} open"), Sweep: ("open", "rate", "{:g}/s sent")}
    for sweep in (*closed, *opened):
        loop, load, form = loops[type(sweep)]
        points = [
            (statistics.median(one.answered_rate for one in steps), half, most, form.format(at))
            for at, half, most, steps in rtts_by_load(sweep.trials, load)
        ]
        drawn += [(f"{loop}: {sweep.label}", points)] if points else []
    shown = spread(drawn)

    def draw(axes: Any) -> None:
        draw_rtts(axes, [(label, [point[:3] for point in points]) for label, points in shown])
        sent_scale(axes, [point[0] for _, points in shown for point in points])
        axes.set_xlabel("answers per second")

    caption = (
        "RTT of the answered queries against answers per second, medians (lines) and 99th"
        f" percentiles (dashes), of repeated steps the median. {OMISSION}"
        f" N = {plural(sum(len(points) for _, points in shown), 'load')}."
        f"{drawn_text(len(shown), len(drawn), 'sweep')}"
    )
    heads = "sweep answered_rate p50_ns p99_ns load"
    title = "Latency against throughput"
    picture = Chart("latency-throughput", title, caption, heads, rows_of(shown), draw)
    found = "Closed loops and rates are drawn in one picture: they answer different questions."
    return Section("Closed and open loops", [found], [], [picture])
