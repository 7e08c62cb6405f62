# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The record of one trial of a pair of generator and server. JSON holds these records as they
are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """What a generator prints about a trial."""

    sent: int
    replies: int  # replies that the generator accepts, by its own checks
    seconds: float  # that sending took
    lossless: bool  # every query was answered, and the generator found nothing wrong
    note: str = ""  # in the generator's words

    @property
    def sent_rate(self):
        return self.sent / self.seconds if self.seconds > 0 else 0.0

    @property
    def answered_rate(self):
        return self.replies / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True)
class Trial:
    """A sample, its place in the run, and its cost. CPU times are in seconds."""

    round: int  # from 1
    generator: str
    server: str
    purpose: str  # "start", "flood", "search" or "confirm"
    offered: int | None  # queries per second asked for; None: no limit
    sent: int
    replies: int
    sent_rate: float
    answered_rate: float
    lossless: bool
    note: str
    generator_cpu: float  # of the process, its kernel time included
    server_cpu: float  # of the process and its children
    napi_cpu: float  # of the threads that poll the server's interface
    other_cpu: float  # of everything else on the machine, idle and stolen time left out
    stolen_cpu: float  # time that the hypervisor kept
    wall: float  # seconds, of the whole trial
