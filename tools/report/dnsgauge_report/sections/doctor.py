# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of dnsgauge doctor's findings."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Cell, Section, Table
from ..quantities import listing, plural
from ..results.doctor import SEVERITIES, Doctor


def findings(doctor: Doctor) -> list[str]:
    counts = [(len(doctor.of(severity)), severity) for severity in SEVERITIES]
    said = listing([f"{count} {severity}" for count, severity in counts if count])
    if doctor.of("fail"):
        first = f"No benchmark is possible through {doctor.interface} as it is."
    elif doctor.of("warn"):
        first = f"A benchmark through {doctor.interface} is possible, but not at its best."
    else:
        first = f"Nothing of {doctor.interface} and its host is set wrongly for a benchmark."
    mended = sum(bool(one.command) for one in (*doctor.of("fail"), *doctor.of("warn")))
    second = f"{plural(len(doctor.found), 'finding')}: {said}." if said else "Nothing was found."
    if not mended:
        return [first, second]
    return [first, second, f"The table has {plural(mended, 'command')} to mend them."]


def section(doctor: Doctor) -> Section:
    rows: list[Sequence[Cell]] = [
        (one.topic, one.severity, one.seen, one.why, one.command or None)
        for severity in SEVERITIES
        for one in doctor.of(severity)
    ]
    heads = ("topic", "severity", "seen", "why it matters", "command")
    host: list[Sequence[Cell]] = [
        ("interface", doctor.interface),
        ("driver", doctor.driver or None),
        ("kernel", doctor.kernel or None),
    ]
    return Section(
        f"Doctor {doctor.label}: {doctor.interface} and its host",
        findings(doctor),
        doctor.doubts(),
        conditions=[
            Table("Findings, the worst first", heads, rows),
            Table("Machine and interface", ("what", "value"), host),
        ],
    )
