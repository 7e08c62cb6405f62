# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an interface and its host are like: dnsgauge/doctor/1."""

from ..document import Section, Table
from ..quantities import listing, plural
from ..tables import rows_of, table_of
from ..view import View
from .base import Result, sentence

SCHEMA = "dnsgauge/doctor/1"
# The worst first.
SEVERITIES = ("fail", "warn", "note", "ok")


class Doctor(Result):
    """The findings about an interface and its host: what was seen of a topic, why it matters, and
    the command that mends it; empty: none."""

    older = {"driver": "", "kernel": ""}

    def those(self, severity: str) -> list[View]:
        return [one for one in self.findings if one.severity == severity]

    def doubts(self) -> list[str]:
        """Returns the findings that cost rate, lose packets or spoil RTTs, or worse."""
        found = [one for severity in ("fail", "warn") for one in self.those(severity)]
        return [f"{self.interface}, {one.topic}: {one.seen}. {sentence(one.why)}" for one in found]


read = Doctor


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
    tables = [table_of("Findings, the worst first", found, columns)]
    tables.append(Table("Machine and interface", ("what", "value"), host))
    title = f"Doctor {doctor.label}: {doctor.interface} and its host"
    return Section(title, findings(doctor), doctor.doubts(), conditions=tables)
