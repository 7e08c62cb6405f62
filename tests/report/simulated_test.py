#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests how often the statistics are wrong where the truth is known: data of many seeds."""

import unittest

from support import TOP  # noqa: F401: finds the package

import numpy as np
from scipy import stats

import simulated_servers

from dnsgauge_report.statistics import ALPHA, breakpoint as breaks, factors, samples, vectors

# Fewer random numbers than in use: they cost most of the time, and make intervals no better.
vectors.FLIPS = 499
breaks.RESAMPLES = 499
samples.RESAMPLES = 999

SEEDS = 400
# In SEEDS runs a right test raises FEWEST to MOST false alarms, except one time in a hundred.
FEWEST, MOST = (int(bound) for bound in stats.binom.interval(0.99, SEEDS, ALPHA))
# Servers of each kind, and how often intervals that are to hold the truth 95 times of 100 do so at
# least, less what chance takes from so few servers.
FITS = 100
COVERED = 0.90


def rates(random, mean, count=20):
    """Returns what searches find: whole rates, skewed, as an unlucky trial makes a result lower."""
    return np.round(
        mean * (1 + 0.01 * random.normal(size=count) - 0.005 * random.exponential(size=count))
    )


class AlarmsTest(unittest.TestCase):
    def check_alarms(self, alarms, fewest=FEWEST):
        count = sum(alarms)
        self.assertEqual(len(alarms), SEEDS)
        self.assertTrue(fewest <= count <= MOST, f"{count} false alarms of {SEEDS}")

    def test_equal_searches_differ_in_5_of_100(self):
        alarms = []
        for seed in range(SEEDS):
            random = np.random.default_rng(seed)
            alarms.append(samples.mann_whitney(rates(random, 1e5), rates(random, 1e5)) <= ALPHA)
        self.check_alarms(alarms)

    def test_few_equal_searches_never_differ_more_often(self):
        alarms = []
        for seed in range(SEEDS):
            random = np.random.default_rng(seed)
            # Rates of a coarse resolution: many are equal.
            a, b = (np.round(rates(random, 1e5, 6), -3) for _ in range(2))
            alarms.append(samples.mann_whitney(a, b) <= ALPHA)
        self.check_alarms(alarms, fewest=0)

    def test_equal_vectors_differ_in_5_of_100(self):
        for count, scatter_b in ((10, 1), (10, 3), (4, 1)):
            alarms = []
            for seed in range(SEEDS):
                random = np.random.default_rng(seed)
                # Neighbouring steps of a run have something in common.
                mixing = np.array([[1, 0, 0], [0.7, 0.7, 0], [0.5, 0.5, 0.7]])
                a, b = (random.normal(size=(count, 3)) @ mixing.T for _ in range(2))
                alarms.append(vectors.compare(99 + a, 99 + scatter_b * b).differs)
            with self.subTest(count=count, scatter_b=scatter_b):
                # Four runs have 70 permutations: not every chance can be met.
                self.check_alarms(alarms, FEWEST if count > 4 else 0)

    def test_factors_that_do_nothing_matter_in_5_of_100(self):
        levels = {"server": list("aaaabbbbcccc"), "cores": list("121212121212")}
        alarms = []
        for seed in range(SEEDS):
            values = np.random.default_rng(seed).normal(1e5, 1e3, size=12)
            alarms.append(factors.analyse(levels, values).effects[0].matters)
        self.check_alarms(alarms)

    def test_a_loss_at_the_limit_is_called_so_in_5_of_100(self):
        alarms = []
        for seed in range(SEEDS):
            random = np.random.default_rng(seed)
            verdict = samples.judge_loss(rates(random, 1e5), rates(random, 95e3), 0.05)
            alarms.append(verdict is samples.Verdict.LOST)
        self.check_alarms(alarms)


class PowerTest(unittest.TestCase):
    def test_the_difference_that_can_be_told_is_told_80_times_of_100(self):
        for count in (4, 5, 8, 20):
            effect = samples.smallest_effect(count, count)
            random = np.random.default_rng(count)
            seen = [
                samples.mann_whitney(random.normal(size=count), random.normal(size=count) + effect)
                <= ALPHA
                for _ in range(SEEDS)
            ]
            with self.subTest(count=count):
                self.assertTrue(0.74 <= np.mean(seen) <= 0.86, np.mean(seen))

    def test_intervals_of_the_ratio_hold_it(self):
        for count, fewest in ((5, 0.85), (20, 0.90)):
            held = []
            for seed in range(100):
                random = np.random.default_rng(seed)
                found = samples.interval_of(
                    rates(random, 1e5, count), rates(random, 1.05e5, count), np.divide
                )
                held.append(found.holds(1.05))
            with self.subTest(count=count):
                self.assertGreaterEqual(np.mean(held), fewest)


class BreakPointTest(unittest.TestCase):
    def test_intervals_hold_the_break_point_of_every_shape(self):
        for shape in breaks.Shape:
            for scatter in simulated_servers.SCATTERS:
                for rates, repeat in ((30, 1), (11, 3)):
                    told = held = 0
                    for seed in range(FITS):
                        run = simulated_servers.server(shape, scatter, seed, rates, repeat)
                        model = breaks.fit(run.sent, run.answered)
                        if model.breaks and model.holds:
                            told += 1
                            held += model.interval.holds(run.breakpoint)
                    with self.subTest(shape=shape, scatter=scatter, rates=rates, repeat=repeat):
                        print(
                            f"{shape.name} {scatter} {rates}x{repeat}: {held} of {told} of {FITS}"
                        )
                        self.assertGreaterEqual(told, FITS * 0.75)
                        self.assertGreaterEqual(held, told * COVERED)

    def test_straight_lines_break_in_5_of_100(self):
        sent = np.linspace(5000, 150000, 25)
        for scatter in (500, np.linspace(10, 2000, 25)):
            found = 0
            for seed in range(SEEDS):
                noise = np.random.default_rng(seed).normal(size=25) * scatter
                found += breaks.straight_p(sent, sent + noise) <= ALPHA
            with self.subTest(scatter=scatter):
                self.assertLessEqual(found, MOST)


if __name__ == "__main__":
    unittest.main()
