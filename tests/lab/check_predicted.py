#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares a trial against fakedns --fault, and what fakedns counted, with what it had predicted for
the same names: to the query.

    check_predicted.py PREDICTION TRIAL.json FAKEDNS-OUTPUT

The last table in FAKEDNS-OUTPUT is the one that counts.
"""

import json
import sys

INVALID = {
    "rcode": ("servfail", "extended-rcode"), "no_answer": ("empty",), "wrong_data": ("wrong-address",),
    "wrong_question": ("wrong-question",), "truncated": ("truncated",),
    "malformed": ("garbage", "missing-record"), "wrong_flags": ("not-authoritative",),
    "wrong_owner": ("wrong-owner",), "extra_records": ("extra-record",),
    "trailing_octets": ("trailing-octets",)}


def read_prediction(text):
    lines = [line.split() for line in text.splitlines()]
    return {words[0]: int(words[1]) for words in lines if len(words) == 2}


def read_faults(text):
    table = text[text.rindex("fault "):].splitlines()[1:]
    return {line.split()[0]: int(line.split()[-1]) for line in table}


def figures(predicted, trial, done):
    yield "sent", trial["sent"], sum(predicted.values())
    yield "valid", trial["valid"], predicted["none"] + predicted["delay"] + predicted["duplicate"]
    yield "late", trial["late"], predicted["late"]
    yield "lost", trial["lost"], predicted["loss"] + predicted["wrong-id"]
    yield "duplicate", trial["duplicate"], predicted["duplicate"]
    yield "unexpected", trial["unexpected"], predicted["wrong-id"]
    for reason, faults in INVALID.items():
        yield f"invalid, {reason}", trial["invalid"][reason], sum(predicted[fault] for fault in faults)
    for fault, count in predicted.items():
        yield f"{fault}, as fakedns counts", done[fault], count
    yield "waiting", done["waiting"], 0
    yield "unsent", done["unsent"], 0


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        predicted = read_prediction(file.read())
    with open(sys.argv[2], encoding="ascii") as file:
        trial = json.load(file)
    with open(sys.argv[3], encoding="utf-8") as file:
        done = read_faults(file.read())
    wrong = [(name, got, right) for name, got, right in figures(predicted, trial, done)
             if got != right]
    for name, got, right in wrong:
        print(f"{name}: {got}, not {right}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
