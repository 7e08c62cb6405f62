# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A made-up run, for tests of tables and charts."""


def trial(purpose, sent_rate, lossless=False, answered=1.0, **costs):
    """Returns a trial of 2 s, without what turn() says of it."""
    return {"purpose": purpose, "offered": None, "sent": int(sent_rate * 2), "replies": int(answered * sent_rate * 2),
            "sent_rate": sent_rate, "answered_rate": answered * sent_rate, "lossless": lossless, "spoiled": False,
            "note": "",
            **dict.fromkeys(("generator_cpu", "server_cpu", "napi_cpu", "other_cpu", "stolen_cpu"), 0.0), "wall": 3.0,
            **costs}


def turn(number, generator, server, lossless, most):
    """Returns a turn whose flood sends `most` queries, for 2 s of CPU beyond the start, and gets 90 % answered."""
    trials = [trial("start", 1000, generator_cpu=0.5)] if number == 1 else []
    trials.append(trial("flood", most, answered=0.9, generator_cpu=2.5, other_cpu=0.3))
    found = [len(trials), len(trials) + 1] if lossless else []
    if lossless:
        trials += [trial(purpose, lossless, True, server_cpu=1, napi_cpu=1) for purpose in ("search", "confirm")]
    names = {"round": number, "generator": generator, "server": server}
    return {**names, "found": lossless, "trials": [names | one for one in trials], "found_trials": found}


def run():
    turns = [turn(number, generator, server, lossless and lossless * drift, most * drift)
             for number, drift in ((1, 1.0), (2, 0.5), (3, 1.5)) for generator, server, lossless, most in (
                 ("dnsgauge", "fakedns-xdp", 1e6, 2e6), ("dnsgauge", "nsd", 2e5, 4e5),
                 ("kxdpgun", "fakedns-xdp", 5e5, 1e6), ("kxdpgun", "nsd", 1e5, 4e5),
                 ("dnsperf", "nsd", None if number == 2 else 5e4, 1e5))]
    return {"schema": "dnsgauge/bench/1", "complete": True, "date": "2020-02-02",
            "machine": {"cpu": "Abacus", "cpus": 2, "kernel": "6.1", "architecture": "x86_64",
                        "programs": {"dnsgauge": "0", "nsd": "4"}},
            "options": {"rounds": 3, "duration": 2.0, "timeout": 0.25, "pairs": ["*:*"], "step": 1.05,
                        "names": "10.0.0.0/16", "qtype": "AAAA"},
            "link": [{"round": number, "sent_rate": rate} for number, rate in ((1, 1.25e6), (2, 1e6), (3, 1.5e6))],
            "turns": turns}
