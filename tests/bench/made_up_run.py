# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A made-up run, for tests of tables and charts."""


def trial(purpose, sent_rate, answered_rate, lossless=False, seconds=2.0, **costs):
    """A trial, without what turn() says of it."""
    return {"purpose": purpose, "offered": None, "sent": int(sent_rate * seconds),
            "replies": int(answered_rate * seconds), "sent_rate": sent_rate,
            "answered_rate": answered_rate, "lossless": lossless, "note": "", "generator_cpu": 0.0,
            "server_cpu": 0.0, "napi_cpu": 0.0, "other_cpu": 0.0, "stolen_cpu": 0.0, "wall": 3.0,
            **costs}


def turn(number, generator, server, lossless, most, cost=2.0):
    """A turn whose flood sends `most` queries and gets 90 % answered; costs are seconds of a
    trial."""
    trials = [trial("start", 1000, 1000, generator_cpu=0.5)] if number == 1 else []
    trials.append(trial("flood", most, 0.9 * most, generator_cpu=0.5 + cost, other_cpu=0.3))
    found = []
    if lossless is not None:
        for purpose in ("search", "confirm"):
            found.append(len(trials))
            trials.append(trial(purpose, lossless, lossless, lossless=True, server_cpu=cost / 2,
                                napi_cpu=cost / 2))
    of_turn = {"round": number, "generator": generator, "server": server}
    return {**of_turn, "found": lossless, "trials": [{**of_turn, **one} for one in trials],
            "found_trials": found}


def run():
    turns = []
    for number, drift in ((1, 1.0), (2, 0.5), (3, 1.5)):
        for generator, server, lossless, most in (
                ("dnsgauge", "fakedns-xdp", 1e6, 2e6), ("kxdpgun", "fakedns-xdp", 5e5, 1e6),
                ("dnsgauge", "nsd", 2e5, 4e5), ("kxdpgun", "nsd", 1e5, 4e5),
                ("dnsperf", "nsd", None if number == 2 else 5e4, 1e5)):
            turns.append(turn(number, generator, server, lossless and lossless * drift, most * drift))
    return {"schema": "dnsgauge/bench/1", "complete": True, "date": "2020-02-02",
            "machine": {"cpu": "Abacus", "cpus": 2, "kernel": "6.1", "architecture": "x86_64",
                        "programs": {"dnsgauge": "0", "nsd": "4"}},
            "options": {"rounds": 3, "duration": 2.0, "timeout": 0.25, "pairs": ["*:*"],
                        "step": 1.05, "first_trials": 10, "trials": 5, "names": "10.0.0.0/16",
                        "qtype": "AAAA"},
            "link": [{"round": number, "sent_rate": rate} for number, rate in
                     ((1, 1.25e6), (2, 1e6), (3, 1.5e6))],
            "turns": turns}
