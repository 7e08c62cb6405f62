#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how long dnsgauge-report takes for the page of a per-query file, and how much memory."""

import random
import resource
import tempfile
import time
from pathlib import Path

from program import ROOT, run, start


def main(options):
    """Writes queries at even gaps, one of a thousand lost, the RTTs' logarithms scattered, and makes the page."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        rows, page = Path(folder) / "queries.csv", Path(folder) / "page.html"
        with open(rows, "w", encoding="ascii") as file:
            file.write("number;query;sender;sent_ns;class;rtt_ns\n")
            for number in range(options.rows):
                lost = chance.random() < 0.001
                end = "lost;" if lost else f"valid;{int(chance.lognormvariate(10.5, 0.7)) + 4000}"
                file.write(f"{number};010-000-{number >> 8 & 255:03d}-{number & 255:03d}.dns64perf.test;"
                           f"0;{number * 10000};{end}\n")
        began = time.monotonic()
        run(ROOT / "tools" / "report" / "dnsgauge-report", "page", rows, "--output", page)
        took = time.monotonic() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"{options.rows} rows ({rows.stat().st_size / 1e6:.0f} MB) became a page of "
              f"{page.stat().st_size / 1e6:.1f} MB in {took:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of "
              f"CPU) with {used.ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    start(main, root=False, rows=1_000_000)
