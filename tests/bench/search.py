# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the highest rate at which nothing is lost, by trials of a constant rate.

Rates lie on a geometric grid. A rate is found when two trials at it were lossless, no trial at it lost a query, and the
next rate either lost queries or is beyond the generator's reach. The lower of the rates that the generator really
reached counts.
One failure is enough to go below a rate for the rest of the round. Only dnsgauge says which trials a stall of the
machine spoiled: such a trial is made again. For the others a stall costs a step, which the next round can win back.
"""

import math
from dataclasses import dataclass

LOWEST_RATE = 1000
FLOOD_RATE = 2_000_000  # of the first flood; doubled while a generator keeps it
KEPT = 0.95
SPOILED_TRIALS = 4  # at a rate, until the last one counts as not lossless
MOST_TRIALS = 60  # of a search; from any start eighteen find a rate where nothing stalls


@dataclass(frozen=True)
class Grid:
    step: float  # ratio of neighbours: the resolution

    def rate(self, index):
        return round(LOWEST_RATE * self.step**index)

    def index_below(self, rate):
        """Returns the highest index whose rate is at most this one, at least 0."""
        if rate <= LOWEST_RATE:
            return 0
        index = round(math.log(rate / LOWEST_RATE) / math.log(self.step))
        return index if self.rate(index) <= rate else index - 1


def search(grid, start, trial):
    """Returns the index that was found, or None: nothing was, in MOST_TRIALS at most. `trial(index)` makes a trial, and
    returns whether it was lossless and the rate that was reached. Strides from the start double, up or down; then they
    halve what is between."""
    passed = {}  # index: its lossless trials; none above a failed one
    failed, failures = math.inf, 0  # the lowest failed index; failures since the last lossless trial
    reach = math.inf  # the generator reaches no rate above the rate of this index
    index = start
    for _ in range(MOST_TRIALS):
        lossless, reached = trial(index)
        if lossless:
            passed[index] = passed.get(index, 0) + 1
            failures = 0
            if reached < grid.rate(index) / math.sqrt(grid.step):
                reach = min(reach, index)
        else:
            failed = min(failed, index)
            failures += 1
            passed = {one: trials for one, trials in passed.items() if one < failed}
        best = max(passed, default=None)
        limit = min(failed, reach + 1)
        if best is None:
            if failed == 0:
                return None
            index = max(failed - 2 ** (failures - 1), 0)
        elif limit - best > 1:
            index = best + 2 ** (len(passed) - 1) if limit == math.inf else (best + limit) // 2
        elif passed[best] > 1:
            return best
        else:
            index = best
    return None


class Turns:
    """A pair's turns. Each one is a flood, and then the search, which begins where the last one ended.

    The first turn has a trial of next to no queries before all others: what it costs to start the generator.
    `trial(round, purpose, offered)` makes a trial and returns its record; with `takes_any_rate` the generator can be
    asked to send without a limit (None). `most` is the rate of the first flood.
    """

    def __init__(self, trial, generator, server, takes_any_rate, grid, most=None, searches=True):
        self.trial, self.grid = trial, grid
        self.names = {"generator": generator, "server": server}
        self.flood_rate = None if takes_any_rate else most or FLOOD_RATE
        self.searches = searches
        self.start = None
        self.has_started = False

    def take(self, number):
        """Makes the turn of round `number`. Returns its record: `found` is the rate, `found_trials` are the numbers in
        `trials` of the two that count."""
        trials, numbers = [], {}  # the numbers of each rate's trials

        def make(purpose, offered):
            trials.append(self.trial(number, purpose, offered))
            numbers.setdefault(offered, []).append(len(trials) - 1)
            return trials[-1]

        def try_rate(index):
            offered = self.grid.rate(index)
            for _ in range(SPOILED_TRIALS):
                done = make("confirm" if offered in numbers else "search", offered)
                if not done["spoiled"]:
                    break
            return done["lossless"], done["sent_rate"]

        if not self.has_started:
            self.has_started = True
            make("start", LOWEST_RATE)
            numbers.clear()
        flood = make("flood", self.flood_rate)
        while self.flood_rate is not None and flood["sent_rate"] >= KEPT * self.flood_rate:
            self.flood_rate *= 2
            flood = make("flood", self.flood_rate)
        found_trials = []
        if flood["lossless"] and make("confirm", self.flood_rate)["lossless"]:
            found_trials = [len(trials) - 2, len(trials) - 1]
        elif self.searches:
            if self.start is None:
                self.start = self.grid.index_below(flood["sent_rate" if flood["lossless"] else "answered_rate"])
            numbers.clear()
            index = search(self.grid, self.start, try_rate)
            self.start = index or 0
            if index is not None:
                found_trials = [i for i in numbers[self.grid.rate(index)] if not trials[i]["spoiled"]]
        found = min((trials[i]["sent_rate"] for i in found_trials), default=None)
        return {"round": number, **self.names, "found": found, "trials": trials, "found_trials": found_trials}
