#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report draws results and journals of each kind of series, made in a lab on 2026-11-25. Exit
status 77: a package is missing."""

import json
import sys
import unittest

from support import TOP, ReportTest, skip_without

from dnsgauge_report.kinds.series import as_series

skip_without("jsonschema")

sys.path.insert(0, str(TOP / "tests" / "support"))
from check_results import Schemas  # noqa: E402

RECORDED = TOP / "tests" / "unit" / "data" / "series"
KINDS = ("search", "loss-search", "sweep", "soak", "replay")


class RecordedSeriesTest(ReportTest):
    def page_of(self, path):
        page = self.folder / "page.html"
        status, _, errors = self.run_program("page", str(path), "--output", str(page))
        self.assertEqual(status, 0, errors)
        return page.read_text(encoding="utf-8")

    def test_a_result_of_each_kind_has_a_page(self):
        for kind in KINDS:
            with self.subTest(kind):
                path = RECORDED / f"{kind}.json"
                server = json.loads(path.read_text(encoding="utf-8"))["server"]
                self.assertIn(server, self.page_of(path))

    def test_a_result_of_each_kind_becomes_a_series(self):
        schemas = Schemas(TOP / "build" / "schemas", change=lambda schema: schema)
        for kind in KINDS:
            with self.subTest(kind):
                made = json.loads((RECORDED / f"{kind}.json").read_text(encoding="utf-8"))
                self.assertEqual(schemas.misfit(as_series(made), "series"), "")

    def test_a_journal_of_each_kind_has_a_page(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.assertIn("198.18.0.2", self.page_of(RECORDED / f"{kind}.jsonl"))


if __name__ == "__main__":
    unittest.main()
