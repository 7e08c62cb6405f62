#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares the recording of a replay with the capture that was played.

usage: compare_replay.py CAPTURE RECORDING SERVER RESULT

RESULT is the trial's JSON. The queries to SERVER are the same messages in both but for their IDs, in
the same order, from as many clients and from the same ports, at the same times, as late as the
result admits. The counts of each second are the same in both but for queries that lateness moves.
What the Tester asks before, to see that replies find a way back, is left out.

Exit status: 0; 1 where something differs.
"""

import collections
import json
import statistics
import sys

from read_capture import BETWEEN_CLOCKS, queries

# The question for a server's version.
WAY_BACK = b"\x07version\x04bind\0\0\x10\0\x03"


def main():
    capture, recording, server, result = sys.argv[1:]
    with open(result, encoding="utf-8") as file:
        trial = json.load(file)
    first, second = ([query for query in queries(path) if query[3] == server and WAY_BACK not in query[4]]
                     for path in (capture, recording))
    first.sort(key=lambda query: query[0])
    wrong = []
    if len(first) < 100 or len(first) != len(second):
        print(f"{len(first)} queries were captured, {len(second)} came again")
        return 1
    # Queries of one lane leave in their order; tcpdump sees them in it.
    if [query[4][2:] for query in first] != [query[4][2:] for query in second]:
        wrong.append("the messages or their order differ")
    if [query[2] for query in first] != [query[2] for query in second]:
        wrong.append("the clients' ports differ")
    pairs = {(one[1], other[1]) for one, other in zip(first, second)}
    clients = {one for one, _ in pairs}
    if len(pairs) != len(clients) or len({other for _, other in pairs}) != len(clients):
        wrong.append(f"a client has several addresses: {sorted(pairs)}")
    if trial["workload"]["clients"] != len(clients):
        wrong.append(f"{trial['workload']['clients']} clients, not {len(clients)}")

    # The recording does not tell when the replay began. The query that was the least late counts as punctual.
    errors = [(other[0] - second[0][0]) - (one[0] - first[0][0])
              for one, other in zip(first, second)]
    start = min(errors)
    errors = [error - start for error in errors]
    allowed = trial["sending"]["lateness_ns"]["max"] + BETWEEN_CLOCKS
    if max(errors) > allowed:
        wrong.append(f"a query came {max(errors)} ns late, {allowed} ns are admitted")
    per_second = collections.Counter((one[0] - first[0][0]) // 10**9 for one in first)
    again = collections.Counter((other[0] - second[0][0] - start) // 10**9 for other in second)
    moved = sum((one[0] - first[0][0] + allowed) // 10**9 != (one[0] - first[0][0]) // 10**9
                for one in first)
    for number in per_second.keys() | again.keys():
        if abs(per_second[number] - again[number]) > moved:
            wrong.append(f"second {number}: {per_second[number]} captured, {again[number]} came")
    quartiles = statistics.quantiles(errors, n=4)
    print(f"{len(first)} queries of {len(clients)} clients, quartiles of the delay "
          f"{', '.join(f'{quartile / 1000:.0f} us' for quartile in quartiles)}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
