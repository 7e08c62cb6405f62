#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Made-up results have the forms that dnsgauge writes: they fit its schemas. Exit status 77:
jsonschema is not installed."""

import json
import sys
import unittest

import made_up
from support import TOP, skip_without

skip_without("jsonschema")
sys.path.insert(0, str(TOP / "tests" / "support"))
from check_results import Schemas  # noqa: E402


class MadeUpTest(unittest.TestCase):
    def test_results_fit_their_schemas(self):
        # Files of every version fit, if no field is required beyond those that all versions have.
        schemas = Schemas(TOP / "build" / "schemas", change=lambda schema: schema)
        makers = (
            made_up.old_trial,
            made_up.trial,
            lambda: made_up.trial(probe=made_up.probe()),
            made_up.probe_record,
            lambda: made_up.trials([made_up.trial()]),
            made_up.joint_trial,
            made_up.search,
            made_up.selftest,
            lambda: made_up.selftest(placements=made_up.placements()),
            made_up.calibration,
            made_up.experiment,
            made_up.grid,
            made_up.timed_trial,
            made_up.sweep,
            made_up.loss_search,
            made_up.replay,
            made_up.soak,
            made_up.load_factor,
            made_up.gate,
            made_up.placement,
            made_up.doctor,
            made_up.capture,
            made_up.echo_bench,
        )
        for make in makers:
            made = make()
            with self.subTest(made["schema"]):
                self.assertEqual(schemas.misfit(made, made["schema"].split("/")[1]), "")
        kinds = ("sweep", "replay", "loss-search")
        journals = [made_up.series_journal(kind) for kind in kinds]
        for text in (made_up.journal(), made_up.soak_journal(), *journals):
            for line in text.splitlines():
                self.assertEqual(schemas.misfit(json.loads(line), "series-journal"), "")


if __name__ == "__main__":
    unittest.main()
