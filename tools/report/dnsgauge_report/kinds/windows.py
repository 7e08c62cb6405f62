# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps of windows: closed loops of ever more open queries, and such loops beside open ones."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from ..charts.latency import rtts_chart
from ..document import Chart, Section, chart
from ..drawing import SERIES, draw_curves, legend_above, rows_of, spread
from ..fields import Fields
from ..grouped import grouped
from ..quantities import drawn_text, duration_axis, duration_text, log_ticks, plural, rate_axis
from ..quantities import rate_text
from ..tables import table_of
from .series import Journal, Series, SeriesTrial
from .sweep import Sweep, by_rate
from .trial import Trial

KIND = "window-sweep"


class Step(SeriesTrial):
    """A window that was tried."""

    @property
    def answered_rate(self) -> float:
        """Returns the answers per second, which the rate, a whole number, does not tell."""
        return float(self.fields.number("answered_rate"))


class WindowSweep(Series):
    """Steps in the order in which they were made."""

    view = Step

    @property
    def steps(self) -> list[Step]:
        return list(self.trials)

    def runs(self) -> list[list[Step]]:
        """Returns the steps of each repetition."""
        return list(grouped((step.repetition, step) for step in self.steps).values())

    def by_window(self) -> dict[int, list[Step]]:
        """Returns the steps of each window, ascending."""
        return grouped((one.window, one) for one in sorted(self.steps, key=lambda one: one.window))

    def medians(self, figure: Callable[[Step], Any]) -> list[tuple[int, float]]:
        """Returns (window, the median of the steps that have the figure)."""
        found = []
        for window, steps in self.by_window().items():
            if values := [value for step in steps if (value := figure(step)) is not None]:
                found.append((window, float(statistics.median(values))))
        return found

    def doubts(self) -> list[str]:
        made = f"{plural(len(self.steps), 'step')} were made"
        doubts = self.unfinished("sweep", "trials, and no knee", made)
        return [*doubts, *self.made_again("trial", "; no step has them"), *self.standing()]


def read(fields: Fields, label: str) -> WindowSweep:
    """Returns the sweep. Throws ReportError."""
    return WindowSweep(fields, label)


def row_of(trial: Trial) -> dict[str, Any]:
    """Returns what a sweep tells of a trial's window."""
    names = ("answered_rate", "mean_open", "mean_open_by_rtt")
    window = trial.fields.inner("window")
    return {"window": window.count("places")} | {name: window.number(name) for name in names}


def read_journal(journal: Journal) -> WindowSweep:
    """Returns the sweep as far as its journal tells of it. Throws ReportError."""
    said = journal.said() | {"knee": None}
    return WindowSweep(journal.header, journal.label, trials=journal.made(Step, row_of), **said)


def windows_axis(axes: Any) -> None:
    log_ticks(axes.xaxis)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.6g}")
    axes.set_xlabel("open queries")


def answers_chart(sweeps: Sequence[WindowSweep]) -> Chart:
    """Returns answers per second by open queries: medians, with all repetitions as shading, and the
    knee with its interval where one sweep is drawn alone."""
    shown = spread(sweeps)
    knee = shown[0].knee if len(sweeps) == 1 else None
    curves = []
    for sweep in shown:
        rates = {
            window: [step.answered_rate for step in steps]
            for window, steps in sweep.by_window().items()
        }
        points = [
            (window, max(min(all), 1e-3), max(statistics.median(all), 1e-3), max(*all, 1e-3))
            for window, all in rates.items()
        ]
        curves.append((sweep.label, points))

    def draw(axes: Any) -> None:
        draw_curves(axes, curves, (2,), ("median",), reach=(1, 3))
        if knee and knee.open:
            axes.axvspan(knee.open.low, knee.open.high, color=SERIES[2], alpha=0.2, linewidth=0)
            looks = {"color": SERIES[2], "linewidth": 1, "linestyle": "--"}
            axes.axvline(knee.open.value, label="knee, 95 %", **looks)
            legend_above(axes, 2)
        windows_axis(axes)
        log_ticks(axes.yaxis)
        rate_axis(axes.yaxis)
        axes.set_ylabel("answers per second")

    caption = (
        "Answers per second by open queries, both axes logarithmic: lines are medians, shadings"
    )
    caption += " reach from the least to the greatest repetition."
    if knee and knee.open:
        caption += " The green line is the knee, with its 95 % interval."
    counts = ", ".join(plural(len(sweep.steps), "step") for sweep in shown)
    caption += f" N = {counts}.{drawn_text(len(shown), len(sweeps), 'sweep')}"
    told = (
        f"{label}: " + ", ".join(f"{rate_text(round(one[2]))} at {one[0]}" for one in points)
        for label, points in curves
    )
    title = "Answers per second by open queries"
    heads = "sweep window least median greatest"
    return chart("answers-by-window", title, caption, told, heads, rows_of(curves), draw)


def rtt_chart(sweeps: Sequence[WindowSweep]) -> Chart | None:
    """Returns RTTs by open queries, medians over the repetitions; none without an RTT."""
    told = []
    for sweep in sweeps:
        most = dict(sweep.medians(lambda step: step.rtt_p99_ns))
        half = sweep.medians(lambda step: step.rtt_p50_ns)
        if points := [(window, max(rtt, 1), max(most[window], 1)) for window, rtt in half]:
            told.append((sweep.label, points))
    if not told:
        return None
    return rtts_chart(
        told,
        ("rtt-by-window", "open queries", "sweep window p50_ns p99_ns"),
        lambda shown: plural(sum(len(one) for _, one in shown), "window"),
        lambda axes, _: windows_axis(axes),
        str,
    )


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


COLUMNS = (
    "window; repetition=repetition?; open=mean_open; open by RTT=mean_open_by_rtt;"
    " answers/s=answered_rate; sent; answered; RTT median=rtt_p50_ns; RTT p99=rtt_p99_ns"
)
NOTES = (
    "open: by the times at which places were free; by RTT: by Little's law, rate times RTT, which"
    " must agree.",
)


def section(sweep: WindowSweep) -> Section:
    """Returns what is said of one sweep of windows."""
    if not sweep.steps:
        return Section(sweep.heading("sweep"), [f"The sweep of {sweep.server} has no step yet."])
    most = max(sweep.medians(lambda step: step.answered_rate), key=lambda one: one[1])
    windows = list(sweep.by_window())
    said = knee_findings(sweep)
    said.append(
        f"{sweep.server} answered {rate_text(round(most[1]))} at most, with {most[0]} open queries,"
        f" of {plural(len(windows), 'window')} from {windows[0]} to {windows[-1]}."
    )
    charts = [one for one in (answers_chart([sweep]), rtt_chart([sweep])) if one]
    tables = [table_of("Steps", sweep.steps, COLUMNS, NOTES)]
    asked = sweep.told("repeat", "duration_s", "timeout_s")
    return Section(sweep.heading("sweep"), said, sweep.doubts(), charts, tables, asked)


def group(sweeps: Sequence[WindowSweep]) -> Section:
    """Returns what is said of several sweeps of windows."""
    told = [sweep for sweep in sweeps if sweep.steps]
    sentences = [f"{plural(len(sweeps), 'sweep')} of windows are drawn over each other."]
    charts = [one for one in (answers_chart(told), rtt_chart(told)) if one] if told else []
    return Section("Windows side by side", sentences, [], charts)


OMISSION = (
    "A closed loop asks again only when an answer has come: while a server is slow it is asked"
    " less, so few of the RTTs see a pause (coordinated omission). At a constant rate queries go on"
    " through a pause, and their RTTs tell of it. The closed loop shows the most that a server"
    " answers and at which RTT; the open one shows what clients get who do not wait for each other."
)


def both(closed: Sequence[WindowSweep], opened: Sequence[Sweep]) -> Section:
    """Returns latency against throughput, by closed loops and at rates of their own."""
    drawn = []
    for sweep in closed:
        most = dict(sweep.medians(lambda step: step.rtt_p99_ns))
        rates = dict(sweep.medians(lambda step: step.answered_rate))
        points = [
            (rates[window], rtt, most[window], f"{window} open")
            for window, rtt in sweep.medians(lambda step: step.rtt_p50_ns)
        ]
        drawn.append((f"closed: {sweep.label}", points))
    for one in opened:
        points = []
        for rate, steps in by_rate(one.steps).items():
            known = [step for step in steps if step.rtt_p50_ns is not None]
            if known:
                half, most_of, answered = (
                    float(statistics.median(values))
                    for values in (
                        [step.rtt_p50_ns for step in known],
                        [step.rtt_p99_ns or step.rtt_p50_ns for step in known],
                        [step.answered_rate for step in known],
                    )
                )
                points.append((answered, half, most_of, f"{rate:g}/s sent"))
        drawn.append((f"open: {one.label}", points))
    drawn = [(label, points) for label, points in drawn if points]
    shown = spread(drawn)

    def draw(axes: Any) -> None:
        curves = [(label, [point[:3] for point in points]) for label, points in shown]
        draw_curves(axes, curves, (1, 2))
        duration_axis(axes.yaxis)
        rates = [point[0] for _, points in shown for point in points]
        if max(rates, default=1) > 30 * max(min(rates, default=1), 1e-3):
            log_ticks(axes.xaxis)
        else:
            axes.set_xlim(left=0)
        rate_axis(axes.xaxis)
        axes.set(xlabel="answers per second", ylabel="RTT")

    caption = (
        "RTT of the answered queries against answers per second, medians (lines) and 99th"
        f" percentiles (dashes), of repeated steps the median. {OMISSION}"
        f" N = {plural(sum(len(points) for _, points in shown), 'load')}."
        f"{drawn_text(len(shown), len(drawn), 'sweep')}"
    )
    told = (
        f"{label}: "
        + ", ".join(f"{duration_text(one[1])} at {rate_text(round(one[0]))}" for one in points)
        for label, points in shown
    )
    heads = "sweep answered_rate p50_ns p99_ns load"
    title = "Latency against throughput"
    picture = chart("latency-throughput", title, caption, told, heads, rows_of(shown), draw)
    found = "Closed loops and rates are drawn in one picture: they answer different questions."
    return Section("Closed and open loops", [found], [], [picture] if shown else [])
