# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What results of many trials have in common, whatever makes the trials: searches, sweeps, soaks,
replays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..fields import Fields
from .base import Compliance, Result, caveats_of, ended, read_cover, standing
from .trial import Trial


class Series(Result):
    """A series of trials, finished or not. `end` is "journal" where a journal was read, which does
    not tell how the series ended, and empty where nobody told it."""

    readers = {
        "end": Fields.text_or,
        "rfc8219": Compliance,
        "selftest": read_cover,
        "certificate": read_cover,
        "caveats": caveats_of,
    }
    older = {"rfc8219": None, "invalid_trials": 0}

    @property
    def is_journal(self) -> bool:
        return self.end == "journal"

    def heading(self, kind: str) -> str:
        """Returns the heading of the page's section about the series."""
        read = f"Journal of the {kind}" if self.is_journal else kind.capitalize()
        return f"{read} {self.label}: {self.server}"

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

    def standing(self) -> list[str]:
        """Returns the doubts that all series may have."""
        return standing(self.caveats, (self.selftest, self.certificate), self.rfc8219)


def said_by_journal(header: Fields, trials: Sequence[Trial]) -> dict[str, Any]:
    """Returns what a journal's first line and its trials say of the series."""
    known: dict[str, Any] = {"end": "journal"}
    known["invalid_trials"] = sum(one.verdict == "invalid" for one in trials)
    if not trials:
        return known | {"server": header.inner("options").text_or("server", "the server")}
    names = ("server", "why", "rfc8219", "selftest")
    return known | {name: getattr(trials[-1], name) for name in names}
