#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of trials."""

import csv
import unittest

import made_up
from made_up import joint_trial, old_trial, trial, trials
from support import ReportTest, findings


class TrialTest(ReportTest):
    draws = False

    def test_a_page_begins_with_what_was_found(self):
        page = self.page(trial())
        told = findings(page)
        self.assertIn("198.18.0.2 passed a trial of 10,000 AAAA queries at 20,000/s", told)
        self.assertIn("100 % of the queries were answered right and in time.", told)
        self.assertIn("Half of the right answers came within 39.4 µs, 99 % within 2.39 ms", told)
        self.assertLess(page.index("findings"), page.index("<figure>"))
        self.assertIn('RTT count</th><td class="number">10,000</td>', page)
        over_tcp = findings(self.page(trial(transport="tcp")))
        self.assertIn("10,000 AAAA queries over TCP at 20,000/s", over_tcp)

    def test_what_makes_it_doubtful_stands_above_the_figures(self):
        page = self.page(
            trial(doubts=["others ran on CPU 0 for 12 % of the trial"], own_losses={"unsent": 3})
        )
        above = page[: page.index("<main")]
        for doubt in (
            "Not compliant with RFC 8219: trials of 0.5 s, not 60 s.",
            "Others ran on CPU 0 for 12 % of the trial.",
            "The Tester itself lost packets: unsent grew by 3.",
        ):
            self.assertIn(doubt, above)
        self.assertNotIn("<details", page)

    def test_a_hint_stands_below_what_was_found(self):
        hint = {"kind": "rate_limit", "text": "looks like a limit", "figures": {"lost": 40}}
        self.assertIn("Looks like a limit.", findings(self.page(trial(hints=[hint]))))
        self.assertNotIn("Looks like", self.page(trial()))

    def test_where_a_server_left_the_line_of_a_ramp(self):
        ramp = {"left": 4646, "low": 1900, "high": 4700, "answered": 2000}
        told = findings(self.page(trial(ramp=ramp)))
        self.assertIn("line of the ramp at 4,646/s, or between 1,900/s and 4,700/s", told)
        told = findings(self.page(trial(ramp=dict.fromkeys(ramp))))
        self.assertIn("There is no rate of the ramp", told)

    def test_replies_and_cpus_are_shown(self):
        page = self.page(trial())
        for cell in (
            '<th scope="row">octets, mean</th><td class="number">76</td>',
            '<td class="number">8,802,816.9/s</td>',
            '<th scope="row">CPU 0</th><td>sends</td><td class="number">0 %</td>',
            '<td class="number">2 %</td>',
            '<th scope="row">CPU 1</th><td class="long">receives, runs the server</td>',
        ):
            self.assertIn(cell, page)
        self.assertNotIn("with RRSIG", page)
        signed = trial()
        signed["replies"] |= {"read_whole": 10000, "with_rrsig": 7000, "without_rrsig": 3000}
        self.assertIn('with RRSIG</th><td class="number">7,000</td>', self.page(signed))
        signed["replies"] |= {"no_question": 852}
        self.assertIn('no question</th><td class="number">852</td>', self.page(signed))

    def test_connections_of_several_trials_stand_side_by_side(self):
        page = self.page(
            *(trial(transport="tcp", connections=made_up.connections(n)) for n in (11, 12))
        )
        self.assertIn('opened</th><td class="number">11</td><td class="number">12</td>', page)
        self.assertIn('count</th><td class="number">11</td><td class="number">12</td>', page)
        self.assertNotIn("Connections", self.page(trial(), trial()))

    def test_stalls_are_shown(self):
        page = self.page(trial())
        for told in (
            "A stall is longer than 3.45 ms, in which 69 queries become due.",
            '<th scope="row">The Tester</th><td class="number">0</td>',
        ):
            self.assertIn(told, page)
        self.assertNotIn("stood still", page[: page.index("<main")])
        self.assertNotIn("of the trial became due", page)
        self.assertNotIn("because of stalls of", page)
        tester = made_up.stall_costs(
            stalls=2, longest_ns=45000000, largest_burst=901, costly=1, lost=7, reach_ns=9000000
        )
        server = made_up.stall_costs(stalls=1, longest_ns=5000000, costly=1, late=3)
        stalls = made_up.stalls(queries=1800, tester=tester, server=server)
        failed = {"sent": 10010, "lost": 7, "late": 3, "verdict": "fail", "why": "7 lost, 3 late"}
        page = self.page(trial(**failed, stalls=stalls))
        above = page[: page.index("<main")]
        for doubt in (
            "The Tester stood still 2 times, for 45.00 ms at most; because of that 7 queries were"
            " lost and 0 answered late.",
            "The server&#39;s CPU stood still 1 time, for 5.00 ms at most; because of that 0"
            " queries were lost and 3 answered late.",
        ):
            self.assertIn(doubt, above)
        for told in (
            "1,800 queries of the trial became due",
            '<td class="number">45.00 ms</td>',
            '<td class="number">901</td>',
            '<td class="number">9.00 ms</td>',
            'of stalls of the Tester</th><td class="number">7</td>',
            'of stalls of the server&#39;s CPU</th><td class="number">3</td>',
        ):
            self.assertIn(told, page)
        decided = trial(**failed | {"verdict": "invalid"}, stalls=stalls | {"decided": True})
        page = self.page(decided)
        self.assertIn("The trial is invalid because of them", page)
        self.assertNotIn("stood still 2 times", page)
        self.assertNotIn("A stall is longer than", self.page(trial(stalls=None)))
        side_by_side = self.page(trial(), trial(**failed, stalls=stalls))
        self.assertIn('Tester</th><td class="number">0</td><td class="number">7</td>', side_by_side)

    def test_the_rules_of_the_judge_are_shown(self):
        page = self.page(trial())
        self.assertIn("opt, aa, z, owner, extra, cname, trailing", page)
        self.assertIn("loosened rules of the judge</th><td>none</td>", page)
        self.assertNotIn("loosened", page[: page.index("<main")])
        loose = trial(judged=made_up.judged("aa", "owner"))
        page = self.page(loose)
        self.assertIn("rules of the judge (aa and owner)", page[: page.index("<main")])
        self.assertIn(">opt, z, extra, cname, trailing</td>", page)
        differs = self.page(trial(), loose).split("What differs")[-1].split("The same of all")[0]
        self.assertIn("loosened rules of the judge", differs)
        older = trial()
        del older["judged"]
        self.assertNotIn("rules of the judge", self.page(older))

    def test_times_of_the_card_are_shown(self):
        self.assertNotIn("card&#39;s clock", self.page(trial(rtt_hardware_ns=None)))
        by_card = trial()["rtt_ns"] | {"p50": 12345}
        page = self.page(trial(rtt_hardware_ns=by_card))
        self.assertIn("RTT by the card&#39;s clock, median", page)
        self.assertIn("12.3 µs", page)

    def test_a_trial_of_several_testers(self):
        made = joint_trial()
        page = self.page(made, words=("--figures", self.folder / "f", "--formats", "svg"))
        self.assertIn("2 Testers made the trial together, on tester-0 and tester-1.", page)
        self.assertIn(
            '<th scope="row">Tester 1</th><td>tester-1</td><td class="number">10,000</td>', page
        )
        for told in ('number">5.00 ms</td>', 'number">25.0 µs</td>', "Tester 1, CPU 0"):
            self.assertIn(told, page)
        with open(
            self.folder / "f" / "rtt-percentiles-testers.csv", encoding="utf-8", newline=""
        ) as file:
            labels = {row["result"] for row in csv.DictReader(file)}
        self.assertEqual(labels, {"result1 Tester 0", "result1 Tester 1"})
        made["testers"][1]["trial"] = trial(sent=9999, valid=9999, rtt_ns=None, rtt_histogram_ns=[])
        self.assertIn("testers sent 19999 queries", self.refused(made))
        made["testers"][1] |= {"trial": None, "clock_after": None, "schedule_error_ns": None}
        self.assertIn("no result", self.page(made))

    def test_nothing_was_sent(self):
        silent = trial(sent=0, valid=0, rtt_ns={"count": 0}, rtt_histogram_ns=[], verdict="invalid")
        self.assertIn("No query was sent.", findings(self.page(silent)))

    def test_an_invalid_trial_says_nothing_about_the_server(self):
        page = self.page(trial(verdict="invalid", why="sending took too long"))
        self.assertIn("says nothing about 198.18.0.2: sending took too long.", page)

    def test_repeated_trials_stand_side_by_side(self):
        invalid = trial(verdict="invalid", why="sending took too long")
        page = self.page(trials([trial(), trial(), invalid], repeat=5, error="g0 is gone"))
        self.assertIn("3 trials: 2 passed and 1 are invalid.", page)
        self.assertIn("The repetition was cut short: 3 of 5 trials were made. G0 is gone.", page)
        for number in (1, 2, 3):
            self.assertRegex(page, rf"Trial [a-z0-9]+ {number}:")

    def test_a_file_of_an_older_version_is_read(self):
        page = self.page(old_trial())
        self.assertIn("The file is of an older version", page)
        self.assertNotIn("RTT by percentile", page)

    def test_a_list_of_queries_has_no_type(self):
        listed = trial(workload={"kind": "list", "file": "queries.txt", "queries": 12})
        for name in ("zone", "names", "qtype", "answer"):
            del listed[name]
        page = self.page(listed)
        self.assertIn("a trial of 10,000 queries at 20,000/s", page)
        self.assertIn("queries.txt", page)

    def test_lost_queries_are_told_and_drawn_at_the_timeout(self):
        lossy = trial(sent=10010, lost=10, verdict="fail", why="10 queries were lost")
        page = self.page(lossy, words=("--figures", self.folder / "figures", "--formats", "svg"))
        self.assertIn("99.9001 % of the queries were answered right and in time; 10 lost.", page)
        self.assertIn("stand at the timeout", page)
        with open(
            self.folder / "figures" / "rtt-percentiles.csv", encoding="utf-8", newline=""
        ) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(float(rows[-1]["rtt_ns"]), 250e6)
        self.assertAlmostEqual(float(rows[-1]["slowest_percent"]), 100 * 10 / 10010)

    def test_several_trials_stand_side_by_side(self):
        self.assertNotIn("What differs", self.page(trial(), trial()))
        page = self.page(trial(), trial(verdict="fail", why="too slow", port=54))
        self.assertIn("2 trials: 1 passed and 1 failed.", page)
        self.assertIn('60 s. <span class="whose">(result1, result2)</span>', page)
        self.assertIn("result2 answered 100 % of the queries right and in time, at 20,000/s", page)
        self.assertEqual(page.count("2 trials: 1 passed and 1 failed."), 1)
        self.assertIn("What differs", page)
        self.assertIn("result1", page)
        self.assertIn("result2", page)

    def test_trials_with_other_numbers_of_queues_stand_side_by_side(self):
        # One queue of the second trial says nothing of its packets; the first has no such queue.
        fewer = made_up.handled()
        del fewer["queues"][1]
        page = self.page(
            *(
                trial(placement={"notes": [], "handled": handled})
                for handled in (fewer, made_up.handled())
            )
        )
        self.assertIn("Packets by queue on the Tester&#39;s machine: tx-0", page)

    def test_the_lines_that_are_drawn_are_of_both_ends_of_many_files(self):
        made = [*[trial(rate=20000)] * 8, *[trial(rate=20000)] * 8]
        self.page(*made, words=("--figures", self.folder / "f", "--formats", "svg"))
        path = self.folder / "f" / "1-rtt-percentiles.csv"
        with open(path, encoding="utf-8", newline="") as file:
            drawn = {next(iter(row.values())) for row in csv.DictReader(file)}
        self.assertEqual(drawn, {f"result{number}" for number in (1, 4, 7, 10, 13, 16)})

    def test_figures_that_contradict_each_other_are_refused(self):
        self.assertIn(
            "sent is 10001, but valid, late, invalid and lost make 10000",
            self.refused(trial(sent=10001)),
        )
        self.assertIn(
            "invalid.total is 1, its reasons make 0",
            self.refused(trial(invalid={"total": 1, "rcode": 0})),
        )
        self.assertIn(
            "holds 1 RTTs, the summary 10000", self.refused(trial(rtt_histogram_ns=[[1, 2, 1]]))
        )
        falling = trial()["rtt_ns"] | {"p50": 1e9}
        self.assertIn("percentiles of rtt_ns do not ascend", self.refused(trial(rtt_ns=falling)))


if __name__ == "__main__":
    unittest.main()
