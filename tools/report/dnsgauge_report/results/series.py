# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What results of many trials have in common, whatever makes the trials: searches, sweeps, soaks,
replays."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Fields
from .base import Compliance, Cover, Result, ended, standing
from .trial import Trial

# The fields of a series, in their order.
Said = tuple[str, str, str, Compliance | None, Cover | None, Cover | None]


@dataclass(frozen=True)
class Series(Result):
    """A series of trials, finished or not. `end` is "journal" where a journal was read, which does
    not tell how the series ended, and empty where nobody told it."""

    server: str
    end: str
    why: str
    compliance: Compliance | None
    selftest: Cover | None
    certificate: Cover | None

    @property
    def is_journal(self) -> bool:
        return self.end == "journal"

    def unfinished(self, command: str, holds: str, made: str) -> list[str]:
        """Returns the doubt that the series did not come to its end, or that a journal, which
        `holds` trials, does not tell. `made` says what there is."""
        if self.is_journal:
            return [
                f"This is a journal: it holds {holds}, and not what dnsgauge {command} made of"
                " them."
            ]
        if self.end in ("", "complete", "above range"):
            return []
        why = f" {ended(self.why)}" if self.why else ""
        return [f"The {command} did not come to its end ({self.end}): {made}.{why}"]

    def standing(self, caveats: list[str]) -> list[str]:
        """Returns the doubts that all series may have, and these caveats."""
        return standing(caveats, (self.selftest, self.certificate), self.compliance)


def said(fields: Fields) -> Said:
    """Returns what a result says of its series."""
    return (
        fields.text("server"),
        fields.text("end"),
        fields.text_or("why"),
        Compliance.read(fields),
        Cover.read(fields, "selftest", "self-test"),
        Cover.read(fields, "certificate", "certificate"),
    )


def said_by_journal(header: Fields, latest: Trial | None) -> Said:
    """Returns what a journal's first line and its last trial, if there is one, say of the
    series."""
    if latest:
        return latest.server, "journal", latest.why, latest.compliance, latest.selftest, None
    server = header.inner("options").text_or("server", "the server")
    return server, "journal", "", None, None, None
