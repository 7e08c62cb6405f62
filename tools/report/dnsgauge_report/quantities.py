# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rates, times and shares as people read them, in text and on axes."""

import unicodedata
from collections.abc import Callable, Collection, Iterable
from typing import Any

MICRO = "µ"


def duration_text(nanoseconds: float | None) -> str:
    """Returns the duration in the unit that reads best; a dash for none."""
    if nanoseconds is None:
        return "–"
    for unit, size, decimals in (("s", 1e9, 2), ("ms", 1e6, 2), (f"{MICRO}s", 1e3, 1)):
        if abs(nanoseconds) >= size:
            return f"{nanoseconds / size:.{decimals}f} {unit}"
    return f"{nanoseconds:.0f} ns"


def short_duration(nanoseconds: float) -> str:
    """Returns the duration for an axis: "10 µs", "2.5 ms"."""
    for unit, size in (("s", 1e9), ("ms", 1e6), (f"{MICRO}s", 1e3)):
        if abs(nanoseconds) >= size * 0.9995:
            return f"{nanoseconds / size:.4g} {unit}"
    return f"{nanoseconds:.4g} ns" if nanoseconds else "0"


def times_sentence(half: float, most: float, last: float) -> str:
    """Returns how long right answers took: the median, the 99th percentile and the maximum."""
    return (
        f"Half of the right answers came within {duration_text(half)}, 99 % within"
        f" {duration_text(most)}, the last after {duration_text(last)}."
    )


def count_text(count: float | None) -> str:
    """Returns a count with its thousands set apart; a dash for none."""
    return "–" if count is None else f"{count:,.0f}"


def rate_text(rate: float | None) -> str:
    """Returns a rate in queries per second, exactly."""
    return "–" if rate is None else f"{rate:,.10g}/s"


def short_rate(rate: float) -> str:
    """Returns the rate for an axis: "20 k", "1.2 M"."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(rate) >= size * 0.9995:
            return f"{rate / size:.4g} {unit}"
    return f"{rate:.4g}"


def percent_text(percent: float) -> str:
    """Returns the percentage to a ten-thousandth, without zeros at its end. Says 100 only of all,
    and 0 only of none, as dnsgauge does."""
    text = f"{percent:.4f}"
    if text == "100.0000" and percent < 100 - 1e-10:
        return "99.9999"
    if text == "0.0000" and percent > 1e-10:
        return "0.0001"
    return text.rstrip("0").rstrip(".")


def share_text(part: float, whole: float) -> str:
    """Returns the share in percent. Says 100 % only of all, and 0 % only of none."""
    if not whole:
        return "–"
    return f"{percent_text(100 * part / whole)} %"


def p_text(p_value: float) -> str:
    return "p < 0.0001" if p_value < 0.0001 else f"p = {p_value:.2g}"


def plural(count: int, noun: str, more: str = "") -> str:
    """Returns "1 trial", "2 trials"; `more` is the plural where an s does not make it."""
    return f"{count:,} {noun if count == 1 else more or noun + 's'}"


def reach_text(values: Collection[Any], text: Callable[[Any], str]) -> str:
    """Returns "3 to 9" of the least and the greatest value; "3" where both have the same text."""
    return " to ".join(dict.fromkeys(map(text, (min(values), max(values)))))


def numbers_text(counts: Iterable[tuple[str, int]], noun: str, more: str = "") -> str:
    """Returns "N = 9 runs.", or N of each of several: "N = 9 (a), 7 (b) runs."."""
    told = list(counts)
    if len(told) == 1:
        return f"N = {plural(told[0][1], noun, more)}."
    each = ", ".join(f"{count:,} ({label})" for label, count in told)
    return f"N = {each} {more or noun + 's'}."


def drawn_text(drawn: int, count: int, noun: str) -> str:
    """Returns " 6 of 9 trials are drawn.", for the end of a caption; nothing where all are."""
    return "" if drawn == count else f" {drawn} of {plural(count, noun)} are drawn."


def listing(words: list[str]) -> str:
    """Returns "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def some(words: list[str]) -> str:
    """Returns the listing of the words; of many words the first five, and how many more."""
    return listing(words if len(words) < 7 else [*words[:5], f"{len(words) - 5} more"])


def clean(text: str) -> str:
    """Returns the text without characters that control a display or that no XML may hold."""

    def shown(character: str) -> str:
        kind = unicodedata.category(character)[0]
        if character == " " or kind not in "CZ":
            return character
        return " " if kind == "Z" or character in "\n\t\r" else "\N{REPLACEMENT CHARACTER}"

    return "".join(map(shown, text))


def shortened(text: str, most: int = 28) -> str:
    """Returns the cleaned text, its middle left out where it is longer than a label may be."""
    text = clean(text)
    if len(text) <= most:
        return text
    half = (most - 1) // 2
    return f"{text[:most - 1 - half]}…{text[len(text) - half:]}"


def duration_axis(axis: Any) -> None:
    """Makes the axis of what was drawn a logarithmic one of nanoseconds, in people's units."""
    log_ticks(axis)
    axis.set_major_formatter(lambda value, _: short_duration(value))


def log_ticks(axis: Any) -> None:
    """Makes the axis logarithmic, with ticks where people expect them: each decade, or 1, 2, 5 of
    few. Labels are plain numbers. What is drawn must be there."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    least, most = sorted(axis.get_view_interval())
    few = least <= 0 or most / least < 300
    steps = (1.0, 2.0, 5.0) if few else (1.0,)
    axis.set_major_locator(LogLocator(base=10, subs=steps, numticks=12))
    # Minor ticks take most of the time of drawing, and say nothing.
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: f"{value:.6g}")


def rate_axis(axis: Any, label: str | None = None, ticks: int | None = None) -> None:
    """Labels an axis of rates with "k" and "M"; `ticks` is the most that a linear one may have."""
    axis.set_major_formatter(lambda value, _: short_rate(value))
    if label:
        axis.set_label_text(label)
    if ticks:
        axis.get_major_locator().set_params(nbins=ticks)
