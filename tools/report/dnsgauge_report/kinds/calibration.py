# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Calibrations of the Tester, which are certificates: dnsgauge/calibration/1."""

from collections.abc import Sequence
from typing import Any

from ..charts.sending import MARKS
from ..document import Cell, Chart, Section, Table
from ..drawing import FAINT, INK, SERIES, draw_line, legend_above
from ..fields import Fields
from ..quantities import count_text, duration_axis, duration_text, listing, log_ticks, plural
from ..quantities import rate_axis, rate_text, short_duration
from ..schemas import member
from ..tables import data_of, members, rows_of, table_of
from ..view import View
from .base import Result, asked_tables, ended

SCHEMA = "dnsgauge/calibration/1"


class Delay(View):
    """Replies that were held for a known time. Files of earlier versions name no rate."""

    @property
    def delay_ns(self) -> float | None:
        return None if self.delay_s is None else self.delay_s * 1e9


class Rtts(View):
    """What was checked of RTTs: `at_once` without a delay, and with ascending `delays`, whose bias
    counts from `baseline`: how much longer than the first delay its smallest RTT is."""

    @property
    def baseline(self) -> float | None:
        first = self.delays[0] if self.delays else None
        return first.rtt_ns.min - first.delay_ns if first and first.valid else None


def read_rtts(fields: Fields, field: str) -> Rtts:
    rtt = fields.inner_or_none(field) or Fields({}, fields.where, "", member(fields.schema, field))
    at_once, held = rtt.objects_or("at_once"), rtt.objects_or("delays")
    at_once += [rtt.inner("floor")] if rtt.has("floor") else []
    delays = [Delay(one, name="held") for one in held]
    ends = {"before_timeout": "before timeout", "behind_timeout": "after timeout"}
    delays += [Delay(rtt.inner(name), name=said) for name, said in ends.items() if rtt.has(name)]
    return Rtts(rtt, at_once=[Delay(one, name="sent at once") for one in at_once], delays=delays)


class Limits(View):
    readers = {"bias": Fields.positive}


class Calibration(Result):
    readers = {
        "limits_s": Limits,
        "timeout_s": Fields.positive,
        "rtt": read_rtts,
        "distrusted": lambda fields, _: [View(one) for one in fields.objects_or("doubts")],
    }
    older = {"finished": "", "record": ""}

    def doubts(self) -> list[str]:
        doubts = [f"{one.figure} is not to be trusted: {ended(one.why)}" for one in self.distrusted]
        if self.lax:
            doubts.append(f"The calibration was laxer than by default: {'; '.join(self.lax)}.")
        checks = {"counting": self.counting, "RTTs": self.rtt.delays, "pacing": self.pacing}
        if unchecked := [name for name, made in checks.items() if not made]:
            doubts.append(f"Not everything was checked: {', '.join(unchecked)}.")
        return doubts


read = Calibration


def bias_chart(baseline: float, delays: Sequence[Delay], limit: float) -> Chart:
    told = (one for one in delays if one.valid and one.delay_ns is not None)
    shown = sorted(told, key=lambda one: one.delay_ns or 0)
    times = [(one, members(one.rtt_ns, "min mean p99")) for one in shown]
    errors = [(one, [x - one.delay_ns - baseline for x in of]) for one, of in times]

    def draw(axes: Any) -> None:
        names = ("smallest: the bias", "mean", "99th percentile")
        for place, (one, (least, mean, p99)) in enumerate(errors):
            axes.plot([place, place], [least, p99], color=FAINT, linewidth=1, zorder=2)
            for what, value, (_, mark, colour) in zip(names, (least, mean, p99), MARKS):
                looks: dict[str, Any] = {"s": 26, "marker": mark, "color": colour, "zorder": 3}
                axes.scatter([place], [value], label=what if place == 0 else None, **looks)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.axhspan(-limit, limit, color=SERIES[2], alpha=0.15, linewidth=0)
        axes.set_yscale("symlog", linthresh=10_000)
        axes.yaxis.set_major_formatter(lambda value, _: short_duration(value))
        # Many labels take turns on two lines.
        lower = "\n" if len(errors) > 5 else ""
        delays = [short_duration(one.delay_ns or 0) for one, _ in errors]
        labels = [lower * (place % 2) + delay for place, delay in enumerate(delays)]
        axes.set_xticks(range(len(errors)), labels)
        axes.set_xlim(-0.5, len(errors) - 0.5)
        axes.grid(axis="x", visible=False)
        axes.set(xlabel="injected delay", ylabel="error of the RTT")
        legend_above(axes)

    replies = sum(one.valid for one in shown)
    caption = "RTT less injected delay, less the baseline: what the smallest RTT of the shortest"
    caption += f" delay has beyond it ({duration_text(baseline)}). The band is the allowed bias,"
    caption += f" ±{duration_text(limit)}. Linear within ±10 µs, logarithmic beyond. N ="
    caption += f" {count_text(replies)} replies at {plural(len(shown), 'delay')}."
    rows = [(one.name, one.delay_ns, one.valid, *values) for one, values in errors]
    heads = "check delay_ns replies bias_ns mean_error_ns p99_error_ns"
    return Chart("bias", "Bias and spread of the RTT", caption, heads, rows, draw)


def pacing_chart(checks: Sequence[View]) -> Chart:
    def draw(axes: Any) -> None:
        rates = [one.rate for one in checks]
        kinds = zip(*(members(one.lateness_ns, "p50 p99 max") for one in checks))
        for (label, mark, colour), times in zip(MARKS, kinds):
            shown = [max(value, 1) for value in times]
            draw_line(axes, rates, shown, colour, label, linewidth=1, marker=mark, markersize=5)
        log_ticks(axes.xaxis)
        rate_axis(axes.xaxis)
        duration_axis(axes.yaxis)
        axes.set(xlabel="queries per second", ylabel="lateness of arrival")
        legend_above(axes)

    caption = "How late queries arrived at the link's other end, against the schedule. N ="
    caption += f" {', '.join(count_text(one.arrived) for one in checks)} queries."
    columns = "rate sent arrived p50_ns=lateness_ns.p50 p99_ns=lateness_ns.p99"
    columns += " max_ns=lateness_ns.max rate_error burst_share"
    return Chart("pacing", "Pace at the other end", caption, *data_of(checks, columns), draw)


def findings(made: Calibration) -> list[str]:
    if made.trusted:
        first = "Nothing is in doubt: within the limits below the Tester's figures are right."
    else:
        figures = list(dict.fromkeys(one.figure for one in made.distrusted))
        first = f"Not to be trusted: {listing(figures)}."
    biases = [abs(one.bias_ns) for one in made.rtt.delays if one.valid and one.bias_ns is not None]
    second = "RTTs were not checked."
    if biases:
        second = f"The bias of the RTTs is {duration_text(max(biases))} at most, at"
        second += f" {plural(len(biases), 'known delay')}."
    floor, bound = made.rtt.floor_ns, made.rtt.bound_ns
    if floor is not None and bound is not None:
        second += f" The floor is {duration_text(floor)}: no trial on this set-up sees an RTT below"
        second += f" {duration_text(bound)}."
    pairs = [(check, *one) for check in made.counting for one in check.counted.items()]
    wrong = sum(count != check.predicted.get(name) for check, name, count in pairs)
    if not made.counting:
        third = "Counts were not checked."
    elif wrong:
        third = f"{plural(wrong, 'count')} of classes differ from what was predicted."
    else:
        third = "Every class of queries was counted as predicted, at"
        third += f" {plural(len(made.counting), 'rate')} up to"
        third += f" {rate_text(max(check.rate for check in made.counting))}."
    return [first, second, third]


def counting_table(made: Calibration) -> Table:
    names = list(dict.fromkeys(name for check in made.counting for name in check.counted))
    heads, columns = [""], [[name.replace("_", " ") for name in names]]
    for check in made.counting:
        heads += [f"predicted at {rate_text(check.rate)}", "counted"]
        columns += [[*map(counts.get, names)] for counts in (check.predicted, check.counted)]
    return Table("Queries and packets by class", heads, list(zip(*columns)))


DELAYS = "replies=name; queries/s=rate; delay=delay_ns; sent; valid; late; RTT"
DELAYS += " min=rtt_ns.min; mean=rtt_ns.mean; 99th percentile=rtt_ns.p99; max=rtt_ns.max;"
DELAYS += " bias=bias_ns; error of the median=error_ns.p50;"
DELAYS += " error of the 99th percentile=error_ns.p99"
NOTES = [
    "Floor: the smallest RTT of replies sent at once, as in trials.",
    "Bias: the smallest RTT, less the delay and the baseline. The baseline is what the smallest"
    " RTT of replies held for the shortest time has beyond that time.",
]


def section(made: Calibration) -> Section:
    charts = []
    if made.rtt.baseline is not None:
        charts.append(bias_chart(made.rtt.baseline, made.rtt.delays, made.limits_s.bias * 1e9))
    charts += [pacing_chart(made.pacing)] if made.pacing else []
    tables = [counting_table(made)] if made.counting else []
    if made.rtt.delays:
        every = [*made.rtt.at_once, *made.rtt.delays]
        delays = [one if one.valid else one.but(rtt_ns=None, bias_ns=None) for one in every]
        tables.append(table_of("Replies sent at once, and held", delays, DELAYS, NOTES))
    asked: list[Sequence[Cell]] = [
        ("server", made.server),
        ("timeout", duration_text(made.timeout_s * 1e9)),
        ("bias allowed", duration_text(made.limits_s.bias * 1e9)),
        *rows_of([made], "rate it vouches for, at most=allowed_rate; finished"),
        ("record", made.record or "none"),
    ]
    conditions = asked_tables(made.fields, asked)
    title = f"Calibration {made.label}: a Tester and FakeDNS at {made.server}"
    return Section(title, findings(made), made.doubts(), charts, tables, conditions)
