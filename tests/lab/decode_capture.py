# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a capture of a trial over TLS or QUIC holds, by tshark and the trial's --key-log: nothing here is dnsgauge's."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median_low

FIELDS = (
    "frame.time_epoch",
    "tcp.stream",
    "quic.connection.number",
    "tcp.dstport",
    "udp.dstport",
    "tls.handshake.type",
    "tls.handshake.extensions.psk.identity.selected",
    "dns.flags.response",
    "dns.qry.name",
    "dns.count.answers",
    "dns.flags.rcode",
)
FINISHED = "20"  # RFC 8446 section 4


@dataclass
class Decoded:
    """Counts of a capture's messages, and of the connections whose handshake the client finished."""

    queries: Counter[str] = field(default_factory=Counter)  # by name
    rcodes: Counter[str] = field(default_factory=Counter)  # of the answers
    empty: int = 0  # answers NOERROR without a record
    opened: set[str] = field(default_factory=set)
    resumed: set[str] = field(default_factory=set)
    rtts: list[float] = field(default_factory=list)  # of answers NOERROR with a record, seconds

    def median_rtt(self) -> float:
        return median_low(self.rtts)


def frames(capture: Path, keys: Path) -> Iterator[dict[str, list[str]]]:
    """Yields the values of FIELDS in each frame that tshark decodes."""
    words = ["tshark", "-r", str(capture), "-o", f"tls.keylog_file:{keys}", "-d", "udp.port==853,quic"]
    words += ["-Y", "dns or tls.handshake", "-T", "fields", "-E", "separator=|"]
    words += [word for name in FIELDS for word in ("-e", name)]
    said = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in said.splitlines():
        values = [value.split(",") if value else [] for value in line.split("|")]
        yield dict(zip(FIELDS, values, strict=True))


def messages(frame: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Yields the name, the RCODE and the number of records of each DNS message; a query's RCODE is empty."""
    rcodes = iter(frame["dns.flags.rcode"])  # only answers have one
    names, counts = frame["dns.qry.name"], frame["dns.count.answers"]
    for is_answer, name, records in zip(frame["dns.flags.response"], names, counts, strict=True):
        yield name, next(rcodes) if is_answer in ("1", "True") else "", records


def decode(capture: Path, keys: Path, port: int) -> Decoded:
    """Counts what went to the server's port and came back. Each query has a name of its own."""
    found = Decoded()
    asked: dict[str, float] = {}
    of_quic: set[tuple[str, str]] = set()
    for frame in frames(capture, keys):
        time = float(frame["frame.time_epoch"][0])
        connection = (frame["tcp.stream"] + frame["quic.connection.number"])[0]
        from_client = str(port) in frame["tcp.dstport"] + frame["udp.dstport"]
        if from_client and FINISHED in frame["tls.handshake.type"]:
            found.opened.add(connection)
        if not from_client and frame["tls.handshake.extensions.psk.identity.selected"]:
            found.resumed.add(connection)
        for name, rcode, records in messages(frame):
            assert from_client == (not rcode), frame
            # QUIC sends a stream's octets again if nobody acknowledges them, and tshark decodes them again.
            if frame["quic.connection.number"]:
                if (name, rcode) in of_quic:
                    continue
                of_quic.add((name, rcode))
            if from_client:
                found.queries[name] += 1
                asked[name] = time
                continue
            found.rcodes[rcode] += 1
            if rcode == "0" and records == "0":
                found.empty += 1
            elif rcode == "0":
                found.rtts.append(time - asked[name])
    found.resumed &= found.opened
    return found
