#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures records per minute and peak memory of the zone writer, into a file and into /dev/null. See README.md."""

import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from program import BIN, BenchError, print_table, shown, start, take_turns

KINDS = {"A": 1, "AAAA": 1, "mixed": 2}  # records of a name


def peak_of(pid):
    """Returns the peak of a process' memory in KiB. What wait4(2) tells includes the program that forked it."""
    try:
        return int((re.findall(r"^VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE) or [0])[0])
    except OSError:
        return 0  # it has ended


def written(names, kind, path):
    """Returns seconds, and the peak of the memory in KiB."""
    began, peak = time.monotonic(), 0
    with subprocess.Popen([BIN / "dnsgauge-zone", "records", "--names", names, "--type", kind, "--output",
                           path]) as process:
        while process.poll() is None:
            peak = max(peak, peak_of(process.pid))
            time.sleep(0.005)
    if process.returncode:
        raise BenchError(f"dnsgauge-zone ended with status {process.returncode}")
    return time.monotonic() - began, peak


def main(options):
    count, rows = 2 ** (32 - int(options.names.split("/")[1])), []
    with tempfile.TemporaryDirectory(prefix="dnsgauge-bench.", dir=options.folder) as folder:
        for kind, records in KINDS.items():
            path = Path(folder) / kind
            made = take_turns(options.rounds, (path, "/dev/null"), lambda output: written(options.names, kind, output))
            for output, runs in made.items():
                rates = [records * count / seconds * 60 / 1e6 for seconds, _ in runs]
                octets = [os.path.getsize(path) / seconds / 1e6 for seconds, _ in runs]
                rows.append((kind, "file" if output == path else output, records * count, shown(rates, 0),
                             shown(octets, 0), max(peak for _, peak in runs)))
            path.unlink()
    print_table(("type", "output", "records", "M records/min", "MB/s", "peak kB"), rows, 2,
                f"{options.names}: {count} names; medians of {options.rounds} rounds (lowest..highest)")


if __name__ == "__main__":
    start(main, root=False, names="10.0.0.0/9", folder="/var/tmp", rounds=3)
