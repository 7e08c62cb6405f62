# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How figures look, and how they become files and parts of a page: the only place that knows."""

import csv
import html
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from .document import Chart, Table
from .packages import load
from .quantities import clean, short_rate, shortened

Item = TypeVar("Item")
Curves = Sequence[tuple[str, Sequence[Sequence[Any]]]]

# Paper width in inches: a column of two, the whole page, a slide.
SIZES = {"column": 3.5, "page": 7.2, "slide": 10.0}
FORMATS = ("svg", "png", "pdf")

# Okabe and Ito's colours, which colour-blind readers can tell apart, in the order of use. A page
# replaces each of the colours below by a CSS variable of the same name, for light and dark themes.
BLUE, VERMILION, GREEN, ORANGE = "#0072b2", "#d55e00", "#009e73", "#e69f00"
SKY, PURPLE = "#56b4e9", "#cc79a7"
SERIES = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY)
INK, FAINT, GRID, PAPER, GREY = "#1a1a1a", "#555555", "#dcdcdc", "#ffffff", "#8a8a8a"
# Forms of points beside the colours of SERIES, of lines with fewer points than FEW.
MARKS, FEW = ("o", "s", "^", "D", "v", "P"), 30
# From few to many, for heat maps.
DENSITY = ("#d6e6f4", "#abcfe5", "#6aaed6", "#3787c0", "#105ba4", "#083067")
VARIABLES = {colour: f"--series-{place}" for place, colour in enumerate(SERIES, 1)}
VARIABLES |= {colour: f"--density-{place}" for place, colour in enumerate(DENSITY, 1)}
VARIABLES |= {INK: "--ink", FAINT: "--faint", GRID: "--grid", PAPER: "--paper", GREY: "--grey"}

# How repeated runs are drawn.
BANDS = "Lines are means, shadings reach from the least to the greatest run."
# A verdict has a form as well as a colour.
VERDICTS = {"pass": (BLUE, "o"), "fail": (VERMILION, "X"), "invalid": (GREY, "^")}
# The colours of its lines, areas and texts are those above without the #.
STYLE = Path(__file__).resolve().parent / "templates" / "figures.mplstyle"


def spread(items: Sequence[Item], most: int = len(SERIES)) -> list[Item]:
    """Returns at most `most` of the items, from the first to the last at equal distances: files of
    two versions come one version after the other, and the first few would be of one alone."""
    if len(items) <= most:
        return list(items)
    return [items[place * (len(items) - 1) // (most - 1)] for place in range(most)]


def share_axis(axes: Any, least: float) -> None:
    """Lets the vertical axis show percentages from the least one up to 100, or all of them."""
    low = 0.0 if least < 50 else 100 - max(1.0, (100 - least) * 1.2)
    axes.set_ylim(low, 100 + (100 - low) * 0.03)


def legend_above(axes: Any, columns: int = 3, **options: Any) -> None:
    looks = {"columnspacing": 0.8, "handletextpad": 0.3, "handlelength": 1.3} | options
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, **looks)


def draw_line(
    axes: Any, x: Any, y: Any, colour: str, label: str | None = None, **looks: Any
) -> None:
    """Draws a line, with marks where it has few points."""
    mark = "o" if len(x) < FEW else None
    looks = {"linewidth": 1.2, "marker": mark, "markersize": 2.5} | looks
    axes.plot(x, y, color=colour, label=label, **looks)


def draw_curves(
    axes: Any,
    curves: Curves,
    lines: Sequence[int] = (0,),
    names: Sequence[str] = (),
    reach: tuple[int, int] | None = None,
    across: int = 0,
    dashed: bool = False,
    **looks: Any,
) -> None:
    """Draws the curves, each a label and points. A curve has a line, solid, dashed, dotted, for
    each place of the points' values in `lines`, and a shading between those in `reach`; the value
    at `across` is the horizontal one. `names` are the lines' where there is one curve alone. Where
    `dashed` is set, all curves but the first are dashed."""
    alone = len(curves) == 1
    for turn, ((label, points), colour, mark) in enumerate(zip(curves, SERIES, MARKS)):
        columns = list(zip(*points))
        marks = {} if alone or len(points) >= FEW else {"marker": mark, "markersize": 3.5}
        if reach:
            band(axes, columns[across], columns[reach[0]], columns[reach[1]], colour, 0.25)
        for number, (place, dashes) in enumerate(zip(lines, ("-", "--", ":"))):
            first = shortened(label, 24) if number == 0 else None
            told = names[number] if alone and names else first
            form = {"linestyle": "--" if dashed and turn else dashes} | marks | looks
            draw_line(axes, columns[across], columns[place], colour, told, **form)
    if names or not alone:
        legend_above(axes, 3 if len(lines) > 2 and alone else 2)


def rows_of(curves: Curves) -> list[tuple[Any, ...]]:
    return [(label, *point) for label, points in curves for point in points]


def dots(axes: Any, points: Iterable[Any], colour: str, size: Any, **looks: Any) -> None:
    x, y = [*zip(*points)] or ((), ())
    axes.scatter(x, y, s=size, color=colour, linewidths=0, **looks)


def dots_in_row(
    axes: Any, values: Sequence[float], row: float, colour: str, size: Any, **looks: Any
) -> None:
    """Draws values as points of a row, shifted so that they do not lie on one another."""
    shifts = (0.0, 0.12, -0.12, 0.06, -0.06)
    heights = [row + shifts[number % len(shifts)] for number in range(len(values))]
    dots(axes, zip(sorted(values), heights), colour, size, **looks)


def band(axes: Any, x: Any, low: Any, high: Any, colour: str, alpha: float) -> None:
    axes.fill_between(x, low, high, color=colour, alpha=alpha, linewidth=0)


def mark_estimate(axes: Any, what: str, value: float, low: float, high: float) -> None:
    """Marks a place of the horizontal axis that is known to lie in an interval."""
    axes.axvspan(low, high, color=SERIES[2], alpha=0.2, linewidth=0)
    axes.axvline(value, color=SERIES[2], label=f"{what}, 95 %", linestyle="--", linewidth=1)


def beside(axes: Any, text: str, place: Any, shift: Any = (4, 0), **looks: Any) -> None:
    looks = {"va": "center", "fontsize": 7} | looks
    axes.annotate(text, place, xytext=shift, textcoords="offset points", **looks)


def name_rows(axes: Any, labels: Sequence[str], most: int = 24, bare: bool = False) -> None:
    """Labels rows, which stand at 0, -1, -2 and so on; `bare`: without an axis."""
    axes.set_yticks([-row for row in range(len(labels))], [shortened(one, most) for one in labels])
    axes.set_ylim(-len(labels) + 0.4, 0.6)
    axes.grid(axis="y", visible=False)
    if bare:
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)


def height_of(rows: int) -> float:
    """Returns the height of a chart with `rows` rows below each other."""
    return min(3.0, 0.36 + 0.09 * rows)


def draw_tiles(
    axes: Any,
    values: Mapping[tuple[str, str], float],
    columns: Sequence[str],
    rows: Sequence[str],
    size: float,
) -> None:
    """Draws the rate of each (column, row) as a square, whose shade says where the rate lies."""
    from matplotlib.patches import Rectangle

    least, most = min(values.values()), max(values.values())
    for (column, row), rate in values.items():
        left, top = columns.index(column), rows.index(row)
        share = (rate - least) / (most - least) if most > least else 0.0
        shade = min(int(share * len(DENSITY)), len(DENSITY) - 1)
        axes.add_patch(Rectangle((left, top), 1, 1, facecolor=DENSITY[shade], edgecolor=PAPER))
        ink = PAPER if shade >= len(DENSITY) // 2 else INK
        looks: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "color": ink}
        axes.text(left + 0.5, top + 0.5, short_rate(float(f"{rate:.3g}")), **looks)
    axes.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    axes.set_xticks([place + 0.5 for place in range(len(columns))], columns)
    axes.set_yticks([place + 0.5 for place in range(len(rows))], rows)
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)


@contextmanager
def style(salt: str) -> Iterator[None]:
    """Lets matplotlib draw as all figures look: salt and data decide the file."""
    matplotlib = load("matplotlib", "cannot draw", "python3-matplotlib")
    with matplotlib.rc_context({"svg.hashsalt": salt}, STYLE), warnings.catch_warnings():
        # Users cannot mend a font that lacks a character of a name.
        warnings.filterwarnings("ignore", message="Glyph .* missing from current font")
        yield


def render(chart: Chart, form: str, width: float = SIZES["column"]) -> bytes:
    """Returns the chart as SVG, PNG or PDF, `width` inches wide."""
    with style(chart.name):
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, width * chart.height), layout="constrained")
        chart.draw_on(figure)
        file = io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        figure.savefig(file, format=form, dpi=200, metadata=dates.get(form))
        return file.getvalue()


def embedded(chart: Chart, prefix: str) -> str:
    """Returns the chart as an SVG element for a page: colours are the page's, and the prefix keeps
    its identifiers apart from the identifiers of other figures."""
    text = render(chart, "svg").decode()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    # Tags alone: what stands between them is text, perhaps somebody's name.
    text = re.sub(r"<[^>]*>", lambda tag: page_tag(tag[0], prefix), text)
    head, body = text.split(">", 1)
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    return (
        f'{head} role="img" aria-labelledby="{prefix}-title {prefix}-text">'
        f'<title id="{prefix}-title">{html.escape(clean(chart.title))}</title>'
        f'<desc id="{prefix}-text">{html.escape(clean(chart.description))}</desc>{body}'
    ).strip()


def page_tag(tag: str, prefix: str) -> str:
    if tag.startswith("<!--"):
        return ""
    tag = re.sub(r'\bid="|href="#|url\(#', rf"\g<0>{prefix}-", tag)
    return re.sub("|".join(VARIABLES), lambda found: f"var({VARIABLES[found[0]]})", tag)


def data_csv(table: Table) -> str:
    """Returns the table's heads and rows as CSV (RFC 4180)."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(table.heads)
    writer.writerows(table.rows)
    return file.getvalue()
