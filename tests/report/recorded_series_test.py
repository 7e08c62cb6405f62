#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report draws, and compares, results and journals of each kind of series, which dnsgauge made
in a lab. Exit status 77: a package is missing."""

import itertools
import json
import sys
import unittest

from support import TOP, ReportTest, skip_without

from dnsgauge_report.kinds.series import as_series

skip_without("jsonschema")

sys.path.insert(0, str(TOP / "tests" / "support"))
from check_results import Schemas  # noqa: E402

RECORDED = TOP / "tests" / "unit" / "data" / "series"
KINDS = ("search", "loss-search", "sweep", "window-sweep", "soak", "replay")
# What compare says where A and B have the same figures: findings, and beginnings of tables' rows.
COMPARED = {
    "search": (
        "No difference between A and B is shown (B: median 1,412/s, N = 3; A: median 1,412/s,"
        " N = 3; Mann-Whitney, p = 1).",
        "rate queries/s 3 3 1,412 1,412 0 0 0 1 0.5",
    ),
    "sweep": (
        "With 2 and 2 runs no difference can be shown, however large: 4 and 4 are needed.",
        "500 100.00 100.00 0 0 1",
    ),
    "window-sweep": (
        "No difference between the runs of A and B is shown.",
        "answers/s over all windows queries/s 3 3 176,028 176,028 0",
        "answers/s at 2 open queries/s 3 3 195,320 195,320 0",
    ),
    "replay": (
        "No difference between the runs of A and B is shown.",
        "share answered % 3 3 100.000 100.000 0",
    ),
}


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

    def test_files_of_a_kind_are_compared_or_refused(self):
        for kind, (a, b) in itertools.product(
            KINDS, itertools.product(("json", "jsonl"), repeat=2)
        ):
            with self.subTest(kind, a=a, b=b):
                status, told, errors = self.run_program(
                    "compare", RECORDED / f"{kind}.{a}", "--", RECORDED / f"{kind}.{b}"
                )
                if kind in COMPARED:
                    self.assertEqual((status, errors), (0, ""))
                    for sentence in COMPARED[kind]:
                        self.assertIn(sentence, " ".join(told.split()))
                else:
                    self.assertEqual((status, told), (2, ""))
                    self.assertRegex(
                        errors,
                        rf"\Adnsgauge-report: {kind}[^:]*: results of different kinds, or of none"
                        r" of these: searches, self-tests, trials, experiments, sweeps, sweeps of"
                        r" windows and replays\n\Z",
                    )

    def test_files_of_different_kinds_are_not_compared(self):
        for kind, other in itertools.permutations(KINDS, 2):
            with self.subTest(kind, other=other):
                status, told, errors = self.run_program(
                    "compare", RECORDED / f"{kind}.json", "--", RECORDED / f"{other}.json"
                )
                self.assertEqual((status, told), (2, ""))
                self.assertIn(f"{kind} and {other}: results of different kinds", errors)


if __name__ == "__main__":
    unittest.main()
