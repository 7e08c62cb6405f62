# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an interface and its host are like: dnsgauge/doctor/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..fields import Fields
from .base import Result, sentence

SCHEMA = "dnsgauge/doctor/1"
# The worst first.
SEVERITIES = ("fail", "warn", "note", "ok")


@dataclass(frozen=True)
class Finding:
    """What was seen of a topic, why it matters, and the command that mends it; empty: none."""

    topic: str
    severity: str
    seen: str
    why: str
    command: str


@dataclass(frozen=True)
class Doctor(Result):
    """The findings about an interface and its host."""

    interface: str
    driver: str
    kernel: str
    found: Sequence[Finding]

    def of(self, severity: str) -> list[Finding]:
        return [one for one in self.found if one.severity == severity]

    def doubts(self) -> list[str]:
        """Returns the findings that cost rate, lose packets or spoil RTTs, or worse."""
        return [
            f"{self.interface}, {one.topic}: {one.seen}. {sentence(one.why)}"
            for severity in ("fail", "warn")
            for one in self.of(severity)
        ]


def read(fields: Fields, label: str) -> Doctor:
    return Doctor(
        label,
        fields,
        fields.text("interface"),
        fields.text_or("driver"),
        fields.text_or("kernel"),
        [
            Finding(
                one.text("topic"),
                one.choice("severity", SEVERITIES),
                one.text("seen"),
                one.text("why"),
                one.text_or("command"),
            )
            for one in fields.objects_or("findings")
        ],
    )
