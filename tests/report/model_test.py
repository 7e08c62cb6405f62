#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests dnsgauge-report model and factors: words, figures, files that are refused."""

import csv
import dataclasses
import io
import sys
import unittest

from support import TOP, ReportTest, skip_without

import numpy as np

from made_up_sets import experiment, run_at, search, sweep

from dnsgauge_report.kinds.series import as_series
from dnsgauge_report.statistics import breakpoint as breaks

skip_without("jsonschema")

sys.path.insert(0, str(TOP / "tests" / "support"))
from check_results import Schemas  # noqa: E402


def steps(breakpoint=60000, noise=400, seed=1):
    """Returns the steps of a server that no longer keeps up above the break point."""
    rates = np.linspace(5000, 150000, 30)
    answered = rates - 3e-6 * np.maximum(0, rates - breakpoint) ** 2
    answered += np.random.default_rng(seed).normal(size=30) * np.where(rates > breakpoint, noise, 0)
    return [
        (round(rate), round(5 * rate), round(5 * min(rate, kept)))
        for rate, kept in zip(rates, answered)
    ]


class ModelTest(ReportTest):
    def told(self, *words):
        status, told, errors = self.run_program(*words)
        self.assertEqual((status, errors), (0, ""))
        return " ".join(told.split())

    def told_csv(self, path):
        return self.run_program("model", "--form", "csv", path)[1]

    def refusal(self, *words):
        status, told, errors = self.run_program(*words)
        self.assertEqual((status, told), (2, ""), errors)
        self.assertRegex(errors, r"\Adnsgauge-report: [^\n]+\n\Z")
        return errors

    def test_a_break_point_with_its_interval(self):
        path = self.write(sweep(steps()), "s.json")
        status, told, _ = self.run_program("model", "--form", "csv", path)
        rows = list(csv.DictReader(io.StringIO(told)))
        self.assertEqual(rows[0]["model"], "αX + β·max(0, X - c)²")
        self.assertEqual([row["chosen"] for row in rows], ["yes", "no", "no", "no", "no"])
        self.assertTrue(float(rows[0]["c from"]) <= 60000 <= float(rows[0]["c to"]))
        self.assertLess(float(rows[0]["AICc"]), float(rows[1]["AICc"]))
        told = self.told("model", path)
        self.assertRegex(told, r"The break point of 198\.18\.0\.2 is [56][0-9],[0-9]{3}/s \(95 %: ")
        self.assertIn("above it ever more queries are lost, by the model of paper 003", told)
        self.assertIn("αX + β·max(0, X - c)² (AICc", told)

    def test_a_hard_limit_is_found_and_named(self):
        rates = range(10000, 60001, 5000)
        path = self.write(
            sweep([(rate, 2 * rate, 2 * min(rate, 30000)) for rate in rates]), "s.json"
        )
        told = self.told("model", path)
        self.assertIn("is 30,000/s (95 %: 29,997/s to 30,003/s): it answers that many", told)
        self.assertIn("α·min(X, c) (AICc", told)

    def test_few_rates_that_bend_are_no_straight_line(self):
        for rates, least in ((5, 6), (6, 7)):
            answered = (10000, 20000, 30000, 34000, 38000 + 500 * (rates > 5), 41600)
            made = [
                (rate, 5 * rate, 5 * answered[number])
                for number, rate in enumerate(range(10000, 10000 * (rates + 1), 10000))
            ]
            told = self.told("model", self.write(sweep(made), "s.json"))
            with self.subTest(rates=rates):
                self.assertIn(
                    "No break point of 198.18.0.2 is told: a straight line is shown to be wrong",
                    told,
                )
                self.assertIn(f"and {rates} rates are too few to tell how the line bends", told)
                self.assertIn(
                    "It answered every query up to 30,000/s, and not every one at 40,000/s.", told
                )
                self.assertIn(f"sweep {least} or more", told)
                self.assertNotIn("does as well", told)

    def test_a_model_that_others_show_to_be_wrong_is_not_told(self):
        fit = breaks.fit(*zip(*((rate, kept / 5) for rate, _, kept in steps())))
        self.assertTrue(fit.holds)
        refused = dataclasses.replace(fit.chosen, p=breaks.REFUSED)
        fit = dataclasses.replace(fit, fits=(refused, *fit.fits[1:]))
        self.assertFalse(fit.holds)

    def test_no_figure_where_no_model_fits(self):
        made = [(rate, 5 * rate, 5 * (rate if rate <= 60000 else 15000)) for rate, *_ in steps()]
        path = self.write(sweep(made), "s.json")
        told = self.told("model", path)
        self.assertIn("No break point of 198.18.0.2 is told: no model fits, as ", told)
        self.assertIn(
            "It answered every query up to 60,000/s, and not every one at 65,000/s.", told
        )
        self.assertIn("do not use figures of the table", told)
        rows = list(csv.DictReader(io.StringIO(self.told_csv(path))))
        self.assertEqual({row["chosen"] for row in rows}, {"no"})

    def test_csv_and_json_say_the_same(self):
        text = "rate,sent,answered,note\n" + "".join(f"{a}, {b}, {c}, x\n" for a, b, c in steps())
        table = self.write(text, "s.csv")
        whole = self.write(sweep(steps()), "s.json")
        found = [self.run_program("model", "--form", "csv", path)[1] for path in (table, whole)]
        self.assertEqual(*found)

    def test_a_server_that_keeps_up_has_no_break(self):
        path = self.write(
            sweep([(rate, 10000, 10000) for rate in range(1000, 11000, 1000)]), "s.json"
        )
        told = self.told("model", path)
        self.assertIn("No break point of 198.18.0.2 is shown up to 10,000/s", told)
        self.assertIn("It answers 100 % of what is sent.", told)

    def test_trials_of_searches_and_single_trials_are_steps(self):
        found = search([40000 + 100 * number for number in range(10)])
        self.assertIn("No break point", self.told("model", self.write(found, "a.json")))
        paths = [
            self.write(run_at(rate, min(1, 30000 / rate)), f"{rate}.json")
            for rate in range(10000, 60000, 5000)
        ]
        self.assertIn("The break point of", self.told("model", "--together", *paths))

    def test_a_page_shows_a_sweep(self):
        self.assertIn("The break point of", self.page(sweep(steps())))
        self.assertIn("was asked at 2 rates, up to 20,000/s", self.page(sweep(steps()[1:4:2])))

    def test_sweeps_fit_their_schema(self):
        schemas = Schemas(TOP / "build" / "schemas", change=lambda schema: schema)
        self.assertEqual(schemas.misfit(as_series(sweep(steps())), "series"), "")
        for broken in (sweep([(0, 1, 1)]), sweep([(1, 1, -1)])):
            self.assertTrue(schemas.misfit(as_series(broken), "series"), broken)

    def test_figures_and_pages(self):
        page, figures = self.folder / "page.html", self.folder / "figures"
        path = self.write(sweep(steps()), "s.json")
        self.told("model", path, "-o", page, "--figures", figures, "--formats", "svg")
        self.assertIn("The break point of", page.read_text(encoding="utf-8"))
        self.assertTrue((figures / "break-point.svg").exists())

    def test_what_is_no_sweep_is_refused(self):
        for text, complaint in (
            (sweep([]), "one step at least"),
            (sweep([(1, 10, 11)]), "11 of 10 queries answered"),
            (sweep([(1, 0, 0)]), "trials[0].sent is 0, not at least 1"),
            (sweep([(0, 10, 10)]), "is 0, not above zero"),
            (
                sweep([(1, 10, 10), (2, 10, 10)]),
                "five different rates at least; it has 2",
            ),
            (sweep([]) | {"schema": "dnsgauge/sweep/2"}, "this program knows dnsgauge/sweep/1"),
            ("rate,sent,answered\n", "no steps below the heads"),
            ("rate,sent,answered\n1,10\n", "write numbers, without units"),
            ("rate,sent,answered\n1k,10,10\n", "write numbers, without units"),
            ("rate,sent,answered\n1,10,-10\n", "write numbers, without units"),
            (experiment([({"server": "x"}, [1, 2])]), "no sweep, search or trial"),
        ):
            with self.subTest(complaint=complaint):
                self.assertIn(complaint, self.refusal("model", self.write(text, "s.json")))


class FactorsTest(ReportTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        self.cells = [
            ({"server": server, "cores": cores}, [round(x) for x in random.normal(mean, 800, 6)])
            for server, one in (("bind", 40000), ("nsd", 90000), ("knot", 90500))
            for cores, mean in (("1", one), ("2", one + 30000))
        ]

    def told(self, made, *words):
        status, told, errors = self.run_program("factors", self.write(made, "e.json"), *words)
        self.assertEqual((status, errors), (0, ""))
        return " ".join(told.split())

    def test_which_factors_matter_and_which_levels_differ(self):
        told = self.told(experiment(self.cells))
        self.assertRegex(
            told, r"What matters, most first: server \(ω² = [01]\.[0-9]+, p < 0\.0001\) and cores"
        )
        self.assertIn("Not shown to matter: server with cores.", told)
        self.assertIn("share a letter do not: knot (a), nsd (a) and bind (b)", told)
        self.assertIn("server nsd 12", told)

    def test_logarithms_give_shares(self):
        told = self.told(experiment(self.cells), "--log")
        self.assertIn("how much the first level is above the second, %", told)

    def test_assumptions_that_do_not_hold_are_doubts(self):
        cells = [(settings, rates) for settings, rates in self.cells if settings["cores"] == "1"]
        mean = sum(cells[0][1]) / 6
        cells[0] = (cells[0][0], [round(mean + 20 * (rate - mean)) for rate in cells[0][1]])
        told = self.told(experiment(cells))
        self.assertIn("Cells do not scatter alike (Levene with medians", told)
        self.assertIn("Welch's ANOVA", told)

    def test_cells_without_a_result_are_told(self):
        cells = [*self.cells[:-1], (self.cells[-1][0], [])]
        told = self.told(experiment(cells))
        self.assertIn("Cells without a result are left out: knot-2.", told)
        self.assertIn("1 of 6 combinations of levels were not measured", told)

    def test_figures(self):
        figures = self.folder / "figures"
        self.told(experiment(self.cells), "--figures", figures, "--formats", "svg")
        names = {path.name for path in figures.glob("*.svg")}
        self.assertEqual(names, {"levels-1.svg", "levels-2.svg", "residuals.svg"})

    def test_what_has_no_factors_is_refused(self):
        for made, complaint in (
            (search([1, 2, 3]), "no experiment: name its experiment.json"),
            (experiment([({"server": "x"}, [1, 2, 3])]), "no factor has two levels"),
            (experiment([({"server": x}, [1]) for x in "ab"]), "no more values than effects"),
            (experiment([({"server": x}, []) for x in "ab"]), "no factor has two levels"),
        ):
            with self.subTest(complaint=complaint):
                status, told, errors = self.run_program("factors", self.write(made, "e.json"))
                self.assertEqual((status, told), (2, ""))
                self.assertRegex(errors, r"\Adnsgauge-report: [^\n]+\n\Z")
                self.assertIn(complaint, errors)


if __name__ == "__main__":
    unittest.main()
