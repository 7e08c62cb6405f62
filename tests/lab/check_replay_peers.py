#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares what a resolver was asked, and what it answered, when several programs played one capture to it.

usage: check_replay_peers.py CAPTURE RESOLVER RESULT dnsgauge=RECORDING NAME=RECORDING...

RESULT is what dnsgauge replay told of its run. Each RECORDING is of the RESOLVER's interface. Prints a line for each
player: the response rate, the RCODEs' shares, and percentiles of the error of the queries' times, from their median.

Exit status: 0; 1 where a query of the capture did not come, where response rates or RCODEs' shares differ by more
than a thousandth of the queries, or where RESULT tells other counts than the recording.
"""

import collections
import json
import sys
from pathlib import Path

from check_replay_runs import RCODES, messages

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
from replay import errors_of  # noqa: E402  pylint: disable=wrong-import-position

LEAST_RESOLVED = 0.5  # of the queries, or there is nothing to compare
BEARABLE = 0.001
PERCENTILES = (1, 25, 75, 99)


def seen_by(path, resolver):
    """Returns [(time, message without its ID)] of the queries to the resolver, and how many replies have which RCODE.

    A reply answers a query that came before it, and no query is answered twice."""
    asked, open_queries, rcodes = [], collections.Counter(), collections.Counter()
    for time, source, port, target, to, message in messages(path):
        # dig asks for SOA records while the resolver starts.
        if len(message) < 12 or b"\x09dns64perf" not in message.lower():
            continue
        if target == resolver and to == 53 and not message[2] & 0x80:
            asked.append((time, message[2:]))
            open_queries[source, port, message[:2]] += 1
        elif source == resolver and port == 53 and open_queries[target, to, message[:2]]:
            open_queries[target, to, message[:2]] -= 1
            rcodes[RCODES[message[3] & 15]] += 1
    return asked, rcodes


def row_of(name, captured, asked, rcodes):
    """Returns the line of a player."""
    errors, _ = errors_of(captured, asked)
    errors = sorted(errors or [0])
    told = "  ".join(f"{errors[min(len(errors) - 1, len(errors) * p // 100)] / 1000:>9.1f}" for p in PERCENTILES)
    shares = ", ".join(f"{rcode} {100 * count / max(1, len(asked)):.3f}" for rcode, count in sorted(rcodes.items()))
    answered = 100 * sum(rcodes.values()) / max(1, len(asked))
    return f"{name:<9} {len(asked):>8} {answered:>9.3f}  {told}  {shares}"


def main():
    capture, resolver, result, *players = sys.argv[1:]
    captured, _ = seen_by(capture, resolver)
    played = {}
    for player in players:
        name, _, path = player.partition("=")
        played[name] = seen_by(path, resolver)
    with open(result, encoding="utf-8") as file:
        run = json.load(file)["trials"][0]

    wrong = []
    sent = collections.Counter(message for _, message in captured)
    _, own = played["dnsgauge"]
    if (run["sent"], run["rcodes"]) != (len(captured), dict(own)):
        wrong.append(f"dnsgauge tells of {run['sent']} queries and {run['rcodes']}")
    if own["NOERROR"] < LEAST_RESOLVED * len(captured):
        wrong.append(f"the resolver does not resolve: {dict(own)}")
    for name, (asked, rcodes) in played.items():
        if collections.Counter(message for _, message in asked) != sent or not asked:
            wrong.append(f"{name}: {len(asked)} queries came, not the {len(captured)} of the capture")
        for rcode in {*own, *rcodes}:
            if abs(own[rcode] - rcodes[rcode]) > BEARABLE * len(captured):
                wrong.append(f"{name}: {rcodes[rcode]} replies {rcode}, {own[rcode]} with dnsgauge")
        if abs(sum(own.values()) - sum(rcodes.values())) > BEARABLE * len(captured):
            wrong.append(f"{name}: {sum(rcodes.values())} replies, {sum(own.values())} with dnsgauge")
    print("player     queries  answered " + "  ".join(f"{f'P{p}, us':>9}" for p in PERCENTILES) + "  RCODEs, %")
    for name, (asked, rcodes) in played.items():
        print(row_of(name, captured, asked, rcodes))
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
