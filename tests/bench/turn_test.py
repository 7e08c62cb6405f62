#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests turns of made-up pairs."""

import unittest
from types import SimpleNamespace

from search import Grid
from turn import FLOOD_RATE, START_RATE, PairsTurns


class FakePair:
    """A pair that sends at most `most` queries, of which at most `limit` are answered."""

    def __init__(self, limit, most, takes_any_rate=False, step=1.05):
        self.limit = limit
        self.most = most
        self.asked = []
        self.turns = PairsTurns(self.trial, "gun", "wall", takes_any_rate, Grid(step))

    def trial(self, number, purpose, offered):
        self.asked.append((purpose, offered))
        sent = self.most if offered is None else min(offered, self.most)
        return SimpleNamespace(purpose=purpose, offered=offered, sent_rate=sent,
                               answered_rate=min(sent, self.limit), lossless=sent <= self.limit)


class TurnTest(unittest.TestCase):
    def test_a_flood_without_loss_is_confirmed_and_ends_the_turn(self):
        pair = FakePair(limit=10**9, most=123456, takes_any_rate=True)
        turn = pair.turns.take(1, 9)
        self.assertEqual(pair.asked, [("start", START_RATE), ("flood", None), ("confirm", None)])
        self.assertEqual(turn.found, 123456)
        self.assertEqual([turn.trials[i].purpose for i in turn.found_trials], ["flood", "confirm"])

    def test_a_flood_that_is_kept_is_doubled(self):
        pair = FakePair(limit=10**9, most=3 * FLOOD_RATE)
        turn = pair.turns.take(1, 9)
        self.assertEqual([offered for _, offered in pair.asked[1:]],
                         [FLOOD_RATE, 2 * FLOOD_RATE, 4 * FLOOD_RATE, 4 * FLOOD_RATE])
        self.assertEqual(turn.found, 3 * FLOOD_RATE)
        pair.asked.clear()
        pair.turns.take(2, 9)
        self.assertEqual(pair.asked[0], ("flood", 4 * FLOOD_RATE))

    def test_a_flood_with_loss_begins_a_search(self):
        grid = Grid(1.05)
        pair = FakePair(limit=200000, most=900000)
        turn = pair.turns.take(1, 9)
        rate = grid.rate(grid.index_below(200000))
        self.assertEqual(turn.found, rate)
        self.assertEqual([turn.trials[i].offered for i in turn.found_trials], [rate, rate])
        self.assertEqual(turn.trials[1].purpose, "flood")

    def test_later_turns_begin_where_the_last_one_ended(self):
        pair = FakePair(limit=200000, most=900000)
        first = pair.turns.take(1, 9)
        second = pair.turns.take(2, 5)
        self.assertEqual(second.found, first.found)
        self.assertEqual(len(second.trials), 4)
        self.assertEqual(second.round, 2)

    def test_nothing_found_is_said(self):
        pair = FakePair(limit=0, most=900000)
        turn = pair.turns.take(1, 4)
        self.assertIsNone(turn.found)
        self.assertEqual(turn.found_trials, [])


if __name__ == "__main__":
    unittest.main()
