#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of sweeps, of searches for several loss ratios, of replays, and of their journals."""

import unittest

import made_up
from support import FiguresTest, findings


class SweepTest(FiguresTest):
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

    def test_a_break_point_below_rates_that_were_kept_is_doubtful(self):
        # A limit as hard as this one is no parabola.
        page = self.page(made_up.sweep())
        self.assertIn("lies below 2,500/s, up to which every query was answered", page)
        gentle = made_up.sweep(rates=(500, 1000, 1500, 2000, 2500))
        self.assertNotIn("up to which every query", self.page(gentle))

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


class LossSearchTest(FiguresTest):
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


class ReplayTest(FiguresTest):
    def test_a_replay(self):
        page = self.drawn(made_up.replay())
        told = findings(page)
        self.assertIn(
            "answered from 99.5 to 100 % of its clients&#39; queries within 2 s, in 3", told
        )
        self.assertIn("10.0267 % NXDOMAIN", told)
        self.assertIn("From 2 s on half of the answers came within 90.0 µs", told)
        above = page[: page.index("<main")]
        self.assertIn("For comparison alone: the figures hold for this set-up.", above)
        for condition in ("systemctl restart unbound", "day.pcap", "AMD EPYC"):
            self.assertIn(condition, page)
        shares = [float(row["valid_percent"]) for row in self.data("answered-by-interval")]
        self.assertEqual(shares, [100] * 4 + [100, 100, 98.8, 100] + [100, 100, 98, 100])
        rcodes = {
            (row["rcode"], float(row["since_s"])): float(row["greatest_percent"])
            for row in self.data("rcodes-by-interval")
        }
        self.assertEqual((rcodes["NXDOMAIN", 0.0], rcodes["no reply", 2.0]), (10, 2))

    def test_latency_has_its_shading(self):
        made = made_up.replay()
        made["runs"][2] = made_up.replay_run(5, slower=4)
        self.drawn(made)
        row = self.data("latency")[2]
        values = [float(row[name]) for name in ("least_ns", "mean_ns", "greatest_ns")]
        self.assertEqual((float(row["slowest_percent"]), values), (1, [3e7, 6e7, 12e7]))
        slow = self.data("slowness")[1]
        parts = [float(slow[name]) for name in ("to_1ms", "to_10ms", "to_100ms", "unanswered")]
        self.assertEqual(parts, [80, 15, 4.4, 0.6])

    def test_replays_beside_each_other(self):
        page = self.drawn(made_up.replay(), made_up.replay(slower=7))
        self.assertIn("result1 answered from 99.5 to 100 % of the queries in time", findings(page))
        for name in ("1-latency", "1-response-bands"):
            self.assertEqual({row["replay"] for row in self.data(name)}, {"result1", "result2"})

    def test_what_makes_a_replay_doubtful(self):
        made = made_up.replay(end="interrupted", why="SIGINT", invalid_trials=1)
        made["runs"] = made["runs"][:1]
        above = self.page(made).partition("<main")[0]
        self.assertIn("(interrupted): 1 of 3 runs were made. SIGINT.", above)
        self.assertIn("1 invalid run had to be made again.", above)
        self.assertIn("A single run tells nothing of how much runs differ.", above)

    def test_a_journal(self):
        page = self.page(made_up.series_journal("replay"))
        self.assertIn("answered from 62.5 to 100 % of its clients&#39; queries", findings(page))
        self.assertIn("This is a journal", page[: page.index("<main")])

    def test_a_replay_that_was_changed_is_refused(self):
        for change, complaint in (
            (lambda run: run.update(sent=1001), "1001 queries were sent, 1000 decided"),
            (lambda run: run["intervals"].pop(), "its intervals have 750"),
            (lambda run: run["intervals"][0].update(answered=251), "more answers than queries"),
            (lambda run: run["later_part"]["points"].reverse(), "in order, from the whole"),
            (lambda run: run["later_part"].update(unanswered=2), "a share from 0 to 1"),
        ):
            made = made_up.replay()
            change(made["runs"][0])
            with self.subTest(complaint):
                self.assertIn(complaint, self.refused(made))
        self.assertIn("one run at least", self.refused(made_up.replay(runs=[])))


if __name__ == "__main__":
    unittest.main()
