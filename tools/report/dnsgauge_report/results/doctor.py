# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an interface and its host are like: dnsgauge/doctor/1."""

from __future__ import annotations

from dataclasses import dataclass

from ..view import View, Word
from .base import Result, sentence

SCHEMA = "dnsgauge/doctor/1"
# The worst first.
SEVERITIES = ("fail", "warn", "note", "ok")


@dataclass(frozen=True, kw_only=True)
class Finding(View):
    """What was seen of a topic, why it matters, and the command that mends it; empty: none."""

    topic: str
    severity: Word
    seen: str
    why: str
    command: str = ""


@dataclass(frozen=True, kw_only=True)
class Doctor(Result):
    """The findings about an interface and its host."""

    interface: str
    driver: str = ""
    kernel: str = ""
    findings: list[Finding]

    def those(self, severity: str) -> list[Finding]:
        return [one for one in self.findings if one.severity == severity]

    def doubts(self) -> list[str]:
        """Returns the findings that cost rate, lose packets or spoil RTTs, or worse."""
        return [
            f"{self.interface}, {one.topic}: {one.seen}. {sentence(one.why)}"
            for severity in ("fail", "warn")
            for one in self.those(severity)
        ]
