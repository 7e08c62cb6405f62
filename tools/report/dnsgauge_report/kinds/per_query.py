# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Per-query files: a line for each query of a trial."""

import csv
import re
from typing import Any

from ..charts.latency import distribution_chart, percentile_chart
from ..document import Chart, Section, Table
from ..drawing import DENSITY, legend_above
from ..errors import ReportError
from ..fields import Fields
from ..packages import load
from ..quantities import count_text, duration_axis, share_text, times_sentence
from ..statistics import Latency
from .base import Result
from .classes import CLASSES, fates_text
from .intervals import Run, UNTOLD, answered_chart, interval_of

HEAD = "number;query;sender;sent_ns;class;rtt_ns"
# Rows that are read at once. Their text fits a small memory.
CHUNK = 250_000
FORM = {"sent_ns": "int64", "class": "category", "rtt_ns": "float64"}
READING: dict[str, Any] = {"sep": ";", "chunksize": CHUNK, "quoting": csv.QUOTE_NONE}
READING |= {"keep_default_na": False, "skip_blank_lines": False, "na_values": {"rtt_ns": [""]}}
READING |= {"encoding_errors": "replace"}
# Nanoseconds that a double holds exactly.
LARGEST = 2**53


class PerQuery(Result):
    """Each query: when it was sent, from the start of the trial, what became of it (an index into
    CLASSES), and its RTT, 0 where nothing came. Arrays of numpy, all of one length."""

    @property
    def counts(self) -> dict[str, int]:
        import numpy

        found = numpy.bincount(self.fate, minlength=len(CLASSES))
        return {name: int(count) for name, count in zip(CLASSES, found) if count}

    @property
    def valid_rtts(self) -> Any:
        return self.rtt_ns[self.fate == CLASSES.index("valid")]

    def doubts(self) -> list[str]:
        cut_off = "The last line is cut off, and was left out: queries are missing."
        return [UNTOLD, *([cut_off] if self.cut_off else [])]


def is_per_query(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(HEAD)) == HEAD.encode()
    except (OSError, ValueError):
        return False


def lines_of(path: str) -> tuple[int, bool]:
    """Returns how many lines are whole, and whether all are."""
    lines, last = 0, b""
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            lines, last = lines + part.count(b"\n"), part[-1:]
    return lines, last == b"\n"


def first_wrong(path: str) -> int:
    classes = "|".join(CLASSES)
    form = re.compile(rf"[0-9]+;[^;]*;[0-9]+;[0-9]{{1,18}};({classes});([0-9]{{1,18}})?\n")
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        for number, line in enumerate(file, 1):
            is_lost = ";lost;" in line
            if number > 1 and not (form.fullmatch(line) and (is_lost or not line.endswith(";\n"))):
                return number
    return number


def read(path: str, where: str, label: str) -> PerQuery:
    """Returns the queries of the file. Throws ReportError, which names the line that is none."""
    missing = (f"cannot read {where}", "the package python3-pandas")
    numpy, pandas = (load(name, *missing) for name in ("numpy", "pandas"))
    sent, fates, rtts = [numpy.empty(0, "int64")], [numpy.empty(0, "uint8")], [numpy.empty(0)]
    codes = {name: code for code, name in enumerate(CLASSES)}
    try:
        lines, is_whole = lines_of(path)
        whole: dict[str, Any] = {"usecols": list(FORM), "dtype": FORM, "nrows": max(0, lines - 1)}
        with pandas.read_csv(path, **whole, **READING) as chunks:
            for chunk in chunks:
                sent.append(chunk["sent_ns"].to_numpy())
                rtts.append(chunk["rtt_ns"].to_numpy())
                fates.append(chunk["class"].map(codes).astype("uint8").to_numpy())
    except OSError as error:
        raise ReportError(f"{where}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        # pandas' own errors are ValueErrors, too, and name no line.
        raise no_query(path, where) from error
    all_sent, fate, rtt = map(numpy.concatenate, (sent, fates, rtts))
    if not len(fate):
        raise ReportError(f"{where}: it holds no query: name the file of a trial that has ended")
    unanswered = numpy.isnan(rtt)
    is_lost = fate == CLASSES.index("lost")
    with numpy.errstate(invalid="ignore"):
        wrong = (all_sent < 0) | (rtt < 0) | (rtt >= LARGEST) | (unanswered & ~is_lost)
    if wrong.any() or (all_sent >= LARGEST).any():
        raise no_query(path, where)
    known = {"sent_ns": all_sent, "fate": fate, "cut_off": not is_whole}
    rtt_ns = numpy.where(unanswered, 0, rtt).astype("int64")
    return PerQuery(Fields({}, where), label, rtt_ns=rtt_ns, **known)


def no_query(path: str, where: str) -> ReportError:
    what = "it is no query: is the file damaged or edited?"
    return ReportError(f"{where} line {first_wrong(path)}: {what}")


COLUMNS = 72
ROWS_PER_DECADE = 10


def heat_chart(queries: PerQuery) -> Chart:
    import numpy

    is_valid = queries.fate == CLASSES.index("valid")
    rtt = numpy.maximum(queries.rtt_ns[is_valid], 1)
    seconds = queries.sent_ns[is_valid] / 1e9
    least, most = numpy.log10(rtt.min()), numpy.log10(rtt.max() + 1)
    low = numpy.floor(least * ROWS_PER_DECADE)
    levels = max(1, int(numpy.ceil(most * ROWS_PER_DECADE) - low))
    edges = 10 ** (numpy.arange(low, low + levels + 1) / ROWS_PER_DECADE)
    end = max(float(queries.sent_ns.max()) / 1e9, 1e-9)
    times = numpy.linspace(0, end * (1 + 1e-9), COLUMNS + 1)
    counts, _, _ = numpy.histogram2d(seconds, rtt, bins=(times, edges))
    # Each colour stands for three times as many queries as the one before.
    largest = max(counts.max(), 1)
    bounds = [largest / 3.0**power for power in range(len(DENSITY) - 1, -1, -1)]
    shade = numpy.searchsorted(bounds, counts)

    def draw(axes: Any) -> None:
        from matplotlib.patches import Patch, PathPatch
        from matplotlib.path import Path

        handles = []
        before = 0.0
        for number, colour in enumerate(DENSITY):
            corners = []
            for column, row in zip(*numpy.nonzero((counts > 0) & (shade == number))):
                (left, right), (low, high) = times[column : column + 2], edges[row : row + 2]
                corners += [(left, low), (right, low), (right, high), (left, high), (left, low)]
            if corners:
                codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * (len(corners) // 5)
                # One path for all rectangles of a colour keeps the file small.
                axes.add_patch(PathPatch(Path(corners, codes), facecolor=colour, edgecolor="none"))
                upto = int(bounds[number])
                label = f"{int(before) + 1}" if upto <= before + 1 else f"{int(before) + 1}–{upto}"
                handles.append(Patch(facecolor=colour, label=label))
            before = float(int(bounds[number]))
        axes.set(xlim=(0, end), ylim=(edges[0], edges[-1]))
        duration_axis(axes.yaxis)
        axes.grid(False)
        axes.set(xlabel="seconds since the start", ylabel="RTT")
        legend_above(axes, 6, handles=handles, title="queries", title_fontsize=7.5)

    x, y = numpy.nonzero(counts)
    bounded = (times[x], times[x + 1], edges[y], edges[y + 1], counts[x, y].astype("int64"))
    rows = list(zip(*(column.tolist() for column in bounded)))
    caption = f"How many queries had which RTT, by the time of sending. N = {count_text(len(rtt))}"
    caption += " valid replies."
    heads = "from_s to_s from_ns to_ns queries"
    return Chart("rtt-over-time", "RTT over time", caption, heads, rows, draw)


def answered_of(queries: PerQuery) -> Run:
    import numpy

    is_valid = queries.fate == CLASSES.index("valid")
    end = max(float(queries.sent_ns.max()), 1.0)
    bins = max(1, min(COLUMNS, len(is_valid) // 20))
    place = numpy.minimum((queries.sent_ns / end * bins).astype("int64"), bins - 1)
    sent, valid = (numpy.bincount(those, minlength=bins) for those in (place, place[is_valid]))
    since = numpy.linspace(0, end / 1e9, bins + 1)
    columns = (column.tolist() for column in (since, sent, valid))
    made = [interval_of(at, count, right, {}) for at, count, right in zip(*columns)]
    return Run(queries.label, made)


# Bins of a decade: an RTT is drawn at most 0.6 % too high.
FINE = 400


def latency_of(queries: PerQuery) -> Latency:
    """Returns the RTTs. The file does not tell the timeout."""
    import numpy

    rtts = numpy.maximum(queries.valid_rtts, 1)
    if not len(rtts):
        return Latency(queries.label, [], len(queries.fate), None)
    places, counts = numpy.unique(numpy.floor(numpy.log10(rtts) * FINE), return_counts=True)
    lower, upper = (10 ** (place / FINE) for place in (places, places + 1))
    lower[0], upper[-1] = rtts.min(), rtts.max()
    rows = list(zip(*(column.tolist() for column in (lower, upper, counts))))
    return Latency(queries.label, rows, len(queries.fate), None)


def findings(queries: PerQuery) -> list[str]:
    import numpy

    total, counts, rtts = len(queries.fate), queries.counts, queries.valid_rtts
    seconds = float(queries.sent_ns.max()) / 1e9
    first = f"{share_text(len(rtts), total)} of {count_text(total)} queries, sent within"
    first += f" {seconds:.3g} s, were answered right and in time."
    rest = fates_text({name: count for name, count in counts.items() if name != "valid"})
    second = f"The others: {rest}." if rest else "None was late, wrong or lost."
    if not len(rtts):
        return [first, second, "There is no RTT."]
    half, most = (numpy.quantile(rtts, share, method="inverted_cdf") for share in (0.5, 0.99))
    return [first, second, times_sentence(float(half), float(most), float(rtts.max()))]


def section(queries: PerQuery) -> Section:
    latency = latency_of(queries)
    charts = [answered_chart([answered_of(queries)])]
    if latency.rows:
        charts += [heat_chart(queries), percentile_chart([latency]), distribution_chart([latency])]
    counts, total = queries.counts.items(), len(queries.fate)
    rows = [(name.replace("_", " "), count, share_text(count, total)) for name, count in counts]
    table = Table("What became of the queries", ("class", "queries", "share"), rows)
    said = (f"Queries of {queries.label}", findings(queries), queries.doubts())
    return Section(*said, charts, [table])
