#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that a benchmark which a signal ends leaves no child, and puts the kernel's settings back."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from program import child

HERE = Path(__file__).parent
# A benchmark that changes a setting, and stops its child. It puts back what stood there, slowly, and says so.
BENCHMARK = """
import os, signal, sys, time
from program import child, kernel_setting, start, uninterrupted

def main(options):
    try:
        with kernel_setting({setting!r}, "1"), child(["sleep", "60"]) as process:
            process.send_signal(signal.SIGSTOP)
            print(process.pid, flush=True)
            {wait}
    finally:
        with uninterrupted():
            print("putting back", flush=True)
            time.sleep(0.5)
            print("done", flush=True)

start(main, root=False)
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Signals(unittest.TestCase):
    def ended(self, number, wait, at):
        """Runs the benchmark, and sends the signal when a line begins with `at`. Returns its status, its lines, and the
        setting at the end."""
        with tempfile.TemporaryDirectory() as folder:
            setting = Path(folder) / "setting"
            setting.write_text("64")
            script = BENCHMARK.format(setting=str(setting), wait=wait)
            lines = []
            with subprocess.Popen([sys.executable, "-c", script], cwd=HERE, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True) as process:
                for line in process.stdout:
                    lines.append(line.strip())
                    if line.startswith(at):
                        process.send_signal(number)
            self.assertFalse(is_alive(int(lines[0])))
            return process.returncode, lines[1:], setting.read_text()

    def test_signals_end_the_child_and_put_back(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(self.ended(number, "time.sleep(30)", ""), (128 + number, ["putting back", "done"], "64"))

    def test_a_signal_waits_until_all_is_put_back(self):
        wait = "process.send_signal(signal.SIGKILL)"
        self.assertEqual(self.ended(signal.SIGTERM, wait, "putting"), (143, ["putting back", "done"], "64"))

    def test_an_error_ends_the_child(self):
        with self.assertRaises(ZeroDivisionError), child(["sleep", "60"]) as process:
            began = time.monotonic()
            print(1 / 0)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(process.returncode, -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
