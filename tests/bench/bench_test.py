#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of tools/bench, without measuring: the search and its turns on pairs whose limit is known, the parsers on what
generators printed (captured/), the generators' commands, CPU times, spreads of rounds, and the schemas of records."""

import copy
import json
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import bench
import lab
import made_up_run
import program
from generators import Dnsgauge, Dnsperf, Kxdpgun, Order
from program import ROOT, BenchError, arguments, shown, spread
from search import FLOOD_RATE, LOWEST_RATE, MOST_TRIALS, Grid, Turns

sys.path.insert(0, str(ROOT / "tests" / "support"))
from check_results import Schemas  # noqa: E402

GRID = Grid(1.05)


class FakePair:
    """A pair that sends at most `most` queries, of which at most `limit` are answered. The trials of a search with the
    numbers in `stalls`, from 0, lose something at any rate; with `knows_stalls` the generator says so. A search begins
    at `start`."""

    def __init__(self, limit, most=float("inf"), stalls=(), start=None, takes_any_rate=True, knows_stalls=False):
        self.limit, self.most, self.stalls, self.knows_stalls = limit, most, stalls, knows_stalls
        self.turns = Turns(self.trial, "gun", "wall", takes_any_rate, GRID)
        self.turns.start = start
        self.asked = []  # (purpose, offered)

    def trial(self, number, purpose, offered):
        sent = min(offered or 10**9, self.most)
        is_stalled = purpose in ("search", "confirm") and self.searches in self.stalls
        self.asked.append((purpose, offered))
        return {"round": number, "purpose": purpose, "offered": offered, "sent_rate": sent,
                "answered_rate": min(sent, self.limit), "lossless": sent <= self.limit and not is_stalled,
                "spoiled": is_stalled and self.knows_stalls}

    @property
    def searches(self):
        return sum(purpose in ("search", "confirm") for purpose, _ in self.asked)

    def found(self):
        return self.turns.take(1)["found"]


class GridTest(unittest.TestCase):
    def test_index_below_is_the_highest_rate_not_above(self):
        for step in (1.02, 1.05, 1.15, 2):
            grid = Grid(step)
            for index in range(0, 48, 7):
                rate = grid.rate(index)
                self.assertEqual(grid.rate(grid.index_below(rate)), rate)
                if index:
                    self.assertEqual(grid.rate(grid.index_below(rate - 1)), grid.rate(index - 1))
        self.assertEqual(GRID.index_below(3), 0)


class SearchTest(unittest.TestCase):
    def test_finds_the_grid_rate_below_the_limit_from_any_start_in_few_trials(self):
        for limit in (1000, 1049, 1050, 55555, 1234567):
            for start in (0, 3, 60, 145, 200):
                pair = FakePair(limit, start=start)
                self.assertEqual(pair.found(), GRID.rate(GRID.index_below(limit)), f"limit {limit}, start {start}")
                self.assertLessEqual(pair.searches, 18)
        pair = FakePair(500000, start=GRID.index_below(500000))
        pair.found()
        self.assertEqual(pair.searches, 3)

    def test_nothing_is_found_where_all_is_lost(self):
        pair = FakePair(10, start=20)
        turn = pair.turns.take(1)
        self.assertEqual((turn["found"], turn["found_trials"], pair.turns.start), (None, [], 0))

    def test_nothing_counts_that_was_not_confirmed(self):
        self.assertIsNone(FakePair(100000, stalls=range(1, 100), start=GRID.index_below(100000)).found())

    def test_what_stalls_cost(self):
        at = GRID.index_below(100000)
        for limit, stalls, known, found, searches in (
                # The stall meets the first trial, or the confirmation.
                (100000, (0,), False, at - 1, None), (100000, (2,), False, at - 1, None),
                # The start and the next rate pass, the rate beyond fails, and so does the next rate's confirmation.
                (GRID.rate(at + 1), (4,), False, at, None),
                # A stall that is known costs a trial; the fourth one at a rate counts.
                (100000, (0,), True, at, 4), (100000, (2,), True, at, 4), (100000, (0, 1, 2), True, at, 6),
                (100000, range(4), True, at - 1, None)):
            with self.subTest(limit=limit, stalls=stalls, known=known):
                pair = FakePair(limit, stalls=stalls, start=at, knows_stalls=known)
                self.assertEqual((pair.found(), pair.turns.start), (GRID.rate(found), found))
                self.assertIn(searches, (None, pair.searches))

    def test_what_counts_is_the_rate_reached(self):
        for start in (10, GRID.index_below(100000)):
            # A flood that is stalled begins the search.
            pair = FakePair(10**9, most=54321, start=start)
            pair.turns.trial = lambda number, purpose, offered, pair=pair: pair.trial(number, purpose, offered) | (
                {"lossless": False} if purpose == "flood" else {})
            self.assertEqual(pair.found(), 54321)
        self.assertEqual(pair.searches, 2)

    def test_a_search_comes_to_an_end(self):
        pair = FakePair(10**7, most=10**7, start=145)
        pair.turns.trial = lambda number, purpose, offered: pair.trial(number, purpose, offered) | {
            "lossless": purpose == "search"}  # no rate is kept twice
        self.assertIsNone(pair.found())
        self.assertEqual(pair.searches, MOST_TRIALS)


class TurnTest(unittest.TestCase):
    def test_a_flood_without_loss_is_confirmed_and_ends_the_turn(self):
        pair = FakePair(limit=10**9, most=123456)
        turn = pair.turns.take(1)
        self.assertEqual(pair.asked, [("start", LOWEST_RATE), ("flood", None), ("confirm", None)])
        self.assertEqual(turn["found"], 123456)
        self.assertEqual([turn["trials"][i]["purpose"] for i in turn["found_trials"]], ["flood", "confirm"])

    def test_a_flood_that_is_kept_is_doubled(self):
        pair = FakePair(limit=10**9, most=3 * FLOOD_RATE, takes_any_rate=False)
        self.assertEqual(pair.found(), 3 * FLOOD_RATE)
        self.assertEqual([offered for _, offered in pair.asked[1:]],
                         [FLOOD_RATE, 2 * FLOOD_RATE, 4 * FLOOD_RATE, 4 * FLOOD_RATE])
        pair.asked.clear()
        pair.turns.take(2)
        self.assertEqual(pair.asked[0], ("flood", 4 * FLOOD_RATE))

    def test_a_flood_with_loss_begins_a_search_and_later_turns_begin_where_it_ended(self):
        pair = FakePair(limit=200000, most=900000, takes_any_rate=False)
        rate = GRID.rate(GRID.index_below(200000))
        for number, trials in ((1, 5), (2, 4)):
            turn = pair.turns.take(number)
            self.assertEqual((turn["round"], turn["found"], len(turn["trials"])), (number, rate, trials))
            self.assertEqual([turn["trials"][i]["offered"] for i in turn["found_trials"]], [rate, rate])


CAPTURED = Path(__file__).parent / "captured"
COUNTING = {"kxdpgun": Kxdpgun(), "dnsperf": Dnsperf()}
# Queries sent, replies, seconds, and whether nothing was lost, by file.
SAMPLES = {
    "kxdpgun_unsent": (2429959, 2429959, 1.0, True),  # what it could not send was never asked
    "kxdpgun_flood": (486460, 218802, 1.0, False),
    "kxdpgun_silent": (210, 0, 1.0, False),
    "kxdpgun_refused": (None, None, 1.0, False),  # refusals are no answers
    "dnsperf_lossless": (121020, 121020, 1.000097, True),
    "dnsperf_lossy": (23353, 23054, None, False),
    "dnsperf_silent": (100, 0, None, False),
    "dnsperf_refused": (None, None, None, False),
}


def order(offered=1000):
    return Order(offered, 1.0, 0.25, Path("names"), CAPTURED / "dnsgauge_pass.json")


class GeneratorsTest(unittest.TestCase):
    def test_what_counting_generators_print(self):
        for file, expected in SAMPLES.items():
            with self.subTest(file):
                text = (CAPTURED / f"{file}.txt").read_text(encoding="ascii")
                sample = COUNTING[file.partition("_")[0]].parse(text, order())
                said = (sample.sent, sample.replies, sample.seconds, sample.lossless)
                self.assertEqual([one for one, wanted in zip(said, expected) if wanted is not None],
                                 [wanted for wanted in expected if wanted is not None])
        with self.assertRaisesRegex(BenchError, "kxdpgun says something unexpected: 'what'"):
            Kxdpgun().parse("what", order())

    def test_no_limit_when_none_is_asked_for(self):
        self.assertNotIn("-Q", Dnsperf().command(order(offered=None)))
        self.assertIn("-Q", Dnsperf().command(order(offered=5)))

    def test_dnsgauge(self):
        sample = Dnsgauge().parse("", order())
        self.assertEqual((sample.sent, sample.replies, sample.lossless), (10000, 10000, True))
        self.assertAlmostEqual(sample.seconds, 0.5, places=3)
        whole = json.loads(order().result.read_text())
        for verdict in ("fail", "invalid"):
            changed = {"valid": 9000, "late": 1000, "verdict": verdict, "why": "because"}
            sample = Dnsgauge().parse_result(json.dumps(whole | changed))
            self.assertEqual((sample.lossless, sample.note), (False, f"{verdict}: because"))
            self.assertAlmostEqual(sample.answered_rate, 18000, delta=1)
        at_once = {"sent": 0, "valid": 0, "verdict": "invalid", "sending": {"duration_ns": 0}}
        sample = Dnsgauge().parse_result(json.dumps(whole | at_once))
        self.assertEqual((sample.sent_rate, sample.answered_rate), (0.0, 0.0))


class CpuTimeTest(unittest.TestCase):
    def test_what_the_kernel_says(self):
        stat = "42 (a ) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 250 150 9 9 20 0 1 0 100 1 1\n"
        self.assertEqual(lab.parse_process(stat), (7, 400 / lab.TICKS))
        stat = "cpu  100 20 300 9999 9999 5 6 70 8 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
        self.assertEqual(lab.parse_machine(stat), (431 / lab.TICKS, 70 / lab.TICKS))

    def test_own_time_grows_with_work(self):
        before = lab.cpu_time_of([os.getpid()])
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
        self.assertGreaterEqual(lab.cpu_time_of([os.getpid()]) - before, 0.1)

    def test_descendants(self):
        with subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, text=True) as child:
            grandchild = int(child.stdout.readline())
            try:
                self.assertEqual(set(lab.with_descendants(child.pid)), {child.pid, grandchild})
            finally:
                os.kill(grandchild, 15)


class SpreadTest(unittest.TestCase):
    def test_spreads(self):
        self.assertEqual((spread([3, 1, 2]), spread([])), ((2, 1, 3), None))
        self.assertEqual((shown([3, 1, 2]), shown([])), ("2.0 (1.0..3.0)", "-"))


class RecordTest(unittest.TestCase):
    def setUp(self):
        self.schemas = Schemas(ROOT / "build" / "schemas")
        self.enterContext(mock.patch.object(program, "said_by", return_value="1"))

    def test_a_record_has_every_field_of_its_schema_and_no_other(self):
        whole = bench.new_run(arguments(bench.OPTIONS, []))
        names = {"generator": "gun", "server": "wall"}

        def make(number, purpose, offered):
            sent = min(offered, 2_500_000)
            trial = made_up_run.trial(purpose, sent, sent < 1_000_000, 0.5, offered=offered)
            return {"round": number, **names, **trial}

        pair = Turns(make, *names.values(), False, Grid(whole["options"]["step"]))
        whole["turns"] = [pair.take(number) for number in (1, 2)]
        whole["link"] = [{"round": 1, "sent_rate": 1.5}]
        whole = json.loads(json.dumps(whole))
        self.assertEqual(self.schemas.misfit_of_result(whole), "")
        self.assertIsNotNone(whole["turns"][0]["found"])
        for change in (lambda run: run["turns"][1]["trials"][0].update(more=1),
                       lambda run: run["turns"][1]["trials"][0].pop("wall"),
                       lambda run: run["options"].pop("step"), lambda run: run["machine"].update(memory=1)):
            changed = copy.deepcopy(whole)
            change(changed)
            self.assertIn("bench.schema.json", self.schemas.misfit_of_result(changed))
        self.assertEqual(self.schemas.misfit_of_result(made_up_run.run()), "")


if __name__ == "__main__":
    unittest.main()
