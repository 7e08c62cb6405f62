#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Loads FakeDNS for minutes at half of its maximum, and checks memory, losses and counters.

    sudo tests/bench/soak.py --path xdp --minutes 5
    sudo tests/bench/soak.py --path sockets --minutes 5

Its maximum is the median of three floods. Then dnsgauge soak loads the same server trial after trial, and prints its
table. Exit status 1 when FakeDNS' memory or the Tester's has grown, or when FakeDNS has counted otherwise than the
Tester. Needs a build, root and two CPUs; see README.md.
"""

import json
import re
import statistics
import subprocess
import time
from pathlib import Path

from echo import flood_of, started
from lab import JUDGED, NAMES, SERVER_ADDRESS, TIMEOUT, Lab, generator_cpu, option_words
from program import BIN, BenchError, describe_machine, found, last_line, start

PATHS = {"xdp": "native", "sockets": "off"}
FLOODS, FLOOD_SECONDS = 3, 2
# KiB. One byte for each thousand of a hundred million queries is less than half of FakeDNS'; the Tester keeps a row of
# its table for each trial.
ALLOWANCES = {"FakeDNS": 256, "the Tester": 1024}


def answered(said):
    """Returns the answers, by all paths, in the last table of FakeDNS' counters."""
    rows = re.findall(r"^type-\S+(?:\s+\d+)*\s+(\d+)$", said.rpartition("\nkind ")[2], re.MULTILINE)
    if len(rows) != 3:
        raise BenchError(f"fakedns prints no counters: {last_line(said)}")
    return sum(map(int, rows))


def growth(values):
    """Returns the growth from the median of the first third to the median of the last third."""
    third = max(len(values) // 3, 1)
    return statistics.median(values[-third:]) - statistics.median(values[:third])


def resident(pid):
    """Returns the process' memory in KiB, exactly, which /proc/PID/status does not tell, and whatever others share."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(found(r"^Rss:\s+(\d+) kB", text, "the kernel"))


def soak(lab, server, rate, options):
    """Returns the rows of dnsgauge soak, which prints one for each trial, and the memory of both programs meanwhile."""
    memory = {name: [] for name in ALLOWANCES}
    result = lab.scratch / "soak.json"
    words = option_words({"interface": "g0", "server": SERVER_ADDRESS, "names": NAMES, "rate": rate,
                          "row": options.duration, "hours": options.minutes / 60, "timeout": TIMEOUT,
                          "cpus": generator_cpu(), "beyond_selftest": True, "invalid_retries": 1000,
                          "journal": lab.scratch / "soak.jsonl", "json": result})
    with subprocess.Popen(lab.command("tester", generator_cpu(), BIN / "dnsgauge", "soak", *words)) as process:
        while process.poll() is None:
            time.sleep(options.duration)
            if process.poll() is None:
                for values, pid in zip(memory.values(), (server.process.pid, process.pid)):
                    values.append(resident(pid))
    if process.returncode not in JUDGED:
        raise BenchError(f"dnsgauge soak ended with status {process.returncode}")
    return json.loads(result.read_text())["trials"], memory


def main(options):
    if options.path not in PATHS:
        raise BenchError(f"--path is {' or '.join(PATHS)}, not {options.path}")
    words = ("--interface", "d0", "--xdp-mode", PATHS[options.path])
    with Lab("dgsoak") as lab:
        rate = options.rate
        if not rate:
            with started(lab, words):
                rate = int(statistics.median(flood_of(lab, "valid", FLOOD_SECONDS)[1] for _ in range(FLOODS)) / 2)
        print(describe_machine())
        print(f"FakeDNS by {options.path}, {options.minutes:g} min at {rate}/s, trials of {options.duration:g} s",
              flush=True)
        with started(lab, words) as server:
            rows, memory = soak(lab, server, rate, options)
        counted = answered(server.said)
    return 0 if judge(rows, memory, counted) else 1


def judge(rows, memory, counted):
    """Prints the figures. Returns whether all is well."""
    sent, received = (sum(row[name] for row in rows) for name in ("sent", "answered"))
    fits = received <= counted <= sent
    print(f"{sent} queries sent, {counted} answers counted by FakeDNS, {received} received right in time: "
          + ("as it should be" if fits else "these do not fit"))
    for name, values in memory.items():
        grown = growth(values)
        is_flat = grown <= ALLOWANCES[name]
        fits = fits and is_flat
        print(f"memory of {name}: {'flat' if is_flat else 'NOT flat'}, {grown:+.0f} KiB from the first third of the "
              f"trials to the last, {grown * 1024 / sent:+.5f} octets a query")
    return fits


if __name__ == "__main__":
    start(main, path=("xdp", "by which FakeDNS answers: xdp or sockets"), minutes=5.0,
          duration=(10.0, "seconds of each trial"), rate=(int, "queries/s; default: half of the maximum"))
