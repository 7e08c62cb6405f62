#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that records have the forms of their schemas, and the spreads of rounds."""

import copy
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bench
import made_up_run
import program
from program import ROOT, arguments, shown, spread
from search import Grid, Turns

sys.path.insert(0, str(ROOT / "tests" / "support"))
from check_results import Schemas  # noqa: E402


class SpreadTest(unittest.TestCase):
    def test_spreads(self):
        self.assertEqual((spread([3, 1, 2]), spread([])), ((2, 1, 3), None))
        self.assertEqual((shown([3, 1, 2]), shown([])), ("2.0 (1.0..3.0)", "-"))


class RecordTest(unittest.TestCase):
    def setUp(self):
        self.schemas = Schemas(ROOT / "build" / "schemas")
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
            bench.write(Path(folder) / "bench.json", json.dumps(whole))
            whole = json.loads((Path(folder) / "bench.json").read_text())
        self.assertEqual(self.schemas.misfit_of_result(whole), "")
        self.assertIsNotNone(whole["turns"][0]["found"])
        for change in (lambda run: run["turns"][1]["trials"][0].update(more=1),
                       lambda run: run["turns"][1]["trials"][0].pop("wall"),
                       lambda run: run["options"].pop("step"), lambda run: run["machine"].update(memory=1)):
            changed = copy.deepcopy(whole)
            change(changed)
            self.assertIn("bench.schema.json", self.schemas.misfit_of_result(changed))
        self.assertEqual(self.schemas.misfit_of_result(made_up_run.run()), "")


if __name__ == "__main__":
    unittest.main()
