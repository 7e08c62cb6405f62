#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the record, the figures, the text and the chart of a made-up run. Exit status 77: no matplotlib."""

import copy
import json
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path
from unittest import mock

import bench
import echo
import made_up_run
import program
import report
from program import ROOT, BenchError, arguments, ratio, shown, spread
from search import Grid, Turns

sys.path.insert(0, str(ROOT / "tests" / "support"))
from check_results import Schemas  # noqa: E402

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("SKIP: no python3-matplotlib")
    sys.exit(77)

TESTER = ("dnsgauge", "fakedns-xdp")


class FiguresTest(unittest.TestCase):
    def setUp(self):
        self.run_made_up = made_up_run.run()
        self.figures = report.figures_of(self.run_made_up["turns"])

    def test_a_value_a_round(self):
        of_pair = self.figures[TESTER]
        self.assertEqual(of_pair["lossless"], {1: 1e6, 2: 5e5, 3: 1.5e6})
        self.assertEqual(of_pair["sent"], {1: 2e6, 2: 1e6, 3: 3e6})
        self.assertEqual(of_pair["answered"], {1: 1.8e6, 2: 9e5, 3: 2.7e6})
        # 2 s for 4,000,000 queries, the start left out; 2 s in each lossless trial, for 2,000,000 replies.
        self.assertAlmostEqual(of_pair["generator_us"][1], 0.5)
        self.assertAlmostEqual(of_pair["server_us"][1], 1.0)
        # A round in which none was found has none.
        self.assertEqual(set(self.figures["dnsperf", "nsd"]["lossless"]), {1, 3})
        self.assertEqual(set(self.figures["dnsperf", "nsd"]["sent"]), {1, 2, 3})

    def test_spreads_and_ratios(self):
        self.assertEqual((spread([3, 1, 2]), spread([])), ((2, 1, 3), None))
        self.assertEqual((shown([3, 1, 2]), shown([])), ("2.0 (1.0..3.0)", "-"))
        # Round by round.
        self.assertEqual(ratio({1: 10, 2: 100}, {2: 50, 3: 1}), (2, 2, 2))
        self.assertEqual(ratio([10, 100], [5, 50]), (2, 2, 2))
        self.assertIsNone(ratio({1: 10}, {2: 5}))
        self.assertIsNone(ratio({1: 10}, {1: 0}))

    def test_comparisons(self):
        self.assertTrue(report.is_of_others(("kxdpgun", "nsd")))
        self.assertFalse(report.is_of_others(("kxdpgun", "fakedns-sockets")))
        self.assertFalse(report.is_of_others(("dnsgauge", "nsd")))
        rows = {(pair, title): against for pair, title, against in report.comparisons(self.figures)}
        self.assertEqual(rows[TESTER, "other generators"]["lossless"], (("kxdpgun", "fakedns-xdp"), (2, 2, 2)))
        self.assertEqual(rows[TESTER, "all other pairs"]["sent"], (("kxdpgun", "fakedns-xdp"), (2, 2, 2)))
        self.assertEqual(rows[TESTER, "others' programs"]["lossless"], (("kxdpgun", "nsd"), (10, 10, 10)))

    def test_the_link_beside_the_own_pair(self):
        self.assertEqual(report.link_share(self.figures, self.run_made_up["link"]),
                         (TESTER, [1.25e6, 1e6, 1.5e6], (0.8, 0.5, 1.0)))
        # Runs of earlier versions do not have it.
        self.assertIsNone(report.link_share(self.figures, []))
        self.assertNotIn("link:", report.to_text({**self.run_made_up, "link": []}))


class ShownTest(unittest.TestCase):
    def setUp(self):
        self.run_made_up = made_up_run.run()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "chart.svg"

    def drawn(self):
        report.draw(self.run_made_up, self.path)
        return self.path.read_bytes()

    def test_text(self):
        text = report.to_text(self.run_made_up)
        for expected in ("Abacus, 2 CPUs, Linux 6.1, 2020-02-02", "1000.0 (500.0..1500.0)", "62.5 (50.0..75.0) 2/3",
                         "To 5 %", "10.00 (10.00..10.00) kxdpgun, nsd", "busy for 0.0 % of a CPU (0.0..10.0), the",
                         "fills XDP_DROP with 1250.0 (1000.0..1500.0) thousand/s; dnsgauge, fakedns-xdp, lossless: "
                         "0.80 (0.50..1.00) of that"):
            self.assertIn(expected, text)
        for word in ("INCOMPLETE", "DISTURBED"):
            self.assertNotIn(word, text)
        # Servers stand together.
        lines = text.splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("server "))
        self.assertEqual([line.split()[:2] for line in lines[first + 1:first + 6]],
                         [["fakedns-xdp", "dnsgauge"], ["fakedns-xdp", "kxdpgun"], ["nsd", "dnsgauge"],
                          ["nsd", "kxdpgun"], ["nsd", "dnsperf"]])

    def test_what_makes_figures_doubtful_is_told(self):
        for one in self.run_made_up["turns"]:
            for of_turn in one["trials"]:
                of_turn["stolen_cpu"] = 0.3
        self.run_made_up["complete"] = False
        self.run_made_up["turns"] = self.run_made_up["turns"][:7]
        text = report.to_text(self.run_made_up)
        self.assertIn("DISTURBED", text)
        self.assertIn("INCOMPLETE: it ended in round 2 of 3", text)

    def test_one_pair_has_nothing_to_compare_with_and_no_turn_nothing_to_show(self):
        self.run_made_up["turns"] = [one for one in self.run_made_up["turns"] if one["generator"] == "dnsperf"]
        self.assertNotIn("ratios", report.to_text(self.run_made_up))
        self.run_made_up["turns"] = []
        self.assertEqual(report.to_text(self.run_made_up), "nothing was measured\n")
        with self.assertRaisesRegex(BenchError, "nothing to draw"):
            self.drawn()

    def test_the_chart_shows_every_pair_and_figure(self):
        once = self.drawn()
        texts = "\n".join(text.strip() for text in xml.etree.ElementTree.parse(self.path).getroot().itertext())
        for expected in ("fakedns-xdp", "nsd", "dnsgauge", "kxdpgun", "dnsperf", "2020-02-02", "1,000", "0.50",
                         "microseconds", *report.FIGURES.values()):
            self.assertIn(expected, texts)
        self.assertNotIn("none found", texts)
        self.assertEqual(self.drawn(), once)
        self.run_made_up["turns"] = [made_up_run.turn(1, "kxdpgun", "nsd", None, 1e5)]
        self.assertIn(b"none found", self.drawn())
        with self.assertRaisesRegex(BenchError, "cannot write the chart"):
            report.draw(self.run_made_up, self.path.with_suffix(".nothing"))


class RecordTest(unittest.TestCase):
    def setUp(self):
        self.schemas = Schemas(ROOT / "user" / "record" / "schemas")
        self.enterContext(mock.patch.object(program, "said_by", return_value="1"))

    def test_a_record_has_every_field_of_its_schema_and_no_other(self):
        whole = bench.new_run(arguments(bench.OPTIONS, []))
        names = {"generator": "gun", "server": "wall"}

        def make(number, purpose, offered):
            sent = min(offered, 2_500_000)
            trial = made_up_run.trial(purpose, sent, sent < 1_000_000, 0.5, offered=offered)
            return {"round": number, **names, **trial}

        pair = Turns(make, *names.values(), False, Grid(whole["options"]["step"]))
        whole["turns"] = [pair.take(number) for number in (1, 2)]
        whole["link"] = [{"round": 1, "sent_rate": 1.5}]
        with tempfile.TemporaryDirectory() as folder:
            bench.write_json(whole, Path(folder) / "bench.json")
            whole = bench.read_json(Path(folder) / "bench.json")
        self.assertEqual(self.schemas.misfit_of_result(whole), "")
        self.assertIsNotNone(whole["turns"][0]["found"])
        for change in (lambda run: run["turns"][1]["trials"][0].update(more=1),
                       lambda run: run["turns"][1]["trials"][0].pop("wall"),
                       lambda run: run["options"].pop("step"), lambda run: run["machine"].update(memory=1)):
            changed = copy.deepcopy(whole)
            change(changed)
            self.assertIn("bench.schema.json", self.schemas.misfit_of_result(changed))
        self.assertEqual(self.schemas.misfit_of_result(made_up_run.run()), "")

    def test_rounds_of_echoes(self):
        rounds = echo.read_record(Path("/nonexistent"), 1.5)
        rounds["rounds"].append({name: (1000.5, 900.25) for name in echo.SERVERS})
        written = json.loads(json.dumps(rounds))
        self.assertEqual(self.schemas.misfit_of_result(written), "")
        written["rounds"][0]["fakedns, XDP"].append(1)
        self.assertIn("echo-bench.schema.json", self.schemas.misfit_of_result(written))


if __name__ == "__main__":
    unittest.main()
