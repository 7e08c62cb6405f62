#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Looks at pages in a headless Chromium: nothing overflows, nothing is clipped, nothing runs, and
nothing is asked for. Exit status 77: Chromium is not installed.

With a folder as argument, the test leaves its pages and screenshots there.
"""

import itertools
import shutil
import sys
import unittest
from pathlib import Path

import browser
import made_up
from files_test import HOSTILE
from support import ReportTest

WIDTHS = (360, 800, 1600)
THEMES = ("light", "dark")
KEPT = None


def everything():
    """Returns results of every kind, with texts as long as they may be."""
    sentence = "others ran on CPU 0 for 12 % of the trial and may have had a part in the figures"
    yield "trials", [made_up.trial(doubts=[sentence]), made_up.trial(server="2001:db8:ffff::5353")]
    yield "search", [made_up.search()]
    yield "journal", [made_up.journal()]
    yield "tester", [made_up.selftest(), made_up.calibration()]
    yield "experiment", [made_up.experiment()]
    yield "grid", [made_up.grid()]
    yield "timed", [made_up.timed_trial()]
    yield "repeated", [made_up.trials([made_up.timed_trial(worst) for worst in (0, 20, 40)])]
    yield "intervals", [made_up.intervals_csv()]
    yield "sweep", [made_up.sweep()]
    yield "sweeps", [made_up.sweep(), made_up.sweep(2000), made_up.series_journal("sweep")]
    yield "loss-search", [made_up.loss_search()]
    yield "loss-journal", [made_up.series_journal("loss-search", **{"loss-ratios": "0,0.1,1"})]
    probe = made_up.probe(9990, dropped={"socket_rcvbuff": 900}, unread=50)
    yield "probe", [made_up.trial(probe=probe)]
    yield "probes", [made_up.probe_record(), made_up.probe_record(unanswered=100)]
    probed = made_up.sweep()
    for step in probed["trials"]:
        step["probe"] = made_up.probe(step["sent"], server_ns=3 * step["rate"])
    yield "probed-sweep", [probed]
    yield "soaks", [made_up.soak(), made_up.soak(growth=0), made_up.soak_journal()]
    yield "replay", [made_up.replay()]
    yield "replays", [made_up.replay(), made_up.replay(slower=7), made_up.series_journal("replay")]
    yield "load-factor", [made_up.load_factor()]
    yield "machine", [made_up.doctor(), made_up.placement()]
    yield "capture", [made_up.capture()]
    yield "echo", [made_up.echo_bench()]
    yield "queries", [made_up.queries(2000)]
    yield "hostile", [made_up.trial(server=HOSTILE, why=HOSTILE, doubts=[HOSTILE, "x" * 500])]


class BrowserTest(ReportTest):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.close)

    def look(self, name):
        """Looks at the page in every width and theme."""
        self.browser.open(self.folder / "page.html")
        for width, theme in itertools.product(WIDTHS, THEMES):
            with self.subTest(width=width, theme=theme):
                self.browser.show(width, theme)
                self.assertEqual(self.browser.complaints(), [])
                if KEPT:
                    self.browser.screenshot(KEPT / f"{name}-{width}-{theme}.png")
        self.assertEqual(self.browser.errors(), [])
        self.assertEqual(self.browser.requests(), [])
        if KEPT:
            shutil.copy(self.folder / "page.html", KEPT / f"{name}.html")

    def test_pages(self):
        for name, results in everything():
            with self.subTest(name):
                self.page(*results)
                self.look(name)

    def test_themes_differ(self):
        self.page(made_up.selftest())
        self.browser.open(self.folder / "page.html")
        seen = []
        for theme in THEMES:
            self.browser.show(800, theme)
            paper = "getComputedStyle(document.body).backgroundColor"
            ink = "getComputedStyle(document.querySelector('svg text')).fill"
            seen.append((self.browser.evaluate(paper), self.browser.evaluate(ink)))
        self.assertNotEqual(seen[0][0], seen[1][0])
        self.assertNotEqual(seen[0][1], seen[1][1])

    def test_a_poor_page_is_noticed(self):
        page = self.page(made_up.selftest())
        for text, wrong, complaint in (
            ("</header>", '<p style="width: 2000px; max-width: none">wide</p></header>', "px wide"),
            ("</svg>", '<text x="240" y="50" font-size="9">beyond it</text></svg>', "clipped"),
            (
                "</svg>",
                '<text x="90" y="90">one</text><text x="92" y="90">two</text></svg>',
                "lies on",
            ),
        ):
            with self.subTest(complaint):
                self.assertIn(text, page)
                path = self.folder / "poor.html"
                path.write_text(page.replace(text, wrong, 1), encoding="utf-8")
                self.browser.open(path)
                self.browser.show(800, "light")
                self.assertIn(complaint, " ".join(self.browser.complaints()))
        path.write_text(
            page.replace("</header>", '<img src="http://192.0.2.1/x.png"></header>'),
            encoding="utf-8",
        )
        self.browser.open(path)
        self.assertTrue(self.browser.errors(), "what the page's policy forbids is told")


if __name__ == "__main__":
    if not browser.installed():
        print("SKIP: no chromium: tools/install-packages")
        sys.exit(77)
    if len(sys.argv) > 1:
        KEPT = Path(sys.argv.pop())
        KEPT.mkdir(parents=True, exist_ok=True)
    unittest.main()
