# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Series of trials, whatever chose them: dnsgauge/series/1, the forms that each kind had before,
and the journals of all of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, TypeVar

from ..document import Cell, Section, Table
from ..errors import ReportError
from ..fields import Fields, parse_json
from ..grouped import grouped
from ..quantities import clean, plural
from ..schemas import Schema, entry, member, of_kind
from ..tables import head_of, table_of
from ..view import View
from .base import Compliance, Result, asked_tables, caveats_of, contradiction, ended, read_cover
from .base import standing, told_fields
from .trial import Trial

SCHEMA = "dnsgauge/series/1"
JOURNAL_SCHEMA = "dnsgauge/series-journal/1"
# What older versions called the trials of each kind.
OLDER = {"search": "", "loss-search": "steps", "sweep": "steps", "soak": "rows", "replay": "runs"}
OLDER_SCHEMAS = {f"dnsgauge/{kind}/1": kind for kind in OLDER}
OLDER_JOURNALS = {f"dnsgauge/{kind}-journal/1": kind for kind in OLDER}
OLDER_NAMES = {"trials": "trials_made", "row_s": "duration_s"}
JOURNAL_HEAD = re.compile(r'\s*\{\s*"schema"\s*:\s*"dnsgauge/[a-z-]*journal/')
Made = TypeVar("Made", bound="Series")


def as_series(value: Any) -> Any:
    """Returns a result of an older form as dnsgauge/series/1, any other one as it is. What does not
    have the older form is left for whoever reads it to refuse."""
    kind = OLDER_SCHEMAS.get(str(value.get("schema"))) if isinstance(value, dict) else None
    if kind is None:
        return value
    made = {OLDER_NAMES.get(name, name): one for name, one in value.items() if name != OLDER[kind]}
    rows = value.get(OLDER[kind]) if OLDER[kind] else taken_out(made)
    if kind == "sweep" and "rates" in made:
        made["rates_wanted"] = made.pop("rates")
    if isinstance(rows, list):
        rows = [renamed(row, {"valid": "answered"}) for row in rows]
    if rows is not None:
        made["trials"] = rows
    return made | {"schema": SCHEMA, "kind": kind}


def series_in(fields: Fields, kind: str = "") -> Fields:
    """Returns the series that an object is, by the schema of its kind, which is `kind` unless any
    kind may be. Throws ReportError."""
    made = Fields(as_series(fields.value), fields.where, fields.path)
    found = made.text("kind")
    if kind and found != kind:
        raise made.wrong("kind", kind, found)
    return Fields(made.value, made.where, made.path, of_kind(found))


def renamed(row: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(row, dict):
        return row
    return {names.get(name, name): value for name, value in row.items()}


def taken_out(search: dict[str, Any]) -> Any:
    """Returns the trials that an older search has in its repetitions, and takes them out there."""
    repetitions = search.get("repetitions")
    rows: list[Any] = []
    if not isinstance(repetitions, list):
        return rows
    for number, one in enumerate(repetitions, 1):
        made = one.get("trials") if isinstance(one, dict) else None
        if not isinstance(made, list):
            return made
        rows += [row | {"repetition": number} if isinstance(row, dict) else row for row in made]
    search["repetitions"] = [
        {name: value for name, value in one.items() if name != "trials"} for one in repetitions
    ]
    return rows


def trial_schema(kind: str) -> Schema:
    return entry(member(of_kind(kind), "trials"))


class SeriesTrial(View):
    """A trial of a series. `answered` are the queries answered right and in time, and RTTs are
    theirs. `processes` are the server's after the trial; none where they are not known. `number`
    is the trial's place among all, from 1."""

    older = {"repetition": 0, "why": "", "late": 0, "invalid": 0, "lost": 0}

    def check(self, fields: Fields) -> None:
        if self.answered > self.sent:
            what = f"{fields.name('answered')} is {self.answered} of {self.sent} queries answered"
            raise ReportError(f"{fields.where}: {what}: a trial has no more answers than queries")

    @property
    def counts(self) -> bool:
        """Returns whether the trial tells anything about the server."""
        return bool(self.verdict != "invalid" and self.sent > 0)

    @property
    def share(self) -> float:
        return float(100 * self.answered / self.sent) if self.sent else 0.0

    @property
    def unanswered(self) -> int:
        return int(self.sent - self.answered)

    @property
    def loss(self) -> float:
        """Returns the percentage of the queries that were not answered right and in time."""
        return float(100 * self.unanswered / self.sent) if self.sent else 0.0

    @property
    def answered_rate(self) -> float:
        return float(self.rate * self.answered / self.sent)


def trial_row(trial: Trial) -> dict[str, Any]:
    rtt, conditions = trial.rtt_ns, trial.fields.inner_or_none("circumstances")
    row = {name: getattr(trial, name) for name in ("verdict", "why", "sent", "late", "lost")}
    row |= {name: trial.fields.value.get(name) for name in ("duration_s", "probe")}
    return row | {
        "rate": trial.fields.get("rate"),
        "started": conditions and conditions.value.get("started"),
        "answered": trial.valid,
        "invalid": trial.invalid_total,
        "rtt_p50_ns": rtt and rtt.p50,
        "rtt_p99_ns": rtt and rtt.p99,
        "rtt_mean_ns": rtt and rtt.mean,
    }


class Series(Result):
    """A series of trials, finished or not. `end` says how the series ended: "journal" where a
    journal was read, which does not tell it; empty in files that do not. `journal` has the whole
    trials where a journal was read. `view` reads a trial."""

    view: type[SeriesTrial] = SeriesTrial
    journal: Sequence[Trial] = ()
    readers = {
        "end": Fields.text_or,
        "rfc8219": Compliance,
        "selftest": read_cover,
        "certificate": read_cover,
        "caveats": caveats_of,
    }
    older = {"rfc8219": None, "invalid_trials": 0}
    # The list of which a file must have one, and what that one is.
    needs: tuple[str, str] | None = None
    # Members that a journal has as options, whose names have no unit, and what stands for an option
    # that was not given; none: it must be above zero.
    options: Mapping[str, float | None] = {}
    keeps_invalid = False

    def __init__(self, fields: Fields, label: str, **known: Any) -> None:
        trials = known.pop("trials", None)
        if trials is None and self.needs:
            fields.objects(*self.needs)
        trials = trials or numbered(self.view, fields.objects_or("trials"), label)
        super().__init__(fields, label, trials=trials, **known)

    @classmethod
    def of_journal(cls: type[Made], journal: Journal, **known: Any) -> Made:
        """Returns the series as far as its journal, and `known`, tell of it. Throws ReportError."""
        said, given = journal.said(), journal.options
        for name, usual in cls.options.items():
            option = head_of(name).replace(" ", "-")
            value = given.positive(option) if usual is None else given.number_or(option) or usual
            said[OLDER_NAMES.get(name, name)] = value
        trials = journal.made(cls.view, cls.told_by, cls.keeps_invalid)
        return cls(journal.header, journal.label, **(said | {"trials": trials} | known))

    @staticmethod
    def told_by(trial: Trial) -> dict[str, Any]:
        """Returns what a series of this kind tells of a trial besides what every series does."""
        return {}

    @property
    def is_journal(self) -> bool:
        return self.end == "journal"

    def heading(self, kind: str) -> str:
        read = f"Journal of the {kind}" if self.is_journal else kind.capitalize()
        return f"{read} {self.label}: {self.server}"

    def unfinished(self, command: str, holds: str, made: str) -> list[str]:
        """Returns the doubt that the series did not come to its end, or that a journal, which
        `holds` trials, does not tell. `made` says what there is."""
        if self.is_journal:
            whose = f"and not what dnsgauge {command} made of them"
            return [f"This is a journal: it holds {holds}, {whose}."]
        if self.end in ("", "complete", "above range", "not offered"):
            return []
        why = f" {ended(self.why)}" if self.why else ""
        return [f"The {command} did not come to its end ({self.end}): {made}.{why}"]

    def standing(self) -> list[str]:
        return standing(self.caveats, (self.selftest, self.certificate), self.rfc8219)

    def made_again(self, what: str, rest: str = "") -> list[str]:
        if not self.invalid_trials:
            return []
        return [f"{plural(self.invalid_trials, f'invalid {what}')} had to be made again{rest}."]

    def doubts_of(
        self, command: str, made: str, holds: str = "trials", rest: str = ""
    ) -> list[str]:
        """Returns the doubts of a series that has no more than all series may have."""
        unfinished = self.unfinished(command, holds, made)
        return [*unfinished, *self.made_again("trial", rest), *self.standing()]

    def conditions(self, asked: Sequence[Sequence[Cell]]) -> list[Table]:
        return asked_tables(self.fields, asked, (self.selftest, self.certificate))

    def told(self, *names: str) -> list[Table]:
        """Returns the conditions, where what was asked for is the server and these fields."""
        return self.conditions([("server", self.server), *told_fields(self.fields, names)])


def numbered(view: type[SeriesTrial], trials: Sequence[Fields], label: str) -> list[Any]:
    return [view(one, number=at, label=f"{label} {at}") for at, one in enumerate(trials, 1)]


def by_load(trials: Iterable[Any], load: str) -> dict[Any, list[Any]]:
    """Returns the trials of each load, ascending; `load` is the member that says it."""
    ordered = sorted(trials, key=lambda one: getattr(one, load))
    return grouped((getattr(one, load), one) for one in ordered)


def rtts_by_load(trials: Iterable[Any], load: str) -> list[tuple[Any, float, float, list[Any]]]:
    """Returns (load, median, 99th percentile, trials) of those with an RTT; medians of several."""
    points = []
    for at, found in by_load(trials, load).items():
        if known := [one for one in found if one.rtt_p50_ns is not None]:
            half = median(one.rtt_p50_ns for one in known)
            most = median(one.rtt_p99_ns or one.rtt_p50_ns for one in known)
            points.append((at, float(half), float(most), known))
    return points


class Journal:
    """A journal: its first line, by the schema of its kind, its trials, and other records. Half a
    last line, which a crash leaves, or a program that is just writing, is left out. The constructor
    throws ReportError."""

    def __init__(self, text: str, where: str, label: str) -> None:
        lines = text.split("\n")
        if text and not text.endswith("\n"):
            lines.pop()
        place = f"{where} line 1"
        header = Fields(parse_json(lines[0], place), place)
        self.label = label
        self.kind = OLDER_JOURNALS.get(header.text("schema")) or header.text("kind")
        self.header = Fields(header.value, place, schema=of_kind(self.kind))
        self.options = self.header.inner("options")
        self.records: list[Fields] = []
        self.trials: list[Trial] = []
        # What a trial itself does not tell: its repetition, and the server's processes.
        self.beside: list[dict[str, Any]] = []
        made_at: set[tuple[int, int]] = set()
        processes: Any = []
        for number, line in enumerate(lines[1:], 2):
            if not line.strip():
                continue
            place = f"{where} line {number}"
            record = Fields(parse_json(line, place), place)
            kind = record.text("record")
            if kind == "trial":
                made = Trial(record.inner("trial"), f"{label} {number - 1}")
                repetition, its_number = record.count("repetition"), record.count("number")
                # A trial that was invalid is made again in its place.
                if made.verdict != "invalid":
                    if (repetition, its_number) in made_at:
                        what = f"number is {its_number} for the second time in repetition"
                        raise contradiction(record, f"{what} {repetition}")
                    made_at.add((repetition, its_number))
                self.trials.append(made)
                self.beside.append({"repetition": repetition, "processes": processes})
            elif kind not in ("memory", "resumed", "range", "result"):
                use = "use the dnsgauge-report of the version that wrote it"
                raise ReportError(f"{place}: record is {clean(kind)[:40]!r}: {use}")
            processes = record.list_or("processes") if kind == "memory" else []
            self.records.append(record)

    def made(
        self,
        view: type[SeriesTrial],
        more: Callable[[Trial], dict[str, Any]],
        keeps_invalid: bool = False,
    ) -> list[Any]:
        """Returns the trials as a result has them, without those that tell nothing unless they are
        to be kept. `more`: what the kind tells of a trial besides."""
        schema = trial_schema(self.kind)
        rows = [
            Fields(trial_row(trial) | beside | more(trial), trial.fields.where, "trial", schema)
            for trial, beside in zip(self.trials, self.beside)
            if keeps_invalid or (trial.verdict != "invalid" and trial.sent)
        ]
        return numbered(view, rows, self.label)

    def said(self) -> dict[str, Any]:
        known: dict[str, Any] = {"end": "journal", "journal": self.trials}
        known["invalid_trials"] = sum(one.verdict == "invalid" for one in self.trials)
        if not self.trials:
            return known | {"server": self.options.text_or("server", "the server")}
        names = ("server", "why", "rfc8219", "selftest")
        return known | {name: getattr(self.trials[-1], name) for name in names}


# What follows is for kinds that have no module of their own.
COLUMNS = "queries/s=rate; repetition=repetition?; verdict; sent; answered; answered,"
COLUMNS += " %=answered/sent; RTT median=rtt_p50_ns; RTT p99=rtt_p99_ns"


read = Series


read_journal = Series.of_journal


def section(series: Series) -> Section:
    kind, made = clean(series.fields.text("kind")), plural(len(series.trials), "trial")
    doubts = series.doubts_of(kind, f"{made} were made")
    tables = [table_of("Trials", series.trials, COLUMNS)]
    said = (series.heading(kind), [f"The {kind} holds {made}."], doubts)
    return Section(*said, tables=tables, conditions=series.told("duration_s", "timeout_s"))
