# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Calibrations of the Tester, which are certificates: dnsgauge/calibration/1."""

from __future__ import annotations

from dataclasses import dataclass

from ..fields import Fields
from .base import Result, ended

SCHEMA = "dnsgauge/calibration/1"


@dataclass(frozen=True)
class Delay:
    """Replies that were held for a known time. Times are nanoseconds; the delay is None of those
    that were sent at once. Files of earlier versions name no rate."""

    name: str
    rate: float | None
    delay: float | None
    sent: int
    valid: int
    late: int
    min: float
    mean: float
    p99: float
    max: float
    bias: float | None

    @staticmethod
    def read(fields: Fields, name: str) -> Delay:
        rtt = fields.inner("rtt_ns")
        delay = fields.number_or("delay_s")
        return Delay(
            name,
            fields.number_or("rate"),
            None if delay is None else delay * 1e9,
            fields.count("sent"),
            fields.count("valid"),
            fields.count("late"),
            rtt.number_or("min", 0.0) or 0.0,
            rtt.number_or("mean", 0.0) or 0.0,
            rtt.number_or("p99", 0.0) or 0.0,
            rtt.number_or("max", 0.0) or 0.0,
            fields.number_or("bias_ns"),
        )


@dataclass(frozen=True)
class Pacing:
    """Queries of one rate, as a clock at the link's other end saw them. Times are nanoseconds."""

    rate: float
    sent: int
    arrived: int
    rate_error: float
    lateness_p50: float
    lateness_p99: float
    lateness_max: float
    burst_share: float

    @staticmethod
    def read(fields: Fields) -> Pacing:
        lateness = fields.inner("lateness_ns")
        return Pacing(
            fields.positive("rate"),
            fields.count("sent"),
            fields.count("arrived"),
            fields.number("rate_error"),
            lateness.number("p50"),
            lateness.number("p99"),
            lateness.number("max"),
            fields.number("burst_share"),
        )


@dataclass(frozen=True)
class Counting:
    """Queries of one rate by class: as FakeDNS' known faults predict, and as counted."""

    rate: float
    counted: dict[str, int]
    predicted: dict[str, int]


@dataclass(frozen=True)
class Calibration(Result):
    """A calibration. `at_once` are checks without a delay, and `floor` is their smallest RTT; in
    files of earlier versions it is None. `delays` ascend, and hold what was checked next to the
    timeout, too. The bias of each counts from `baseline`, the smallest RTT of replies held for no
    time."""

    server: str
    trusted: bool
    distrusted: list[tuple[str, str]]
    lax: list[str]
    allowed_rate: float | None
    max_bias: float
    timeout: float
    floor: float | None
    bound: float | None
    at_once: list[Delay]
    baseline: float | None
    delays: list[Delay]
    pacing: list[Pacing]
    counting: list[Counting]
    finished: str
    record: str

    def doubts(self) -> list[str]:
        doubts = [f"{figure} is not to be trusted: {ended(why)}" for figure, why in self.distrusted]
        if self.lax:
            doubts.append(f"The calibration was laxer than by default: {'; '.join(self.lax)}.")
        unchecked = [
            name
            for name, checks in (
                ("counting", self.counting),
                ("RTTs", self.delays),
                ("pacing", self.pacing),
            )
            if not checks
        ]
        if unchecked:
            doubts.append(f"Not everything was checked: {', '.join(unchecked)}.")
        return doubts


def read(fields: Fields, label: str) -> Calibration:
    rtt = fields.inner_or_none("rtt")
    delays = []
    at_once = []
    if rtt:
        at_once = [Delay.read(one, "sent at once") for one in rtt.objects_or("at_once")]
        if rtt.has("floor"):
            at_once.append(Delay.read(rtt.inner("floor"), "sent at once"))
        delays = [Delay.read(one, "held") for one in rtt.objects_or("delays")]
        delays += [
            Delay.read(rtt.inner(name), name.replace("_", " "))
            for name in ("before_timeout", "behind_timeout")
            if rtt.has(name)
        ]
    limits = fields.inner("limits_s")
    return Calibration(
        label,
        fields,
        fields.text("server"),
        fields.truth("trusted"),
        [(doubt.text("figure"), doubt.text("why")) for doubt in fields.objects_or("doubts")],
        fields.texts_or("lax"),
        fields.number_or("allowed_rate"),
        limits.positive("bias") * 1e9,
        fields.positive("timeout_s") * 1e9,
        rtt.number_or("floor_ns") if rtt else None,
        rtt.number_or("bound_ns") if rtt else None,
        at_once,
        next((one.min for one in delays if one.valid and one.delay == 0), None),
        delays,
        [Pacing.read(one) for one in fields.objects_or("pacing")],
        [
            Counting(one.positive("rate"), one.counts_or("counted"), one.counts_or("predicted"))
            for one in fields.objects_or("counting")
        ],
        fields.text_or("finished"),
        fields.text_or("record"),
    )
