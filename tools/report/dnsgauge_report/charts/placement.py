# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Placements as paper 001 draws them: rates by server processes with their mean, minimum and
maximum, rates on single CPUs, and pairs of CPUs as a map laid over the machine's topology."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..document import Chart, Table
from ..drawing import INK, SERIES, legend_above, name_tiles, spread, tile
from ..quantities import drawn_text, rate_axis, rate_text, short_rate, shortened
from ..results.handled import CpuPlace
from .rates import number_of, results_each


def mean(rates: Sequence[float]) -> float:
    return sum(rates) / len(rates)


def in_order(cpus: Sequence[int], topology: Mapping[int, CpuPlace]) -> list[int]:
    """Returns the CPUs, those near each other next to each other. Unknown ones come last."""
    known = sorted((cpu for cpu in cpus if cpu in topology), key=lambda cpu: topology[cpu].order)
    return known + sorted(cpu for cpu in cpus if cpu not in topology)


def processes_chart(
    curves: Mapping[str, Mapping[str, Sequence[float]]], across: str, name: str, title: str
) -> Chart:
    """Returns mean, minimum and maximum of the rates by what stands across, a line a curve."""
    columns = sorted({place for curve in curves.values() for place in curve}, key=number_of)
    shown = dict(spread(list(curves.items())))

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for order, (label, curve) in enumerate(shown.items()):
            shift = (order - (len(shown) - 1) / 2) * 0.08
            at = [columns.index(place) + shift for place in sorted(curve, key=number_of)]
            rates = [curve[place] for place in sorted(curve, key=number_of)]
            middles = [mean(one) for one in rates]
            reach = [
                [middle - min(one) for middle, one in zip(middles, rates)],
                [max(one) - middle for middle, one in zip(middles, rates)],
            ]
            axes.errorbar(
                at,
                middles,
                yerr=reach,
                color=SERIES[order],
                marker="o",
                markersize=3.5,
                capsize=2.5,
                elinewidth=0.9,
                label=shortened(label, 18) if label else None,
            )
        axes.set_xticks(range(len(columns)), columns)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(bottom=0)
        rate_axis(axes.yaxis)
        axes.set(xlabel=across, ylabel="queries per second")
        if any(shown):
            legend_above(axes, 3)

    rows = [
        (place, label, mean(rates), min(rates), max(rates), len(rates))
        for label, curve in shown.items()
        for place, rates in sorted(curve.items(), key=lambda one: number_of(one[0]))
    ]
    text = "; ".join(
        f"{label + ', ' if label else ''}{across} {place}: {rate_text(middle)}, from"
        f" {rate_text(least)} to {rate_text(most)}"
        for place, label, middle, least, most, _ in rows
    )
    caption = (
        "Means, with minimum and maximum."
        f" N = {results_each([row[5] for row in rows])}."
        f"{drawn_text(len(shown), len(curves), 'curve')}"
    )
    heads = (across, "server", "mean", "minimum", "maximum", "results")
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw)


def pairs_chart(
    results: Mapping[tuple[int, ...], Sequence[float]],
    topology: Mapping[int, CpuPlace],
    title: str,
    name: str,
) -> Chart:
    """Returns mean rates of pairs of CPUs, and of single ones on the diagonal, as a map: CPUs that
    are near each other stand next to each other, lines separate caches and sockets."""
    rates = {place: mean(found) for place, found in results.items()}
    cpus = in_order(sorted({cpu for place in rates for cpu in place}), topology)
    least, most = min(rates.values()), max(rates.values())

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, rate in rates.items():
            ends = [cpus.index(cpu) for cpu in place]
            share = (rate - least) / (most - least) if most > least else 0.0
            for left, top in {(ends[0], ends[-1]), (ends[-1], ends[0])}:
                tile(axes, left, top, short_rate(float(f"{rate:.3g}")), share, 6)
        for at, (one, other) in enumerate(zip(cpus, cpus[1:]), 1):
            if one not in topology or other not in topology:
                continue
            if topology[one].socket != topology[other].socket:
                width = 2.0
            elif topology[one].order[1:3] != topology[other].order[1:3]:
                width = 0.8
            else:
                continue
            axes.plot([at, at], [0, len(cpus)], color=INK, linewidth=width, clip_on=False)
            axes.plot([0, len(cpus)], [at, at], color=INK, linewidth=width, clip_on=False)
        names = [str(cpu) for cpu in cpus]
        name_tiles(axes, names, names)
        axes.set(xlabel="CPU", ylabel="CPU")

    best = max(rates, key=lambda place: rates[place])
    caption = "Numbers and shades: mean rates, queries per second; the diagonal is a single CPU."
    if least > 0 and most > least:
        who = f"CPU {best[0]} is" if len(best) == 1 else f"CPUs {' and '.join(map(str, best))} are"
        caption += f" {who} {100 * (most / least - 1):.0f} % above the slowest."
    if any(cpu in topology for cpu in cpus):
        caption += " A thick line separates sockets, a thin one caches."
    caption += f" N = {results_each([len(found) for found in results.values()])}."
    text = "; ".join(
        f"CPU {' and '.join(map(str, place))}: {rate_text(rate)}" for place, rate in rates.items()
    )
    rows = [(place[0], place[-1], rate) for place, rate in rates.items()]
    heads = ("cpu", "other_cpu", "mean_rate")
    height = min(1.0, 0.3 + 0.08 * len(cpus))
    return Chart(name, title, caption, text + ".", Table(title, heads, rows), draw, height)
