# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A run's results as a chart, in SVG or whatever else the file's name says."""

from errors import BenchError
from report import caption
from summary import figures_of, spread

COLOURS = {"dnsgauge": "#1b6ca8", "kxdpgun": "#e08a1e", "dnsperf": "#7a7a7a"}
RATE_PANELS = (("lossless", "Lossless: every query answered"),
               ("answered", "Answered, at any rate"),
               ("sent", "Sent, answered or not"))


def load_matplotlib():
    try:
        import matplotlib
        matplotlib.use("Agg")
        # Same figures, same file.
        matplotlib.rcParams.update({"svg.hashsalt": "dnsgauge", "font.size": 9})
        from matplotlib import pyplot
    except ImportError as error:
        raise BenchError(f"cannot draw: {error}: install the package python3-matplotlib") from error
    return pyplot


def order_of(figures):
    """Servers and generators, each in the order in which it came first."""
    return (list(dict.fromkeys(server for _, server in figures)),
            list(dict.fromkeys(generator for generator, _ in figures)))


def bar_places(servers, generators):
    """{pair: height on the axis}: groups from the top down, a bar's width each."""
    return {(generator, server): -(group * (len(generators) + 1) + bar)
            for group, server in enumerate(servers) for bar, generator in enumerate(generators)}


def name_servers(axes, servers, generators):
    middle = (len(generators) - 1) / 2
    axes.set_yticks([-(group * (len(generators) + 1) + middle) for group in range(len(servers))],
                    servers)
    axes.tick_params(axis="y", length=0)


def dress(axes, title, unit):
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_xlabel(unit)
    axes.grid(axis="x", color="#dddddd", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def draw_rates(axes, figures, figure, places):
    for pair, place in places.items():
        found = spread(figures.get(pair, {}).get(figure, {}).values())
        if found is None:
            if pair in figures:
                axes.text(0, place, " none found", va="center", fontsize=7.5)
            continue
        middle, low, high = (value / 1000 for value in found)
        axes.barh(place, middle, height=0.85, color=COLOURS.get(pair[0], "black"))
        axes.plot([low, high], [place, place], color="black", linewidth=1)
        axes.text(max(middle, high), place, f" {middle:,.0f}", va="center", fontsize=7.5)
    axes.margins(x=0.14)
    axes.set_xlim(left=0)


def draw_costs(axes, figures, places):
    """Generator's and server's CPU time, end to end."""
    for pair, place in places.items():
        left = 0.0
        for figure, shade in (("generator_us", 1.0), ("server_us", 0.45)):
            found = spread(figures.get(pair, {}).get(figure, {}).values())
            if found is None:
                continue
            axes.barh(place, found[0], left=left, height=0.85, alpha=shade,
                      color=COLOURS.get(pair[0], "black"))
            left += found[0]
        if left:
            axes.text(left, place, f" {left:.1f}", va="center", fontsize=7.5)
    axes.margins(x=0.14)
    axes.set_xlim(left=0)


def add_legend(figure, generators):
    from matplotlib.patches import Patch
    patches = [Patch(color=COLOURS.get(name, "black"), label=name) for name in generators]
    figure.legend(handles=patches, loc="upper right", ncols=len(patches), frameon=False,
                  bbox_to_anchor=(0.99, 0.985))


def draw(run, path):
    """Writes the chart of a run."""
    pyplot = load_matplotlib()
    figures = figures_of(run["turns"])
    if not figures:
        raise BenchError("there is nothing to draw: no turn was measured")
    servers, generators = order_of(figures)
    places = bar_places(servers, generators)
    figure, grid = pyplot.subplots(2, 2, figsize=(11, 2.6 + 1.25 * len(servers)), sharey=True)
    panels = list(grid.flat)
    for axes, (name, title) in zip(panels, RATE_PANELS):
        draw_rates(axes, figures, name, places)
        dress(axes, title, "thousand queries per second")
    draw_costs(panels[3], figures, places)
    dress(panels[3], "CPU time a query: generator (full), server (pale)", "microseconds")
    for axes in panels:
        name_servers(axes, servers, generators)
    figure.suptitle("DNS generators against DNS servers, generator on one CPU, server on another",
                    x=0.012, ha="left", fontsize=12)
    add_legend(figure, generators)
    lines = ["Bars: medians over rounds; lines: lowest to highest round. dnsgauge checks every "
             "reply's data, the others count replies.", *caption(run)]
    figure.text(0.012, 0.008, "\n".join(lines), fontsize=7.5, va="bottom", color="#444444")
    figure.tight_layout(rect=(0, 0.075, 1, 0.97))
    try:
        figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
    except (OSError, ValueError) as error:
        raise BenchError(f"cannot write the chart to {path}: {error}") from error
    pyplot.close(figure)
