#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that views have only fields that the schemas have, and keep the schemas' limits."""

import typing
import unittest
from unittest import mock

import made_up
from support import ReportTest

from dnsgauge_report import schemas
from dnsgauge_report.kinds import replay, trial
from dnsgauge_report.kinds.base import caveats_of
from dnsgauge_report.results import READERS
from dnsgauge_report.view import View, readers_of


def views_in(hint):
    """Returns the views among the types of a member."""
    if isinstance(hint, type) and issubclass(hint, View):
        return [hint]
    return [view for inner in typing.get_args(hint) for view in views_in(inner)]


class ViewTest(ReportTest):
    draws = False

    def fields_of(self, view, schema, found):
        """Adds to `found` the fields of each view's schemas, and those that each view reads."""
        hints = typing.get_type_hints(view)
        known, read = found.setdefault(view, (set(), set()))
        known |= set(schema.get("properties", {}))
        for name, reader, _ in readers_of(view):
            # Caveats stand in other fields, and a replay's intervals are not a trial's.
            if reader in (caveats_of, replay.read_replay_intervals):
                continue
            read.add(name)
            field = schemas.member(schema, name)
            inner = schemas.entry(field) or field
            for one in views_in(hints[name]):
                # Trials have trials, those of each Tester.
                if one is not trial.Trial and "properties" in inner:
                    self.fields_of(one, inner, found)

    def test_schemas_have_all_fields_of_views(self):
        found = {}
        for identity, read in READERS.items():
            view = getattr(read, "__self__", None) or typing.get_type_hints(read)["return"]
            self.fields_of(view, schemas.schema_of(identity), found)
        for view, (known, read) in found.items():
            with self.subTest(view.__name__):
                self.assertEqual(read - known, set())
        self.assertGreater(len(found), 30)

    def test_numbers_keep_the_limits_of_their_schemas(self):
        self.assertIn(
            "accept_percent is 101, not at most 100",
            self.refused(made_up.trial(accept_percent=101)),
        )
        self.assertIn("timeout_s is 0, not above zero", self.refused(made_up.trial(timeout_s=0)))
        joint = made_up.joint_trial()
        joint["testers"][1]["trial"]["accept_percent"] = -1
        self.assertIn("testers[1].trial.accept_percent is -1, not at least", self.refused(joint))

    def test_a_schema_that_is_not_there(self):
        self.refused({"schema": f"dnsgauge/{'a' * 5000}/1"})
        schemas.load.cache_clear()
        self.addCleanup(schemas.load.cache_clear)
        with mock.patch.object(schemas, "PLACES", (self.folder,)):
            path = self.write(made_up.trial())
            status, _, errors = self.run_program("page", path, "-o", self.folder / "page.html")
        self.assertEqual(status, 2)
        self.assertIn("has no trial.schema.json: install all of dnsgauge", errors)

    def test_words_are_those_of_their_schemas(self):
        refused = self.refused(made_up.trial(verdict="perhaps"))
        self.assertIn("verdict is the text 'perhaps', not one of pass, fail, invalid", refused)

    def test_counts_of_older_versions_may_be_none(self):
        self.page(made_up.capture(rcodes={"NOERROR": made_up.capture()["answers"], "REFUSED": 0}))


if __name__ == "__main__":
    unittest.main()
