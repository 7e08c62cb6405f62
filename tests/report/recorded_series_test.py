#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report draws results and journals of each kind of series, made in a lab on 2026-11-25. Exit
status 77: a package is missing."""

import json
import unittest

from support import TOP, ReportTest

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

    def test_a_journal_of_each_kind_has_a_page(self):
        for kind in KINDS:
            with self.subTest(kind):
                self.assertIn("198.18.0.2", self.page_of(RECORDED / f"{kind}.jsonl"))


if __name__ == "__main__":
    unittest.main()
