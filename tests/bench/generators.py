# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The generators: the command of each, and the parser of what it prints. The ways in which tools/bench has servers
asked: of each its generators and its servers.

A generator's command() gives the words, parse() a Sample from its output. All else that differs
is said by their attributes.
"""

import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import program
from lab import ECHOES, JUDGED, KINDS, QTYPE, SERVED_NAMES, SERVER_ADDRESS, ServerKind, dnsgauge_words, generator_cpu, \
    write_names

CONNECTIONS = 50
LISTED, SEED = 1_000_000, 13
OVER_TLS = ("--tls-self-signed", "--https-port", "443")  # of FakeDNS
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
        return dnsgauge_words("trial", json=order.result, **self.asks(order), rate=order.offered, max_overrun=PATIENCE,
                              duration=order.seconds, timeout=order.timeout, max_lateness=PATIENCE)

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


class DnsgaugeRange(Dnsgauge):
    name = "dnsgauge-range"


class DnsgaugeList(Dnsgauge):
    def asks(self, order):
        return {"queries": order.names}


class DnsgaugeStreams(Dnsgauge):
    def __init__(self, transport, what):
        self.options = {"transport": transport, "connections": CONNECTIONS, "acks": "quick",
                        "queries_per_connection": int(what == "single"), "pipeline": int(what == "alone")}

    def asks(self, order):
        return super().asks(order) | self.options


class DnsperfStreams(Dnsperf):
    def __init__(self, transport, what):
        self.words = ["-m", transport, "-c", CONNECTIONS,
                      *{"held": [], "alone": ["-q", CONNECTIONS], "single": ["-O", "num-queries-per-conn=1"]}[what]]
        if transport == "doh":
            self.words += ["-O", f"doh-uri=https://{SERVER_ADDRESS}/dns-query", "-O", "doh-method=POST"]

    def command(self, order):
        return [*super().command(order), *self.words]


class KxdpgunStreams(Kxdpgun):
    def command(self, order):
        return [*super().command(order), "-T"]

    def parse(self, output, order):
        return super().parse(output.replace("total SYNs:", "total queries:"), order)


class DnsgaugeEcho(Dnsgauge):
    """Takes its own query, which an echo returns without an answer and without AA, for a reply as well."""

    def asks(self, order):
        return super().asks(order) | {"accept_answers": "aa"}

    def parse_result(self, text):
        return super().parse_result(text, also="no_answer")


@dataclass(frozen=True)
class Way:
    generators: Sequence[Generator] = (Dnsgauge(), Kxdpgun(), Dnsperf())
    kinds: Sequence[ServerKind] = KINDS
    timeout: float = 0.25
    most: int | None = None  # the rate of the first flood: more needs more sockets than a process may have
    searches: bool = True
    names: str = SERVED_NAMES

    def write_names(self, path):
        write_names(path)


class ListWay(Way):
    def write_names(self, path):
        """Writes different names in an order of no meaning: neighbours in the list are not neighbours as names."""
        with open(path, "w", encoding="ascii") as file:
            for number in random.Random(SEED).sample(range(1 << 24), LISTED):
                file.write(f"010-{number >> 16:03}-{number >> 8 & 255:03}-{number & 255:03}.dns64perf.test A\n")


def streams(transport, what, most):
    """Returns the way over a transport. A query may wait for a connection, so a trial must be many timeouts long:
    otherwise it loses nothing at rates that the server does not bear."""
    kinds = KINDS if transport == "tcp" else [
        replace(kind, options=(*kind.options, *OVER_TLS)) for kind in KINDS if kind.program == "fakedns"]
    generators = [DnsgaugeStreams(transport, what), DnsperfStreams(transport, what)]
    if (transport, what) == ("tcp", "single"):  # kxdpgun does nothing else
        generators.append(KxdpgunStreams())
    return Way(generators, kinds, timeout=0.05, most=most)


WAYS = {
    "udp": Way(),
    "list": ListWay((DnsgaugeList(), DnsgaugeRange(), Kxdpgun(), Dnsperf()), KINDS[:1],
                    names=f"{LISTED} different names"),
    "echo": Way([DnsgaugeEcho()], [*KINDS[:2], *ECHOES], searches=False),
    "held": streams("tcp", "held", 300_000),
    "alone": streams("tcp", "alone", 300_000),
    "single": streams("tcp", "single", 50_000),
    "dot-alone": streams("dot", "alone", 100_000),
    "dot-single": streams("dot", "single", 2_000),
    "doh-alone": streams("doh", "alone", 60_000),
    "doh-single": streams("doh", "single", 2_000),
}
