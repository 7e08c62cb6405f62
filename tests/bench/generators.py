# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The generators: the command of each, and the parser of what it prints.

A generator's command() gives the words, parse() a Sample from its output. All else that differs
is said by their attributes.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

import program
from lab import JUDGED, QTYPE, SERVED_NAMES, SERVER_ADDRESS, generator_cpu, trial_words

PATIENCE = 3600  # seconds: longer than any trial


@dataclass(frozen=True)
class Order:
    """The task of a generator."""

    offered: int | None  # queries per second; None: no limit
    seconds: float
    timeout: float
    names: Path  # each line has a name and a type
    result: Path  # a file that the generator may write


@dataclass(frozen=True)
class Sample:
    """What a generator prints about a trial."""

    sent: int
    replies: int  # replies that the generator accepts, by its own checks
    seconds: float  # that sending took
    lossless: bool  # every query was answered, and the generator found nothing wrong
    note: str = ""  # in the generator's words
    spoiled: bool = False  # by stalls of this machine: the trial says nothing about the server

    @property
    def sent_rate(self):
        return self.sent / self.seconds if self.seconds > 0 else 0.0

    @property
    def answered_rate(self):
        return self.replies / self.seconds if self.seconds > 0 else 0.0


class Generator:
    takes_any_rate = False  # the generator needs a rate
    leaves_program = False
    overtime = None
    good_statuses = (0,)

    def find(self, pattern, text, kind=int):
        return kind(program.found(pattern, text, self.name))


def counted(sent, replies, seconds, right, errors=None):
    """Returns the sample of a generator that counts replies; `right` matches how many of them are NOERROR."""
    lossless = sent == replies > 0 and right is not None and int(right[1]) == replies and not errors
    note = f"{sent - replies} of {sent} without a reply"
    return Sample(sent, replies, seconds, lossless, f"{note}, errors {errors[1]}" if errors else note)


class Dnsgauge(Generator):
    name = "dnsgauge"
    # SIGINT ends sending that does not keep up, after twice the duration and this time for start and end.
    overtime = 1.5
    good_statuses = JUDGED

    def asks(self, _order):
        return {"names": SERVED_NAMES, "allow_repeats": True, "qtype": QTYPE}

    def command(self, order):
        # Other generators do not judge their own pace: for every generator the rate reached counts.
        return trial_words(order.result, **self.asks(order), rate=order.offered, duration=order.seconds,
                           timeout=order.timeout, max_lateness=PATIENCE, max_overrun=PATIENCE)

    def parse(self, output, order):
        return self.parse_result(order.result.read_text(encoding="ascii"))

    def parse_result(self, text, also=None):
        """Returns the sample of a trial; `also` is a class of invalid replies that count as replies here."""
        result = json.loads(text)
        replies = result["valid"] + result["invalid"].get(also, 0)
        return Sample(sent=result["sent"], replies=replies, seconds=result["sending"]["duration_ns"] / 1e9,
                      lossless=result["verdict"] == "pass" or replies == result["sent"] > result["valid"],
                      note=f"{result['verdict']}: {result['why']}", spoiled=result["stalls"]["decided"])


class Kxdpgun(Generator):
    name = "kxdpgun"
    leaves_program = True

    def command(self, order):
        return ["kxdpgun", "-i", order.names, "-t", order.seconds, "-Q", order.offered, "-F", generator_cpu(), "-I",
                "g0", SERVER_ADDRESS]

    def parse(self, output, order):
        return counted(self.find(r"^total queries:\s+(\d+)", output), self.find(r"^total replies:\s+(\d+)", output),
                       order.seconds, re.search(r"^responded NOERROR:\s+(\d+)", output, re.MULTILINE),
                       re.search(r", errors (\d+)", output))


class Dnsperf(Generator):
    name = "dnsperf"
    takes_any_rate = True

    def command(self, order):
        limit = [] if order.offered is None else ["-Q", order.offered]
        return ["dnsperf", "-s", SERVER_ADDRESS, "-d", order.names, "-l", order.seconds, "-t", order.timeout, "-c", 1,
                "-T", 1, *limit]

    def parse(self, output, order):
        return counted(self.find(r"^\s*Queries sent:\s+(\d+)", output),
                       self.find(r"^\s*Queries completed:\s+(\d+)", output),
                       self.find(r"^\s*Run time \(s\):\s+([\d.]+)", output, float),
                       re.search(r"^\s*Response codes:.*\bNOERROR (\d+)", output, re.MULTILINE))
