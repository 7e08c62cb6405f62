# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The highest load factor that a resolver bears: dnsgauge/load-factor/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..fields import Fields
from ..quantities import some
from . import replay as of_replay
from .base import Result, sentence, whose_doubts
from .replay import Replay

SCHEMA = "dnsgauge/load-factor/1"
# dnsgauge compares latencies of no fewer runs.
RUNS_WITH_BANDS = 7


@dataclass(frozen=True)
class Overload:
    """A load factor at which the resolver was overloaded, or at which the runs do not tell, and the
    figures behind it."""

    factor: int
    why: str


@dataclass(frozen=True)
class LoadFactor(Result):
    """Replays at ever other load factors, in their order; the first is the baseline, at 1. `borne`
    is the highest factor without overload; none where none is known."""

    margin_percent: float
    borne: int | None
    overload: Overload | None
    undecided: Overload | None
    end: str
    factors: Sequence[int]
    replays: Sequence[Replay]

    @property
    def by_factor(self) -> list[tuple[int, Replay]]:
        """Returns the load factors, ascending, with their replays."""
        return sorted(zip(self.factors, self.replays), key=lambda pair: pair[0])

    def near_the_limit(self, most: int) -> list[tuple[int, Replay]]:
        """Returns the baseline and those nearest to what the resolver bears, `most` in all."""
        baseline, *others = self.by_factor
        others.sort(key=lambda pair: abs(pair[0] - (self.borne or 0)))
        return sorted([baseline, *others[: most - 1]], key=lambda pair: pair[0])

    def doubts(self) -> list[str]:
        doubts = []
        if self.end not in ("", "complete"):
            doubts.append(f"The search for the load factor did not come to its end ({self.end}).")
        if self.undecided:
            doubts.append(
                f"The runs do not tell whether load factor {self.undecided.factor} is too much"
                f" ({self.undecided.why}): allow more of them with --runs-most."
            )
        doubts += [sentence(doubt) for doubt in self.fields.texts_or("doubts")]
        if any(len(replay.runs) < RUNS_WITH_BANDS for replay in self.replays):
            doubts.append(
                f"Latencies were not compared at every load factor: that takes {RUNS_WITH_BANDS}"
                " runs of each."
            )
        caveat = sentence(self.fields.text("caveat"))
        by_doubt = whose_doubts((replay.label, replay.doubts()) for replay in self.replays)
        of_replays = [
            doubt if len(names) == len(self.replays) else f"{some(names)}: {doubt}"
            for doubt, names in by_doubt.items()
            if doubt != caveat
        ]
        return [caveat, *doubts, *of_replays]


def read(fields: Fields, label: str) -> LoadFactor:
    """Returns the search. Throws ReportError."""
    numbers = fields.numbers_or("factors")
    if any(number < 1 or number != int(number) for number in numbers):
        raise fields.wrong("factors", "a list of load factors", fields.get("factors"))
    factors = [int(number) for number in numbers]
    replays = fields.objects_or("replays")
    # Only the last replay can have been cut short before its first run, and is left out then.
    if not replays or len(replays) not in (len(factors), len(factors) - 1):
        raise fields.wrong("replays", "a replay for each load factor", fields.get("replays"))

    def told(field: str) -> Overload | None:
        inner = fields.inner_or_none(field)
        return Overload(inner.count("load_factor"), inner.text("why")) if inner else None

    return LoadFactor(
        label,
        fields,
        fields.number("margin_percent"),
        fields.count("load_factor") if fields.has("load_factor") else None,
        told("overload"),
        told("undecided"),
        fields.text_or("end"),
        factors,
        [of_replay.read(one, f"{factor}x") for factor, one in zip(factors, replays)],
    )
