#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests what pages show of intervals: response rate, RCODEs and RTTs over time, of one trial, of
repeated ones, and of intervals' files."""

import unittest

import made_up
from support import FiguresTest


class TimelineTest(FiguresTest):
    def test_a_trial_is_shown_by_its_intervals(self):
        page = self.drawn(made_up.timed_trial())
        for title in ("Response rate over time", "RCODEs over time", "RTT by interval"):
            self.assertIn(f"<h3>{title}</h3>", page)
        self.assertIn("N = 10 intervals of 1 s, 10,000 queries.", page)
        rows = self.data("answered-by-interval")
        self.assertEqual([float(row["valid_percent"]) for row in rows[2:5]], [100, 96, 100])
        rtts = self.data("rtt-by-interval")
        self.assertEqual((rtts[3]["p50_ns"], rtts[4]["p99_ns"]), ("600000.0", "90000.0"))

    def test_rcodes_are_shares_of_the_queries(self):
        self.drawn(made_up.timed_trial())
        shares = {
            (row["rcode"], float(row["since_s"])): float(row["mean_percent"])
            for row in self.data("rcodes-by-interval")
        }
        self.assertEqual(shares["NOERROR", 3.0], 96)
        self.assertEqual(shares["no reply", 3.0], 4)
        self.assertEqual(shares["SERVFAIL", 5.0], 0.5)
        self.assertEqual(shares["SERVFAIL", 6.0], 0)
        self.assertNotIn(("REFUSED", 5.0), shares)

    def test_repeated_trials_lie_over_each_other(self):
        repeated = made_up.trials([made_up.timed_trial(worst) for worst in (0, 20, 40)])
        page = self.drawn(repeated)
        self.assertIn("N = 30 intervals of 1 s in 3 runs, 30,000 queries in all.", page)
        self.assertIn("RTT by percentile, repeated runs", page)
        worst = [
            row
            for row in self.data("1-rcodes-by-interval")
            if row["rcode"] == "no reply" and float(row["since_s"]) == 3
        ]
        values = [float(worst[0][f"{name}_percent"]) for name in ("least", "mean", "greatest")]
        self.assertEqual((values, worst[0]["runs"]), ([0, 2, 4], "3"))
        shading = [
            row for row in self.data("1-rtt-shading") if float(row["slowest_percent"]) == 100
        ]
        self.assertEqual({float(row["mean_ns"]) for row in shading}, {9000})

    def test_trials_of_different_files_are_no_repetitions(self):
        page = self.page(made_up.timed_trial(), made_up.timed_trial(20))
        self.assertNotIn("repeated runs", page)
        for number in (1, 2):
            self.assertIn(f"RCODEs over time: result{number}", page)

    def test_a_trial_without_other_rcodes_needs_no_figure_of_them(self):
        parts = [made_up.interval(second, 5000) for second in range(2)]
        page = self.page(made_up.trial(intervals=parts, interval_s=1.0))
        self.assertIn("Response rate over time", page)
        self.assertNotIn("RCODEs over time", page)

    def test_the_lateness_of_all_sends_is_drawn(self):
        self.drawn(made_up.timed_trial())
        rows = self.data("lateness-percentiles")
        points = [(float(row["latest_percent"]), float(row["lateness_ns"])) for row in rows]
        self.assertEqual(points, [(100, 15), (10, 31), (0.1, 4095)])

    def test_a_file_of_intervals(self):
        page = self.drawn(made_up.intervals_csv())
        self.assertIn("99.55 % of 10,000 queries were answered right and in time.", page)
        self.assertIn("In 2 of 10 intervals not all were; the worst one begins after 3 s", page)
        self.assertIn("tells neither the verdict nor the conditions", page[: page.index("<main")])
        self.assertEqual(len(self.data("answered-by-interval")), 10)

    def test_several_files_of_intervals_lie_over_each_other(self):
        page = self.page(made_up.intervals_csv(), made_up.intervals_csv())
        self.assertIn("Runs over each other", page)
        self.assertIn("2 runs answered from 99.55 to 99.55 %", page)

    def test_intervals_that_contradict_the_trial_are_refused(self):
        made = made_up.timed_trial()
        del made["intervals"][2]
        self.assertIn("intervals have 9000 queries", self.refused(made))
        made = made_up.timed_trial()
        made["intervals"][2]["since_s"] = 1.0
        self.assertIn("does not follow the one before", self.refused(made))
        made = made_up.timed_trial()
        made["intervals"][2]["lost"] = 1
        self.assertIn("intervals[2], from 2 s on: 1000 queries were sent, 1001", self.refused(made))

    def test_a_damaged_file_of_intervals_is_refused(self):
        lines = made_up.intervals_csv().splitlines(keepends=True)
        cells = lines[3].split(",")
        for wrong, complaint in (
            (lines[3][:30] + "\r\n", "line 4: it has not as many cells"),
            (",".join([cells[0], "x", *cells[2:]]), "line 4: sent is no number"),
            (
                ",".join([cells[0], "999", *cells[2:]]),
                "intervals[2], from 2 s on: 999 queries were sent",
            ),
            (",".join([*cells[:6], "7", *cells[7:]]), "invalid is 0, its reasons make 7"),
            (",".join([cells[0], "1e9", *cells[2:]]), "sent is no number"),
        ):
            with self.subTest(wrong=wrong):
                text = "".join([*lines[:3], wrong, *lines[4:]])
                self.assertIn(complaint, self.refused(text))
        self.assertIn("no intervals below the heads", self.refused(lines[0]))


if __name__ == "__main__":
    unittest.main()
