#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the parsers on what generators printed (captured/), and the commands of generators."""

import json
import unittest
from pathlib import Path

from errors import BenchError
from generators import Dnsgauge, Dnsperf, Kxdpgun, Order

CAPTURED = Path(__file__).parent / "captured"


def order(offered=1000, seconds=1.0):
    return Order(offered, seconds, 0.25, Path("names"), CAPTURED / "dnsgauge_pass.json")


def captured(name):
    return (CAPTURED / name).read_text(encoding="ascii")


def words(command):
    return [str(word) for word in command]


class KxdpgunTest(unittest.TestCase):
    def parse(self, name, seconds=1.0):
        return Kxdpgun().parse(captured(f"kxdpgun_{name}.txt"), order(seconds=seconds))

    def test_every_query_answered(self):
        sample = self.parse("lossless")
        self.assertEqual((sample.sent, sample.replies, sample.seconds), (50010, 50010, 1.0))
        self.assertTrue(sample.lossless)
        self.assertEqual(sample.sent_rate, 50010)

    def test_what_it_could_not_send_was_never_asked(self):
        sample = self.parse("unsent", seconds=2.0)
        self.assertTrue(sample.lossless)
        self.assertEqual(sample.answered_rate, 2429959 / 2)

    def test_queries_without_replies(self):
        sample = self.parse("flood")
        self.assertEqual((sample.sent, sample.replies), (486460, 218802))
        self.assertFalse(sample.lossless)

    def test_no_reply_at_all(self):
        sample = self.parse("silent")
        self.assertEqual((sample.sent, sample.replies), (210, 0))
        self.assertFalse(sample.lossless)

    def test_refusals_are_no_answers(self):
        self.assertFalse(self.parse("refused").lossless)

    def test_anything_else_is_an_error(self):
        with self.assertRaisesRegex(BenchError, "kxdpgun says something unexpected: 'what'"):
            Kxdpgun().parse("what", order())


class DnsperfTest(unittest.TestCase):
    def parse(self, name):
        return Dnsperf().parse(captured(f"dnsperf_{name}.txt"), order())

    def test_every_query_answered(self):
        sample = self.parse("lossless")
        self.assertEqual((sample.sent, sample.replies, sample.seconds), (121020, 121020, 1.000097))
        self.assertTrue(sample.lossless)

    def test_queries_without_replies(self):
        sample = self.parse("lossy")
        self.assertEqual((sample.sent, sample.replies), (23353, 23054))
        self.assertFalse(sample.lossless)

    def test_no_reply_at_all(self):
        sample = self.parse("silent")
        self.assertEqual((sample.sent, sample.replies), (100, 0))
        self.assertFalse(sample.lossless)

    def test_refusals_are_no_answers(self):
        self.assertFalse(self.parse("refused").lossless)

    def test_no_limit_when_none_is_asked_for(self):
        self.assertNotIn("-Q", words(Dnsperf().command(order(offered=None))))
        self.assertIn("-Q", words(Dnsperf().command(order(offered=5))))


class DnsgaugeTest(unittest.TestCase):
    def result(self, **changes):
        return json.dumps({**json.loads(captured("dnsgauge_pass.json")), **changes})

    def test_pass_is_lossless(self):
        sample = Dnsgauge().parse("", order())
        self.assertEqual((sample.sent, sample.replies), (10000, 10000))
        self.assertAlmostEqual(sample.seconds, 0.5, places=3)
        self.assertTrue(sample.lossless)

    def test_nothing_else_is(self):
        for verdict in ("fail", "invalid"):
            sample = Dnsgauge().parse_result(self.result(verdict=verdict, why="because"))
            self.assertFalse(sample.lossless)
            self.assertEqual(sample.note, f"{verdict}: because")

    def test_replies_are_those_that_were_right_in_time(self):
        sample = Dnsgauge().parse_result(self.result(valid=9000, late=1000, verdict="fail"))
        self.assertAlmostEqual(sample.answered_rate, 18000, delta=1)

    def test_what_was_interrupted_at_once_has_no_rate(self):
        sample = Dnsgauge().parse_result(self.result(sent=0, valid=0, verdict="invalid",
                                                     sending={"duration_ns": 0}))
        self.assertEqual((sample.sent_rate, sample.answered_rate), (0.0, 0.0))


if __name__ == "__main__":
    unittest.main()
