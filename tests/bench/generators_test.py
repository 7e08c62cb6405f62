#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the parsers on what generators printed (captured/), the generators' commands, and the reading of CPU times."""

import json
import os
import subprocess
import time
import unittest
from pathlib import Path

import cpu_time
from generators import Dnsgauge, Dnsperf, Kxdpgun, Order
from program import BenchError

CAPTURED = Path(__file__).parent / "captured"
COUNTING = {"kxdpgun": Kxdpgun(), "dnsperf": Dnsperf()}
# Queries sent, replies, seconds, and whether nothing was lost, by file.
SAMPLES = {
    "kxdpgun_lossless": (50010, 50010, 1.0, True),
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
        self.assertEqual(cpu_time.parse_process(stat), (7, 400 / cpu_time.TICKS))
        stat = "cpu  100 20 300 9999 9999 5 6 70 8 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
        self.assertEqual(cpu_time.parse_machine(stat), (431 / cpu_time.TICKS, 70 / cpu_time.TICKS))

    def test_own_time_grows_with_work(self):
        before = cpu_time.of_processes([os.getpid()])
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
        self.assertGreaterEqual(cpu_time.of_processes([os.getpid()]) - before, 0.1)

    def test_descendants(self):
        with subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE, text=True) as child:
            grandchild = int(child.stdout.readline())
            try:
                self.assertEqual(set(cpu_time.with_descendants(child.pid)), {child.pid, grandchild})
            finally:
                os.kill(grandchild, 15)


if __name__ == "__main__":
    unittest.main()
