#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how long dnsgauge-report takes for the page of a per-query file, and how much memory.

usage: tests/bench/page.py [ROWS]      default: a million
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "tools" / "report" / "dnsgauge-report"


def write_rows(path, count):
    """Writes queries at even gaps, one of a thousand lost, the RTTs' logarithms scattered."""
    chance = random.Random(1)
    with open(path, "w", encoding="ascii") as file:
        file.write("number;query;sender;sent_ns;class;rtt_ns\n")
        for number in range(count):
            lost = chance.random() < 0.001
            end = "lost;" if lost else f"valid;{int(chance.lognormvariate(10.5, 0.7)) + 4000}"
            file.write(f"{number};010-000-{number >> 8 & 255:03d}-{number & 255:03d}.dns64perf.test;"
                       f"0;{number * 10000};{end}\n")


def main(count):
    with tempfile.TemporaryDirectory() as folder:
        rows, page = Path(folder) / "queries.csv", Path(folder) / "page.html"
        write_rows(rows, count)
        began = time.monotonic()
        subprocess.run([PROGRAM, "page", rows, "--output", page], check=True)
        took = time.monotonic() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{count} rows ({rows.stat().st_size / 1e6:.0f} MB) became a page of "
              f"{page.stat().st_size / 1e6:.1f} MB in {took:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of "
              f"CPU) with {used.ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
