# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Results that tests make up: searches, experiments, sweeps and trials with figures of their
own."""

import statistics

from made_up import trial


def search(rates, **changes):
    """Returns a finished search that found these rates."""
    made = {
        "schema": "dnsgauge/search/1",
        "server": "198.18.0.2",
        "min_rate": 1000,
        "max_rate": 200000,
        "resolution": 1,
        "repeat": len(rates),
        "confirm": 0,
        "accept_percent": 100,
        "dns64": None,
        "rfc8219": {"compliant": True, "deviations": []},
        "selftest": None,
        "certificate": None,
        "tester_limit": None,
        "end": "complete",
        "why": "every query was answered",
        "rates": list(rates),
        "at_least": None,
        "statistics": {
            "count": len(rates),
            "median": statistics.median(rates) if rates else None,
        },
        "repetitions": [repetition(rate) for rate in rates],
        "trials": 2 * len(rates),
        "invalid_trials": 0,
        "invalid_retries": 0,
        "resumed": 0,
        "command": ["dnsgauge", "search"],
        "journal": "search.jsonl",
        "circumstances": None,
        "setup": {"kernel": "6.1"},
        "options": {"duration": "60", "timeout": "1"},
    }
    return made | changes


def repetition(rate):
    """Returns a repetition of two trials: one at the rate, which passed, one above it, which
    failed."""
    return {
        "rate": rate,
        "at_least": None,
        "capped": None,
        "trials": [
            {"rate": rate, "verdict": "pass", "sent": 1000, "valid": 1000, "why": "all answered"},
            {"rate": rate + 1, "verdict": "fail", "sent": 1000, "valid": 990, "why": "10 lost"},
        ],
    }


def experiment(cells, **changes):
    """Returns an experiment of (settings, rates) cells."""
    return {
        "schema": "dnsgauge/experiment/1",
        "title": "Servers by cores",
        "file": "experiment.toml",
        "reproduces": None,
        "scaled_down": None,
        "rfc8219_compliant": True,
        "labels": [],
        "complete": True,
        "cells": [
            {
                "name": "-".join(settings.values()),
                "settings": settings,
                "failure": None if rates else "even min-rate fails",
                "search": search(rates) if rates else None,
            }
            for settings, rates in cells
        ],
        "tables": [],
    } | changes


def sweep(steps, **changes):
    """Returns a sweep of (rate, sent, answered) steps."""
    names = ("rate", "sent", "answered")
    return {
        "schema": "dnsgauge/sweep/1",
        "server": "198.18.0.2",
        "steps": [dict(zip(names, step)) for step in steps],
    } | changes


def run_at(rate, share=1.0, slower=1.0, queries=10000, since=0):
    """Returns a trial at the rate that answered a share of its queries; latencies of 50 to 99 µs,
    times `slower`."""
    valid = round(queries * share)
    rows = []
    left = valid
    for number in range(50):
        count = left if number == 49 else valid // 50
        value = int((50 + number) * 1000 * slower)
        rows.append([value, value, count])
        left -= count
    rtt = trial()["rtt_ns"] | {
        "count": valid, "min": rows[0][0], "max": rows[-1][1], "p50": rows[24][1],
        "p90": rows[44][1], "p99": rows[48][1], "p99_9": rows[49][1],
    }  # fmt: skip
    return trial(
        rate=rate,
        sent=queries,
        valid=valid,
        lost=queries - valid,
        verdict="pass" if valid == queries else "fail",
        rtt_ns=rtt,
        rtt_histogram_ns=rows,
        rtt_hardware_ns=None,
        since_ns=1763724329000000000 + since,
        rfc8219={"compliant": True, "deviations": []},
    )
