#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests the reading of times from /proc."""

import os
import subprocess
import time
import unittest

import cpu_time


class ParseTest(unittest.TestCase):
    def test_process_whose_name_is_made_to_confuse(self):
        stat = "42 (a ) b (c) S 7 42 42 0 -1 4194560 1 2 3 4 250 150 9 9 20 0 1 0 100 1 1\n"
        parent, seconds = cpu_time.parse_process(stat)
        self.assertEqual(parent, 7)
        self.assertEqual(seconds, 400 / cpu_time.TICKS)

    def test_machine(self):
        stat = "cpu  100 20 300 9999 9999 5 6 70 8 9\ncpu0 1 1 1 1 1 1 1 1 1 1\n"
        self.assertEqual(cpu_time.parse_machine(stat), (431 / cpu_time.TICKS, 70 / cpu_time.TICKS))


class LiveTest(unittest.TestCase):
    def test_own_time_grows_with_work(self):
        before = cpu_time.of_processes([os.getpid()])
        until = time.process_time() + 0.2
        while time.process_time() < until:
            pass
        self.assertGreaterEqual(cpu_time.of_processes([os.getpid()]) - before, 0.1)

    def test_descendants(self):
        child = subprocess.Popen(["sh", "-c", "sleep 60 & echo $!; wait"], stdout=subprocess.PIPE,
                                 text=True)
        grandchild = int(child.stdout.readline())
        try:
            self.assertEqual(set(cpu_time.with_descendants(child.pid)), {child.pid, grandchild})
        finally:
            os.kill(grandchild, 15)
            child.wait()
            child.stdout.close()


if __name__ == "__main__":
    unittest.main()
