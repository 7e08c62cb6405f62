# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads every form of result that dnsgauge writes."""

import os
import re
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .errors import ReportError
from .fields import Fields, parse_json
from .kinds import bench, calibration, capture, doctor, experiment, gate, intervals
from .kinds import load_factor, loss_search, per_query, placement, probe, replay, search, selftest
from .kinds import series, soak, sweep, trial, windows
from .kinds.base import Result
from .quantities import clean
from .schemas import schema_of

# dnsgauge writes no larger JSON than this.
MOST_OCTETS = 1 << 30

# The modules of all kinds, in the order of a page.
KINDS: tuple[Any, ...] = (
    trial, search, experiment, selftest, calibration, per_query, intervals, sweep, windows, soak,
    replay, series, load_factor, loss_search, gate, bench, capture, probe, doctor, placement,
)  # fmt: skip
# Series of another kind are read by kinds.series.
SERIES: dict[str, Any] = {kind.KIND: kind for kind in KINDS if hasattr(kind, "KIND")}


def read_series(fields: Fields, label: str) -> Result:
    fields = series.series_in(fields)
    return SERIES.get(fields.text("kind"), series).read(fields, label)


READERS: dict[str, Callable[[Fields, str], Result]] = {
    kind.SCHEMA: kind.read for kind in KINDS if hasattr(kind, "SCHEMA")
} | dict.fromkeys((series.SCHEMA, *series.OLDER_SCHEMAS), read_series)
READERS[bench.ECHO_SCHEMA] = bench.read_echo
JOURNALS = (series.JOURNAL_SCHEMA, *series.OLDER_JOURNALS)


# What dnsgauge writes that is no result, and what it is.
NO_RESULTS = {
    "dnsgauge/options/1": "it describes the options of commands",
    "dnsgauge/placement-record/1": "it has what dnsgauge placement restore puts back; dnsgauge"
    " placement show --json tells how the machine is placed",
}
# In the first line of a file in the dns-metrics form, which has no field schema.
DNS_METRICS = re.compile(r'\{.{0,200}"schema_version"\s*:')


def read_all(paths: Sequence[str]) -> list[Result]:
    """Returns the results of the files, each with a label that no other has. Throws ReportError."""
    return [result for results in read_sets(paths) for result in results]


def read_sets(paths: Sequence[str]) -> list[list[Result]]:
    """Returns the results of each file, of which repeated trials have several."""
    return [read_one(path, label) for path, label in zip(paths, labels_of(paths))]


def labels_of(paths: Sequence[str]) -> list[str]:
    """Returns the files' names, with as many folders as it takes to tell the files apart."""
    for depth in range(1, 1 + max((len(Path(path).parts) for path in paths), default=0)):
        labels = ["/".join((*Path(path).parts[-depth:-1], Path(path).stem)) for path in paths]
        if len(set(labels)) == len(labels):
            return [clean(label) for label in labels]
    return [f"{clean(Path(path).stem)} ({number})" for number, path in enumerate(paths, 1)]


def read_text(path: str) -> str:
    """Returns what the file holds. Throws ReportError where it cannot be read, or is no text."""
    try:
        if Path(path).stat().st_size > MOST_OCTETS:
            raise ReportError(f"{path}: larger than {MOST_OCTETS >> 20} MiB: no result of dnsgauge")
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ReportError(f"{path}: no text in UTF-8: name a result of dnsgauge") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ReportError(f"{path}: cannot be read: {reason}") from error


def require_file(path: str) -> None:
    """Throws ReportError for a pipe or a device, which would be waited for, and is read once."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return  # whoever reads it says why
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise ReportError(f"{clean(path)}: it is a pipe or a device: name a regular file")


def read_one(path: str, label: str) -> list[Result]:
    where = clean(path)
    require_file(path)
    if per_query.is_per_query(path):
        return [per_query.read(path, where, label)]
    text = read_text(path)
    first, _, _ = text.partition("\n")
    # A journal has an object on each line; other results may have all on one line, too.
    if series.JOURNAL_HEAD.match(first):
        found = Fields(parse_json(first, f"{where} line 1"), where)
        schema = found.text("schema")
        if schema in JOURNALS:
            journal = series.Journal(text, where, label)
            return [SERIES.get(journal.kind, series).read_journal(journal)]
        raise ReportError(f"{where}: {complaint(schema)}")
    if intervals.is_csv(first):
        return [intervals.read_csv(text, where, label)]
    if sweep.is_csv(first):
        return [sweep.read_csv(text, where, label)]
    if DNS_METRICS.match(first):
        what = "it is in the dns-metrics form, for other programs"
        raise ReportError(f"{where}: {what}: name the file that --json wrote of the same trial")
    if not text.strip():
        raise ReportError(f"{where}: it is empty: was the program that writes it cut off?")
    if not text.lstrip().startswith(("{", "[")):
        what = "neither JSON nor a CSV file of queries, intervals or a sweep"
        raise ReportError(f"{where}: {what}: name the file that --json wrote")
    return read_object(parse_json(text, where), where, label)


def read_object(value: object, where: str, label: str, path: str = "") -> list[Result]:
    """Returns the results that an object of JSON is, by its schema."""
    fields = Fields(value, where, path)
    if not fields.has("schema"):
        raise ReportError(f"{where}: there is no field schema: no result of dnsgauge")
    schema = fields.text("schema")
    if schema not in (*READERS, trial.REPEATED_SCHEMA):
        raise ReportError(f"{where}: {complaint(schema)}")
    if schema not in series.OLDER_SCHEMAS:
        fields = Fields(value, where, path, schema_of(schema))
    if schema == trial.REPEATED_SCHEMA:
        return list(trial.read_repeated(fields, label))
    return [READERS[schema](fields, label)]


def complaint(schema: str) -> str:
    if schema in NO_RESULTS:
        return f"of the schema {schema}, no result: {NO_RESULTS[schema]}"
    named = re.fullmatch(r"(dnsgauge/[a-z-]+)/([0-9]{1,9})", schema)
    all_of_them = (*READERS, trial.REPEATED_SCHEMA, *JOURNALS)
    known = [one for one in all_of_them if named and one.rpartition("/")[0] == named[1]]
    if known:
        use = "use the dnsgauge-report of the version that wrote it"
        return f"it is of the schema {schema}, and this program knows {known[0]}: {use}"
    return f"its schema is {clean(schema)[:60]!r}: no result that can be shown"
