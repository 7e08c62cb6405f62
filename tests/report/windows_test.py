#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of sweeps of windows, alone and beside sweeps of rates, and their comparison."""

import unittest

import made_up
from support import FiguresTest, findings

from dnsgauge_report.kinds.windows import read
from dnsgauge_report.kinds.series import series_in
from dnsgauge_report.fields import Fields
from dnsgauge_report.sections.compare import compare


class WindowsTest(FiguresTest):
    def test_a_sweep_of_windows(self):
        page = self.drawn(made_up.window_sweep())
        told = findings(page)
        self.assertIn("The knee of 198.18.0.2 lies at 60 open queries (95 %: 59 to 61)", told)
        self.assertIn("bring 2 times the answers below the knee, and 1 times above it", told)
        rows = self.data("answers-by-window")
        self.assertEqual([int(row["window"]) for row in rows], [1, 10, 40, 100, 400])
        self.assertEqual(float(rows[-1]["median"]), 60002.5)
        rtts = self.data("rtt-by-window")
        self.assertEqual(float(rtts[0]["p50_ns"]), 1_000_000)

    def test_no_knee(self):
        made = made_up.window_sweep()
        made["knee"] |= {"open": None, "answered_rate": None, "why_not": "too few runs"}
        page = self.drawn(made)
        self.assertIn("No knee of 198.18.0.2 is told: too few runs.", findings(page))

    def test_closed_and_open_loops_in_one_picture(self):
        page = self.drawn(made_up.window_sweep(), made_up.sweep())
        self.assertIn("coordinated omission", page)
        rows = self.data("1-latency-throughput")
        self.assertEqual({row["sweep"] for row in rows}, {"closed: result1", "open: result2"})
        closed = [row for row in rows if row["load"] == "40 open"]
        self.assertEqual(float(closed[0]["answered_rate"]), 40_000)

    def test_sweeps_of_windows_beside_each_other(self):
        page = self.drawn(made_up.window_sweep(), made_up.window_sweep(30_000))
        self.assertIn("2 sweeps of windows are drawn over each other", findings(page))

    def compared(self, *capacities):
        results = [
            read(series_in(Fields(made_up.window_sweep(one, repeat=8), "here")), str(one))
            for one in capacities
        ]
        outcome = compare(results[:1], results[1:], 0.05)
        return outcome.sections[0].findings

    def test_comparison(self):
        told = " ".join(self.compared(60_000, 30_000))
        self.assertIn("B's answers/s over all windows is 28 to 28 % lower than A's", told)
        self.assertIn("B's answers/s at 400 open is 50 to 50 % lower than A's", told)
        self.assertNotIn("at 10 open is", told)
        same = self.compared(60_000, 60_000)
        self.assertIn("No difference between the runs of A and B is shown.", same[0])


if __name__ == "__main__":
    unittest.main()
