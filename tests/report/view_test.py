#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that views read members as the schemas describe them."""

import unittest
from unittest import mock

import made_up
from support import ReportTest

from dnsgauge_report import schemas
from dnsgauge_report.document import Chart
from dnsgauge_report.errors import ReportError
from dnsgauge_report.fields import Fields
from dnsgauge_report.kinds import trial
from dnsgauge_report.view import View

SCHEMA = {
    "required": ["count", "maybe"],
    "properties": {
        "count": {"type": "integer", "minimum": 0},
        "maybe": {"type": ["integer", "null"]},
        "share": {"type": "number", "maximum": 1},
        "name": {"type": "string"},
        "is_on": {"type": "boolean"},
        "word": {"enum": ["a", "b"]},
        "names": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "parts": {
            "type": "array",
            "items": {"type": "object", "properties": {"x": {"const": "1"}}},
        },
        "part": {"anyOf": [{"type": "null"}, {"type": "object", "properties": {}}]},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
}
ABSENT = {"maybe": None, "share": None, "name": "", "is_on": False, "word": "", "names": []}
ABSENT |= {"numbers": [], "parts": [], "part": None, "counts": {}}


def view_of(**value):
    return View(Fields(value, "file", schema=SCHEMA))


class ViewTest(ReportTest):
    draws = False

    def test_members_have_the_types_of_the_schema(self):
        told = {"count": 3, "share": 0.5, "name": "n", "is_on": True, "word": "b", "names": ["m"]}
        told |= {"numbers": [1, 2], "counts": {"x": 1}}
        made = view_of(**told, parts=[{"x": "1"}])
        self.assertEqual({name: getattr(made, name) for name in told}, told)
        self.assertEqual([one.x for one in made.parts], ["1"])

    def test_members_that_may_be_absent_are_none_or_empty(self):
        for made in (view_of(count=1), view_of(count=1, **dict.fromkeys(ABSENT))):
            self.assertEqual({name: getattr(made, name) for name in ABSENT}, ABSENT)

    def test_a_member_that_is_not_what_the_schema_says_is_named(self):
        for name, value, complaint in (
            ("count", None, "count is null, not a number"),
            ("count", -1, "count is -1, not at least zero"),
            ("count", 1.5, "count is 1.5, not a whole number"),
            ("share", 2, "share is 2, not at most 1"),
            ("name", 1, "name is 1, not a text"),
            ("word", "c", "word is the text 'c', not one of a, b"),
            ("names", [1], "names is 1, not a list of texts"),
            ("parts", [1], "parts[0] is 1, not an object"),
        ):
            with self.subTest(complaint), self.assertRaises(ReportError) as raised:
                getattr(view_of(**{name: value}), name)
            self.assertIn(f"file: {complaint}", str(raised.exception))
        with self.assertRaisesRegex(ReportError, "there is no count"):
            view_of().count
        with self.assertRaises(AttributeError):
            view_of().unknown

    def test_older_files_lack_members(self):
        class Older(View):
            older = {"count": 7}

        self.assertEqual(Older(Fields({}, "file", schema=SCHEMA)).count, 7)

    def test_members_that_others_read_are_of_the_schema(self):
        made = trial.Trial(Fields(made_up.trial(), "file"), "label")
        derived = {"caveats"}
        for name in {*trial.Trial.readers, *trial.Trial.older} - derived:
            self.assertTrue(schemas.member(made.fields.schema, name), name)

    def test_numbers_keep_the_limits_of_their_schemas(self):
        self.assertIn(
            "accept_percent is 101, not at most 100",
            self.refused(made_up.trial(accept_percent=101)),
        )
        self.assertIn("timeout_s is 0, not above zero", self.refused(made_up.trial(timeout_s=0)))

    def test_a_schema_that_is_not_there(self):
        self.refused({"schema": f"dnsgauge/{'a' * 5000}/1"})
        schemas.load.cache_clear()
        self.addCleanup(schemas.load.cache_clear)
        with mock.patch.object(schemas, "PLACES", (self.folder,)):
            path = self.write(made_up.trial())
            status, _, errors = self.run_program("page", path, "-o", self.folder / "page.html")
        self.assertEqual(status, 2)
        self.assertIn("has no trial.schema.json: build or install all of dnsgauge", errors)

    def test_words_are_those_of_their_schemas(self):
        refused = self.refused(made_up.trial(verdict="perhaps"))
        self.assertIn("verdict is the text 'perhaps', not one of pass, fail, invalid", refused)

    def test_counts_of_older_versions_may_be_none(self):
        self.page(made_up.capture(rcodes={"NOERROR": made_up.capture()["answers"], "REFUSED": 0}))

    def test_a_figure_tells_its_data_to_readers_who_cannot_see_it(self):
        heads = "server stage rate_ns loss_percent verdict most"
        rows = [
            ("a", "queue", 1500, 0, "pass", 1234567),
            ("b", "queue", 400, 12.5, "pass", None),
            ("a", "queue", 2_000_000, 0.25, "fail", 0.5),
        ]
        self.assertEqual(
            Chart("name", "title", "caption", heads, rows, print).description,
            "a, queue: rate 1.5 µs to 2.00 ms, loss 0 % to 0.25 %, verdict pass and fail,"
            " most 0.5 to 1,234,567; b, queue: rate 400 ns, loss 12.5 %, verdict pass, most none.",
        )


if __name__ == "__main__":
    unittest.main()
