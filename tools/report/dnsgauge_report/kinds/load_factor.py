# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The highest load factor that a resolver bears: dnsgauge/load-factor/1."""

from ..document import Chart, Section
from ..drawing import SERIES
from ..fields import Fields
from ..quantities import listing, plural
from . import replay as of_replay
from .base import Result, ended, sentence, whose_doubts
from .replay import Replay, unanswered_chart
from .series import series_in

SCHEMA = "dnsgauge/load-factor/1"
# dnsgauge compares latencies of no fewer runs.
RUNS_WITH_BANDS = 7


def read_factors(fields: Fields, name: str) -> list[int]:
    numbers = fields.numbers_or(name)
    if any(number < 1 or number != int(number) for number in numbers):
        raise fields.wrong(name, "a list of load factors", fields.get(name))
    return [int(number) for number in numbers]


class LoadFactor(Result):
    """Replays at ever other load factors, in their order; the first is the baseline, at 1.
    `load_factor` is the highest without overload; none where none is known."""

    readers = {"end": Fields.text_or, "factors": read_factors}

    @property
    def by_factor(self) -> list[tuple[int, Replay]]:
        return sorted(zip(self.factors, self.replays), key=lambda pair: pair[0])

    def near_the_limit(self, most: int) -> list[tuple[int, Replay]]:
        """Returns the baseline and those nearest to what the resolver bears, `most` in all."""
        baseline, *others = self.by_factor
        others.sort(key=lambda pair: abs(pair[0] - (self.load_factor or 0)))
        return sorted([baseline, *others[: most - 1]], key=lambda pair: pair[0])

    def doubts(self) -> list[str]:
        doubts = []
        if self.end not in ("", "complete"):
            doubts.append(f"The search for the load factor did not come to its end ({self.end}).")
        if one := self.undecided:
            told = f"The runs do not tell whether load factor {one.load_factor} is too much"
            doubts.append(f"{told} ({one.why}): allow more of them with --runs-most.")
        doubts += [sentence(doubt) for doubt in self.fields.texts_or("doubts")]
        if any(len(replay.trials) < RUNS_WITH_BANDS for replay in self.replays):
            runs = f"that takes {RUNS_WITH_BANDS} runs of each"
            doubts.append(f"Latencies were not compared at every load factor: {runs}.")
        caveat = sentence(self.caveat)
        of_replays = ((replay.label, replay.doubts()) for replay in self.replays)
        return [caveat, *doubts, *whose_doubts(of_replays, "", [caveat])]


def read(fields: Fields, label: str) -> LoadFactor:
    factors = read_factors(fields, "factors")
    replays = fields.objects_or("replays")
    # Only the last replay can have been cut short before its first run, and is left out then.
    if not replays or len(replays) not in (len(factors), len(factors) - 1):
        raise fields.wrong("replays", "a replay for each load factor", fields.get("replays"))
    made = [
        of_replay.read(series_in(one, of_replay.KIND), f"{factor}x")
        for factor, one in zip(factors, replays)
    ]
    return LoadFactor(fields, label, replays=made)


def findings(found: LoadFactor) -> list[str]:
    borne, over, undecided = found.load_factor, found.overload, found.undecided
    server = found.replays[0].server
    bears = f"The resolver {server} bears {borne} times the load of the captures"
    if borne is None:
        first = f"No load factor of the resolver {server} was tried to its end."
    elif undecided:
        below = f", and less than {over.load_factor} times" if over else ""
        first = f"{bears} or more{below}. The runs cannot tell about {undecided.load_factor} times:"
        first += f" {ended(undecided.why)}"
    elif over is None:
        first = f"{bears}, the most that was tried to its end, and perhaps more."
    else:
        first = f"{bears}. At {over.load_factor} times it is overloaded: {ended(over.why)}"
    tried = listing([str(factor) for factor in found.factors])
    runs = sum(len(replay.trials) for replay in found.replays)
    return [first, f"Load factors tried: {tried}, in {plural(runs, 'run')}."]


def section(found: LoadFactor) -> Section:
    shown = [replay for _, replay in found.near_the_limit(len(SERIES))]
    charts: list[Chart] = list(of_replay.group(shown).charts)
    if len(found.replays) > 1:
        charts.insert(0, unanswered_chart(found.by_factor, found.margin_percent))
    baseline = found.replays[0]
    title = f"Load factors {found.label}: {baseline.server}"
    tables = [of_replay.runs_table([replay for _, replay in found.by_factor])]
    conditions = of_replay.conditions_of(baseline)
    return Section(title, findings(found), found.doubts(), charts, tables, conditions)
