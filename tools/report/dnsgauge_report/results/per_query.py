# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Per-query files: a line for each query of a trial."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..errors import ReportError
from ..fields import Fields
from .base import Result
from .classes import CLASSES

HEAD = "number;query;sender;sent_ns;class;rtt_ns"
# Rows that are read at once. Their text fits a small memory.
CHUNK = 250_000
# Octets of a query's line: a name of 255 octets, and some room.
LONGEST_LINE = 4096
# Nanoseconds that a double holds exactly.
LARGEST = 2**53


@dataclass(frozen=True, kw_only=True)
class PerQuery(Result):
    """Each query: when it was sent, from the start of the trial, what became of it (an index into
    CLASSES), and its RTT, 0 where nothing came. Arrays of numpy, all of one length."""

    sent_ns: Any
    fate: Any
    rtt_ns: Any
    cut_off: bool

    @property
    def counts(self) -> dict[str, int]:
        import numpy

        found = numpy.bincount(self.fate, minlength=len(CLASSES))
        return {name: int(count) for name, count in zip(CLASSES, found) if count}

    @property
    def valid_rtts(self) -> Any:
        return self.rtt_ns[self.fate == CLASSES.index("valid")]

    def doubts(self) -> list[str]:
        doubts = [
            "The file tells neither the verdict nor the conditions: the trial's own JSON does."
        ]
        if self.cut_off:
            doubts.append("The last line is cut off, and was left out: queries are missing.")
        return doubts


def is_per_query(path: str) -> bool:
    """Returns whether the file begins as a per-query file does."""
    try:
        with open(path, "rb") as file:
            return file.read(len(HEAD)) == HEAD.encode()
    except (OSError, ValueError):
        return False


class Part(io.RawIOBase):
    """The first `octets` octets of a file, as a file."""

    def __init__(self, file: BinaryIO, octets: int) -> None:
        super().__init__()
        self.file = file
        self.left = octets

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self.file.read(min(len(buffer), self.left))
        buffer[: len(data)] = data
        self.left -= len(data)
        return len(data)


def whole_lines(path: str) -> tuple[int, bool]:
    """Returns how many octets the whole lines have, and whether that is all of the file."""
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - LONGEST_LINE))
        end = file.read()
    torn = len(end) - 1 - end.rfind(b"\n")
    return size - torn, torn == 0


def first_wrong(path: str) -> int:
    """Returns the number of the first line that is no query."""
    form = re.compile(
        rf"[0-9]+;[^;]*;[0-9]+;[0-9]{{1,18}};({'|'.join(CLASSES)});([0-9]{{1,18}})?\n"
    )
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        for number, line in enumerate(file, 1):
            is_lost = ";lost;" in line
            if number > 1 and not (form.fullmatch(line) and (is_lost or not line.endswith(";\n"))):
                return number
    return number


def read(path: str, where: str, label: str) -> PerQuery:
    """Returns the queries of the file. Throws ReportError, which names the line that is none."""
    try:
        import numpy
        import pandas
    except ImportError as error:
        raise ReportError(
            f"cannot read {where}: {error}: install the package python3-pandas"
        ) from error
    sent, fates, rtts = [numpy.empty(0, "int64")], [numpy.empty(0, "uint8")], [numpy.empty(0)]
    codes = {name: code for code, name in enumerate(CLASSES)}
    try:
        octets, is_whole = whole_lines(path)
        with open(path, "rb") as file:
            chunks = pandas.read_csv(
                io.BufferedReader(Part(file, octets)),
                sep=";",
                usecols=["sent_ns", "class", "rtt_ns"],
                dtype={"sent_ns": "int64", "class": "category", "rtt_ns": "float64"},
                chunksize=CHUNK,
                keep_default_na=False,
                skip_blank_lines=False,
                na_values={"rtt_ns": [""]},
                quoting=csv.QUOTE_NONE,
                encoding_errors="replace",
            )
            for chunk in chunks:
                sent.append(chunk["sent_ns"].to_numpy())
                rtts.append(chunk["rtt_ns"].to_numpy())
                fates.append(chunk["class"].map(codes).astype("uint8").to_numpy())
    except OSError as error:
        raise ReportError(f"{where}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        # pandas' own errors are ValueErrors, too, and name no line.
        raise no_query(path, where) from error
    all_sent, fate, rtt = map(numpy.concatenate, (sent, fates, rtts))
    if not len(fate):
        raise ReportError(f"{where}: it holds no query: name the file of a trial that has ended")
    unanswered = numpy.isnan(rtt)
    is_lost = fate == CLASSES.index("lost")
    with numpy.errstate(invalid="ignore"):
        wrong = (all_sent < 0) | (rtt < 0) | (rtt >= LARGEST) | (unanswered & ~is_lost)
    if wrong.any() or (all_sent >= LARGEST).any():
        raise no_query(path, where)
    return PerQuery(
        label=label,
        fields=Fields({}, where),
        sent_ns=all_sent,
        fate=fate,
        rtt_ns=numpy.where(unanswered, 0, rtt).astype("int64"),
        cut_off=not is_whole,
    )


def no_query(path: str, where: str) -> ReportError:
    return ReportError(
        f"{where} line {first_wrong(path)}: it is no query: is the file damaged or edited?"
    )
