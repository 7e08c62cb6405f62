#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of sweeps and of searches for several loss ratios, and of their journals."""

import csv
import re
import unittest

import made_up
from support import ReportTest


def findings(page):
    return re.search(r'<p class="findings">(.*?)</p>', page, re.DOTALL)[1]


class SeriesTest(ReportTest):
    draws = False

    def data(self, name):
        """Returns the rows of a figure's data."""
        with open(self.folder / "f" / f"{name}.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def drawn(self, *results):
        """Returns the page, whose figures are written, too."""
        return self.page(*results, words=("--figures", self.folder / "f", "--formats", "svg"))


class SweepTest(SeriesTest):
    def test_a_sweep(self):
        page = self.drawn(made_up.sweep())
        told = findings(page)
        self.assertIn("was asked at 10 rates, up to 5,000/s, in 30 steps", told)
        self.assertIn("every query right and in time up to 2,500/s, and 59.72 % at 5,000/s", told)
        self.assertIn("The break point of 198.18.0.2 is", told)
        above = page[: page.index("<main")]
        for doubt in ("No self-test covers the result: there was none.", "trials of 0.5 s"):
            self.assertIn(doubt, above)
        rows = self.data("response-rate")
        self.assertEqual(len(rows), 30)
        self.assertAlmostEqual(float(rows[-1]["answered_percent"]), 100 * 2979 / 5000)
        rtts = self.data("rtt-by-rate")
        self.assertEqual((float(rtts[0]["p50_ns"]), rtts[0]["steps"]), (21500, "3"))

    def test_a_sweep_tells_how_it_was_made(self):
        page = self.page(made_up.sweep(end="interrupted", why="SIGINT", invalid_trials=2))
        above = page[: page.index("<main")]
        self.assertIn("The sweep did not come to its end (interrupted). SIGINT.", above)
        self.assertIn("2 invalid trials had to be made again", above)
        for condition in ("dnsgauge sweep --names 10.0.0.0/8", "AMD EPYC", "veth"):
            self.assertIn(condition, page)

    def test_sweeps_beside_each_other(self):
        page = self.drawn(made_up.sweep(), made_up.sweep(2000))
        self.assertIn("result1 answered 59.72 % and result2 39.72 %", findings(page))
        self.assertEqual({row["sweep"] for row in self.data("1-response-rate")},
                         {"result1", "result2"})  # fmt: skip

    def test_a_server_that_keeps_everything(self):
        made = made_up.sweep(capacity=9000, rates=(1000, 2000))
        self.assertIn("every query right and in time at each of them", findings(self.page(made)))

    def test_a_journal_of_a_sweep(self):
        page = self.page(made_up.series_journal("sweep"))
        self.assertIn("up to 2,000/s, and 62.5 % at 4,000/s", findings(page))
        self.assertIn("This is a journal", page[: page.index("<main")])
        begun = made_up.series_journal("sweep").splitlines(keepends=True)[0]
        self.assertIn("has no step yet", findings(self.page(begun)))

    def test_a_sweep_that_goes_on_is_watched(self):
        path = self.write(made_up.series_journal("sweep"), "sweep.jsonl")
        output = self.folder / "page.html"
        status, _, errors = self.run_program("watch", path, "-o", output)
        self.assertEqual((status, "4 trials" in errors), (0, True), errors)


class LossSearchTest(SeriesTest):
    def test_a_search(self):
        page = self.drawn(made_up.loss_search())
        told = findings(page)
        self.assertIn("keeps 2,750/s losing nothing, 2,750/s losing up to 0.1 %, 3,000/s", told)
        self.assertIn("At 30 % the highest rate tried is kept, and perhaps more.", told)
        self.assertIn("1 invalid trial had to be made again.", page[: page.index("<main")])
        rows = self.data("bounds")
        self.assertEqual([row["upper_bound"] for row in rows], ["2850.0", "2850.0", "3100.0", ""])
        losses = [float(row["loss_percent"]) for row in self.data("loss-by-rate")]
        self.assertEqual((losses[0], losses[1]), (28, 0))
        self.assertEqual([row["goal"] for row in self.data("trials")][-2:], ["3", "4"])

    def test_a_server_that_keeps_nothing(self):
        goals = [made_up.goal(loss, None, 500, None) for loss in (0.0, 1.0)]
        page = self.page(made_up.loss_search(goals=goals))
        self.assertIn("keeps no rate with any of the loss ratios", findings(page))

    def test_a_search_that_was_cut_short(self):
        goals = [made_up.goal(loss, None, None, None) for loss in (0.0, 1.0)]
        made = made_up.loss_search(goals=goals, end="interrupted", why="SIGINT", steps=[])
        page = self.page(made)
        self.assertIn("has no result yet", findings(page))
        self.assertIn("did not come to its end (interrupted)", page[: page.index("<main")])

    def test_a_journal(self):
        text = made_up.series_journal("loss-search", **{"loss-ratios": "0,0.5"})
        page = self.drawn(text)
        self.assertIn("has no result yet", findings(page))
        self.assertEqual(len(self.data("trials")), 4)
        self.assertNotIn("Rates by loss ratio</h3>", page)
        wrong = made_up.series_journal("loss-search", **{"loss-ratios": "many"})
        self.assertIn("loss-ratios is a text, not a list of percentages", self.refused(wrong))

    def test_searches_beside_each_other(self):
        page = self.drawn(made_up.loss_search(), made_up.loss_search(server="198.18.0.3"))
        self.assertIn(
            "result1 keeps most with the least loss, 2,750/s losing nothing", findings(page)
        )
        self.assertEqual(len(self.data("1-rates")), 8)

    def test_bounds_that_contradict_each_other_are_refused(self):
        goals = [made_up.goal(0.0, 3000, 2000, 2000.0)]
        self.assertIn("above the upper bound", self.refused(made_up.loss_search(goals=goals)))
        steps = made_up.loss_search()["steps"]
        steps[0]["valid"] = 6000
        self.assertIn("above the queries sent", self.refused(made_up.loss_search(steps=steps)))
        self.assertIn("list of one loss ratio", self.refused(made_up.loss_search(goals=[])))
        self.assertIn(
            "this program knows dnsgauge/loss-search/1",
            self.refused(made_up.loss_search(schema="dnsgauge/loss-search/2")),
        )


if __name__ == "__main__":
    unittest.main()
