# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The generators: the command of each, and the parser of what it prints.

A generator's command() gives the words, parse() a Sample from its output. All else that differs
is said by their attributes.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from errors import BenchError
from lab import BIN, SERVER_ADDRESS, generator_cpu
from servers import NAMES, QTYPE
from trial import Sample


PATIENCE = 3600  # seconds: longer than any trial


@dataclass(frozen=True)
class Order:
    """The task of a generator."""

    offered: int | None  # queries per second; None: no limit
    seconds: float
    timeout: float
    names: Path  # each line has a name and a type
    result: Path  # a file that the generator may write


class Dnsgauge:
    name = "dnsgauge"
    takes_any_rate = False  # the generator needs a rate
    leaves_program = False
    # SIGINT ends sending that does not keep up, after twice the duration and this time for start
    # and end.
    overtime = 1.5
    good_statuses = (0, 1, 3)

    def command(self, order):
        # Other generators do not judge their own pace: for every generator the rate reached counts.
        return [BIN / "dnsgauge", "trial", "--interface", "g0", "--server", SERVER_ADDRESS,
                "--names", NAMES, "--allow-repeats", "--qtype", QTYPE, "--rate", order.offered,
                "--duration", order.seconds, "--timeout", order.timeout, "--max-lateness",
                PATIENCE, "--max-overrun", PATIENCE, "--cpus", generator_cpu(), "--json", order.result]

    def parse(self, output, order):
        return self.parse_result(order.result.read_text(encoding="ascii"))

    def parse_result(self, text):
        result = json.loads(text)
        return Sample(sent=result["sent"], replies=result["valid"],
                      seconds=result["sending"]["duration_ns"] / 1e9,
                      lossless=result["verdict"] == "pass",
                      note=f"{result['verdict']}: {result['why']}")


class Kxdpgun:
    name = "kxdpgun"
    takes_any_rate = False
    leaves_program = True
    overtime = None
    good_statuses = (0,)

    def command(self, order):
        return ["kxdpgun", "-i", order.names, "-t", order.seconds, "-Q", order.offered, "-F",
                generator_cpu(), "-I", "g0", SERVER_ADDRESS]

    def parse(self, output, order):
        sent = find(r"^total queries:\s+(\d+)", output, self.name)
        replies = find(r"^total replies:\s+(\d+)", output, self.name)
        right = re.search(r"^responded NOERROR:\s+(\d+)", output, re.MULTILINE)
        errors = re.search(r", errors (\d+)", output)
        lossless = sent == replies > 0 and right is not None and int(right[1]) == replies
        note = f"{sent - replies} of {sent} without a reply"
        return Sample(sent, replies, order.seconds, lossless and not errors,
                      f"{note}, errors {errors[1]}" if errors else note)


class Dnsperf:
    name = "dnsperf"
    takes_any_rate = True
    leaves_program = False
    overtime = None
    good_statuses = (0,)

    def command(self, order):
        limit = [] if order.offered is None else ["-Q", order.offered]
        return ["dnsperf", "-s", SERVER_ADDRESS, "-d", order.names, "-l", order.seconds, "-t",
                order.timeout, "-c", 1, "-T", 1, *limit]

    def parse(self, output, order):
        sent = find(r"^\s*Queries sent:\s+(\d+)", output, self.name)
        replies = find(r"^\s*Queries completed:\s+(\d+)", output, self.name)
        seconds = find(r"^\s*Run time \(s\):\s+([\d.]+)", output, self.name, float)
        right = re.search(r"^\s*Response codes:.*\bNOERROR (\d+)", output, re.MULTILINE)
        lossless = sent == replies > 0 and right is not None and int(right[1]) == replies
        return Sample(sent, replies, seconds, lossless, f"{sent - replies} of {sent} without a reply")


GENERATORS = [Dnsgauge(), Kxdpgun(), Dnsperf()]


def find(pattern, text, who, kind=int):
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise BenchError(f"{who} says something unexpected: {text.strip()[-200:]!r}")
    return kind(match[1])
