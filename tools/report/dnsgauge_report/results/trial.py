# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials: dnsgauge/trial/1, and several of one plan: dnsgauge/trials/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from ..fields import Fields
from ..quantities import count_text, duration_text, listing, plural, share_text
from ..view import Made, Positive, View, Word
from .base import Compliance, Result, SomeCover, caveats_of, contradiction, ended, sentence
from .intervals import Interval, check_intervals, read_intervals

SCHEMA = "dnsgauge/trial/1"
REPEATED_SCHEMA = "dnsgauge/trials/1"
STRAYS = ("duplicate", "unexpected", "wrong_source", "bad_checksum", "fragments")
Rows = Sequence[tuple[int, int, int]]


def read_histogram(fields: Fields, field: str) -> Rows:
    """Returns the rows of a histogram. Throws ReportError unless they ascend."""
    rows: list[tuple[int, int, int]] = []
    for row in fields.list_or(field):
        is_row = isinstance(row, list) and len(row) == 3
        if not is_row or not all(type(value) is int and 0 <= value < 2**63 for value in row):
            raise fields.wrong(field, "rows of three counts", row)
        if row[0] > row[1] or (rows and row[0] <= rows[-1][1]):
            raise fields.wrong(field, "in ascending order", row)
        rows.append((row[0], row[1], row[2]))
    return rows


@dataclass(frozen=True, kw_only=True)
class Rtt(View):
    """Summary of RTTs in nanoseconds, and their histogram: (from, to, count), both ends included.
    Files of older versions have no histogram."""

    count: int
    min: float
    p50: float
    p90: float
    p99: float
    p99_9: float
    max: float
    mean: float
    stddev: float
    histogram: Made[Rows]

    def check(self, fields: Fields) -> None:
        ordered = [self.min, self.p50, self.p90, self.p99, self.p99_9]
        if ordered != sorted(ordered) or self.min > self.max or self.min < 0:
            raise contradiction(fields, f"the percentiles of {fields.name('')} do not ascend")


def read_rtt(fields: Fields, field: str) -> Rtt | None:
    """Returns a summary of RTTs; none where there were none. Throws ReportError unless the
    histogram has as many."""
    inner = fields.inner(field)
    if not inner.count("count"):
        return None
    name = field.replace("_ns", "_histogram_ns")
    made = Rtt.read(inner, histogram=read_histogram(fields, name))
    rtts = sum(row[2] for row in made.histogram)
    if made.histogram and rtts != made.count:
        what = f"{fields.name(name)} holds {rtts} RTTs, the summary {made.count}"
        raise contradiction(fields, what)
    return made


@dataclass(frozen=True, kw_only=True)
class Lateness(View):
    p50: float
    p99: float
    max: float


def read_bursts(fields: Fields, field: str) -> dict[int, int]:
    counts = fields.counts_or(field)
    for size in counts:
        if not (size.isascii() and size.isdecimal() and len(size) < 8):
            raise fields.wrong(field, "counts by size", size)
    return {int(size): batches for size, batches in counts.items()}


@dataclass(frozen=True, kw_only=True)
class Sending(View):
    """How a trial's queries left. Files of older versions have no histogram."""

    achieved_rate: float
    lateness_ns: Lateness
    bursts: Annotated[dict[int, int], read_bursts]
    lateness_histogram_ns: Annotated[Rows, read_histogram]

    @property
    def largest_burst(self) -> int | None:
        return max(self.bursts, default=None)


@dataclass(frozen=True, kw_only=True)
class Octets(View):
    min: float | None = None
    mean: float | None = None
    max: float | None = None

    @property
    def rounded_mean(self) -> float | None:
        return None if self.mean is None else round(self.mean, 1)


@dataclass(frozen=True, kw_only=True)
class Replies(View):
    """What the replies that decided a query were like."""

    count: int
    octets: Octets
    line_rate_10g: float | None = None
    aa: int
    ad: int
    tc: int
    with_rrsig: int | None = None
    no_question: int | None = None

    @property
    def line_rate(self) -> int | None:
        return None if self.line_rate_10g is None else round(self.line_rate_10g)


@dataclass(frozen=True, kw_only=True)
class Absence(View):
    longest_ns: int


@dataclass(frozen=True, kw_only=True)
class Cpu(View):
    """Who had a CPU of the trial, for how long."""

    cpu: int
    elapsed_ns: float
    sends: bool
    receives: bool
    others_ns: int = 0
    unseen_ns: int = 0
    steal_ns: int = 0
    sender_waited_ns: int = 0
    server_ran_ns: int = 0
    server_waited_ns: int = 0
    softirq_ns: int = 0
    absence: Absence | None = None

    @property
    def roles(self) -> list[str]:
        roles = [name for name in ("sends", "receives") if getattr(self, name)]
        return roles + ["runs the server"] * bool(self.server_ran_ns + self.server_waited_ns)


@dataclass(frozen=True, kw_only=True)
class Judged(View):
    """By which of the judge's rules that can be loosened the replies were judged, by name."""

    rules: list[str]
    accepted: list[str]

    @property
    def in_force(self) -> str:
        return ", ".join(self.rules) or "none"

    @property
    def loosened(self) -> str:
        return ", ".join(self.accepted) or "none"

    def doubts(self) -> list[str]:
        if not self.accepted:
            return []
        return [
            f"The user loosened rules of the judge ({listing(self.accepted)}): answers that break"
            " them counted as right."
        ]


@dataclass(frozen=True, kw_only=True)
class Side(View):
    """Times in which one side stood still, and the queries that were lost or late for their
    sake."""

    who: Made[str]
    stalls: int
    longest_ns: float
    largest_burst: int
    costly: int
    lost: int
    late: int
    reach_ns: float

    def doubts(self) -> list[str]:
        if not self.lost + self.late:
            return []
        return [
            f"{self.who} stood still {plural(self.stalls, 'time')}, for"
            f" {duration_text(self.longest_ns)} at most; for its sake {count_text(self.lost)}"
            f" queries were lost and {count_text(self.late)} answered late."
        ]


def read_side(fields: Fields, name: str) -> Side:
    who = {"tester": "The Tester", "server": "The server's CPU"}[name]
    return Side.read(fields.inner(name), who=who)


@dataclass(frozen=True, kw_only=True)
class Stalls(View):
    """All stalls of a trial: longer than `limit_ns`, in which `burst_allowed` queries become due.
    `queries` were due meanwhile. `decided`: the trial is invalid for their sake."""

    burst_allowed: int
    limit_ns: float
    queries: int
    decided: bool
    tester: Annotated[Side, read_side]
    server: Annotated[Side, read_side]

    def doubts(self) -> list[str]:
        # Where the stalls decided, the reason of the verdict tells all of this.
        return [] if self.decided else [*self.tester.doubts(), *self.server.doubts()]


def read_invalid(fields: Fields, field: str) -> dict[str, int]:
    """Returns the queries of each reason. Throws ReportError where they do not make the total."""
    reasons = fields.counts_or(field)
    total = reasons.pop("total", None)
    if total is not None and total != sum(reasons.values()):
        what = f"{fields.name(field)}.total is {total}, its reasons make {sum(reasons.values())}"
        raise contradiction(fields, what)
    return reasons


def read_own_losses(fields: Fields, field: str) -> dict[str, int]:
    losses = fields.inner(field)
    names = ("unsent", "invalid_descriptors", "recycled_early")
    return {name: losses.count_or(name) for name in names} | losses.counts_or("interface")


@dataclass(frozen=True, kw_only=True)
class Clock(View):
    """What a Tester's clock was ahead of the first Tester's, and by how much that may be wrong."""

    offset_ns: float
    bound_ns: float


@dataclass(frozen=True, kw_only=True)
class Part(View):
    """The part of one Tester in a trial that several made together. `schedule_error_ns`: by how
    much its queries left off the common schedule because of its clock. What the Tester did not
    send after the trial is none."""

    rank: int
    host: str
    clock_before: Clock
    clock_after: Clock | None = None
    schedule_error_ns: float | None = None
    trial: Trial | None

    @property
    def share(self) -> str:
        return share_text(self.trial.valid, self.trial.sent) if self.trial else "no result"

    @property
    def bound_ns(self) -> float:
        return max(one.bound_ns for one in (self.clock_before, self.clock_after) if one)


@dataclass(frozen=True, kw_only=True)
class Trial(Result):
    """A trial. Counts are of queries, except the STRAYS, which are packets. `repeated_in`: the
    label of the file of repeated trials that has it; empty of a file of one trial."""

    server: str
    qtype: str = ""
    names: str = ""
    rate: Positive
    duration_s: float
    timeout_s: float
    accept_percent: float
    sent: int
    valid: int
    late: int
    lost: int
    invalid: Annotated[dict[str, int], read_invalid]
    duplicate: int = 0
    unexpected: int = 0
    wrong_source: int = 0
    bad_checksum: int = 0
    fragments: int = 0
    rcodes: dict[str, int]
    rtt_ns: Annotated[Rtt | None, read_rtt] = None
    rtt_hardware_ns: Annotated[Rtt | None, read_rtt] = None
    sending: Sending
    own_losses: Annotated[dict[str, int] | None, read_own_losses] = None
    verdict: Word
    why: str
    since_ns: float | None = None
    rfc8219: Compliance | None = None
    selftest: SomeCover = None
    caveats: Annotated[list[str], caveats_of]
    intervals: Annotated[Sequence[Interval], read_intervals]
    testers: Sequence[Part]
    judged: Judged | None = None
    stalls: Stalls | None = None
    replies: Replies | None = None
    cpus: list[Cpu]
    repeated_in: Made[str] = ""

    @classmethod
    def of(cls, fields: Fields, label: str, **known: str) -> Trial:
        fields = fields.by_schema("trial")
        parts = [read_part(one, label) for one in fields.objects_or("testers")]
        return cls.read(fields, label=label, fields=fields, testers=parts, **known)

    def check(self, fields: Fields) -> None:
        decided = self.valid + self.late + self.lost + self.invalid_total
        if self.sent != decided:
            what = f"{fields.name('sent')} is {self.sent}, but valid, late, invalid and lost make"
            raise contradiction(fields, f"{what} {decided}")
        check_intervals(fields, self.intervals, (self.sent, self.valid))
        told = [part.trial for part in self.testers if part.trial]
        sent, valid = (sum(one.sent for one in told), sum(one.valid for one in told))
        if told and len(told) == len(self.testers) and (sent, valid) != (self.sent, self.valid):
            what = f"{fields.name('testers')} sent {sent} queries, {valid} of them valid, and the"
            raise contradiction(fields, f"{what} trial has {self.sent} and {self.valid}")

    @property
    def reached_rate(self) -> float:
        return round(self.sending.achieved_rate, 1)

    @property
    def invalid_total(self) -> int:
        return sum(self.invalid.values())

    @property
    def valid_share(self) -> float:
        """Returns the share answered right in time, in percent; 0 where nothing was sent."""
        return 100 * self.valid / self.sent if self.sent else 0.0

    def doubts(self) -> list[str]:
        doubts = []
        if self.verdict == "invalid":
            doubts.append(
                f"The trial is invalid and says nothing about the server: {ended(self.why)}"
            )
        doubts += self.caveats
        for part in (self.judged, self.stalls):
            doubts += part.doubts() if part else []
        doubts += [
            f"The Tester itself lost packets: {name} grew by {count:,}."
            for name, count in (self.own_losses or {}).items()
            if count
        ]
        doubts += self.selftest.doubts() if self.selftest else []
        return doubts + (
            self.rfc8219.doubts()
            if self.rfc8219
            else [
                "The file is of an older version, and does not tell whether the trial is compliant"
                " with RFC 8219."
            ]
        )


def read_part(fields: Fields, label: str) -> Part:
    made = fields.inner_or_none("trial")
    label = f"{label} Tester {fields.count('rank')}"
    return Part.read(fields, trial=Trial.of(made, label) if made else None)


def read_repeated(fields: Fields, label: str) -> list[Trial]:
    """Returns the trials of `dnsgauge trial --repeat`, each with its number in its label. Throws
    ReportError where there are none."""
    found = fields.objects_or("trials")
    if not found:
        raise fields.wrong("trials", "a list of one trial at least", fields.get("trials"))
    trials = [
        Trial.of(one, f"{label} {number}", repeated_in=label) for number, one in enumerate(found, 1)
    ]
    asked = fields.count("repeat")
    if len(trials) < asked:
        error = fields.text_or("error")
        doubt = f"The repetition was cut short: {len(trials)} of {asked} trials were made." + (
            f" {sentence(error)}" if error else ""
        )
        trials = [replace(trial, caveats=[*trial.caveats, doubt]) for trial in trials]
    return trials
