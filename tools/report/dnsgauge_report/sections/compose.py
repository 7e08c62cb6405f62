# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Puts what is said of results together as a page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from ..document import Document, Section
from ..quantities import plural, some
from ..results.base import Result
from ..results.bench import Bench
from ..results.calibration import Calibration
from ..results.capture import Capture
from ..results.doctor import Doctor
from ..results.echo_bench import EchoBench
from ..results.experiment import Experiment
from ..results.intervals import Intervals
from ..results.load_factor import LoadFactor
from ..results.loss_search import LossSearch
from ..results.per_query import PerQuery
from ..results.placement import Placement
from ..results.replay import Replay
from ..results.search import Search
from ..results.selftest import Selftest
from ..results.soak import Soak
from ..results.sweep import Sweep
from ..results.trial import Trial
from . import (
    bench,
    calibration,
    capture,
    doctor,
    echo_bench,
    experiment,
    intervals,
    load_factor,
    loss_search,
    per_query,
    placement,
    replay,
    search,
    selftest,
    soak,
    sweep,
    trial,
)

# What is said of each kind of result; of several of a kind together, where that says more.
SECTIONS: dict[type[Result], tuple[Callable[[Any], Section], Callable[[Any], Section] | None]] = {
    Trial: (trial.section, trial.group),
    Search: (search.section, search.group),
    Experiment: (experiment.section, None),
    Selftest: (selftest.section, None),
    Calibration: (calibration.section, None),
    PerQuery: (per_query.section, None),
    Intervals: (intervals.section, intervals.group),
    Sweep: (sweep.section, sweep.group),
    Soak: (soak.section, soak.group),
    Replay: (replay.section, replay.group),
    LoadFactor: (load_factor.section, None),
    LossSearch: (loss_search.section, loss_search.group),
    Bench: (bench.section, None),
    EchoBench: (echo_bench.section, None),
    Capture: (capture.section, None),
    Doctor: (doctor.section, None),
    Placement: (placement.section, None),
}


def section_of(result: Result) -> Section:
    """Returns what is said of one result."""
    made = SECTIONS[type(result)][0](result)
    return dataclasses.replace(made, label=result.label)


def groups_of(results: Sequence[Result]) -> list[Section]:
    """Returns what is said of the results of each kind together."""
    groups = []
    for kind, (_, group) in SECTIONS.items():
        those = [result for result in results if type(result) is kind]
        if group and len(those) > 1:
            groups.append(group(those))
    return groups


def compose(results: Sequence[Result]) -> Document:
    """Returns the page of the results, those that only tell of a machine last."""
    results = sorted(results, key=lambda one: isinstance(one, (Doctor, Placement)))
    sections = [section_of(result) for result in results]
    if sum(isinstance(result, Trial) for result in results) > 1:
        # Figures and tables of several trials stand side by side.
        sections = [
            (
                dataclasses.replace(section, charts=(), tables=(), conditions=())
                if isinstance(result, Trial)
                else section
            )
            for section, result in zip(sections, results)
        ]
    if len(results) == 1:
        return Document(sections[0].title, sections[0].findings[:3], sections)
    groups = groups_of(results)
    shown = some(list(dict.fromkeys(result.label for result in results)))
    doubtful = [section.title for section in sections if section.doubts]
    if len(groups) == 1 and len({type(result) for result in results}) == 1:
        title = f"{groups[0].title}: {shown}"
        return Document(title, groups[0].findings[:3], [*groups, *sections])
    most_telling = [section.findings[0] for section in (*groups, *sections)][:1]
    findings = [
        f"The page shows {plural(len(results), 'result')}: {shown}.",
        *most_telling,
        (
            f"Doubts about {len(doubtful)} of them stand below."
            if doubtful
            else "Nothing makes them doubtful."
        ),
    ]
    return Document(f"dnsgauge: {plural(len(results), 'result')}", findings, [*groups, *sections])
