# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tests of dnsgauge-report share: results to read, a folder to write into, the program."""

import contextlib
import csv
import io
import json
import re
import sys
import tempfile
import unittest
from unittest import mock
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "tools" / "report"))


def skip_without(*modules):
    """Ends the program with the status of a skipped test where a package is missing."""
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            print(f"SKIP: no Python module {module}: tools/install-packages --for report")
            sys.exit(77)


skip_without("matplotlib", "jinja2", "pandas", "scipy", "statsmodels")

from dnsgauge_report import cli  # noqa: E402


EMBEDDED = "dnsgauge_report.page.embedded"


class ReportTest(unittest.TestCase):
    """A test with a folder of its own. Pages are without figures, which take most of the time,
    unless `draws` says that they are looked at."""

    draws = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, result, name="result.json"):
        """Returns the path of a file that holds the result."""
        path = self.folder / name
        text = result if isinstance(result, str) else json.dumps(result)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_program(self, *words):
        """Returns exit status, output and errors of dnsgauge-report."""
        output, errors = io.StringIO(), io.StringIO()
        drawn = (
            contextlib.nullcontext()
            if self.draws
            else mock.patch(EMBEDDED, lambda *_: "<svg></svg>")
        )
        with drawn, contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = cli.main([str(word) for word in words])
            except SystemExit as end:
                status = end.code
        return status, output.getvalue(), errors.getvalue()

    def page(self, *results, words=()):
        """Returns the page of results, which must come to be."""
        paths = [self.write(one, f"result{number}.json") for number, one in enumerate(results, 1)]
        output = self.folder / "page.html"
        status, told, errors = self.run_program("page", *paths, "-o", output, *words)
        self.assertEqual((status, told, errors), (0, "", ""))
        return output.read_text(encoding="utf-8")

    def refused(self, result):
        """Returns the one line that refuses a result."""
        path = self.write(result)
        (self.folder / "page.html").unlink(missing_ok=True)
        status, told, errors = self.run_program("page", path, "-o", self.folder / "page.html")
        self.assertEqual((status, told), (2, ""), errors)
        self.assertRegex(errors, r"\Adnsgauge-report: [^\n]+\n\Z")
        self.assertIn("result.json", errors)
        self.assertFalse((self.folder / "page.html").exists())
        return errors


class FiguresTest(ReportTest):
    """A test that looks at the figures' data, which the page's maker writes beside the page."""

    draws = False

    def drawn(self, *results):
        """Returns the page, whose figures are written, too."""
        return self.page(*results, words=("--figures", self.folder / "f", "--formats", "svg"))

    def data(self, name):
        """Returns the rows of a figure's data."""
        with open(self.folder / "f" / f"{name}.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


def findings(page):
    """Returns what the page's first sentences say."""
    return re.search(r'<p class="findings">(.*?)</p>', page, re.DOTALL)[1]
