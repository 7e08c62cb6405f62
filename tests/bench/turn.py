# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A pair's turn in a round: a flood, then the search for the pair's highest lossless rate."""

from dataclasses import dataclass, field

from search import Search

FLOOD_RATE = 2_000_000  # of the first flood; doubled while a generator keeps it
KEPT = 0.95
START_RATE = 1000


@dataclass
class Turn:
    """The result of a turn. `found_trials` are the numbers in `trials` of the two that count."""

    round: int
    generator: str
    server: str
    found: float | None  # highest lossless rate; None: none was found and confirmed
    trials: list = field(default_factory=list)
    found_trials: list = field(default_factory=list)


class PairsTurns:
    """A pair's turns, each of which begins where the last one ended.

    The first one has a trial of next to no queries before all others: what it costs to start the
    generator. `trial(round, purpose, offered)` makes one; with `takes_any_rate` the generator can be asked to
    send without a limit (None).
    """

    def __init__(self, trial, generator, server, takes_any_rate, grid):
        self.trial = trial
        self.generator = generator
        self.server = server
        self.flood_rate = None if takes_any_rate else FLOOD_RATE
        self.grid = grid
        self.start = None
        self.has_started = False

    def take(self, number, trials):
        """Makes the turn of round `number`, with at most `trials` trials for the search."""
        turn = Turn(number, self.generator, self.server, None)

        def make(purpose, offered):
            turn.trials.append(self.trial(number, purpose, offered))
            return turn.trials[-1]

        if not self.has_started:
            self.has_started = True
            make("start", START_RATE)
        flood = self.flood(make)
        if flood.lossless and self.confirm_flood(turn, make):
            return turn
        if self.start is None:
            guess = flood.sent_rate if flood.lossless else flood.answered_rate
            self.start = self.grid.index_below(guess)
        self.search(turn, make, trials)
        return turn

    def flood(self, make):
        flood = make("flood", self.flood_rate)
        while self.flood_rate is not None and flood.sent_rate >= KEPT * self.flood_rate:
            self.flood_rate *= 2
            flood = make("flood", self.flood_rate)
        return flood

    def confirm_flood(self, turn, make):
        """The flood lost nothing. If a second one loses nothing too, there is no search."""
        again = make("confirm", self.flood_rate)
        if not again.lossless:
            return False
        turn.found_trials = [len(turn.trials) - 2, len(turn.trials) - 1]
        turn.found = min(turn.trials[i].sent_rate for i in turn.found_trials)
        return True

    def search(self, turn, make, trials):
        search = Search(self.grid, self.start, trials)
        at = {}  # index: numbers of its trials
        while (index := search.next_index()) is not None:
            purpose = "confirm" if index in search.passed else "search"
            done = make(purpose, self.grid.rate(index))
            at.setdefault(index, []).append(len(turn.trials) - 1)
            search.report(index, done.lossless, done.sent_rate)
        self.start = search.next_start()
        turn.found = search.found()
        if turn.found is not None:
            turn.found_trials = at[search.found_index()]
