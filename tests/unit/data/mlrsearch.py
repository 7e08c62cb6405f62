#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Writes mlrsearch.json: what MLRsearch 1.2.1, by the authors of RFC 9971, finds for simulated servers.

    pip install --target DIRECTORY MLRsearch==1.2.1
    PYTHONPATH=DIRECTORY tests/unit/data/mlrsearch.py > tests/unit/data/mlrsearch.json

unit.loss_ratio_search gives the same servers to our search. The servers lose no query up to a rate, and
above that rate either all that exceeds it (`limit`) or a growing share (`knee`).
"""

import json
from typing import Any

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal

MIN, MAX = 1000, 3_000_000
LOSS_RATIOS = (0.0, 0.0001, 0.001, 0.01)
CAPACITIES = (12_345, 100_000, 312_345, 1_234_567, 2_900_000)
DURATION_SUM = 120.0
FINAL_DURATION = 60.0
INITIAL_DURATION = 1.0
WIDTH = 0.005


def loss_ratio(kind: str, capacity: int, load: float) -> float:
    share = load / capacity
    if share <= 1:
        return 0.0
    return 1 - 1 / share if kind == "limit" else min(0.9, 0.05 * ((share - 1) / 0.2) ** 2)


class Server(AbstractMeasurer):
    def __init__(self, kind: str, capacity: int) -> None:
        self.kind = kind
        self.capacity = capacity
        self.trials = 0
        self.seconds = 0.0

    def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
        self.trials += 1
        self.seconds += intended_duration
        sent = int(intended_load * intended_duration)
        return MeasurementResult(intended_duration=intended_duration, intended_load=intended_load,
                                 offered_count=sent,
                                 loss_count=round(sent * loss_ratio(self.kind, self.capacity, intended_load)))


def search(kind: str, capacity: int) -> dict[str, Any]:
    goals = [SearchGoal(loss_ratio=ratio, exceed_ratio=0.5, relative_width=WIDTH,
                        initial_trial_duration=INITIAL_DURATION, final_trial_duration=FINAL_DURATION,
                        duration_sum=DURATION_SUM, fail_fast=False) for ratio in LOSS_RATIOS]
    server = Server(kind, capacity)
    found = MultipleLossRatioSearch(Config(goals=goals, min_load=MIN, max_load=MAX, warmup_duration=0,
                                           search_duration_max=1e9)).search(server)
    return {"server": kind, "capacity": capacity, "trials": server.trials, "seconds": server.seconds,
            "bounds": [[float(bound) if bound else None for bound in
                        (found[goal].relevant_lower_bound, found[goal].relevant_upper_bound)]
                       for goal in goals],
            "conditional_throughputs": [float(found[goal].conditional_throughput) for goal in goals]}


if __name__ == "__main__":
    print(json.dumps({"source": "MLRsearch 1.2.1 (PyPI)", "min": MIN, "max": MAX,
                      "loss_ratios": LOSS_RATIOS, "exceed_ratio": 0.5, "width": WIDTH,
                      "initial_duration": INITIAL_DURATION, "final_duration": FINAL_DURATION,
                      "duration_sum": DURATION_SUM,
                      "searches": [search(kind, capacity) for kind in ("limit", "knee")
                                   for capacity in CAPACITIES]}, indent=1))
