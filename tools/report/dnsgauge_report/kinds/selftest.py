# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Self-tests of the Tester: dnsgauge/selftest/1."""

from ..charts.rates import Bar, bars_chart, trials_chart
from ..document import Chart, Section, Table
from ..fields import Fields
from ..quantities import plural, rate_text
from ..tables import rows_of, table_of
from ..view import View
from .base import Compliance, Result, asked_tables, contradiction, ended, read_cover, read_settings
from .base import sentence, standing
from .search import spread_of

SCHEMA = "dnsgauge/selftest/1"


class Walked(View):
    """A placement of the Tester, and the rates that the searches with it found; 0: no rate.
    Without a `sender_queue` the sender had the usual one."""

    readers = {"settings": read_settings}

    @property
    def placement(self) -> str:
        queue = [] if self.sender_queue is None else [f"transmit queue {self.sender_queue:.0f}"]
        settings = (f"{name} {value}" for name, value in self.settings.items())
        return ", ".join([f"CPU {self.sender_cpu}", *queue, *settings])


class Stage(View):
    """A part of the Tester that was placed in several ways. `best` is a place in `walked`, from 1,
    and `found` says in words what it gains."""

    readers = {"walked": Walked, "found": lambda fields, name: sentence(fields.text(name))}

    def check(self, fields: Fields) -> None:
        if not 0 < self.best <= len(self.walked) or not all(one.rates for one in self.walked):
            raise fields.wrong("best", "the place of a placement that was walked", self.best)


class Placements(View):
    readers = {"stages": Stage}


class Asked(View):
    """A trial; `r` is the rate that the Tester is to be used at."""

    readers = {"r": Fields.positive}
    repetition = 1

    def check(self, fields: Fields) -> None:
        if self.valid > self.sent:
            raise contradiction(fields, f"{fields.name('valid')} is above the queries sent")


class Selftest(Result):
    """A self-test. `stopped_by` is the trial that failed right above `allowed_rate`."""

    readers = {
        "end": Fields.text_or,
        "timeout_s": Fields.positive,
        "duration_s": Fields.positive,
        "trials": Asked,
        "rfc8219": Compliance,
        "certificate": read_cover,
        "placements": Placements,
    }
    older = {"finished": "", "rfc8219": None}

    @property
    def decides(self) -> bool:
        return self.end not in ("interrupted", "invalid trial")

    @property
    def rates(self) -> list[float]:
        """Returns the allowed rate, if any, under the name that searches have for theirs."""
        return [self.allowed_rate] if self.allowed_rate else []

    def doubts(self) -> list[str]:
        doubts = []
        if not self.decides:
            doubts.append(f"The self-test did not come to its end ({self.end}): it tells nothing.")
        return [*doubts, *standing([], [self.certificate], self.rfc8219)]


read = Selftest


def findings(test: Selftest) -> list[str]:
    made = f"The self-test took {plural(len(test.trials), 'trial')} of {test.duration_s:g} s"
    made += f" against FakeDNS at {test.server}."
    if not test.decides:
        return [f"The self-test ended early ({test.end}), and decides nothing.", made]
    stopped = test.stopped_by
    if test.allowed_rate is None:
        none = f"The Tester may be used at no rate: {ended(stopped.why if stopped else test.end)}"
        return [none, made, "A lower --min-rate may be kept."]
    limit = "No higher rate was tried, so it may allow more."
    if stopped:
        limit = f"It is not fit for {rate_text(stopped.r)}: {ended(stopped.why)}"
    kept = f"it kept {rate_text(test.passed_rate)}, {2 * (1 + test.delta):.3g} times as many."
    return [f"The Tester may be used at up to {rate_text(test.allowed_rate)}: {kept}", made, limit]


def stages_of(test: Selftest) -> list[Stage]:
    return list(test.placements.stages) if test.placements else []


def walked(test: Selftest) -> tuple[list[Chart], list[Table]]:
    """Returns a chart and a table of the placements of each part."""
    charts, tables, stages = [], [], stages_of(test)
    for number, stage in enumerate(stages, 1):
        found = [(one.placement, spread_of(one.rates)) for one in stage.walked]
        bars = []
        for place, (placement, ends) in enumerate(found, 1):
            label = placement + (" (best)" if place == stage.best else "")
            bars.append(Bar(label, *ends, failure="" if max(ends[:3]) else "no rate passed"))
        title = f"Rates by placement of the {stage.part}"
        charts.append(bars_chart(bars, title, f"placements-{number}"))
        unwalked = test.placements.not_walked if stage is stages[-1] else ()
        notes = [stage.found, *map(sentence, unwalked)]
        rows = [(placement, *ends) for placement, ends in found]
        heads = ("placement", "median", "lowest", "highest", "searches")
        tables.append(Table(f"Placements of the {stage.part}", heads, rows, notes))
    return charts, tables


def section(test: Selftest) -> Section:
    levels = [("kept", test.passed_rate)] if test.passed_rate is not None else []
    drawn = (test.trials, "The self-test, trial by trial", levels, "valid")
    charts = [trials_chart(*drawn)] if test.trials else []
    columns = "trial=#; for queries/s=r; tried queries/s=rate; verdict; valid=valid/sent; why"
    told = "server; end; delta={0.delta:g}; timeout of the trials it is for=timeout_s;"
    asked = rows_of([test], f"{told} duration=duration_s; finished")
    title = f"Self-test {test.label}: a Tester and FakeDNS at {test.server}"
    said = [*findings(test), *(stage.found for stage in stages_of(test))]
    more_charts, more_tables = walked(test)
    tables = [*more_tables, table_of("Trials", test.trials, columns)]
    conditions = asked_tables(test.fields, asked)
    return Section(title, said, test.doubts(), [*charts, *more_charts], tables, conditions)
