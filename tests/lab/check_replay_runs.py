#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares what dnsgauge tells of a replay with what tcpdump saw on the resolver's side.

usage: check_replay_runs.py JOURNAL RESULT CAPTURE RECORDING RESOLVER AUTH

JOURNAL and RESULT belong to the replay, CAPTURE was played, RECORDING has all the resolver's interfaces.
Scapy reads both; nothing here is dnsgauge's. For each run:

- the queries to the RESOLVER are the CAPTURE's, each once, and as many as RESULT says;
- the queries of each second, and the replies to them by RCODE, are as many as RESULT says, but for queries that
  were sent so close to the next second that they may belong to either;
- the resolver asked AUTH for every question of the CAPTURE: its cache was empty. It need not ask for a second type
  of a name of which AUTH has said in this run that the name does not exist.

Exit status: 0; 1 where something differs.
"""

import collections
import json
import sys

from scapy.all import UDP

from read_capture import BETWEEN_CLOCKS, carried

RCODES = {0: "NOERROR", 1: "FORMERR", 2: "SERVFAIL", 3: "NXDOMAIN", 5: "REFUSED"}
SECOND = 10**9


def question(message):
    """Returns the first question in small letters, without its class, or nothing for another class than IN."""
    at = 12
    while message[at]:
        at += 1 + message[at]
    if message[at + 3 : at + 5] != b"\x00\x01":
        return None
    return message[12 : at + 1].lower() + message[at + 1 : at + 3]


def messages(path):
    """Yields time, source, source port, target, target port and message of each DNS message over UDP."""
    for time, layer, carrier in carried(path):
        if UDP in carrier:
            message = bytes(carrier.payload)[: carrier.len - 8]
            yield time, layer.src, carrier.sport, layer.dst, carrier.dport, message


def near_misses(times, start, allowed):
    """Returns by second how many queries may belong to it or to a neighbour of it."""
    moved = collections.Counter()
    for time in times:
        into = (time - start) % SECOND
        second = (time - start) // SECOND
        if into < allowed:
            moved[second] += 1
            moved[second - 1] += 1
        elif SECOND - into < allowed:
            moved[second] += 1
            moved[second + 1] += 1
    return moved


def check_run(number, trial, run, seen, asked, auth):
    """Returns what is wrong with a run."""
    wrong = []
    resolver = trial["server"]
    start, end = trial["since_ns"] - BETWEEN_CLOCKS, trial["until_ns"] + BETWEEN_CLOCKS
    within = [one for one in seen if start <= one[0] <= end]
    queries = {}
    for time, source, port, target, to, message in within:
        if target == resolver and to == 53 and question(message):
            queries[source, port, message[:2]] = (time, question(message))
    replies = {}
    for time, source, port, target, to, message in within:
        key = target, to, message[:2]
        if source == resolver and port == 53 and key in queries:
            replies[key] = RCODES[message[3] & 15]
    if collections.Counter(asked) != collections.Counter(each[1] for each in queries.values()):
        wrong.append("the queries are not the capture's")
    if len(queries) != run["sent"]:
        wrong.append(f"{len(queries)} queries came, {run['sent']} were sent")
    if len(replies) != run["answered"] + run["late"] + run["invalid"]:
        wrong.append(f"{len(replies)} replies left, {run['answered']} queries were answered")
    if dict(collections.Counter(replies.values())) != run["rcodes"]:
        wrong.append(f"RCODEs {collections.Counter(replies.values())}, not {run['rcodes']}")

    allowed = trial["sending"]["lateness_ns"]["max"] + BETWEEN_CLOCKS
    base = trial["since_ns"]
    sent = collections.Counter((time - base) // SECOND for time, _ in queries.values())
    moved = near_misses([time for time, _ in queries.values()], base, allowed)
    by_rcode = collections.Counter(((queries[key][0] - base) // SECOND, rcode)
                                   for key, rcode in replies.items())
    for interval in run["intervals"]:
        second = int(interval["since_s"])
        if abs(interval["sent"] - sent[second]) > moved[second]:
            wrong.append(f"second {second}: {sent[second]} queries came, {interval['sent']} were sent")
        for rcode in set(interval["rcodes"]) | {code for at, code in by_rcode if at == second}:
            told = interval["rcodes"].get(rcode, 0)
            if abs(told - by_rcode[second, rcode]) > moved[second]:
                wrong.append(f"second {second}: {by_rcode[second, rcode]} replies {rcode}, not {told}")
    if sum(moved.values()) > len(queries):
        wrong.append(f"the Tester was too late to compare seconds: {allowed} ns")

    upstream = {question(message) for _, _, _, target, to, message in within if target == auth and to == 53}
    absent = {question(message)[:-2] for _, source, port, _, _, message in within
              if source == auth and port == 53 and RCODES.get(message[3] & 15) == "NXDOMAIN"}
    if missing := {one for one in set(asked) - upstream if one[:-2] not in absent}:
        wrong.append(f"{len(missing)} of {len(set(asked))} questions came from the cache of an earlier run")
    print(f"run {number}: {len(queries)} queries, {len(replies)} replies, {len(upstream)} questions upstream")
    return [f"run {number}: {each}" for each in wrong]


def main():
    journal, result, capture, recording, resolver, auth = sys.argv[1:]
    with open(journal, encoding="utf-8") as file:
        trials = [json.loads(line).get("trial") for line in file]
    trials = [trial for trial in trials if trial and trial["verdict"] != "invalid"]
    with open(result, encoding="utf-8") as file:
        runs = json.load(file)["trials"]
    asked = [question(message) for *_, to, message in messages(capture) if to == 53]
    seen = list(messages(recording))
    wrong = []
    if not asked or len(trials) != len(runs):
        wrong.append(f"{len(asked)} queries are captured; the journal has {len(trials)} runs, the result {len(runs)}")
    for number, (trial, run) in enumerate(zip(trials, runs), 1):
        if trial["server"] != resolver:
            wrong.append(f"run {number} is of {trial['server']}")
        wrong += check_run(number, trial, run, seen, asked, auth)
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
