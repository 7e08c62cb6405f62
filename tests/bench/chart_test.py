#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the chart of a made-up run. Exit status 77: matplotlib is not installed."""

import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import chart
import made_up_run
from errors import BenchError

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("SKIP: no python3-matplotlib")
    sys.exit(77)


class ChartTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "chart.svg"

    def test_it_shows_every_pair_and_figure(self):
        chart.draw(made_up_run.run(), self.path)
        root = xml.etree.ElementTree.parse(self.path).getroot()
        texts = "\n".join(text.strip() for text in root.itertext())
        for expected in ("fakedns-xdp", "nsd", "dnsgauge", "kxdpgun", "dnsperf", "2020-02-02",
                         "1,000", "0.50", "microseconds", *chart.TITLES.values()):
            self.assertIn(expected, texts)
        self.assertNotIn("none found", texts)

    def test_same_figures_same_file(self):
        chart.draw(made_up_run.run(), self.path)
        once = self.path.read_bytes()
        chart.draw(made_up_run.run(), self.path)
        self.assertEqual(self.path.read_bytes(), once)

    def test_a_pair_without_a_figure_says_so(self):
        made_up = made_up_run.run()
        made_up["turns"] = [made_up_run.turn(1, "kxdpgun", "nsd", None, 1e5)]
        chart.draw(made_up, self.path)
        self.assertIn("none found", self.path.read_text())

    def test_what_cannot_be_drawn_or_written_is_told(self):
        made_up = made_up_run.run()
        with self.assertRaisesRegex(BenchError, "cannot write the chart"):
            chart.draw(made_up, self.path / "none.svg")
        with self.assertRaisesRegex(BenchError, "cannot write the chart"):
            chart.draw(made_up, self.path.with_suffix(".nothing"))
        made_up["turns"] = []
        with self.assertRaisesRegex(BenchError, "nothing to draw"):
            chart.draw(made_up, self.path)


if __name__ == "__main__":
    unittest.main()
