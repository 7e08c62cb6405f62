#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests what becomes of files that are damaged, hostile, newer, or no results at all."""

import json
import unittest
from unittest import mock
from html.parser import HTMLParser

import made_up
import made_up_sets
from made_up import trial
from support import ReportTest

HOSTILE = (
    "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>$\\frac{1}{0}$\x1b[2J\u202e&amp;"
)


class Tags(HTMLParser):
    """Collects tags and attributes."""

    def __init__(self):
        super().__init__()
        self.tags = set()
        self.attributes = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


class FilesTest(ReportTest):
    draws = False

    def test_every_cut_off_file_is_refused_with_one_line(self):
        text = json.dumps(trial())
        for end in (0, 1, 7, len(text) // 2, len(text) - 1):
            with self.subTest(end=end):
                self.assertRegex(self.refused(text[:end]), "cut off|no field")

    def test_what_is_no_result_is_refused(self):
        for text, complaint in (
            ("[]", "is an empty list, not an object"),
            ("run,since_s,answered_percent\n1,0,100\n", "neither JSON nor a CSV file of queries"),
            ("{}", "no field schema"),
            ('{"schema": 1}', "schema is 1, not a text"),
            ('{"schema": "other/1"}', "no result that can be shown"),
            ('{"schema": "dnsgauge/trial/1"}', "there is no valid"),
            ('{"schema": "dnsgauge/trial/1", "sent": NaN}', "NaN, which is no JSON"),
            ("[" * 100000, "nested"),
            ('{"a": ' * 100 + "1" + "}" * 100, "nested"),
            ('{"schema": "dnsgauge/trial/1", "sent": 1' + "0" * 5000 + "}", "huge number"),
        ):
            with self.subTest(text=text[:40]):
                self.assertIn(complaint, self.refused(text))

    def test_what_dnsgauge_writes_for_others_is_told(self):
        for made, complaint in (
            ({"schema": "dnsgauge/options/1"}, "it describes the options of commands"),
            ({"schema": "dnsgauge/placement-record/1"}, "dnsgauge placement restore puts back"),
            (
                {"runid": "1", "type": "header", "schema_version": 20240530},
                "name the file that --json wrote of the same trial",
            ),
        ):
            with self.subTest(made):
                self.assertIn(complaint, self.refused(json.dumps(made) + "\n"))

    def test_a_newer_schema_is_named(self):
        line = self.refused(trial(schema="dnsgauge/trial/2"))
        self.assertIn(
            "of the schema dnsgauge/trial/2, and this program knows dnsgauge/trial/1", line
        )

    def test_fields_of_the_wrong_kind_are_named(self):
        for field, value in (
            ("sent", -1), ("sent", "1"), ("sent", True), ("sent", 1.5), ("rate", 0),
            ("rate", 1e300), ("server", None), ("verdict", "perhaps"), ("doubts", "one"),
            ("doubts", [1]), ("rtt_ns", []), ("rtt_histogram_ns", [[3, 2, 10000]]),
            ("sending", {}), ("rcodes", {"NOERROR": "x"}), ("rfc8219", 3),
            ("selftest", {"covers": "no"}), ("own_losses", {"interface": [1]}),
        ):  # fmt: skip
            with self.subTest(field=field, value=value):
                self.refused(trial(**{field: value}))

    def test_a_result_is_not_overwritten_by_its_page(self):
        path = self.write(trial())
        status, _, errors = self.run_program("page", path, "-o", path)
        self.assertEqual(status, 2)
        self.assertIn("is one of the results", errors)

    def test_no_output_of_any_command_replaces_an_input(self):
        steps = [(rate, rate, min(rate, 2500)) for rate in range(500, 4001, 500)]
        sweep = self.write(made_up_sets.sweep(steps), "s.json")
        found = self.write(made_up_sets.search([1000, 1100, 1200]), "a.json")
        other = self.write(made_up_sets.search([1000, 1100, 1300]), "b.json")
        cells = self.write(made_up.experiment(), "e.json")
        journal = self.write(made_up.journal(), "j.jsonl")
        linked = self.folder / "linked.json"
        linked.hardlink_to(sweep)
        (self.folder / "figures").mkdir()
        figure = self.folder / "figures" / "break-point.csv"
        figure.symlink_to(sweep)
        figures = ("--figures", self.folder / "figures", "--formats", "svg")
        for words in (
            ("model", sweep, "-o", sweep),
            ("model", sweep, "-o", linked),
            ("model", sweep, *figures),
            ("compare", found, "--", other, "-o", found),
            ("compare", found, "--", other, "-o", other),
            ("factors", cells, "-o", cells),
            ("watch", journal, "-o", journal),
        ):
            with self.subTest(words=words):
                before = {path: path.read_bytes() for path in self.folder.glob("*.json*")}
                status, told, errors = self.run_program(*words)
                self.assertEqual((status, told), (2, ""))
                self.assertRegex(errors, r"is (one of the results|the journal): name another ")
                for path, text in before.items():
                    self.assertEqual(path.read_bytes(), text)

    def test_nothing_is_drawn_for_a_place_that_is_refused(self):
        refused = self.folder / "refused"
        refused.mkdir()
        refused.chmod(0o777)
        page = self.folder / "page.html"
        path = self.write(trial())
        with mock.patch("dnsgauge_report.output.render") as drawn:
            status, told, errors = self.run_program("page", path, "-o", page, "--figures", refused)
        self.assertEqual((status, told), (2, ""))
        self.assertIn("everybody may replace the files in its directory", errors)
        drawn.assert_not_called()
        self.assertFalse(page.exists())
        self.assertEqual(list(refused.iterdir()), [])

    def test_nothing_hostile_becomes_markup(self):
        hostile = trial(
            server=HOSTILE, why=HOSTILE, doubts=[HOSTILE], zone=HOSTILE, rcodes={HOSTILE: 1}
        )
        hostile["circumstances"][HOSTILE] = HOSTILE
        self.draws = True
        page = self.page(hostile)
        seen = Tags()
        seen.feed(page)
        self.assertFalse(
            seen.tags & {"script", "img", "iframe", "object", "embed", "form", "image"}
        )
        self.assertFalse({name for name in seen.attributes if name.startswith("on")})
        self.assertNotIn("\x1b", page)
        self.assertNotIn("\u202e", page)

    def test_nothing_hostile_of_any_kind_becomes_markup(self):
        self.draws = True
        capture = made_up.capture(files=[HOSTILE], types={HOSTILE: 1000}, rcodes={HOSTILE: 980})
        capture["names"]["most_frequent"][0]["text"] = HOSTILE
        timed = made_up.timed_trial(server=HOSTILE, why=HOSTILE)
        for one in timed["intervals"]:
            one["rcodes"] = {HOSTILE: one["valid"]}
        experiment = made_up.experiment(title=HOSTILE, labels=[HOSTILE])
        for cell in experiment["cells"]:
            cell["settings"]["server"] += HOSTILE
        for made in (
            capture,
            timed,
            experiment,
            made_up.sweep(server=HOSTILE, why=HOSTILE, end=HOSTILE),
            made_up.loss_search(server=HOSTILE, command=[HOSTILE]),
            made_up.soak(server=HOSTILE, why=HOSTILE, rate_from=HOSTILE, end=HOSTILE),
            made_up.replay(server=HOSTILE, caveat=HOSTILE, before_trial=HOSTILE),
            made_up.echo_bench(rounds=[{HOSTILE: [10.0, 9.0], "echo": [3.0, 2.0]}]),
            made_up.selftest(server=HOSTILE),
            made_up.calibration(server=HOSTILE, record=HOSTILE),
        ):
            with self.subTest(made["schema"]):
                seen = Tags()
                seen.feed(self.page(made))
                self.assertFalse(seen.tags & {"script", "img", "iframe", "object", "embed", "form"})
                self.assertFalse({name for name in seen.attributes if name.startswith("on")})

    def test_newer_schemas_of_any_kind_are_named(self):
        for make in (
            made_up.trial, made_up.search, made_up.selftest, made_up.calibration,
            made_up.experiment, made_up.sweep, made_up.loss_search, made_up.capture, made_up.replay,
            made_up.soak, made_up.load_factor, made_up.placement, made_up.doctor,
            made_up.gate, made_up.echo_bench, lambda: made_up.trials([trial()]),
        ):  # fmt: skip
            made = make()
            known = made["schema"]
            newer = known.rpartition("/")[0] + "/9"
            with self.subTest(known):
                line = self.refused(made | {"schema": newer})
                self.assertIn(f"of the schema {newer}, and this program knows {known}", line)

    def test_a_hostile_file_name_is_a_name(self):
        path = self.write(trial(), "<script>alert(1)<$x$&.json")
        output = self.folder / "page.html"
        self.assertEqual(self.run_program("page", path, path, "-o", output)[0], 0)
        self.assertNotIn("<script", output.read_text(encoding="utf-8"))

    def test_what_cannot_be_read_or_written_is_told(self):
        for words, complaint in (
            (("page", self.folder / "none.json", "-o", "x"), "cannot be read: No such file"),
            (("page", self.folder, "-o", "x"), "cannot be read: Is a directory"),
            (("page", self.write(trial()), "-o", self.folder / "no" / "page.html"), "cannot write"),
            (("page", self.write(trial())), "--output"),
            (("page",), "see dnsgauge-report page --help"),
            (("pages",), "invalid choice"),
            ((), "see dnsgauge-report --help"),
        ):
            with self.subTest(words=words):
                status, _, errors = self.run_program(*words)
                self.assertEqual(status, 2)
                self.assertRegex(errors, r"\Adnsgauge-report: [^\n]+\n\Z")
                self.assertIn(complaint, errors)

    def test_the_same_results_make_the_same_page(self):
        self.draws = True
        self.assertEqual(self.page(trial()), self.page(trial()))


if __name__ == "__main__":
    unittest.main()
