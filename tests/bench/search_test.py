#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the search for a lossless rate, on pairs whose limit is known."""

import unittest

from search import CONFIRMATIONS, EXTRA_TRIALS, NARROW, Grid, Search


class FakePair:
    """A pair that loses nothing up to `limit`; its generator sends at most `most`. The trials with
    the numbers in `stalls`, from 0, lose something at any rate."""

    def __init__(self, limit, most=float("inf"), stalls=()):
        self.limit = limit
        self.most = most
        self.stalls = stalls
        self.trials = 0

    def trial(self, offered):
        reached = min(offered, self.most)
        stalled = self.trials in self.stalls
        self.trials += 1
        return reached <= self.limit and not stalled, reached


def run(pair, start, trials=40, step=1.05):
    search = Search(Grid(step), start, trials)
    while (index := search.next_index()) is not None:
        lossless, reached = pair.trial(search.grid.rate(index))
        search.report(index, lossless, reached)
    return search


class GridTest(unittest.TestCase):
    def test_index_below_is_the_highest_rate_not_above(self):
        for step in (1.02, 1.05, 1.15, 2):
            grid = Grid(step)
            for index in range(0, 48, 7):
                rate = grid.rate(index)
                self.assertEqual(grid.rate(grid.index_below(rate)), rate)
                if index:
                    self.assertEqual(grid.rate(grid.index_below(rate - 1)), grid.rate(index - 1))

    def test_there_is_nothing_below_the_lowest(self):
        self.assertEqual(Grid(1.05).index_below(3), 0)


class SearchTest(unittest.TestCase):
    def test_finds_the_grid_rate_below_the_limit_from_any_start(self):
        grid = Grid(1.05)
        for limit in (1000, 1049, 1050, 55555, 1234567):
            for start in (0, 3, 60, 145, 200):
                search = run(FakePair(limit), start)
                self.assertEqual(search.found(), grid.rate(grid.index_below(limit)),
                                 f"limit {limit}, start {start}")

    def test_a_right_start_costs_three_trials(self):
        grid = Grid(1.05)
        pair = FakePair(500000)
        run(pair, grid.index_below(500000))
        self.assertEqual(pair.trials, 3)

    def test_a_start_far_off_is_left_in_few_trials(self):
        pair = FakePair(100000)
        run(pair, Grid(1.05).index_below(1000000))
        self.assertLessEqual(pair.trials, 14)

    def test_nothing_is_found_where_all_is_lost(self):
        search = run(FakePair(10), 20)
        self.assertIsNone(search.found())
        self.assertIsNone(search.best())

    def test_nothing_counts_that_was_not_confirmed(self):
        # One trial passes, and no later one.
        search = run(FakePair(100000, stalls=range(1, 100)), Grid(1.05).index_below(100000), trials=1)
        self.assertIsNone(search.found())

    def test_there_is_always_time_to_come_near_and_confirm(self):
        for start in (0, 10, 100, 200):
            for trials in range(1, 9):
                search = run(FakePair(1000000), start, trials)
                self.assertIsNotNone(search.found(), (start, trials))
                self.assertGreaterEqual(search.found() * 1.05**NARROW, 1000000, (start, trials))

    def test_what_is_far_below_the_limit_is_no_result(self):
        search = Search(Grid(1.05), 5, 10)
        for index, lossless in ((5, True), (5, True), (5 + NARROW + 1, False)):
            search.report(index, lossless, search.grid.rate(index))
        self.assertIsNone(search.found())
        search.report(5 + NARROW, False, search.grid.rate(5 + NARROW))
        self.assertEqual(search.found(), search.grid.rate(5))

    def test_a_confirmation_that_fails_after_many_failures_costs_a_step(self):
        grid = Grid(1.05)
        start = grid.index_below(200000)
        # The search goes five strides down and half way up again; then the rate found fails once.
        search = run(FakePair(52000, stalls=(9,)), start, trials=10)
        self.assertGreaterEqual(search.found() * 1.05**NARROW, 52000)

    def test_a_lower_rate_is_confirmed_when_a_higher_one_cannot_be(self):
        grid = Grid(1.15)
        start = grid.index_below(100000)
        # The start and the next rate pass, the rate beyond fails, and so does the next rate's
        # confirmation.
        search = run(FakePair(grid.rate(start + 1), stalls=(3,)), start, trials=3, step=1.15)
        self.assertEqual(search.found(), grid.rate(start))

    def test_the_limit_holds(self):
        most = 5 + EXTRA_TRIALS + CONFIRMATIONS
        for pair in (FakePair(100, stalls=range(100)), FakePair(10**9, stalls=range(1, 100)),
                     FakePair(10**30)):
            run(pair, 100, trials=5)
            self.assertLessEqual(pair.trials, most)

    def test_a_failed_confirmation_leads_below(self):
        grid = Grid(1.05)
        start = grid.index_below(100000)
        # The start passes, the next rate fails, and so does the start's confirmation.
        search = run(FakePair(100000, stalls=(2,)), start)
        self.assertEqual(search.found(), grid.rate(start - 1))

    def test_a_stall_costs_little(self):
        grid = Grid(1.05)
        start = grid.index_below(100000)
        search = run(FakePair(100000, stalls=(0,)), start)
        self.assertEqual(search.found(), grid.rate(start - 1))
        self.assertEqual(search.next_start(), start - 1)

    def test_what_counts_is_the_rate_reached(self):
        search = run(FakePair(10**9, most=54321), 10)
        self.assertEqual(search.found(), 54321)

    def test_no_trials_beyond_what_the_generator_reaches(self):
        pair = FakePair(10**9, most=54321)
        run(pair, Grid(1.05).index_below(100000))
        self.assertEqual(pair.trials, 2)

    def test_the_lower_of_both_rates_counts(self):
        search = Search(Grid(1.05), 5, 10)
        search.report(6, False, 1340)
        search.report(5, True, 1270)
        search.report(5, True, 1265)
        self.assertEqual(search.found(), 1265)

    def test_a_later_failure_takes_a_found_rate_back(self):
        search = Search(Grid(1.05), 5, 10)
        search.report(6, False, 1340)
        search.report(5, True, 1276)
        search.report(5, True, 1276)
        self.assertIsNotNone(search.found())
        search.report(5, False, 1276)
        self.assertIsNone(search.found())

    def test_the_next_round_begins_where_this_one_ended(self):
        grid = Grid(1.05)
        search = run(FakePair(500000), 100)
        self.assertEqual(search.next_start(), grid.index_below(500000))
        lost = run(FakePair(10), 3, trials=2)
        self.assertLess(lost.next_start(), 3)


if __name__ == "__main__":
    unittest.main()
