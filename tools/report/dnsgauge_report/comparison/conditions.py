# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""In which conditions A and B differ, and what makes them doubtful."""

import dataclasses
from collections.abc import Sequence

from scipy import stats

from ..document import Cell, Section, Table
from ..grouped import grouped
from ..kinds.base import Result, flat, whose_doubts
from ..quantities import listing, p_text

# Where results were made, not how: two servers have two addresses.
PLACES = {"server", "address", "interface", "port", "dut", "journal", "json", "record", "state"}
# What a trial, or a search, says of how it was made.
ASKED = "qtype names name_order zone transport catch_up duration_s timeout_s accept_percent"
ASKED += " resolution repeat"
# Each server has its own way to start anew: only whether there was a command can be compared.
COMMAND = "before-trial"
Results = Sequence[Result]


def asked_of(result: Result) -> dict[str, Cell]:
    """Returns how a result was made: its options, or the fields of a trial that say so."""
    inner = result.fields.inner_or_none("options")
    found = dict(flat(inner.value)) if inner else {}
    for name in ASKED.split():
        value = result.fields.value.get(name)
        if isinstance(value, (str, int, float)):
            found.setdefault(name, value)
    if judged := result.fields.inner_or_none("judged"):
        found["loosened rules of the judge"] = ", ".join(judged.texts_or("accepted")) or "none"
    if inner and COMMAND in inner.value:
        found[COMMAND] = "a command" if inner.value[COMMAND] else "none"
    return {name: value for name, value in found.items() if name not in PLACES}


def setup_of(result: Result) -> dict[str, Cell]:
    for field in ("setup", "circumstances"):
        inner = result.fields.inner_or_none(field)
        if inner:
            skipped = {"began", "started", "command", "ports", "finished"}
            return {name: value for name, value in flat(inner.value) if name not in skipped}
    return {}


def differences(*sides: Sequence[dict[str, Cell]]) -> list[tuple[str, ...]]:
    """Returns the conditions of both sides whose values in A are not those in B."""

    def text(side: Sequence[dict[str, Cell]], name: str) -> str:
        values = {one[name] for one in side if name in one}
        return ", ".join(sorted("none" if value is None else str(value) for value in values))

    names = dict.fromkeys(name for side in sides for one in side for name in one)
    rows = [(name, *(text(side, name) for side in sides)) for name in names]
    return [row for row in rows if row[1] and row[2] and row[1] != row[2]]


def compared(
    a: Results, b: Results, made: Section, doubts: Sequence[str] = (), asked: Sequence[Results] = ()
) -> Section:
    """Returns the section with the doubts about A and B, and with the conditions that they do not
    share. `asked`: the results whose conditions are compared, where these are not A and B."""
    sides = asked or (a, b)
    found, setup = (
        differences(*([told_by(one) for one in side] for side in sides))
        for told_by in (asked_of, setup_of)
    )
    all_doubts = [*doubts]
    if found:
        names = listing([f"{name} ({one} and {other})" for name, one, other in found[:6]])
        more = f", and {len(found) - 6} more" if len(found) > 6 else ""
        unlike = "A and B were not asked alike, which may make them differ"
        all_doubts.insert(0, f"{unlike}: {names}{more}.")
    for side, results in zip("AB", (a, b)):
        told = whose_doubts(((one.label, one.doubts()) for one in results), "all results: ")
        all_doubts += [f"{side}, {doubt}" for doubt in told]
    table = Table("Conditions in which A and B differ", ("condition", "A", "B"), [*found, *setup])
    return dataclasses.replace(made, doubts=all_doubts, conditions=[table])


def apart_within(files: Sequence[tuple[str, str, Sequence[float]]]) -> list[str]:
    """Returns the doubt that files of a side, each with its side, its label and its values, differ
    among themselves: then their results are not as many independent ones as they seem."""
    doubts = []
    for side, sets in grouped((side, values) for side, _, values in files).items():
        several = [values for values in sets if len(values) > 1]
        if len(several) < 2 or len({value for values in several for value in values}) == 1:
            continue
        p_value = float(stats.kruskal(*several).pvalue)
        if p_value <= 0.01:
            doubts.append(
                f"The files of {side} differ among themselves (Kruskal-Wallis, {p_text(p_value)}):"
                " something else changed between them, and the test takes their results for more"
                " independent than they are."
            )
    return doubts
