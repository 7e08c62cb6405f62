#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Counts the verdicts of real gates whose truth is known: FakeDNS answers as many queries as its rate limit allows.

Each turn makes a gate of each candidate. Two candidates are worse than the baseline by half an answer less, and by half
an answer more, than the margin: their gates are the most likely ones to be wrong. With --record each gate becomes a
line of the file, and the table has all gates of the file; give the same options each time. Needs root and two CPUs.
"""

import json
import statistics
from pathlib import Path

from lab import SERVED_NAMES, Lab, dnsgauge_words
from program import BIN, print_table, run, say, start

DURATION, RATE = 0.1, 50_000
QUERIES = round(DURATION * RATE)
LIMIT, STEP = 2500, 20  # the baseline's answers per second, and how many fewer make a margin
MARGIN = STEP * (1 + DURATION)  # in answers: FakeDNS starts with the answers of a second
# How many margins the candidate is worse, by how many answers more than that the gate allows, and the wrong verdict.
CASES = {"equal": (0, 0, "slower"), "at the margin, just within": (1, 0.5, "slower"),
         "at the margin, just beyond": (1, -0.5, "not slower"), "2.5 margins worse": (2.5, 0, "not slower")}
VERDICTS = ("slower", "not slower", "cannot tell")


def points(answers):
    return 100 * answers / QUERIES


def server(lab, limit, options):
    return (f"exec ip netns exec {lab.name}-dut {BIN}/fakedns --interface d0 --xdp-mode {options.xdp_mode} "
            f"--rate-limit {limit}")


def gate(lab, case, options):
    worse, more, _ = CASES[case]
    result = lab.scratch / "gate.json"
    words = dnsgauge_words(
        "gate", cpus=None, names=SERVED_NAMES, rate=RATE, duration=DURATION, timeout=options.timeout, json=result,
        rounds=options.rounds, judge=f"share={points(MARGIN + more):.6f}", shared_machine=True, error=options.error,
        baseline=server(lab, LIMIT, options), candidate=server(lab, LIMIT - round(worse * STEP), options))
    run(*lab.command("tester", None, *words), good=(0, 1, 3))
    told = json.loads(result.read_text())
    figure, = told["figures"]
    return {"case": case, "xdp_mode": options.xdp_mode, "error": options.error, "verdict": told["verdict"],
            "why": told["why"], "seconds": told["spent_s"], "invalid": told["invalid_trials"],
            "rounds": [(pair["baseline"], pair["candidate"]) for pair in figure["rounds"]]}


def row(case, gates):
    worse, more, wrong = CASES[case]
    counts = [sum(one["verdict"] == verdict for one in gates) for verdict in VERDICTS]
    differences = [old - new for one in gates for old, new in one["rounds"]]
    return (case, f"{points(worse * MARGIN):.2f}", f"{points(MARGIN + more):.2f}",
            f"{statistics.median(differences):.2f}", f"{statistics.pstdev(differences):.2f}", len(gates), *counts,
            f"{100 * counts[VERDICTS.index(wrong)] / len(gates):.1f}",
            f"{statistics.mean(len(one['rounds']) for one in gates):.1f}", sum(one["invalid"] for one in gates))


def main(options):
    gates = []
    if options.record and options.record.exists():
        gates = [json.loads(line) for line in options.record.read_text().splitlines()]
    with Lab("dggate") as lab:
        for number in range(options.gates):
            for case in CASES:
                gates.append(gate(lab, case, options))
                say(f"turn {number + 1}, {case}: {gates[-1]['verdict']} in {len(gates[-1]['rounds'])} rounds")
                if options.record:
                    with options.record.open("a") as file:
                        file.write(json.dumps(gates[-1]) + "\n")
    heads = ("candidate", "worse by", "allowed", "median", "sd", "gates", *VERDICTS, "wrong %", "rounds", "invalid")
    print_table(heads, [row(case, of) for case in CASES if (of := [one for one in gates if one["case"] == case])], 1,
                f"FakeDNS by XDP {options.xdp_mode}, share in points, --error {options.error:g}")


if __name__ == "__main__":
    start(main, gates=(1, "of each case"), error=20.0, rounds=6, timeout=0.02, xdp_mode="auto",
          record=(Path, "file of all gates so far"))
