# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Replays of captures to a resolver: dnsgauge/replay/1, and their journals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from ..fields import Fields
from ..quantities import percent_text, plural
from ..view import Made, Positive, View
from .base import contradiction, sentence
from .intervals import Interval
from .journal import read_lines, trials_of
from .series import Series, said_by_journal
from .trial import Trial

SCHEMA = "dnsgauge/replay/1"
JOURNAL_SCHEMA = "dnsgauge/replay-journal/1"
# What paper 004 says of its figures, where a file does not say it: journals.
CAVEAT = "for comparison alone: the figures hold for this set-up, these captures and this time"


def read_points(fields: Fields, field: str) -> list[tuple[float, float]]:
    """Returns the points of a logarithmic percentile histogram. Throws ReportError unless shares
    fall from 1 at most, and RTTs do not."""
    found: list[tuple[float, float]] = []
    for row in fields.list_or(field):
        is_row = isinstance(row, list) and len(row) == 2
        if not is_row or not all(
            isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 2**63
            for value in row
        ):
            raise fields.wrong(field, "rows of a share and an RTT", row)
        share, rtt = float(row[0]), float(row[1])
        if not 0 < share <= 1 or (found and (share >= found[-1][0] or rtt < found[-1][1])):
            raise fields.wrong(field, "in order, from the whole to the slowest", row)
        found.append((share, rtt))
    return found


@dataclass(frozen=True, kw_only=True)
class LaterPart(View):
    """What a run's later part tells. `points` are (share of the slowest queries, RTT in
    nanoseconds), shares from 1 down; the others are shares of its queries, and RTTs."""

    points: Annotated[Sequence[tuple[float, float]], read_points]
    slower_than_1ms: float | None = None
    slower_than_10ms: float | None = None
    slower_than_100ms: float | None = None
    slower_than_1s: float | None = None
    unanswered: float | None = None
    rtt_p50_ns: float | None = None
    rtt_p99_ns: float | None = None

    @property
    def unanswered_text(self) -> str | None:
        return None if self.unanswered is None else f"{percent_text(100 * self.unanswered)} %"

    @property
    def slower(self) -> list[float | None]:
        return [
            self.slower_than_1ms, self.slower_than_10ms, self.slower_than_100ms, self.slower_than_1s
        ]  # fmt: skip


def read_reasons(fields: Fields, field: str) -> dict[str, int]:
    reasons = fields.counts_or(field)
    if reasons and reasons.pop("total", None) != sum(reasons.values()):
        raise contradiction(fields, f"{fields.name(field)}: the reasons are not all of the total")
    return reasons


def read_replay_intervals(fields: Fields, field: str) -> list[Interval]:
    """Returns the intervals of a run, which tell what was answered and not why the rest was not."""
    found: list[Interval] = []
    for one in fields.objects_or(field):
        made = interval_of(
            one.number("since_s"), one.count("sent"), one.count("answered"), one.counts_or("rcodes")
        )
        is_late = bool(found) and made.since_s <= found[-1].since_s
        if made.valid > made.sent or made.replies > made.sent or is_late:
            what = (
                f"{one.name('')} has more answers than queries, or does not follow the one before"
            )
            raise contradiction(fields, what)
        found.append(made)
    return found


def interval_of(since_s: float, sent: int, answered: int, rcodes: dict[str, int]) -> Interval:
    return Interval(
        since_s=since_s, sent=sent, valid=answered, late=0, lost=sent - answered, invalid=0,
        rcodes=rcodes,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ReplayRun(View):
    """A run."""

    label: Made[str]
    sent: int
    answered: int
    late: int = 0
    invalid: int = 0
    lost: int = 0
    invalid_reasons: Annotated[dict[str, int], read_reasons]
    rcodes: dict[str, int]
    intervals: Annotated[Sequence[Interval], read_replay_intervals]
    later_part: LaterPart
    lateness_max_ns: float | None = None

    def check(self, fields: Fields) -> None:
        decided = self.answered + self.late + self.invalid + self.lost
        told = (sum(one.sent for one in self.intervals), sum(one.valid for one in self.intervals))
        if self.sent != decided or (self.intervals and told != (self.sent, self.answered)):
            what = f"{fields.name('')}: {self.sent} queries were sent, {decided} decided, and its"
            raise contradiction(fields, f"{what} intervals have {told[0]}")

    @property
    def share(self) -> float:
        """Returns the percentage answered."""
        return 100 * self.answered / self.sent if self.sent else 0.0


@dataclass(frozen=True, kw_only=True)
class Captures(View):
    """What is played: `played` captures at once are the load factor; 0 where it is not known."""

    files: list[str]
    played: int = 0
    clients: int = 0
    queries: int = 0
    packets: int = 0
    left_out: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Replay(Series):
    """Runs of the same captures. Files of older versions do not tell how the replay ended."""

    end: str = ""
    caveat: str
    captures: Captures
    timeout_s: Positive
    since_s: float
    before_trial: str = ""
    runs_wanted: int = 0
    runs: list[ReplayRun]

    def doubts(self) -> list[str]:
        made = f"{len(self.runs)} of {plural(self.runs_wanted, 'run')} were made"
        doubts = [sentence(self.caveat), *self.unfinished("replay", "runs", made)]
        if self.invalid_trials:
            doubts.append(f"{plural(self.invalid_trials, 'invalid run')} had to be made again.")
        if len(self.runs) == 1:
            doubts.append("A single run tells nothing of how much runs differ.")
        return [*doubts, *self.standing()]


def read(fields: Fields, label: str) -> Replay:
    """Returns the replay. Throws ReportError."""
    runs = [
        ReplayRun.read(one, label=f"{label} {number}")
        for number, one in enumerate(fields.objects_or("runs"), 1)
    ]
    if not runs:
        raise fields.wrong("runs", "a list of one run at least", fields.get("runs"))
    wanted = fields.count_or("runs_wanted", len(runs))
    return Replay.of(fields, label, runs=runs, runs_wanted=wanted)


def run_of(trial: Trial) -> ReplayRun:
    """Returns a journal's trial as a run: of its later part where it has one."""
    fields = trial.fields
    part = fields.inner_or_none("later_part") or fields
    rtt = part.inner_or_none("rtt_ns")
    sent, valid = part.count("sent"), part.count("valid")
    curve = fields.inner_or_none("later_rtt_curve") or fields.inner_or_none("rtt_curve")
    later = LaterPart.read(
        curve or Fields({}, fields.where),
        unanswered=1 - valid / sent if sent and valid <= sent else None,
        rtt_p50_ns=rtt.number_or("p50") if rtt else None,
        rtt_p99_ns=rtt.number_or("p99") if rtt else None,
    )
    return ReplayRun(
        label=trial.label,
        sent=trial.sent,
        answered=trial.valid,
        invalid_reasons=trial.invalid,
        rcodes=trial.rcodes,
        intervals=[
            interval_of(one.since_s, one.sent, one.valid, one.rcodes) for one in trial.intervals
        ],
        later_part=later,
    )


def read_journal(text: str, where: str, label: str) -> Replay:
    """Returns the replay as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    options = header.inner("options")
    made = trials_of(records)
    queries, timeout = (made[-1].sent, made[-1].timeout_s) if made else (0, None)
    return Replay(
        label=label,
        caveat=CAVEAT,
        captures=Captures(files=options.texts_or("capture"), queries=queries),
        timeout_s=timeout or options.number_or("timeout", 0.0) or 0.0,
        since_s=options.number_or("since", 0.0) or 0.0,
        runs_wanted=options.count_or("runs"),
        runs=[run_of(one) for one in made if one.verdict != "invalid" and one.sent],
        **said_by_journal(header, made),
    )
