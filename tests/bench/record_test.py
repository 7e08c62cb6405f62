#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that what tools/bench --json writes has every field of its schema, and no other."""

import copy
import json
import sys
import tempfile
import unittest
from dataclasses import asdict
from pathlib import Path
from unittest import mock

import bench
import echo
import machine
import made_up_run
from lab import ROOT
from search import Grid
from trial import Trial
from turn import PairsTurns

sys.path.insert(0, str(ROOT / "tests" / "support"))
from check_results import Schemas  # noqa: E402


def lossless_trial(number, purpose, offered):
    """Returns the trial of a pair that sends what is asked for, 2,500,000 at most, and loses a part of that."""
    sent = min(offered or 2_500_000, 2_500_000)
    lossless = sent < 1_000_000
    return Trial(round=number, generator="gun", server="wall", purpose=purpose, offered=offered, sent=sent,
                 replies=sent if lossless else sent // 2, sent_rate=float(sent),
                 answered_rate=float(sent if lossless else sent // 2), lossless=lossless, note="",
                 generator_cpu=0.5, server_cpu=0.5, napi_cpu=0.1, other_cpu=0.0, stolen_cpu=0.0, wall=1.5)


def record():
    """Returns the record of a run whose trials are made up, as it is written and read again."""
    with mock.patch.object(machine, "said_by", return_value="1"):
        run = bench.new_run(bench.parse_arguments([]))
    pair = PairsTurns(lossless_trial, "gun", "wall", False, Grid(run["options"]["step"]))
    run["turns"] = [asdict(pair.take(number, run["options"]["trials"])) for number in (1, 2)]
    run["complete"] = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.json"
        bench.write_json(run, path)
        return bench.read_json(path)


class RecordTest(unittest.TestCase):
    def setUp(self):
        self.schemas = Schemas(ROOT / "user" / "record" / "schemas")

    def test_a_record_has_every_field_of_its_schema_and_no_other(self):
        whole = record()
        self.assertEqual(self.schemas.misfit_of_result(whole), "")
        self.assertIsNotNone(whole["turns"][0]["found"])
        for change in (lambda run: run["turns"][1]["trials"][0].update(more=1),
                       lambda run: run["turns"][1]["trials"][0].pop("wall"),
                       lambda run: run["options"].pop("step"),
                       lambda run: run["machine"].update(memory=1)):
            changed = copy.deepcopy(whole)
            change(changed)
            self.assertIn("bench.schema.json", self.schemas.misfit_of_result(changed))

    def test_rounds_of_echoes(self):
        with mock.patch.object(machine, "said_by", return_value="1"):
            rounds = echo.read_record(Path("/nonexistent"), 1.5)
        rounds["rounds"].append({name: (1000.5, 900.25) for name in echo.SERVERS})
        written = json.loads(json.dumps(rounds))
        self.assertEqual(self.schemas.misfit_of_result(written), "")
        written["rounds"][0]["fakedns, XDP"].append(1)
        self.assertIn("echo-bench.schema.json", self.schemas.misfit_of_result(written))

    def test_the_run_of_the_other_tests_fits_too(self):
        self.assertEqual(self.schemas.misfit_of_result(made_up_run.run()), "")


if __name__ == "__main__":
    unittest.main()
