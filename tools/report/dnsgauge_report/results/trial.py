# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials: dnsgauge/trial/1, and several of one plan: dnsgauge/trials/1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import ReportError
from ..fields import Fields
from ..quantities import count_text, duration_text, listing, plural
from .base import Compliance, Cover, Result, caveats_of, ended, sentence
from .intervals import Interval, read_list

SCHEMA = "dnsgauge/trial/1"
REPEATED_SCHEMA = "dnsgauge/trials/1"
VERDICTS = ("pass", "fail", "invalid")
PERCENTILES = (("p50", 50.0), ("p90", 90.0), ("p99", 99.0), ("p99_9", 99.9))


@dataclass(frozen=True)
class Rtt:
    """Summary of RTTs in nanoseconds, and their histogram: (from, to, count), both ends included.
    Files of older versions have no histogram."""

    count: int
    min: float
    mean: float
    stddev: float
    max: float
    percentiles: dict[float, float]
    histogram: Sequence[tuple[int, int, int]]


@dataclass(frozen=True)
class Sending:
    """How a trial's queries left. Durations are nanoseconds. `histogram` is of the lateness, and
    empty in files of older versions."""

    rate: float
    lateness_p50: float
    lateness_p99: float
    lateness_max: float
    bursts: dict[int, int]
    histogram: Sequence[tuple[int, int, int]]


@dataclass(frozen=True)
class Judged:
    """By which of the judge's rules that can be loosened the replies were judged, by name."""

    rules: list[str]
    loosened: list[str]

    @staticmethod
    def read(fields: Fields) -> Judged | None:
        """Returns what the field judged says; none in files of older versions."""
        inner = fields.inner_or_none("judged")
        return Judged(inner.texts_or("rules"), inner.texts_or("accepted")) if inner else None

    def doubts(self) -> list[str]:
        if not self.loosened:
            return []
        return [
            f"The user loosened rules of the judge ({listing(self.loosened)}): answers that break"
            " them counted as right."
        ]


@dataclass(frozen=True)
class Stalls:
    """Times in which one side stood still, and the queries that were lost or late for their sake.
    Durations are nanoseconds."""

    who: str
    count: int
    longest: float
    largest_burst: int
    costly: int
    lost: int
    late: int
    reach: float

    def doubts(self) -> list[str]:
        if not self.lost + self.late:
            return []
        return [
            f"{self.who} stood still {plural(self.count, 'time')}, for"
            f" {duration_text(self.longest)} at most; for its sake {count_text(self.lost)} queries"
            f" were lost and {count_text(self.late)} answered late."
        ]


@dataclass(frozen=True)
class StallBook:
    """All stalls of a trial: longer than `limit` nanoseconds, in which `allowed` queries become
    due. `queries` were due meanwhile. `decided`: the trial is invalid for their sake."""

    allowed: int
    limit: float
    queries: int
    decided: bool
    sides: list[Stalls]

    @staticmethod
    def read(fields: Fields) -> StallBook | None:
        """Returns what the field stalls says; none in files of older versions."""
        inner = fields.inner_or_none("stalls")
        if not inner:
            return None
        sides = []
        for name, who in (("tester", "The Tester"), ("server", "The server's CPU")):
            one = inner.inner(name)
            sides.append(
                Stalls(
                    who,
                    one.count("stalls"),
                    one.number("longest_ns"),
                    one.count("largest_burst"),
                    one.count("costly"),
                    one.count("lost"),
                    one.count("late"),
                    one.number("reach_ns"),
                )
            )
        return StallBook(
            inner.count("burst_allowed"),
            inner.number("limit_ns"),
            inner.count("queries"),
            inner.truth("decided"),
            sides,
        )

    def doubts(self) -> list[str]:
        # Where the stalls decided, the reason of the verdict tells all of this.
        return [] if self.decided else [doubt for side in self.sides for doubt in side.doubts()]


@dataclass(frozen=True)
class Part:
    """The part of one Tester in a trial that several made together. Times are nanoseconds: what its
    clock was ahead of the first Tester's before the trial and after it, by how much that may be
    wrong at most, and by how much its queries left off the common schedule because of it; none
    where the Tester did not answer after the trial. `trial`: none where the Tester sent no
    result."""

    rank: int
    host: str
    ahead_before: float
    ahead_after: float | None
    bound: float
    schedule_error: float | None
    trial: Trial | None


@dataclass(frozen=True)
class Trial(Result):
    """A trial. Counts are of queries, except `strays`, which are packets. `repeated_in`: the label
    of the file of repeated trials that has it; empty of a file of one trial."""

    server: str
    qtype: str
    names: str
    rate: float
    duration_s: float
    timeout_s: float
    accept_percent: float
    sent: int
    valid: int
    late: int
    lost: int
    invalid: dict[str, int]
    strays: dict[str, int]
    rcodes: dict[str, int]
    rtt: Rtt | None
    rtt_hardware: Rtt | None
    sending: Sending
    own_losses: dict[str, int]
    verdict: str
    why: str
    since_ns: float | None
    compliance: Compliance | None
    selftest: Cover | None
    caveats: list[str]
    intervals: Sequence[Interval]
    testers: Sequence[Part]
    judged: Judged | None
    stalls: StallBook | None
    repeated_in: str = ""

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
        doubts += self.judged.doubts() if self.judged else []
        doubts += self.stalls.doubts() if self.stalls else []
        doubts += [
            f"The Tester itself lost packets: {name} grew by {count:,}."
            for name, count in self.own_losses.items()
            if count
        ]
        if self.selftest:
            doubts += self.selftest.doubts()
        if self.compliance is None:
            doubts.append(
                "The file is of an older version, and does not tell whether the trial is compliant"
                " with RFC 8219."
            )
        else:
            doubts += self.compliance.doubts()
        return doubts


def read_histogram(
    fields: Fields, field: str, count: int | None = None
) -> list[tuple[int, int, int]]:
    """Returns the rows of a histogram. Throws ReportError unless they ascend, and sum up to the
    count where there is one."""
    rows: list[tuple[int, int, int]] = []
    for row in fields.list_or(field):
        is_row = isinstance(row, list) and len(row) == 3
        if not is_row or not all(type(value) is int and 0 <= value < 2**63 for value in row):
            raise fields.wrong(field, "rows of three counts", row)
        if row[0] > row[1] or (rows and row[0] <= rows[-1][1]):
            raise fields.wrong(field, "in ascending order", row)
        rows.append((row[0], row[1], row[2]))
    if rows and count is not None and sum(row[2] for row in rows) != count:
        raise ReportError(
            f"{fields.where}: {fields.name(field)} holds {sum(row[2] for row in rows)} RTTs, the "
            f"summary {count}: the file was changed"
        )
    return rows


def read_rtt(fields: Fields, field: str, histogram: str) -> Rtt | None:
    """Returns a summary of RTTs; none where there were none, or no such field."""
    inner = fields.inner_or_none(field)
    if not inner or not inner.count("count"):
        return None
    percentiles = {share: inner.number(name) for name, share in PERCENTILES}
    least, most = inner.number("min"), inner.number("max")
    ordered = [least, *percentiles.values()]
    if ordered != sorted(ordered) or least > most or least < 0:
        raise ReportError(
            f"{fields.where}: the percentiles of {inner.name('')} do not ascend: the file was"
            " changed"
        )
    return Rtt(
        inner.count("count"),
        least,
        inner.number("mean"),
        inner.number("stddev"),
        most,
        percentiles,
        read_histogram(fields, histogram, inner.count("count")),
    )


def read_sending(fields: Fields) -> Sending:
    lateness = fields.inner("lateness_ns")
    bursts = {}
    for size, batches in fields.counts_or("bursts").items():
        if not (size.isascii() and size.isdecimal() and len(size) < 8):
            raise fields.wrong("bursts", "counts by size", size)
        bursts[int(size)] = batches
    return Sending(
        fields.number("achieved_rate"),
        lateness.number("p50"),
        lateness.number("p99"),
        lateness.number("max"),
        bursts,
        read_histogram(fields, "lateness_histogram_ns"),
    )


def read(fields: Fields, label: str) -> Trial:
    """Returns the trial. Throws ReportError where its figures contradict each other."""
    invalid = fields.counts_or("invalid")
    total = invalid.pop("total", None)
    if total is not None and total != sum(invalid.values()):
        raise ReportError(
            f"{fields.where}: {fields.name('invalid')}.total is {total}, its reasons make "
            f"{sum(invalid.values())}: the file was changed"
        )
    sent, valid = fields.count("sent"), fields.count("valid")
    late, lost = fields.count("late"), fields.count("lost")
    decided = valid + late + lost + sum(invalid.values())
    if sent != decided:
        raise ReportError(
            f"{fields.where}: {fields.name('sent')} is {sent}, but valid, late, invalid and lost"
            f" make {decided}: the file was changed"
        )
    losses = fields.inner_or_none("own_losses")
    own = (
        {
            name: losses.count_or(name)
            for name in ("unsent", "invalid_descriptors", "recycled_early")
        }
        if losses
        else {}
    )
    if losses:
        own |= losses.counts_or("interface")
    return Trial(
        label,
        fields,
        fields.text("server"),
        fields.text_or("qtype"),
        fields.text_or("names"),
        fields.positive("rate"),
        fields.positive("duration_s"),
        fields.positive("timeout_s"),
        fields.number("accept_percent"),
        sent,
        valid,
        late,
        lost,
        invalid,
        {
            name: fields.count_or(name)
            for name in ("duplicate", "unexpected", "wrong_source", "bad_checksum", "fragments")
        },
        fields.counts_or("rcodes"),
        read_rtt(fields, "rtt_ns", "rtt_histogram_ns"),
        read_rtt(fields, "rtt_hardware_ns", "rtt_hardware_histogram_ns"),
        read_sending(fields.inner("sending")),
        own,
        fields.choice("verdict", VERDICTS),
        fields.text("why"),
        fields.number_or("since_ns"),
        Compliance.read(fields),
        Cover.read(fields, "selftest", "self-test"),
        caveats_of(fields),
        read_list(fields, sent, valid),
        read_parts(fields, label, (sent, valid)),
        Judged.read(fields),
        StallBook.read(fields),
    )


def read_parts(fields: Fields, label: str, counts: tuple[int, int]) -> list[Part]:
    """Returns the parts of the Testers that made the trial; none where there was a single Tester.
    Throws ReportError where they do not make these counts of queries, sent and valid."""
    parts = []
    for one in fields.objects_or("testers"):
        rank = one.count("rank")
        before, after = one.inner("clock_before"), one.inner_or_none("clock_after")
        made = one.inner_or_none("trial")
        parts.append(
            Part(
                rank,
                one.text("host"),
                before.number("offset_ns"),
                after.number("offset_ns") if after else None,
                max(clock.number("bound_ns") for clock in (before, after) if clock),
                one.number_or("schedule_error_ns"),
                read(made, f"{label} Tester {rank}") if made else None,
            )
        )
    told = [part.trial for part in parts if part.trial]
    sums = (sum(one.sent for one in told), sum(one.valid for one in told))
    if told and len(told) == len(parts) and sums != counts:
        raise ReportError(
            f"{fields.where}: {fields.name('testers')} sent {sums[0]} queries, {sums[1]} of them"
            f" valid, and the trial has {counts[0]} and {counts[1]}: the file was changed"
        )
    return parts


def read_repeated(fields: Fields, label: str) -> list[Trial]:
    """Returns the trials of `dnsgauge trial --repeat`, each with its number in its label. Throws
    ReportError where there are none."""
    found = fields.objects_or("trials")
    if not found:
        raise fields.wrong("trials", "a list of one trial at least", fields.get("trials"))
    trials = [
        replace(read(one, f"{label} {number}"), repeated_in=label)
        for number, one in enumerate(found, 1)
    ]
    asked = fields.count("repeat")
    if len(trials) < asked:
        error = fields.text_or("error")
        doubt = f"The repetition was cut short: {len(trials)} of {asked} trials were made." + (
            f" {sentence(error)}" if error else ""
        )
        trials = [replace(trial, caveats=[*trial.caveats, doubt]) for trial in trials]
    return trials
