# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Draws a run's results as a chart, in SVG or in the form that the file's name says."""

import sys
import textwrap
from pathlib import Path

from errors import BenchError
from report import caption, warnings
from summary import COSTS, RATES, figures_of, spread

# All figures of dnsgauge look alike.
sys.path.append(str(Path(__file__).resolve().parents[2] / "tools" / "report"))
from dnsgauge_report import drawing  # noqa: E402
from dnsgauge_report.errors import ReportError  # noqa: E402

COLOURS = {"dnsgauge": drawing.BLUE, "kxdpgun": drawing.ORANGE, "dnsperf": drawing.GREY}
TITLES = {"lossless": "Lossless: every query answered", "answered": "Answered, at any rate",
          "sent": "Sent, answered or not", "generator_us": "Generator's CPU time a query sent",
          "server_us": "Server's CPU time a reply"}
SMALL = 7.5


def load_matplotlib():
    """Throws BenchError where matplotlib is not installed."""
    try:
        drawing.load_matplotlib()
    except ReportError as error:
        raise BenchError(str(error)) from error


class Rows:
    """Returns the place of each pair's bar: a group for each server, from the top down."""

    def __init__(self, figures):
        self.servers = list(dict.fromkeys(server for _, server in figures))
        self.generators = list(dict.fromkeys(generator for generator, _ in figures))

    def place(self, pair):
        generator, server = pair
        return -(self.group(server) + self.generators.index(generator))

    def group(self, server):
        return self.servers.index(server) * (len(self.generators) + 1)

    def name(self, axes):
        middle = (len(self.generators) - 1) / 2
        axes.set_yticks([-(self.group(server) + middle) for server in self.servers], self.servers)
        axes.tick_params(axis="y", length=0)


def spreads(figures, figure):
    """Returns {pair: (median, lowest, highest) or None}, rates in thousands."""
    unit = 1000 if figure in RATES else 1
    return {pair: spread(value / unit for value in values[figure].values())
            for pair, values in figures.items()}


def highest(found):
    return max((high for _, _, high in filter(None, found.values())), default=1)


def draw_panel(axes, figure, found, rows, limit):
    for pair, values in found.items():
        place = rows.place(pair)
        if values is None:
            axes.text(0, place, " none found", va="center", fontsize=SMALL)
            continue
        middle, low, high = values
        axes.barh(place, middle, height=0.85, color=COLOURS.get(pair[0], drawing.INK))
        axes.plot([low, high], [place, place], color=drawing.INK, linewidth=1)
        axes.text(high, place, f" {middle:,.0f}" if figure in RATES else f" {middle:.2f}",
                  va="center", fontsize=SMALL)
    axes.set_xlim(0, limit * 1.15)
    axes.set_title(TITLES[figure], fontsize=10, loc="left")
    axes.set_xlabel("thousand per second" if figure in RATES else "microseconds")
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)
    rows.name(axes)


def draw_key(axes, run, rows):
    """Draws the legend, and the conditions of the figures."""
    from matplotlib.patches import Patch
    axes.axis("off")
    patches = [Patch(color=COLOURS.get(name, drawing.INK), label=name) for name in rows.generators]
    axes.legend(handles=patches, loc="upper left", frameon=False, borderaxespad=0)
    lines = [*warnings(run), "Bars: medians over rounds; lines: lowest to highest round.",
             "dnsgauge checks every reply's data, the others count replies.", *caption(run)]
    text = "\n".join(textwrap.fill(line, 62) for line in lines)
    axes.text(0, 0.68, text, fontsize=8, va="top", linespacing=1.4, color=drawing.FAINT,
              transform=axes.transAxes)


def draw(run, path):
    """Writes the chart of a run."""
    load_matplotlib()
    figures = figures_of(run["turns"])
    if not figures:
        raise BenchError("there is nothing to draw: no turn was measured")
    with drawing.style("bench") as matplotlib:
        sheet = sheet_of(run, figures, matplotlib)
        try:
            sheet.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
        except (OSError, ValueError) as error:
            raise BenchError(f"cannot write the chart to {path}: {error}") from error


def sheet_of(run, figures, matplotlib):
    """Returns the drawn figure: a panel for each rate and cost, and one for the key."""
    rows = Rows(figures)
    size = (13, 3 + 1.1 * len(rows.servers))
    sheet = matplotlib.figure.Figure(figsize=size, layout="tight")
    grid = sheet.subplots(2, 3, sharey=True)
    found = {figure: spreads(figures, figure) for figure in (*RATES, *COSTS)}
    # Panels with the same unit have the same scale.
    limits = {figure: max(highest(found[other]) for other in kind)
              for kind in (RATES, COSTS) for figure in kind}
    for axes, figure in zip(grid.flat, found):
        draw_panel(axes, figure, found[figure], rows, limits[figure])
    draw_key(grid.flat[-1], run, rows)
    sheet.suptitle("DNS generators against DNS servers, generator on one CPU, server on another",
                   x=0.012, ha="left", fontsize=12)
    return sheet
