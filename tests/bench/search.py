# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the highest rate at which nothing is lost, by trials of a constant rate.

Rates lie on a geometric grid. A rate is found when two trials at it were lossless and none
was not; what counts is the lower of the rates the generator really reached in them. One failure is
enough to go below a rate for the rest of the round, so a stall of the machine costs a step, which
the next round can win back.
"""

import math
from dataclasses import dataclass

LOWEST_RATE = 1000
CONFIRMATIONS = 2  # trials beyond the limit that confirm a rate that was lossless once
NARROW = 4  # most indices between the best rate and a failed one: a failure further off says little
EXTRA_TRIALS = 16  # trials beyond the limit that come as near as NARROW


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


class Search:
    """One round's search: call next_index() until it returns None, and report() after each trial.
    `trials` limits the trials that find the rate. Confirming it, and coming near it at all, may
    take more trials."""

    def __init__(self, grid, start, trials):
        self.grid = grid
        self.start = max(start, 0)
        self.left = trials
        self.extra = EXTRA_TRIALS
        self.failures = 0  # since the last lossless trial
        self.passed = {}  # index: rates reached in its lossless trials
        self.failed = set()
        self.ceiling = math.inf  # the generator reaches no rate above the rate of this index

    def report(self, index, lossless, reached):
        if self.left <= 0 and not self.is_narrow():
            self.extra -= 1
        else:
            self.left -= 1
        if not lossless:
            self.failures += 1
            self.failed.add(index)
            return
        self.failures = 0
        self.passed.setdefault(index, []).append(reached)
        if reached < self.grid.rate(index) / math.sqrt(self.grid.step):
            self.ceiling = min(self.ceiling, index)

    def lowest_failed(self):
        return min(self.failed, default=math.inf)

    def best(self):
        """Returns the highest lossless index below all failed ones, or None."""
        return max((i for i in self.passed if i < self.lowest_failed()), default=None)

    def limit(self):
        """Returns the lowest index that need not be tried."""
        return min(self.lowest_failed(), self.ceiling + 1)

    def is_narrow(self):
        """Is the best index near a failed one, or near the generator's limit?"""
        best = self.best()
        return self.lowest_failed() == 0 or best is not None and self.limit() - best <= NARROW

    def found_index(self):
        """Returns the highest confirmed index, or None: one far below the limit is no result."""
        return max((i for i, rates in self.passed.items()
                    if i < self.lowest_failed() and self.limit() - i <= NARROW and len(rates) > 1),
                   default=None)

    def found(self):
        """Returns the rate that was found and confirmed, or None."""
        index = self.found_index()
        return None if index is None else min(self.passed[index])

    def next_index(self):
        """Returns the next trial's index, or None when the search is over."""
        best, failed = self.best(), self.lowest_failed()
        confirmed = best is not None and len(self.passed[best]) > 1
        if self.left <= 0 and (self.is_narrow() or self.extra <= 0):
            return None if best is None or confirmed or self.left <= -CONFIRMATIONS else best
        if best is None:
            return self.below(failed)
        if self.limit() - best > 1:
            return self.between(best, self.limit())
        return None if confirmed else best

    def below(self, failed):
        """Steps down from the start, by strides that double."""
        if not self.failed:
            return self.start
        if failed == 0:
            return None
        return max(failed - 2 ** max(self.failures - 1, 0), 0)

    def between(self, best, limit):
        """Steps up by strides that double, or half way to the lowest failed index."""
        if limit == math.inf:
            return best + 2 ** (len(self.passed) - 1)
        return (best + limit) // 2

    def next_start(self):
        """Returns the index at which the next round should begin."""
        best = self.best()
        if best is not None:
            return best
        return max(self.lowest_failed() - 1, 0) if self.failed else self.start
