#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of sweeps, of searches for several loss ratios, of soaks, of replays, of their
journals, and of searches for the highest load factor."""

import unittest

import made_up
from support import FiguresTest, findings

from dnsgauge_report.quantities import percent_text


class SweepTest(FiguresTest):
    def test_a_sweep(self):
        page = self.drawn(made_up.sweep())
        told = findings(page)
        self.assertIn("was asked at 10 rates, up to 5,000/s, in 30 steps", told)
        self.assertIn("every query right and in time up to 2,500/s, and 59.72 % at 5,000/s", told)
        self.assertIn("The break point of 198.18.0.2 is", told)
        above = page[: page.index("<main")]
        for doubt in ("No self-test covers the result: there was none.", "trials of 0.5 s"):
            self.assertIn(doubt, above)
        rows = self.data("response-rate")
        self.assertEqual(len(rows), 30)
        self.assertAlmostEqual(float(rows[-1]["answered_percent"]), 100 * 2979 / 5000)
        rtts = self.data("rtt-by-rate")
        self.assertEqual((float(rtts[0]["p50_ns"]), rtts[0]["steps"]), (21500, "3"))

    def test_a_sweep_tells_how_it_was_made(self):
        page = self.page(made_up.sweep(end="interrupted", why="SIGINT", invalid_trials=2))
        above = page[: page.index("<main")]
        self.assertIn(
            "The sweep did not come to its end (interrupted): 30 steps were made. SIGINT.", above
        )
        self.assertIn("2 invalid trials had to be made again", above)
        for condition in ("dnsgauge sweep --names 10.0.0.0/8", "AMD EPYC", "veth"):
            self.assertIn(condition, page)

    def test_sweeps_beside_each_other(self):
        page = self.drawn(made_up.sweep(), made_up.sweep(2000))
        self.assertIn("result1 answered 59.72 % and result2 39.72 %", findings(page))
        self.assertEqual({row["sweep"] for row in self.data("1-response-rate")},
                         {"result1", "result2"})  # fmt: skip

    def test_the_rtt_of_two_steps_lies_between_theirs(self):
        made = made_up.sweep(repeat=2)
        for step in made["trials"]:
            step["rtt_p50_ns"] = 10000 * step["repetition"]
        self.drawn(made)
        self.assertEqual({float(row["p50_ns"]) for row in self.data("rtt-by-rate")}, {15000})

    def test_a_server_that_keeps_everything(self):
        made = made_up.sweep(capacity=9000, rates=(1000, 2000))
        self.assertIn("every query right and in time at each of them", findings(self.page(made)))

    def test_a_hard_limit_is_no_parabola(self):
        # The server answers 2,979 to 2,993 queries/s, and all of them up to 2,500/s.
        self.assertIn("is 2,986/s (95 %: 2,980/s to 2,992/s)", findings(self.page(made_up.sweep())))

    def test_a_journal_of_a_sweep(self):
        page = self.page(made_up.series_journal("sweep"))
        self.assertIn("up to 2,000/s, and 62.5 % at 4,000/s", findings(page))
        self.assertIn("This is a journal", page[: page.index("<main")])
        begun = made_up.series_journal("sweep").splitlines(keepends=True)[0]
        self.assertIn("has no step yet", findings(self.page(begun)))

    def test_a_sweep_that_goes_on_is_watched(self):
        path = self.write(made_up.series_journal("sweep"), "sweep.jsonl")
        output = self.folder / "page.html"
        status, _, errors = self.run_program("watch", path, "-o", output)
        self.assertEqual((status, "4 trials" in errors), (0, True), errors)


class OtherKindTest(FiguresTest):
    def test_a_kind_without_a_module(self):
        for made in (made_up.sweep() | {"kind": "plateau"}, made_up.series_journal("plateau")):
            page = self.page(made)
            self.assertRegex(findings(page), "The plateau holds (30|4) trials")
            self.assertIn("answered, %", page)


class LossSearchTest(FiguresTest):
    def test_a_search(self):
        page = self.drawn(made_up.loss_search())
        told = findings(page)
        self.assertIn("keeps 2,750/s losing nothing, 2,750/s losing up to 0.1 %, 3,000/s", told)
        self.assertIn("At 30 % the highest rate tried is kept, and perhaps more.", told)
        self.assertIn("1 invalid trial had to be made again.", page[: page.index("<main")])
        rows = self.data("bounds")
        self.assertEqual([row["upper_bound"] for row in rows], ["2850", "2850", "3100", ""])
        losses = [float(row["loss_percent"]) for row in self.data("loss-by-rate")]
        self.assertEqual((losses[0], losses[1]), (28, 0))
        self.assertEqual([row["goal"] for row in self.data("trials")][-2:], ["3", "4"])

    def test_a_server_that_keeps_nothing(self):
        goals = [made_up.goal(loss, None, 500, None) for loss in (0.0, 1.0)]
        page = self.page(made_up.loss_search(goals=goals))
        self.assertIn("keeps no rate with any of the loss ratios", findings(page))

    def test_a_search_that_was_cut_short(self):
        goals = [made_up.goal(loss, None, None, None) for loss in (0.0, 1.0)]
        made = made_up.loss_search(goals=goals, end="interrupted", why="SIGINT", trials=[])
        page = self.page(made)
        self.assertIn("has no result yet", findings(page))
        self.assertIn("did not come to its end (interrupted)", page[: page.index("<main")])

    def test_a_journal(self):
        text = made_up.series_journal("loss-search", **{"loss-ratios": "0,0.5"})
        page = self.drawn(text)
        self.assertIn("has no result yet", findings(page))
        self.assertEqual(len(self.data("trials")), 4)
        self.assertNotIn("Rates by loss ratio</h3>", page)
        wrong = made_up.series_journal("loss-search", **{"loss-ratios": "many"})
        self.assertIn(
            "loss-ratios is the text 'many', not a list of percentages", self.refused(wrong)
        )

    def test_searches_beside_each_other(self):
        page = self.drawn(made_up.loss_search(), made_up.loss_search(server="198.18.0.3"))
        self.assertIn(
            "result1 keeps most with the least loss, 2,750/s losing nothing", findings(page)
        )
        self.assertEqual(len(self.data("1-rates")), 8)

    def test_bounds_that_contradict_each_other_are_refused(self):
        goals = [made_up.goal(0.0, 3000, 2000, 2000.0)]
        self.assertIn("above the upper bound", self.refused(made_up.loss_search(goals=goals)))
        steps = made_up.loss_search()["trials"]
        steps[0]["answered"] = 6000
        self.assertIn("6000 of 5000", self.refused(made_up.loss_search(trials=steps)))
        self.assertIn("list of one loss ratio", self.refused(made_up.loss_search(goals=[])))
        self.assertIn(
            "this program knows dnsgauge/series/1",
            self.refused(made_up.loss_search(schema="dnsgauge/series/2")),
        )


class SoakTest(FiguresTest):
    def test_a_soak(self):
        page = self.drawn(made_up.soak())
        told = findings(page)
        self.assertIn("was asked 100/s in rows of 60 s, over 3 minutes: 18,000 queries", told)
        self.assertIn("0.0222 % of the queries were not answered right and in time, in 1 row of 3",
                      told)  # fmt: skip
        self.assertIn("20.0 MiB after the first row, 22.0 MiB after the last", told)
        losses = [float(row["loss_percent"]) for row in self.data("loss-over-time")]
        self.assertEqual(losses, [0, 0, 100 * 4 / 6000])
        memory = self.data("memory-over-time")
        self.assertEqual([int(row["memory_octets"]) >> 20 for row in memory], [20, 21, 22])
        self.assertAlmostEqual(float(memory[2]["since_hours"]), 1 / 30)
        self.assertEqual(len(self.data("rtt-by-row")), 3)
        for condition in ("80 % of search.json", "dnsgauge soak --hours 0.05", "AMD EPYC"):
            self.assertIn(condition, page)

    def test_a_soak_that_loses_nothing_of_a_server_elsewhere(self):
        made = made_up.soak(lost=(0, 0))
        for row in made["trials"]:
            row |= {"memory_octets": None, "processes": []}
        told = findings(self.page(made))
        self.assertIn("every query right and in time in all 2 rows", told)
        self.assertIn("Nothing is known of the server&#39;s memory", told)

    def test_what_makes_a_soak_doubtful(self):
        made = made_up.soak(end="interrupted", why="SIGINT", rows_wanted=60)
        made["trials"][1] |= {"verdict": "invalid", "answered": 0, "lost": 6000}
        made["trials"][2]["processes"][0]["process"] = 8
        page = self.page(made)
        above = page[: page.index("<main")]
        self.assertIn("(interrupted): 2 of 60 rows were made. SIGINT.", above)
        self.assertIn("All figures but memory leave out 1 invalid row: 2.", above)
        self.assertIn("after row 3 the server had other processes than before", findings(page))
        self.assertIn("in 1 row of 2", findings(page))

    def test_a_journal(self):
        page = self.drawn(made_up.soak_journal())
        self.assertIn("was asked 500/s in rows of 1 s", findings(page))
        self.assertIn("This is a journal", page[: page.index("<main")])
        self.assertEqual(len(self.data("memory-over-time")), 4)
        begun = made_up.soak_journal().splitlines(keepends=True)[0]
        self.assertIn("has no row yet", findings(self.page(begun)))
        path = self.write(made_up.soak_journal(), "soak.jsonl")
        status, _, errors = self.run_program("watch", path, "-o", self.folder / "page.html")
        self.assertEqual((status, "4 trials" in errors), (0, True), errors)

    def test_soaks_beside_each_other(self):
        page = self.drawn(made_up.soak(), made_up.soak(lost=(0, 6), growth=0))
        self.assertIn("result2: 0.05 % lost, memory 20.0 MiB to 20.0 MiB", findings(page))
        self.assertEqual({row["soak"] for row in self.data("1-memory-over-time")},
                         {"result1", "result2"})  # fmt: skip

    def test_a_soak_that_was_changed_is_refused(self):
        for change, complaint in (
            (lambda row: row.update(answered=6001), "no more answers than queries"),
            (lambda row: row.update(started="today"), "no time of ISO 8601"),
        ):
            made = made_up.soak()
            change(made["trials"][0])
            with self.subTest(complaint):
                self.assertIn(complaint, self.refused(made))
        self.assertIn("one row at least", self.refused(made_up.soak(trials=[])))


class ReplayTest(FiguresTest):
    def test_a_replay(self):
        page = self.drawn(made_up.replay())
        told = findings(page)
        self.assertIn(
            "answered from 99.5 to 100 % of its clients&#39; queries within 2 s, in 3", told
        )
        self.assertIn("10.0267 % NXDOMAIN", told)
        self.assertIn("From 2 s on half of the answers came within 90.0 µs", told)
        self.assertIn("98.9333 % on average of the runs, from 2 s on, and 98 % in a single", told)
        above = page[: page.index("<main")]
        self.assertIn("For comparison alone: the figures hold for this set-up.", above)
        for condition in (
            "systemctl restart unbound",
            "day.pcap",
            "AMD EPYC",
            "cut 100 of 2,100 packets",
            "2.60 ms",
        ):
            self.assertIn(condition, page)
        shares = [float(row["valid_percent"]) for row in self.data("answered-by-interval")]
        self.assertEqual(shares, [100] * 4 + [100, 100, 98.8, 100] + [100, 100, 98, 100])
        rcodes = {
            (row["rcode"], float(row["since_s"])): float(row["greatest_percent"])
            for row in self.data("rcodes-by-interval")
        }
        self.assertEqual((rcodes["NXDOMAIN", 0.0], rcodes["no reply", 2.0]), (10, 2))

    def test_latency_has_its_shading(self):
        made = made_up.replay()
        made["trials"][2] = made_up.replay_run(5, slower=4)
        self.drawn(made)
        row = self.data("latency")[2]
        values = [float(row[name]) for name in ("least_ns", "mean_ns", "greatest_ns")]
        self.assertEqual((float(row["slowest_percent"]), values), (1, [3e7, 6e7, 12e7]))
        slow = self.data("slowness")[1]
        parts = [float(slow[name]) for name in ("to_1ms", "to_10ms", "to_100ms", "unanswered")]
        self.assertEqual(parts, [80, 15, 4.4, 0.6])

    def test_a_page_says_why_replies_were_invalid(self):
        made = made_up.replay()
        self.assertNotIn("Invalid queries", findings(self.page(made)))
        run = made["trials"][0]
        run |= {"answered": run["answered"] - 8, "invalid": 8, "intervals": []}
        run["invalid_reasons"] |= {"total": 8, "rcode": 5, "malformed": 3}
        told = findings(self.page(made))
        self.assertIn("Invalid queries: 5 with an error RCODE and 3 with no readable reply.", told)
        run["invalid_reasons"]["total"] = 7
        self.assertIn("total is 7, its reasons make 8", self.refused(made))

    def test_replies_that_answer_nothing_are_told(self):
        made = made_up.replay()
        made["trials"][1]["rcodes"]["SERVFAIL"] = 4
        self.assertIn("They are 4 more than the answered queries", findings(self.page(made)))
        self.assertNotIn("more than the answered", findings(self.page(made_up.replay())))

    def test_all_but_one_is_not_all(self):
        self.assertEqual(percent_text(99.99999), "99.9999")
        self.assertEqual(percent_text(99.89187), "99.8919")
        self.assertEqual([percent_text(one) for one in (100, 0, 1e-6)], ["100", "0", "0.0001"])
        made = made_up.replay()
        for run in made["trials"]:
            run |= {"sent": 3000000, "answered": 2999999, "lost": 1, "intervals": []}
        self.assertIn("answered 99.9999 %", findings(self.page(made)))

    def test_replays_beside_each_other(self):
        page = self.drawn(made_up.replay(), made_up.replay(slower=7))
        self.assertIn("result1 answered from 99.5 to 100 % of the queries in time", findings(page))
        for name in ("1-latency", "1-response-bands"):
            self.assertEqual({row["replay"] for row in self.data(name)}, {"result1", "result2"})

    def test_what_makes_a_replay_doubtful(self):
        made = made_up.replay(end="interrupted", why="SIGINT", invalid_trials=1)
        made["trials"] = made["trials"][:1]
        above = self.page(made).partition("<main")[0]
        self.assertIn("(interrupted): 1 of 3 runs were made. SIGINT.", above)
        self.assertIn("1 invalid run had to be made again.", above)
        self.assertIn("A single run tells nothing of how much runs differ.", above)

    def test_a_journal(self):
        page = self.page(made_up.series_journal("replay"))
        self.assertIn("answered from 62.5 to 100 % of its clients&#39; queries", findings(page))
        self.assertIn("This is a journal", page[: page.index("<main")])

    def test_a_replay_that_was_changed_is_refused(self):
        for change, complaint in (
            (lambda run: run.update(sent=1001), "1001 queries were sent, 1000 decided"),
            (lambda run: run["intervals"].pop(), "its intervals have 750"),
            (lambda run: run["intervals"][0].update(answered=251), "more answers than queries"),
            (lambda run: run["later_part"]["points"].reverse(), "in order, from the whole"),
            (lambda run: run["later_part"].update(unanswered=2), "is 2, not at most 1"),
        ):
            made = made_up.replay()
            change(made["trials"][0])
            with self.subTest(complaint):
                self.assertIn(complaint, self.refused(made))
        self.assertIn("one run at least", self.refused(made_up.replay(trials=[])))


class LoadFactorTest(FiguresTest):
    def test_the_highest_load_factor(self):
        page = self.drawn(made_up.load_factor())
        told = findings(page)
        self.assertIn("198.18.0.2 bears 3 times the load of the captures. At 4 times", told)
        self.assertIn("it is overloaded: 5.200 % of the queries are not answered", told)
        self.assertIn("Load factors tried: 1, 2, 4 and 3, in 12 runs.", told)
        above = page[: page.index("<main")]
        self.assertIn("For comparison alone: the figures hold for this set-up.", above)
        self.assertIn("Latencies were not compared at every load factor: that takes 7 runs", above)
        rows = [(row["load_factor"], row["unanswered_percent"]) for row in self.data("unanswered")]
        self.assertEqual(rows[::3], [("1", "0.0"), ("2", "0.0"), ("3", "0.0"), ("4", "5.0")])
        drawn = [row["replay"] for row in self.data("latency")]
        self.assertEqual(list(dict.fromkeys(drawn)), ["1x", "2x", "3x", "4x"])

    def test_runs_that_cannot_tell_are_told(self):
        undecided = {"load_factor": 2, "why": "-3.330 to 3.730 % more of the queries"}
        page = self.page(made_up.load_factor(borne=1, overloaded=None, undecided=undecided))
        self.assertIn("bears 1 times the load of the captures or more. The runs", findings(page))
        self.assertIn("cannot tell about 2 times: -3.330 to 3.730 % more", findings(page))
        self.assertIn("The runs do not tell whether load factor 2 is too much", page)

    def test_a_doubt_of_the_search_is_told(self):
        page = self.page(made_up.load_factor(doubts=["the runs play 9 of the 20 slices"]))
        self.assertIn("The runs play 9 of the 20 slices.", page[: page.index("<main")])

    def test_a_doubt_of_one_load_factor_names_it(self):
        made = made_up.load_factor()
        made["replays"][2]["invalid_trials"] = 2
        above = self.page(made).partition("<main")[0]
        self.assertIn("4x: 2 invalid runs had to be made again.", above)
        self.assertIn("<li>No self-test covers the result: there was none.", above)

    def test_a_resolver_that_was_never_overloaded(self):
        page = self.page(made_up.load_factor(borne=4, overloaded=None))
        self.assertIn("bears 4 times the load of the captures, the most that was", findings(page))

    def test_a_search_that_was_cut_short(self):
        made = made_up.load_factor(borne=None, overloaded=None, end="interrupted")
        made |= {"factors": [1, 2], "replays": made["replays"][:1]}
        page = self.page(made)
        self.assertIn("No load factor of the resolver 198.18.0.2 was tried", findings(page))
        self.assertIn("did not come to its end (interrupted)", page[: page.index("<main")])

    def test_a_search_that_was_changed_is_refused(self):
        for changes, complaint in (
            ({"factors": [1, 2]}, "a replay for each load factor"),
            ({"replays": []}, "a replay for each load factor"),
            ({"factors": [1, 2, 4, 0.5]}, "a list of load factors"),
        ):
            with self.subTest(complaint):
                self.assertIn(complaint, self.refused(made_up.load_factor(**changes)))


if __name__ == "__main__":
    unittest.main()
