#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the statistics against published answers. Each test names where the answer is from."""

import math
import unittest
from unittest import mock

from support import TOP

import numpy as np

import simulated_servers

from dnsgauge_report.statistics import Latency, breakpoint as breaks
from dnsgauge_report.statistics import factors, latency, samples, vectors

PAPER_TABLES = TOP / "tests" / "unit" / "data"

PLANT_GROWTH = {
    "ctrl": [4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14],
    "trt1": [4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69],
    "trt2": [6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26],
}
TOOTH_GROWTH = {
    ("VC", "0.5"): [4.2, 11.5, 7.3, 5.8, 6.4, 10.0, 11.2, 11.2, 5.2, 7.0],
    ("VC", "1"): [16.5, 16.5, 15.2, 17.3, 22.5, 17.3, 13.6, 14.5, 18.8, 15.5],
    ("VC", "2"): [23.6, 18.5, 33.9, 25.5, 26.4, 32.5, 26.7, 21.5, 23.3, 29.5],
    ("OJ", "0.5"): [15.2, 21.5, 17.6, 9.7, 14.5, 10.0, 8.2, 9.4, 16.5, 9.7],
    ("OJ", "1"): [19.7, 23.3, 23.6, 26.4, 20.0, 25.2, 25.8, 21.2, 14.5, 27.3],
    ("OJ", "2"): [25.5, 26.4, 22.4, 24.5, 24.8, 30.9, 26.4, 27.3, 29.4, 23.0],
}
SIRSTV = [
    [196.3052, 196.1240, 196.1890, 196.2569, 196.3403],
    [196.3042, 196.3825, 196.1669, 196.3257, 196.0422],
    [196.1303, 196.2005, 196.2889, 196.0343, 196.1811],
    [196.2795, 196.1748, 196.1494, 196.1485, 195.9885],
    [196.2119, 196.1051, 196.1850, 196.0052, 196.2090],
]


def paper_tables(name):
    """Returns the tables of a paper by number, each a dictionary of rows."""
    tables = {}
    for line in (PAPER_TABLES / name).read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if cells[0] == "table":
            rows = tables.setdefault(int(cells[1]), {})
        elif line and not line.startswith("#"):
            rows[cells[0]] = cells[1:]
    return tables


def with_moments(mean, covariance, count):
    """Returns values with exactly these means and covariances."""
    values = np.random.default_rng(0).normal(size=(count, len(mean)))
    values -= values.mean(axis=0)
    values = values @ np.linalg.cholesky(np.linalg.inv(np.cov(values.T)))
    return values @ np.linalg.cholesky(np.asarray(covariance)).T + np.asarray(mean)


class SamplesTest(unittest.TestCase):
    def test_mann_whitney_of_the_documentation_of_scipy(self):
        # scipy.stats.mannwhitneyu, example: exact p of the ages at a diagnosis.
        p_value = samples.mann_whitney([19, 22, 16, 29, 24], [20, 11, 17, 12])
        self.assertAlmostEqual(p_value, 0.1111111111, places=10)

    def test_mann_whitney_of_hollander_and_wolfe(self):
        # Hollander and Wolfe (1973), p. 69, and R's wilcox.test: W = 35, p = 0.1272.
        term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
        early = [1.15, 0.88, 0.90, 0.74, 1.21]
        self.assertAlmostEqual(samples.mann_whitney(term, early, "greater"), 0.1272, places=4)

    def test_ties_of_small_sets_are_counted_exactly(self):
        # Ranks are 1.5, 1.5, 3.5, 3.5, 5: of the 10 ways to choose two, two have a sum of 8.5.
        self.assertAlmostEqual(samples.mann_whitney([2, 3], [1, 2, 1], "greater"), 0.2)
        self.assertEqual(samples.mann_whitney([5, 5, 5], [5, 5]), 1.0)
        self.assertGreater(samples.mann_whitney([5], [5, 4, 4, 4, 4, 4]), 0.05)

    def test_two_swapped_sets_say_the_same(self):
        a, b = [100, 101, 101, 103], [102, 104, 101, 107, 105]
        one, other = samples.compare(a, b), samples.compare(b, a)
        self.assertAlmostEqual(one.p_value, other.p_value)
        self.assertAlmostEqual(one.ratio * other.ratio, 1)
        self.assertAlmostEqual(one.b_is_greater + other.b_is_greater, 1)

    def test_the_ratio_of_paper_002s_medians(self):
        # Tables 1 and 4 at 60 s: BIND 3471, mtd64-ng 2926, a ratio of 1.186.
        tables = paper_tables("paper_002_tables.tsv")
        a, b = ([float(x) for x in tables[n]["sample"][3].split()] for n in (1, 4))
        one = samples.compare(a, b)
        self.assertEqual((one.median_a, one.median_b), (2926, 3471))
        self.assertAlmostEqual(one.ratio, 3471 / 2926)
        self.assertTrue(one.interval.low < one.ratio < one.interval.high)
        self.assertGreater(one.interval.low, 1.18)
        self.assertTrue(one.differs)

    def test_what_papers_call_alike_does_not_differ_and_the_rest_does(self):
        # Table 1 and 2 at 60 s: 2926 at 1 s, 2920 at 0.5 s, scatter 1.7 and 1.5.
        tables = paper_tables("paper_002_tables.tsv")
        a, b = ([float(x) for x in tables[n]["sample"][3].split()] for n in (1, 2))
        one = samples.compare(a, b)
        self.assertTrue(one.differs)
        self.assertFalse(samples.compare(a, list(reversed(a))).differs)

    def test_how_many_runs_it_takes(self):
        # Two samples of 64 see half a standard deviation by Student's t (Cohen, 1988, table 2.4.1);
        # Mann-Whitney needs pi / 3 times as many: 67.
        scatter = math.log1p(0.05) / 0.5
        self.assertEqual(samples.runs_needed(0.05, scatter), 67)
        self.assertEqual(samples.runs_needed(0.05, 0.0), 4)
        self.assertEqual(samples.runs_needed(0.05, 0.0, 0.01), 5)
        self.assertEqual(
            [samples.fewest_runs(0.05 / figures) for figures in (1, 2, 6, 7)], [4, 5, 5, 6]
        )
        self.assertIsNone(samples.runs_needed(0.05, None))

    def test_three_and_three_can_never_differ(self):
        self.assertFalse(samples.compare([1, 2, 3], [11, 12, 13]).can_differ)
        self.assertIsNone(samples.compare([1, 2, 3], [11, 12, 13]).tellable)
        self.assertTrue(samples.compare([1, 2, 3, 4], [11, 12, 13, 14]).differs)

    def test_a_loss_is_shown_excluded_or_neither(self):
        a = [100, 101, 102, 103, 104]
        self.assertIs(samples.judge_loss(a, a, 0.05), samples.Verdict.KEPT)
        self.assertIs(samples.judge_loss(a, [x * 0.9 for x in a], 0.05), samples.Verdict.LOST)
        self.assertIs(samples.judge_loss(a, [x * 0.95 for x in a], 0.05), samples.Verdict.UNDECIDED)
        self.assertIs(samples.judge_loss([100], [50], 0.05), samples.Verdict.UNDECIDED)
        # More latency is worse.
        self.assertIs(samples.judge_loss(a, [x * 1.1 for x in a], -0.05), samples.Verdict.LOST)
        self.assertIs(samples.judge_loss(a, a, -0.05), samples.Verdict.KEPT)

    def test_what_is_no_set_is_refused(self):
        for values in ([], [0], [-1], [math.nan], [math.inf]):
            with self.assertRaises(ValueError):
                samples.compare(values, [1])


class VectorsTest(unittest.TestCase):
    # Rencher, Methods of Multivariate Analysis, table 5.1: psychological tests of 32 men and women.
    # Example 5.4.2: T2 = 97.6015. Stata's mvtest covariances: F = 1.354282822767436.
    MEN = [511 / 32, 509 / 32, 870 / 32, 728 / 32]
    WOMEN = [395 / 32, 445 / 32, 533 / 32, 702 / 32]
    OF_MEN = [
        [5.192540322580645, 4.545362903225806, 6.522177419354839, 5.25],
        [4.545362903225806, 13.184475806451612, 6.76008064516129, 6.266129032258064],
        [6.522177419354839, 6.76008064516129, 28.673387096774192, 14.46774193548387],
        [5.25, 6.266129032258064, 14.46774193548387, 16.64516129032258],
    ]
    OF_WOMEN = [
        [9.13608870967742, 7.549395161290322, 4.86391129032258, 4.151209677419355],
        [7.549395161290322, 18.60383064516129, 10.224798387096774, 5.445564516129032],
        [4.86391129032258, 10.224798387096774, 30.039314516129032, 13.493951612903226],
        [4.151209677419355, 5.445564516129032, 13.493951612903226, 27.995967741935484],
    ]

    def setUp(self):
        self.men = with_moments(self.MEN, self.OF_MEN, 32)
        self.women = with_moments(self.WOMEN, self.OF_WOMEN, 32)

    def test_hotelling_of_rencher(self):
        one = vectors.compare(self.men, self.women)
        self.assertIs(one.method, vectors.Method.HOTELLING)
        self.assertAlmostEqual(one.t2, 97.6015, places=4)
        self.assertEqual(one.freedom, (4, 59))
        self.assertTrue(one.differs)
        # Rencher's tests of the single variables find the first and the third one, too.
        self.assertEqual([step.differs for step in one.components], [True, False, True, False])

    def test_box_of_stata(self):
        self.assertAlmostEqual(vectors.box_m(self.men, self.women), 0.1949865290585139, places=7)

    def test_covariances_that_differ_ask_for_random_signs(self):
        wild = self.MEN + 30 * (self.women - self.WOMEN)
        one = vectors.compare(self.men, wild)
        self.assertIs(one.method, vectors.Method.SEPARATE)
        self.assertLess(one.box_p, 0.001)
        self.assertFalse(one.differs)

    def test_too_few_runs_for_a_covariance(self):
        a = np.hstack([self.men[:4], self.women[4:8]])
        one = vectors.compare(a, np.hstack([self.men[8:12] - 20, self.women[12:16]]))
        self.assertIs(one.method, vectors.Method.GREATEST)
        self.assertTrue(one.differs)
        self.assertFalse(vectors.compare(self.men[:3], self.women[:3] - 20).can_differ)

    def test_one_step_is_students_t(self):
        # Student (1908), R's sleep: t = -1.8608, p = 0.07919 with equal variances.
        one = [[x] for x in (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)]
        other = [[x] for x in (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)]
        found = vectors.compare(one, other)
        self.assertIs(found.method, vectors.Method.HOTELLING)
        self.assertAlmostEqual(found.t2, 1.8608**2, places=3)
        self.assertAlmostEqual(found.p_value, 0.07919, places=5)

    def test_runs_that_do_not_vary(self):
        same = [[100.0, 100.0]] * 5
        self.assertIs(vectors.compare(same, same).method, vectors.Method.EQUAL)
        # A step at which nothing varies tells nothing; the other one differs for certain.
        one = vectors.compare(same, [[100.0, 90.0]] * 5)
        self.assertTrue(one.differs)
        self.assertEqual([step.differs for step in one.components], [False, True])


class FactorsTest(unittest.TestCase):
    def test_anova_of_nist(self):
        # NIST Statistical Reference Datasets, SiRstv: certified to 15 digits.
        values = [value for group in SIRSTV for value in group]
        groups = [str(number) for number, group in enumerate(SIRSTV) for _ in group]
        analysis = factors.analyse({"instrument": groups}, values)
        (effect,) = analysis.effects
        self.assertAlmostEqual(effect.f_value, 1.18046237440255, places=9)
        self.assertAlmostEqual(effect.squares, 5.11462616000000e-02, places=9)
        self.assertAlmostEqual(analysis.residual_squares, 2.16636560000000e-01, places=9)

    def test_plant_growth_of_r(self):
        # Dobson (1983); R's aov, TukeyHSD and, for the letters, multcompView.
        values = [value for group in PLANT_GROWTH.values() for value in group]
        groups = [name for name, group in PLANT_GROWTH.items() for _ in group]
        analysis = factors.analyse({"group": groups}, values)
        self.assertAlmostEqual(analysis.effects[0].f_value, 4.846, places=3)
        self.assertAlmostEqual(analysis.effects[0].p_value, 0.01591, places=5)
        (levels,) = analysis.levels
        self.assertEqual(levels.names, ("trt2", "ctrl", "trt1"))
        self.assertEqual(levels.letters, ("a", "ab", "b"))
        p_values = {(pair.first, pair.second): pair.p_value for pair in levels.pairs}
        self.assertAlmostEqual(p_values["trt2", "ctrl"], 0.1979960, places=6)
        self.assertAlmostEqual(p_values["ctrl", "trt1"], 0.3908711, places=6)
        self.assertAlmostEqual(p_values["trt2", "trt1"], 0.0120064, places=6)
        # R's shapiro.test of the residuals: p = 0.4379; car's leveneTest: p = 0.3412.
        self.assertAlmostEqual(analysis.assumptions.normal, 0.4379, places=4)
        self.assertAlmostEqual(analysis.assumptions.equal, 0.3412, places=4)
        # R's oneway.test, variances not equal: p = 0.01739.
        self.assertAlmostEqual(analysis.assumptions.welch, 0.01739, places=5)
        self.assertTrue(analysis.assumptions.hold)

    def test_tooth_growth_of_r(self):
        # R's aov(len ~ supp * dose) and TukeyHSD.
        values, supplements, doses = [], [], []
        for (supplement, dose), group in TOOTH_GROWTH.items():
            values += group
            supplements += [supplement] * 10
            doses += [dose] * 10
        analysis = factors.analyse({"supp": supplements, "dose": doses}, values)
        found = {one.factors: (one.f_value, one.p_value) for one in analysis.effects}
        for names, f_value, p_value in (
            (("supp",), 15.572, 0.000231),
            (("dose",), 92.000, 0.0),
            (("supp", "dose"), 4.107, 0.021860),
        ):
            self.assertAlmostEqual(found[names][0], f_value, places=3)
            self.assertAlmostEqual(found[names][1], p_value, places=6)
        pairs = {(one.first, one.second): one for one in analysis.levels[1].pairs}
        for names, difference, low, high in (
            (("1", "0.5"), 9.130, 6.362488, 11.897512),
            (("2", "0.5"), 15.495, 12.727488, 18.262512),
            (("2", "1"), 6.365, 3.597488, 9.132512),
        ):
            self.assertAlmostEqual(pairs[names].difference, difference, places=3)
            self.assertAlmostEqual(pairs[names].interval.low, low, places=5)
            self.assertAlmostEqual(pairs[names].interval.high, high, places=5)
        self.assertAlmostEqual(pairs["2", "1"].p_value, 2.7e-6, places=7)

    def test_shares_of_the_scatter(self):
        # Partial eta squared is SS / (SS + SSE): of PlantGrowth 3.76634 / (3.76634 + 10.49209).
        values = [value for group in PLANT_GROWTH.values() for value in group]
        groups = [name for name, group in PLANT_GROWTH.items() for _ in group]
        (effect,) = factors.analyse({"group": groups}, values).effects
        self.assertAlmostEqual(effect.eta, 0.2641, places=4)
        # R's effectsize::omega_squared(aov(weight ~ group, PlantGrowth)): 0.20.
        self.assertAlmostEqual(effect.omega, 0.204, places=3)

    def test_letters(self):
        letters = factors.compact_letters
        self.assertEqual(letters("abc", []), ("a", "a", "a"))
        self.assertEqual(letters("abc", [("a", "b"), ("a", "c"), ("b", "c")]), ("a", "b", "c"))
        self.assertEqual(letters("abc", [("a", "c")]), ("a", "ab", "b"))
        # Piepho (2004), example 1: of eight treatments with these pairs different.
        names = [str(number) for number in range(6)]
        different = [("0", "3"), ("0", "4"), ("1", "4"), ("0", "5"), ("1", "5"), ("2", "5")]
        found = dict(zip(names, letters(names, different)))
        for one in names:
            for other in names:
                if one < other:
                    share = bool(set(found[one]) & set(found[other]))
                    self.assertEqual(share, (one, other) not in different, (one, other, found))

    def test_what_cannot_be_told_is_refused(self):
        for levels, values, complaint in (
            ({"a": ["x", "x"]}, [1, 2], "no factor has two levels"),
            ({"a": ["x", "y"]}, [1, 2], "no more values than effects"),
            ({"a": list("xxyy"), "b": list("ppqq")}, [1, 2, 4, 5], "always vary together"),
            ({"a": list("xxyy")}, [1, 1, 2, 2], "no scatter"),
        ):
            with self.assertRaisesRegex(ValueError, complaint):
                factors.analyse(levels, values)

    def test_combinations_that_were_not_measured_leave_interactions_out(self):
        levels = {"a": list("xxxxyy"), "b": list("ppqqpp")}
        analysis = factors.analyse(levels, [1, 2, 5, 6, 9, 8])
        self.assertEqual(len(analysis.effects), 2)
        self.assertIn("1 of 4 combinations", analysis.why_no_interactions)


class LatencyTest(unittest.TestCase):
    def test_percentiles_of_rfc_2330(self):
        # Section 11.3: of -2, 7, 7, 4, 18, -5 the 50th percentile is 4, the 25th -2, the 100th 18.
        rows = [
            (value, value, count) for value, count in ((-5, 1), (-2, 1), (4, 1), (7, 2), (18, 1))
        ]
        found = latency.percentiles(Latency("", rows, 6, 1000), [25, 50, 100])
        self.assertEqual(found.tolist(), [-2, 4, 18])

    def test_queries_without_an_answer_stand_at_the_timeout(self):
        run = Latency("", [(1, 2, 98)], 100, 1000)
        self.assertEqual(latency.percentiles(run, [98, 98.1, 100]).tolist(), [2, 1000, 1000])
        with self.assertRaises(ValueError):
            latency.percentiles(Latency("", [], 0, 1), [50])

    def test_shadings_that_do_not_overlap(self):
        def runs(values):
            return [Latency("", [(v, v, 900), (10 * v, 10 * v, 100)], 1000, 1e9) for v in values]

        fast, slow = latency.shading_of(runs([100, 104])), latency.shading_of(runs([120, 125]))
        (one,) = latency.apart(fast, slow)
        self.assertAlmostEqual(one.gaps[0], 120 / 104 - 1)
        self.assertAlmostEqual(one.to_percent, 100)
        self.assertLess(latency.apart(slow, fast)[0].gaps[-1], 0)
        self.assertEqual(latency.apart(fast, fast), [])
        self.assertAlmostEqual(latency.chance_apart(9, 9), 2 / 48620)


class BreakPointTest(unittest.TestCase):
    RATES = np.linspace(5000, 150000, 30)

    def test_exact_data_gives_its_own_figures_in_both_readings(self):
        for shape, sign in ((breaks.Shape.ABOVE, -1), (breaks.Shape.BELOW, 1)):
            rest = self.RATES - 61234
            bend = np.maximum(0, rest) if shape is breaks.Shape.ABOVE else np.minimum(0, rest)
            model = breaks.fit(self.RATES, 0.9 * self.RATES + sign * 3e-6 * bend**2)
            self.assertIs(model.chosen.shape, shape)
            self.assertTrue(model.breaks)
            self.assertAlmostEqual(model.chosen.breakpoint / 61234, 1, places=4)
            self.assertAlmostEqual(model.chosen.alpha, 0.9, places=5)
            self.assertAlmostEqual(model.chosen.beta * 1e6, sign * 3, places=3)

    def test_a_linear_hinge_and_a_hard_limit_give_their_own_figures(self):
        bent = 0.9 * self.RATES - 0.7 * np.maximum(0, self.RATES - 61234)
        for answered, shape, beta in (
            (bent, breaks.Shape.HINGE, -0.7),
            (0.9 * np.minimum(self.RATES, 61234), breaks.Shape.LIMIT, 0),
        ):
            model = breaks.fit(self.RATES, answered)
            self.assertIs(model.chosen.shape, shape)
            self.assertTrue(model.breaks and model.holds)
            self.assertAlmostEqual(model.chosen.breakpoint / 61234, 1, places=4)
            self.assertAlmostEqual(model.chosen.alpha, 0.9, places=5)
            self.assertAlmostEqual(model.chosen.beta, beta, places=4)

    def test_a_limit_behind_rates_that_were_answered_whole(self):
        # What a server of 20,000/s with a burst of a second answers in trials of two seconds.
        sent = np.linspace(10000, 60000, 11)
        scatter = np.random.default_rng(1).normal(size=11) * 30
        model = breaks.fit(sent, np.minimum(sent, 30000 + scatter))
        self.assertIs(model.chosen.shape, breaks.Shape.LIMIT)
        self.assertTrue(model.interval.holds(30000))
        self.assertGreater(model.interval.low, 29000)
        self.assertLess(model.interval.high, 31000)
        paper = next(one for one in model.fits if one.shape is breaks.Shape.ABOVE)
        self.assertTrue(paper.is_at_odds)

    def test_no_figure_where_no_model_fits(self):
        rates = self.RATES
        noise = np.random.default_rng(2).normal(size=30) * 100
        for what, answered in (
            ("collapses", np.where(rates <= 60000, rates, 15000 + noise)),
            ("recovers", np.minimum(rates, 60000) - 30000 * (np.abs(rates - 90000) < 15000)),
            ("waves", rates - 4000 * np.maximum(0, np.sin(rates / 12000)) + noise),
        ):
            with self.subTest(what):
                model = breaks.fit(rates, answered)
                self.assertTrue(model.breaks)
                self.assertFalse(model.holds)

    def test_intervals_hold_the_break_point_of_simulated_servers(self):
        with mock.patch.object(breaks, "RESAMPLES", 199):
            for shape in breaks.Shape:
                runs = [simulated_servers.server(shape, "share", seed) for seed in range(12)]
                fits = [(breaks.fit(one.sent, one.answered), one) for one in runs]
                told = [(one, run) for one, run in fits if one.breaks and one.holds]
                with self.subTest(shape):
                    self.assertGreaterEqual(len(told), 10)
                    held = sum(one.interval.holds(run.breakpoint) for one, run in told)
                    self.assertGreaterEqual(held, len(told) - 2)

    def test_a_straight_line_has_no_break(self):
        noise = np.random.default_rng(3).normal(size=30) * 200
        model = breaks.fit(self.RATES, self.RATES + noise)
        self.assertFalse(model.breaks)

    def test_too_few_rates_are_refused(self):
        with self.assertRaisesRegex(ValueError, "five different rates"):
            breaks.fit([1, 2, 3, 4, 4], [1, 2, 3, 4, 4])

    def test_the_same_data_gives_the_same_interval(self):
        noise = np.random.default_rng(4).normal(size=30) * 500
        answered = self.RATES - 3e-6 * np.maximum(0, self.RATES - 60000) ** 2 + noise
        one, other = (breaks.fit(self.RATES, answered) for _ in range(2))
        self.assertEqual(one.interval, other.interval)
        self.assertTrue(one.interval.holds(one.chosen.breakpoint))


if __name__ == "__main__":
    unittest.main()
