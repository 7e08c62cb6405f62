#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests dnsgauge-report compare: words, figures, forms, exit status."""

import csv
import dataclasses
import io
import re
import unittest

from support import ReportTest

from dnsgauge_report.comparison.figures import Figures, Told, change_sentence
from dnsgauge_report.statistics import samples
from made_up import judged, replay, replay_run, trial, trials
from made_up_sets import experiment, repetition, run_at, search, sweep

RATES = [98000, 99000, 99500, 100000, 100200, 100500, 101000, 102000]


def times(factor, values=RATES):
    return [round(factor * value) for value in values]


class CompareTest(ReportTest):
    def compare(self, a, b, *words, status=0):
        """Returns what compare prints of two lists of results."""
        paths = [
            [self.write(one, f"{side}{number}.json") for number, one in enumerate(results)]
            for side, results in (("a", a), ("b", b))
        ]
        done = self.run_program("compare", *words, *paths[0], "--", *paths[1])
        self.assertEqual((done[0], done[2]), (status, ""))
        return " ".join(done[1].split())

    def refusal(self, *words):
        status, told, errors = self.run_program("compare", *words)
        self.assertEqual((status, told), (2, ""), errors)
        self.assertRegex(errors, r"\Adnsgauge-report: [^\n]+\n\Z")
        return errors

    def test_b_keeps_more(self):
        told = self.compare([search(RATES)], [search(times(1.06))])
        self.assertRegex(told, r"B keeps 4\.[0-9]+ to 7\.[0-9]+ % more than A")
        self.assertIn("B: median 106,106/s, N = 8; A: median 100,100/s, N = 8; Mann-Whitney", told)
        self.assertIn("Mann-Whitney, p = 0.00", told)

    def test_b_keeps_less(self):
        told = self.compare([search(times(1.06))], [search(RATES)])
        self.assertRegex(told, r"B keeps [34]\.[0-9]+ to [67]\.[0-9]+ % less than A")

    def test_no_difference_is_told_with_what_would_have_been(self):
        told = self.compare([search(RATES[:5])], [search(RATES[1:6])])
        self.assertIn("No difference between A and B is shown", told)
        self.assertRegex(
            told,
            r"With 5 and 5 results a difference above [0-9.]+ % would be shown 80 times of 100; 1 %"
            r" would take [0-9]+ of each",
        )

    def test_three_results_tell_nothing(self):
        told = self.compare([search([1000, 1001, 1002])], [search([2000, 2001, 2002])])
        self.assertIn("With 3 and 3 results no difference can be shown, however large", told)

    def test_several_figures_take_more_results(self):
        def runs(slower, count=4):
            return [run_at(20000, slower=slower + at / 100, since=at) for at in range(count)]

        for count in (3, 4):
            told = self.compare(runs(1.0, count), runs(9.0, count))
            self.assertIn(
                f"With {count} and {count} results no difference can be shown, however large: 5 and"
                " 5 are needed for 4 figures.",
                told,
            )
        self.assertIn("% higher than A's", self.compare(runs(1.0, 5), runs(9.0, 5)))

    def test_exit_status_for_those_who_automate(self):
        limit = ("--fail-if-slower", "5%")
        for factor, status, said in (
            (1.0, 0, "B is not slower than A by more than 5 %"),
            (0.9, 1, "B is slower than A by more than 5 %"),
            (0.95, 3, "Whether B is slower than A by more than 5 % is not shown"),
        ):
            told = self.compare([search(RATES)], [search(times(factor))], *limit, status=status)
            self.assertIn(said, told)

    def test_commands_that_start_two_servers_anew_are_no_difference(self):
        first, second, none = search(RATES), search(RATES), search(RATES)
        for made, command in ((first, "restart nsd"), (second, "restart knot"), (none, None)):
            made["options"] = {"duration": "60", "before-trial": command}
        self.assertNotIn("not asked alike", self.compare([first], [second]))
        self.assertIn("differ: before-trial (a command and none)", self.compare([first], [none]))

    def test_doubts_of_both_sides_are_told(self):
        other = search(RATES, rfc8219={"compliant": False, "deviations": ["trials of 1 s"]})
        other["options"] = {"duration": "1", "timeout": "1"}
        told = self.compare([search(RATES)], [other])
        self.assertIn("were not asked alike, which may make them differ: duration (60 and 1)", told)
        self.assertIn("B, b0: Not compliant with RFC 8219: trials of 1 s.", told)

    def test_trials_by_other_rules_of_the_judge_were_not_asked_alike(self):
        strict = [trials([trial()] * 4)]
        self.assertNotIn("rules of the judge", self.compare(strict, strict))
        told = self.compare(strict, [trials([trial(judged=judged("aa"))] * 4)])
        self.assertIn("loosened rules of the judge (none and aa)", told)

    def test_files_of_a_side_that_differ_are_doubted(self):
        told = self.compare([search(RATES), search(times(1.2))], [search(RATES)])
        self.assertIn("The files of A differ among themselves", told)

    def test_a_server_that_keeps_the_whole_range_cannot_be_compared(self):
        above = search([], at_least=200000, end="above range")
        errors = self.refusal(
            self.write(search(RATES), "a.json"), "--", self.write(above, "b.json")
        )
        self.assertIn("b: B cannot be compared: its server keeps 200,000/s or more", errors)

    def test_experiments_are_compared_cell_by_cell(self):
        def made(factor):
            cells = (("bind", 1.0), ("nsd", factor), ("knot", 1.0))
            return experiment([({"server": name}, times(one)) for name, one in cells])

        told = self.compare([made(1.0)], [made(1.1)], "--fail-if-slower", "5%")
        self.assertIn("B differs from A in 1 of 3 cells", told)
        self.assertRegex(told, r"server nsd: B keeps [89]\.[0-9]+ to 1[12]\.?[0-9]* % more than A")
        told = self.compare([made(1.0)], [made(0.8)], "--fail-if-slower", "5%", status=1)
        self.assertIn("B is slower than A by more than 5 %: server nsd shows it", told)

    def test_cells_of_one_side_alone_are_left_out_and_told(self):
        one = experiment([({"server": "bind"}, RATES), ({"server": "nsd"}, RATES)])
        other = experiment([({"server": "bind"}, RATES), ({"server": "nsd"}, [])])
        self.assertIn("without a result on both sides are left out", self.compare([one], [other]))
        unlike = experiment([({"server": "x"}, RATES), ({"server": "y"}, RATES)])
        errors = self.refusal(self.write(one, "a.json"), "--", self.write(unlike, "b.json"))
        self.assertIn("no cell of A has the settings of one of B", errors)

    def test_trials_by_response_rates_and_latencies(self):
        def runs(share, slower):
            return [
                run_at(rate, min(1, share + number / 1000) if rate > 20000 else 1.0,
                       slower * (1 + number / 100), since=number)
                for rate in (20000, 40000) for number in range(6)
            ]  # fmt: skip

        told = self.compare(runs(0.99, 1), runs(0.95, 1.2), "--fail-if-slower", "10%", status=1)
        self.assertIn("The response rates of A and B differ", told)
        self.assertIn("B answers 4 percentage points less at 40,000/s", told)
        self.assertRegex(
            told, r"B's p50 latency at 20,000/s is 1[4-9]\.?[0-9]* to 2[0-9.]+ % higher"
        )
        self.assertIn("All runs of B lie apart from all of A", told)

    def test_repeated_trials_are_as_many_trials(self):
        a, b = (
            [run_at(20000, slower=slower + number / 100, since=number) for number in range(6)]
            for slower in (1.0, 1.3)
        )
        invalid = run_at(20000) | {"verdict": "invalid"}
        apart = self.compare(a, b)
        together = self.compare([trials([*a, invalid])], [trials(b)])
        found = r"B's p50 latency is [^.]* % higher"
        self.assertRegex(together, found)
        self.assertEqual(re.search(found, together)[0], re.search(found, apart)[0])

    def test_trials_at_other_rates_or_invalid_are_refused(self):
        one = self.write(run_at(20000), "a.json")
        other = self.write(run_at(30000), "b.json")
        told = self.refusal(one, "--", other)
        self.assertIn("a and b: A has trials at 20,000/s, B at 30,000/s", told)
        invalid = self.write(run_at(20000) | {"verdict": "invalid"}, "c.json")
        self.assertIn("c: the trial is invalid", self.refusal(one, "--", invalid))

    def test_a_difference_whose_size_is_not_known_is_told(self):
        figures = Figures("p50 latency", "ns", [5e4, 6e4], [7e4, 8e4], False)
        found = samples.compare(figures.a, figures.b)
        unsure = dataclasses.replace(found, interval=samples.Interval(0.9, 1.5))
        self.assertEqual(
            change_sentence(Told(figures, unsure, 0.03, 5)),
            "B's p50 latency is higher than A's (B: median 75.0 µs, N = 2; A: median 55.0 µs,"
            " N = 2; Mann-Whitney, p = 0.03 corrected by Holm for 5 figures).",
        )
        many = dataclasses.replace(found, interval=samples.Interval(1200, 1512))
        self.assertIn("is 1,200 to 1,510 times A's", change_sentence(Told(figures, many, 0.03, 1)))

    def test_single_trials_are_not_tested(self):
        told = self.compare([run_at(20000)], [run_at(20000, slower=2)])
        self.assertIn("it takes two runs of A and of B at least", told)
        self.assertIn("A single run has no shading", told)

    def test_sweeps_by_their_response_rates(self):
        def made(lost):
            steps = [
                (rate, 10000, 10000 - (lost + 3 * number if rate > 10000 else 0))
                for number in range(5) for rate in (10000, 20000, 30000)
            ]  # fmt: skip
            return sweep(steps)

        told = self.compare([made(10)], [made(200)])
        self.assertIn("B answers 1.9 percentage points less at 20,000/s and 30,000/s", told)

    def replays(self, slower=1.0, lost=0):
        """Returns a replay of nine runs, which differ a little."""
        made = replay(runs_wanted=9)
        made["trials"] = [replay_run(lost + number % 3, slower) for number in range(9)]
        for number, run in enumerate(made["trials"]):
            longer = slower * (1 + number / 500)
            for name in ("rtt_p50_ns", "rtt_p99_ns"):
                run["later_part"][name] = int(run["later_part"][name] * longer)
        return made

    def test_replays_by_shares_and_latencies(self):
        told = self.compare([self.replays()], [self.replays(2.0, lost=20)])
        self.assertRegex(
            told, r"B's share answered is (2|1\.9)[0-9.]* to 2[0-9.]* % lower than A's"
        )
        self.assertRegex(told, r"B's p99 latency is 9[0-9.]* to 10[0-9.]* % higher than A's")
        self.assertIn(
            "from the slowest 1 % to the slowest 10 % of the queries B is slower by", told
        )
        same = self.compare([self.replays()], [self.replays()])
        self.assertIn("No difference between the runs of A and B is shown.", same)
        self.assertIn("overlap everywhere", same)
        self.compare([self.replays()], [self.replays(1.5)], "--fail-if-slower", "5%", status=1)
        self.compare([self.replays()], [self.replays()], "--fail-if-slower", "5%", status=0)

    def test_replays_of_other_captures_are_doubted(self):
        other = self.replays()
        other["captures"]["played"] = 7
        told = self.compare([self.replays()], [other])
        self.assertIn("Not all replays play the same captures as often", told)

    def test_every_form_has_the_same_figures(self):
        a, b = self.write(search(RATES), "a.json"), self.write(search(times(1.06)), "b.json")
        status, told, _ = self.run_program("compare", "--form", "csv", a, "--", b)
        self.assertEqual(status, 0)
        (row,) = csv.DictReader(io.StringIO(told))
        self.assertEqual(
            (row["n A"], row["median A"], row["median B"]), ("8", "100100.0", "106106.0")
        )
        self.assertAlmostEqual(float(row["B to A, %"]), 6.0)
        status, told, _ = self.run_program("compare", "--form", "markdown", a, "--", b)
        self.assertIn("| rate | queries/s | 8 | 8 | 100,100 | 106,106 | 6 |", told)

    def test_pages_and_figures(self):
        a, b = self.write(search(RATES), "a.json"), self.write(search(times(1.06)), "b.json")
        page, figures = self.folder / "page.html", self.folder / "figures"
        words = ("-o", page, "--figures", figures, "--formats", "svg")
        self.assertEqual(self.run_program("compare", *words, a, "--", b)[0], 0)
        self.assertIn("B keeps", page.read_text(encoding="utf-8"))
        self.assertTrue((figures / "results.svg").exists())
        self.assertIn("A,a,98000", (figures / "results.csv").read_text(encoding="utf-8"))

    def test_what_cannot_be_compared_is_told(self):
        found = self.write(search(RATES), "a.json")
        of_cells = self.write(experiment([({"server": "x"}, RATES)]), "b.json")
        for words, complaint in (
            ((found,), "write -- between"),
            ((found, "--"), "expected at least one argument"),
            ((found, "--", of_cells), "results of different kinds"),
            (("--fail-if-slower", "5", found, "--", found), "takes a share"),
            (("--fail-if-slower", "nan%", found, "--", found), "takes a share"),
        ):
            with self.subTest(words=words):
                self.assertIn(complaint, self.refusal(*words))

    def test_hostile_names_stay_names(self):
        hostile = search(RATES, tester_limit="<script>alert(1)</script>\x1b[2J")
        path = self.write(hostile, "a|b.json")
        page = self.folder / "page.html"
        status, told, _ = self.run_program(
            "compare",
            "--form",
            "markdown",
            "-o",
            page,
            path,
            "--",
            self.write(search(RATES), "b.json"),
        )
        self.assertEqual(status, 0)
        self.assertNotIn("\x1b", told)
        self.assertNotIn("<script>", told.replace("\\<", ""))
        self.assertNotIn("<script>", page.read_text(encoding="utf-8"))

    def test_a_repetition_of_a_search_is_what_the_reader_takes_it_for(self):
        broken = search(RATES, repetitions=[repetition(1)])
        self.assertIn(
            "rates do not fit the repetitions",
            self.refusal(self.write(broken, "a.json"), "--", self.write(search(RATES), "b.json")),
        )


if __name__ == "__main__":
    unittest.main()
