# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Replays of captures to a resolver: dnsgauge/replay/1, and their journals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ReportError
from ..fields import Fields
from ..quantities import plural
from .base import caveats_of, sentence
from .intervals import Interval
from .journal import read_lines
from .series import Series, said, said_by_journal
from .trial import Trial

SCHEMA = "dnsgauge/replay/1"
JOURNAL_SCHEMA = "dnsgauge/replay-journal/1"
# What paper 004 says of its figures, where a file does not say it: journals.
CAVEAT = "for comparison alone: the figures hold for this set-up, these captures and this time"
# The limits of the bands of latency, in nanoseconds, by the field of the JSON.
LIMITS = {
    "slower_than_1ms": 1e6,
    "slower_than_10ms": 1e7,
    "slower_than_100ms": 1e8,
    "slower_than_1s": 1e9,
}


@dataclass(frozen=True)
class ReplayRun:
    """A run. `points` are (share of the slowest queries, RTT in nanoseconds) of its later part,
    shares from 1 down; `slower` are shares of the later part's queries, by LIMITS, and that of the
    unanswered ones."""

    label: str
    sent: int
    answered: int
    invalid: dict[str, int]
    rcodes: dict[str, int]
    intervals: Sequence[Interval]
    points: Sequence[tuple[float, float]]
    slower: dict[str, float]
    unanswered: float | None
    rtt_p50: float | None
    rtt_p99: float | None
    lateness_max: float | None = None

    @property
    def share(self) -> float:
        """Returns the percentage answered."""
        return 100 * self.answered / self.sent if self.sent else 0.0


@dataclass(frozen=True)
class Replay(Series):
    """Runs of the same captures. `played` captures at once are the load factor; 0
    where it is not known."""

    caveat: str
    files: list[str]
    played: int
    clients: int
    queries: int
    timeout_s: float
    since_s: float
    runs_wanted: int
    runs: list[ReplayRun]
    invalid_trials: int

    def doubts(self) -> list[str]:
        made = f"{len(self.runs)} of {plural(self.runs_wanted, 'run')} were made"
        doubts = [sentence(self.caveat), *self.unfinished("replay", "runs", made)]
        if self.invalid_trials:
            doubts.append(f"{plural(self.invalid_trials, 'invalid run')} had to be made again.")
        if len(self.runs) == 1:
            doubts.append("A single run tells nothing of how much runs differ.")
        return [*doubts, *self.standing(caveats_of(self.fields))]


def interval_of(since_s: float, sent: int, answered: int, rcodes: dict[str, int]) -> Interval:
    """Returns the interval of a replay, which tells what was answered and not why the rest was
    not."""
    return Interval(since_s, sent, answered, 0, sent - answered, 0, rcodes, {})


def read_intervals(fields: Fields) -> list[Interval]:
    found: list[Interval] = []
    for one in fields.objects_or("intervals"):
        sent, answered, rcodes = one.count("sent"), one.count("answered"), one.counts_or("rcodes")
        since = one.number("since_s")
        is_late = bool(found) and since <= found[-1].since_s
        if answered > sent or sum(rcodes.values()) > sent or is_late:
            raise ReportError(
                f"{fields.where}: {one.name('')} has more answers than queries, or does not follow"
                " the one before it: the file was changed"
            )
        found.append(interval_of(since, sent, answered, rcodes))
    return found


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


def share_of(fields: Fields, field: str) -> float | None:
    """Returns a share from 0 to 1; none where the field is absent. Throws ReportError."""
    share = fields.number_or(field)
    if share is not None and not 0 <= share <= 1:
        raise fields.wrong(field, "a share from 0 to 1", share)
    return share


def read_slower(fields: Fields) -> dict[str, float]:
    found = {name: share_of(fields, name) for name in LIMITS}
    return {name: share for name, share in found.items() if share is not None}


def read_run(fields: Fields, label: str) -> ReplayRun:
    sent, answered = fields.count("sent"), fields.count("answered")
    decided = answered + fields.count("late") + fields.count("invalid") + fields.count("lost")
    intervals = read_intervals(fields)
    told = (sum(one.sent for one in intervals), sum(one.valid for one in intervals))
    if sent != decided or (intervals and told != (sent, answered)):
        raise ReportError(
            f"{fields.where}: {fields.name('')}: {sent} queries were sent, {decided} decided, and"
            f" its intervals have {told[0]}: the file was changed"
        )
    invalid = fields.counts_or("invalid_reasons")
    if invalid and invalid.pop("total", None) != sum(invalid.values()):
        raise ReportError(
            f"{fields.where}: {fields.name('invalid_reasons')}: the reasons are not all of the"
            " total: the file was changed"
        )
    later = fields.inner("later_part")
    return ReplayRun(
        label,
        sent,
        answered,
        invalid,
        fields.counts_or("rcodes"),
        intervals,
        read_points(later, "points"),
        read_slower(later),
        share_of(later, "unanswered"),
        later.number_or("rtt_p50_ns"),
        later.number_or("rtt_p99_ns"),
        fields.number_or("lateness_max_ns"),
    )


def read(fields: Fields, label: str) -> Replay:
    """Returns the replay. Throws ReportError."""
    captures = fields.inner("captures")
    runs = [
        read_run(one, f"{label} {number}")
        for number, one in enumerate(fields.objects_or("runs"), 1)
    ]
    if not runs:
        raise fields.wrong("runs", "a list of one run at least", fields.get("runs"))
    return Replay(
        label,
        fields,
        # Files of older versions do not tell how the replay ended.
        *said(fields.or_else(end="")),
        fields.text("caveat"),
        captures.texts_or("files"),
        captures.count("played"),
        captures.count("clients"),
        captures.count("queries"),
        fields.positive("timeout_s"),
        fields.number("since_s"),
        fields.count_or("runs_wanted", len(runs)),
        runs,
        fields.count_or("invalid_trials"),
    )


def run_of(trial: Trial) -> ReplayRun:
    """Returns a journal's trial as a run: of its later part where it has one."""
    curve = trial.fields.inner_or_none("later_rtt_curve") or trial.fields.inner_or_none("rtt_curve")
    part = trial.fields.inner_or_none("later_part") or trial.fields
    rtt = part.inner_or_none("rtt_ns")
    sent, valid = part.count("sent"), part.count("valid")
    return ReplayRun(
        trial.label,
        trial.sent,
        trial.valid,
        trial.invalid,
        trial.rcodes,
        [interval_of(one.since_s, one.sent, one.valid, one.rcodes) for one in trial.intervals],
        read_points(curve, "points") if curve else [],
        read_slower(curve) if curve else {},
        1 - valid / sent if sent and valid <= sent else None,
        rtt.number_or("p50") if rtt else None,
        rtt.number_or("p99") if rtt else None,
    )


def read_journal(text: str, where: str, label: str) -> Replay:
    """Returns the replay as far as its journal tells of it. Throws ReportError."""
    header, records = read_lines(text, where, label)
    options = header.inner("options")
    made = [record.trial for record in records if record.trial]
    latest = made[-1] if made else None
    return Replay(
        label,
        header,
        *said_by_journal(header, latest),
        CAVEAT,
        options.texts_or("capture"),
        0,
        0,
        latest.sent if latest else 0,
        latest.timeout_s if latest else options.number_or("timeout", 0.0) or 0.0,
        options.number_or("since", 0.0) or 0.0,
        options.count_or("runs"),
        [run_of(one) for one in made if one.verdict != "invalid" and one.sent],
        sum(one.verdict == "invalid" for one in made),
    )
