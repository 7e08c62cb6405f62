# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Calibrations of the Tester, which are certificates: dnsgauge/calibration/1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from ..fields import Fields
from ..quantities import rate_text
from ..view import Made, Positive, View
from .base import Result, ended
from .trial import Lateness

SCHEMA = "dnsgauge/calibration/1"


@dataclass(frozen=True, kw_only=True)
class Spread(View):
    """RTTs in nanoseconds."""

    min: float = 0.0
    mean: float = 0.0
    p99: float = 0.0
    max: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Delay(View):
    """Replies that were held for a known time; none of those that were sent at once. Files of
    earlier versions name no rate."""

    name: Made[str]
    rate: float | None = None
    delay_s: float | None = None
    sent: int
    valid: int
    late: int
    rtt_ns: Spread
    bias_ns: float | None = None

    @property
    def delay_ns(self) -> float | None:
        return None if self.delay_s is None else self.delay_s * 1e9

    @property
    def rate_text(self) -> str:
        return rate_text(self.rate)

    @property
    def valid_rtt_ns(self) -> Spread | None:
        return self.rtt_ns if self.valid else None

    @property
    def valid_bias_ns(self) -> float | None:
        return self.bias_ns if self.valid else None


@dataclass(frozen=True, kw_only=True)
class Pacing(View):
    """Queries of one rate, as a clock at the link's other end saw them."""

    rate: Positive
    sent: int
    arrived: int
    rate_error: float
    lateness_ns: Lateness
    burst_share: float


@dataclass(frozen=True, kw_only=True)
class Counting(View):
    """Queries of one rate by class: as FakeDNS' known faults predict, and as counted."""

    rate: Positive
    counted: dict[str, int]
    predicted: dict[str, int]


@dataclass(frozen=True, kw_only=True)
class Doubt(View):
    figure: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Rtts(View):
    """What was checked of RTTs. `at_once` are checks without a delay, and `floor_ns` is their
    smallest RTT; in files of earlier versions there is none. `delays` ascend, and hold what was
    checked next to the timeout, too. The bias of each counts from `baseline`, the smallest RTT of
    replies held for no time."""

    floor_ns: float | None = None
    bound_ns: float | None = None
    at_once: list[Delay] = field(default_factory=list)
    delays: list[Delay] = field(default_factory=list)

    @property
    def baseline(self) -> float | None:
        return next((one.rtt_ns.min for one in self.delays if one.valid and one.delay_s == 0), None)


def read_rtts(fields: Fields, field: str) -> Rtts:
    rtt = fields.inner(field)
    at_once, held = rtt.objects_or("at_once"), rtt.objects_or("delays")
    at_once += [rtt.inner("floor")] if rtt.has("floor") else []
    delays = [Delay.read(one, name="held") for one in held]
    delays += [
        Delay.read(rtt.inner(name), name=name.replace("_", " "))
        for name in ("before_timeout", "behind_timeout")
        if rtt.has(name)
    ]
    return Rtts.read(
        rtt, at_once=[Delay.read(one, name="sent at once") for one in at_once], delays=delays
    )


@dataclass(frozen=True, kw_only=True)
class Limits(View):
    """Limits in seconds."""

    bias: Positive


@dataclass(frozen=True, kw_only=True)
class Calibration(Result):
    """A calibration of the Tester."""

    server: str
    trusted: bool
    distrusted: Made[list[Doubt]]
    lax: list[str]
    allowed_rate: float | None = None
    limits_s: Limits
    timeout_s: Positive
    rtt: Annotated[Rtts, read_rtts] = Rtts()
    pacing: list[Pacing]
    counting: list[Counting]
    finished: str = ""
    record: str = ""

    def doubts(self) -> list[str]:
        doubts = [f"{one.figure} is not to be trusted: {ended(one.why)}" for one in self.distrusted]
        if self.lax:
            doubts.append(f"The calibration was laxer than by default: {'; '.join(self.lax)}.")
        unchecked = [
            name
            for name, checks in (
                ("counting", self.counting),
                ("RTTs", self.rtt.delays),
                ("pacing", self.pacing),
            )
            if not checks
        ]
        if unchecked:
            doubts.append(f"Not everything was checked: {', '.join(unchecked)}.")
        return doubts


def read(fields: Fields, label: str) -> Calibration:
    distrusted = [Doubt.read(one) for one in fields.objects_or("doubts")]
    return Calibration.of(fields, label, distrusted=distrusted)
