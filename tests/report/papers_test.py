#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the figures that papers draw of experiments, by the papers' own figures: paper 000 (Lencse,
IEEE Access, 2020) prints medians, percentiles and dispersions, paper 002 (Lencse, Georgescu,
Kadobayashi, 2017) rates by share."""

import unittest

from made_up_sets import experiment, search
from statistics_test import paper_tables
from support import FiguresTest

from dnsgauge_report.kinds.search import median, percentile
from dnsgauge_report.kinds.search import dispersion
from dnsgauge_report.statistics import dns64

TABLES_000 = paper_tables("paper_000_tables.tsv")
TABLES_002 = paper_tables("paper_002_tables.tsv")


def rates_of(table, column):
    """Returns three rates with the percentiles and the median that the paper prints."""
    return sorted(float(table[name][column]) for name in ("p1", "median", "p99"))


def numbers(words):
    return [float(word) for word in words]


class StatisticsOfPapersTest(unittest.TestCase):
    def test_dispersions_of_paper_000(self):
        checked = 0
        for number, table in TABLES_000.items():
            for column, printed in enumerate(table["dispersion"]):
                with self.subTest(table=number, column=column):
                    self.assertAlmostEqual(
                        dispersion(rates_of(table, column)), float(printed), delta=0.0051
                    )
                    checked += 1
        self.assertGreater(checked, 100)

    def test_percentiles_of_paper_002(self):
        for number in range(1, 6):
            table = TABLES_002[number]
            for column, sample in enumerate(table["sample"]):
                rates = numbers(sample.split())
                with self.subTest(table=number, column=column):
                    self.assertEqual(len(rates), 20)
                    told = (median(rates), percentile(rates, 1), percentile(rates, 99))
                    printed = tuple(float(table[name][column]) for name in ("median", "p1", "p99"))
                    self.assertEqual(told, printed)

    def test_the_model_of_paper_002_table_6(self):
        table = TABLES_002[6]
        points = [
            (0.0, float(share) / 100, float(rate))
            for share, rate in zip(table["aaaa"], table["median"])
        ]
        model = dns64.fit(points)
        # The same as dnsgauge's own model finds.
        self.assertAlmostEqual(model.rate(0, 0), 3677, delta=0.5)
        self.assertAlmostEqual(model.rate(0, 1), 5959, delta=0.5)
        self.assertAlmostEqual(model.tc + model.ta, 1.678e-4, delta=6e-8)
        self.assertAlmostEqual(model.ta + model.ts, 1.041e-4, delta=6e-8)

    def test_the_model_of_paper_002_table_7(self):
        table = TABLES_002[7]
        points = [
            (float(share) / 100, 0.0, float(rate))
            for share, rate in zip(table["cached"], table["median"])
        ]
        model = dns64.fit(points)
        self.assertAlmostEqual(model.tc, 2.99e-5, delta=3e-8)
        self.assertAlmostEqual(model.rate(0.8, 0), 12733, delta=0.5)
        worst = max(abs(model.rate(share, 0) / rate - 1) for share, _, rate in points)
        self.assertAlmostEqual(100 * worst, 4.40, delta=0.005)

    def test_a_server_that_follows_the_model_is_found(self):
        true = dns64.Dns64Model(3e-5, 9e-5, 2e-5)
        grid = [(cached, aaaa) for cached in (0, 0.2, 0.6, 1) for aaaa in (0, 0.5, 1)]
        found = dns64.fit([(*point, true.rate(*point)) for point in grid])
        for name in ("tc", "ta", "ts"):
            self.assertAlmostEqual(getattr(found, name) / getattr(true, name), 1)
        with self.assertRaises(ValueError):
            dns64.fit([(0.5, 0.5, 1000.0), (0.5, 0.5, 1001.0)])


class FiguresOfPapersTest(FiguresTest):
    def test_bars_by_cores_and_server_of_paper_000(self):
        # Tables 3 (BIND) and 21 (YADIFA), both of TS1; the columns of other timeouts are left out.
        tables = {"BIND": TABLES_000[3], "YADIFA": TABLES_000[21]}
        cells = [
            ({"server": server, "cores": cores}, rates_of(table, column))
            for server, table in tables.items()
            for column, cores in enumerate(table["setting"][:5])
        ]
        made = experiment(cells)
        made["cells"][4]["search"]["tester_limit"] = "the self-test allows no more"
        page = self.drawn(made)
        for title in ("Medians", "1st percentiles"):
            self.assertIn(f"<h3>{title}</h3>", page)
        for name, row in (("medians-1", "median"), ("p1-1", "p1")):
            bars = {
                (bar["server"], bar["CPU cores"]): (float(bar["rate"]), bar["tester_limited"])
                for bar in self.data(name)
            }
            self.assertEqual(len(bars), 10)
            self.assertEqual(bars["BIND", "8"], (float(tables["BIND"][row][3]), "0"))
            self.assertEqual(bars["YADIFA", "1"][0], float(tables["YADIFA"][row][0]))
            self.assertEqual(bars["BIND", "16"][1], "1")
        self.assertIn("Hatched: the Tester was the limit", page)
        self.assertIn("below 100 results the least and the greatest", page)

    def test_all_results_of_each_cell(self):
        # Table 1 of paper 002: 20 results for each of four durations.
        table = TABLES_002[1]
        cells = [
            ({"server": "mtd64-ng", "duration": duration}, numbers(sample.split()))
            for duration, sample in zip(table["duration"], table["sample"])
        ]
        page = self.drawn(experiment(cells))
        self.assertIn("<h3>How the results scatter</h3>", page)
        self.assertIn("N = 20 results each.", page)
        rows = self.data("results-1")
        self.assertEqual(len(rows), 80)
        self.assertEqual(float(rows[0]["rate"]), float(table["p1"][0]))
        self.assertAlmostEqual(float(rows[0]["percent_from_median"]), 100 * (3442 / 3448 - 1))

    def test_rates_by_share_with_the_models_curve(self):
        for number, key in ((6, "aaaa"), (7, "cached")):
            table = TABLES_002[number]
            cells = [
                ({"server": "bind", f"{key}-share": share}, rates_of(table, column))
                for column, share in enumerate(table[key])
            ]
            with self.subTest(key):
                page = self.drawn(experiment(cells))
                self.assertIn("Rates by shares, with the model", page)
                rows = self.data("shares-1")
                self.assertEqual([row["median"] for row in rows],
                                 [f"{float(word)}" for word in table["median"]])  # fmt: skip
                at = {6: (5, 5959), 7: (4, 12733)}[number]
                self.assertAlmostEqual(float(rows[at[0]]["model"]), at[1], delta=0.5)

    def test_what_the_tester_limited_is_not_fitted(self):
        table = TABLES_002[6]
        cells = [
            ({"server": "bind", "aaaa-share": share}, rates_of(table, column))
            for column, share in enumerate(table["aaaa"])
        ]
        made = experiment(cells)
        made["cells"][5]["search"] = search([3700.0, 3700.0, 3701.0], tester_limit="it is so")
        page = self.drawn(made)
        self.assertIn("Hollow: the Tester was the limit; the model is not fitted to these.", page)
        self.assertGreater(float(self.data("shares-1")[5]["model"]), 5900)

    def test_an_authoritative_server_has_no_such_model(self):
        cells = [
            ({"server": "nsd", "dut": "authoritative", "aaaa-share": share}, [9000.0, 9100.0])
            for share in ("0", "100")
        ]
        page = self.drawn(experiment(cells))
        self.assertNotIn("with the model", page)
        self.assertEqual({row["model"] for row in self.data("shares-1")}, {""})


if __name__ == "__main__":
    unittest.main()
