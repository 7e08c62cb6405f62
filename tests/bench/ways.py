# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The ways in which tools/bench has servers asked: of each its generators and its servers."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from generators import Dnsgauge, Dnsperf, Generator, Kxdpgun
from lab import ECHOES, KINDS, SERVED_NAMES, SERVER_ADDRESS, ServerKind
from measure import write_names

CONNECTIONS = 50
LISTED, SEED = 1_000_000, 13
OVER_TLS = ("--tls-self-signed", "--https-port", "443")  # of FakeDNS


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
