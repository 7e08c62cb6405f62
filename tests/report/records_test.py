#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of captures' counts, and of floods against the models of the echo."""

import unittest

import made_up
from support import FiguresTest, findings


class RecordsTest(FiguresTest):
    def test_a_capture(self):
        page = self.drawn(made_up.capture())
        told = findings(page)
        self.assertIn("day.pcap has 1,000 queries and 980 answers of 9.9 s", told)
        self.assertIn("ask for 300 names and come from 40 clients", told)
        self.assertIn("70 % of them ask for A.", told)
        above = page[: page.index("<main")]
        self.assertIn("12 TCP segments were left out.", above)
        self.assertEqual([row["queries"] for row in self.data("messages")][:2], ["100", "100"])
        self.assertEqual(self.data("rcodes")[1], {"kind": "NXDOMAIN", "answers": "80"})
        self.assertIn("www.example.", page)

    def test_a_capture_without_messages(self):
        made = made_up.capture(
            queries=0, answers=0, types={}, rcodes={}, over_time=[], rate=None, since_ns=None
        )
        self.assertIn("has 0 queries and 0 answers", findings(self.page(made)))

    def test_a_capture_that_was_changed_is_refused(self):
        self.assertIn("the intervals have 1000 queries", self.refused(made_up.capture(queries=9)))

    def test_floods_of_the_echo(self):
        page = self.drawn(made_up.echo_bench())
        self.assertIn("fakedns, XDP replied to most queries, 500,000/s on average", findings(page))
        self.assertIn("echo epoll to least, 60,000/s", findings(page))
        row = self.data("replies")[0]
        self.assertEqual(
            (row["mean"], row["lowest"], row["results"]), ("500000.0", "490000.0", "3")
        )

    def test_a_record_of_floods_that_is_damaged_is_refused(self):
        for rounds, complaint in (
            ([], "one round at least"),
            ([{"echo poll": [1]}], "two rates"),
            ([{"echo poll": [1, "x"]}], "not a number"),
        ):
            with self.subTest(rounds=rounds):
                self.assertIn(complaint, self.refused(made_up.echo_bench(rounds=rounds)))


if __name__ == "__main__":
    unittest.main()
