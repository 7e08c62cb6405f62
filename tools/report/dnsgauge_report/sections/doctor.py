# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of dnsgauge doctor's findings."""

from __future__ import annotations

from ..document import Section, Table
from ..quantities import listing, plural
from ..results.doctor import SEVERITIES, Doctor
from ..tables import rows_of, table_of


def findings(doctor: Doctor) -> list[str]:
    counts = [(len(doctor.those(severity)), severity) for severity in SEVERITIES]
    said = listing([f"{count} {severity}" for count, severity in counts if count])
    if doctor.those("fail"):
        first = f"No benchmark is possible through {doctor.interface} as it is."
    elif doctor.those("warn"):
        first = f"A benchmark through {doctor.interface} is possible, but not at its best."
    else:
        first = f"Nothing of {doctor.interface} and its host is set wrongly for a benchmark."
    mended = sum(bool(one.command) for one in (*doctor.those("fail"), *doctor.those("warn")))
    second = f"{plural(len(doctor.findings), 'finding')}: {said}." if said else "Nothing was found."
    if not mended:
        return [first, second]
    return [first, second, f"The table has {plural(mended, 'command')} to mend them."]


def section(doctor: Doctor) -> Section:
    found = [one for severity in SEVERITIES for one in doctor.those(severity)]
    columns = "topic; severity; seen; why it matters=why; command=command?"
    host = rows_of([doctor], "interface; driver=driver?; kernel=kernel?")
    return Section(
        f"Doctor {doctor.label}: {doctor.interface} and its host",
        findings(doctor),
        doctor.doubts(),
        conditions=[
            table_of("Findings, the worst first", found, columns),
            Table("Machine and interface", ("what", "value"), host),
        ],
    )
