#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests how pages and figures become files, in directories where others may write, too."""

import os
import unittest
from unittest import mock

from made_up import trial
from support import ReportTest

from dnsgauge_report import whole_file
from dnsgauge_report.errors import ReportError

SOMEBODY_ELSE = 65534


class WholeFileTest(ReportTest):
    draws = False

    def setUp(self):
        super().setUp()
        self.result = self.write(trial())
        self.open = self.folder / "open"
        self.open.mkdir()

    def told(self, output, *words):
        """Returns the exit status and the complaint of a page that goes to `output`."""
        status, _, errors = self.run_program("page", self.result, "-o", output, *words)
        return status, errors

    def give_away(self, path):
        if os.geteuid() != 0:
            self.skipTest("only root can give files away")
        os.chown(path, SOMEBODY_ELSE, SOMEBODY_ELSE, follow_symlinks=False)

    def test_a_page_replaces_one_and_leaves_nothing_else(self):
        page = self.open / "page.html"
        page.write_text("older", encoding="utf-8")
        page.chmod(0o640)
        (self.open / "link").symlink_to("page.html")
        self.assertEqual(self.told(self.open / "link"), (0, ""))
        self.assertIn("<html", page.read_text(encoding="utf-8"))
        self.assertEqual(page.stat().st_mode & 0o777, 0o640)
        self.assertEqual(len(list(self.open.iterdir())), 2)

    def test_a_strangers_link_is_not_followed(self):
        (self.open / "precious").write_text("precious", encoding="utf-8")
        (self.open / "link").symlink_to("precious")
        (self.folder / "own").symlink_to(self.open / "link")
        self.give_away(self.open / "link")
        # Root, which alone can give files away, follows it in no directory.
        for mode in (0o755, 0o770, 0o777, 0o1777):
            self.open.chmod(mode)
            for way in (self.open / "link", self.folder / "own"):
                status, errors = self.told(way)
                self.assertEqual(status, 2)
                self.assertIn("another user's link", errors)
        self.open.chmod(0o755)
        os.chown(self.open, SOMEBODY_ELSE, SOMEBODY_ELSE)
        self.assertIn("name the file that it leads to", self.told(self.open / "link")[1])
        self.assertEqual((self.open / "precious").read_text(encoding="utf-8"), "precious")

    def test_a_strangers_file_is_not_replaced(self):
        page = self.open / "page.html"
        page.write_text("older", encoding="utf-8")
        self.give_away(page)
        self.open.chmod(0o1777)
        status, errors = self.told(page)
        self.assertEqual(status, 2)
        self.assertIn("another user's file", errors)
        self.assertEqual(page.read_text(encoding="utf-8"), "older")

    def test_figures_are_made_by_the_same_rules(self):
        victim = self.folder / "victim"
        victim.write_text("precious", encoding="utf-8")
        words = ("--figures", self.open, "--formats", "svg")
        self.assertEqual(self.told(self.folder / "page.html", *words), (0, ""))
        drawn = sorted(self.open.iterdir())
        self.assertNotEqual(drawn, [])
        for path in drawn:
            path.unlink()
            path.symlink_to(victim)
            self.give_away(path)
        self.open.chmod(0o1777)
        status, errors = self.told(self.folder / "page.html", *words)
        self.assertEqual(status, 2)
        self.assertIn("another user's link", errors)
        self.assertEqual(victim.read_text(encoding="utf-8"), "precious")

    def test_everybodys_directory_gets_no_page(self):
        self.open.chmod(0o777)
        status, errors = self.told(self.open / "page.html")
        self.assertEqual(status, 2)
        self.assertIn("everybody may replace", errors)

    def test_a_pipe_is_never_waited_for(self):
        pipe = self.open / "pipe"
        os.mkfifo(pipe)
        status, errors = self.told(pipe)
        self.assertEqual(status, 2)
        self.assertIn("it is a pipe that nothing reads", errors)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        # More than a pipe holds would wait for the reader: an empty device takes it all.
        self.assertEqual(self.told("/dev/null"), (0, ""))

    def test_a_pipe_whose_reader_stops_reading_is_given_up(self):
        pipe = self.open / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        with mock.patch.object(whole_file, "PATIENCE_S", 0.05):
            with self.assertRaisesRegex(ReportError, "its reader has taken nothing for 0.05 s"):
                whole_file.write_whole(pipe, b"x" * (1 << 20))

    def test_a_descriptor_is_written_to(self):
        page = self.open / "page.html"
        with open(page, "wb") as file:
            self.assertEqual(self.told(f"/dev/fd/{file.fileno()}"), (0, ""))
        self.assertIn("<html", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
