# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts what is said of results together as a page."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..document import Document, Section
from ..kinds import windows
from ..kinds.base import Result
from ..kinds.doctor import Doctor
from ..kinds.placement import Placement
from ..kinds.sweep import Sweep
from ..kinds.trial import Trial
from ..quantities import plural, some
from ..results import KINDS


def section_of(result: Result) -> Section:
    kind = next(kind for kind in KINDS if kind.__name__ == type(result).__module__)
    return replace(kind.section(result), label=result.label)


def groups_of(results: Sequence[Result]) -> list[Section]:
    """Returns what is said of the results of each kind together, where that says more."""
    groups = []
    for kind in KINDS:
        those = [result for result in results if type(result).__module__ == kind.__name__]
        if hasattr(kind, "group") and len(those) > 1:
            groups.append(kind.group(those))
    closed = [one for one in results if isinstance(one, windows.WindowSweep) and one.trials]
    opened = [one for one in results if isinstance(one, Sweep) and one.trials]
    return [windows.both(closed, opened), *groups] if closed and opened else groups


def compose(results: Sequence[Result]) -> Document:
    """Returns the page of the results, those that only tell of a machine last."""
    results = sorted(results, key=lambda one: isinstance(one, (Doctor, Placement)))
    sections = [section_of(result) for result in results]
    if sum(isinstance(result, Trial) for result in results) > 1:
        # Figures and tables of several trials stand side by side.
        bare: dict[str, Any] = {"charts": (), "tables": (), "conditions": ()}
        told = zip(sections, results)
        sections = [replace(one, **bare) if isinstance(of, Trial) else one for one, of in told]
    if len(results) == 1:
        return Document(sections[0].title, sections[0].findings[:3], sections)
    groups = groups_of(results)
    shown = some(list(dict.fromkeys(result.label for result in results)))
    doubtful = [section.title for section in sections if section.doubts]
    if len(groups) == 1 and len({type(result) for result in results}) == 1:
        return Document(f"{groups[0].title}: {shown}", groups[0].findings[:3], [*groups, *sections])
    findings = [f"The page shows {plural(len(results), 'result')}: {shown}."]
    findings += [section.findings[0] for section in (*groups, *sections)][:1]
    where = f"Doubts about {len(doubtful)} of them stand below."
    findings.append(where if doubtful else "Nothing makes them doubtful.")
    return Document(f"dnsgauge: {plural(len(results), 'result')}", findings, [*groups, *sections])
