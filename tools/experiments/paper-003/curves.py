#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Prints response-rate curves side by side: the percent answered at each rate, the mean size of the
replies, and the highest rate up to which 99 % were answered.

usage: curves.py DIRECTORY NAME...

The journals DIRECTORY/NAME.jsonl are journals of sweeps. A rate's percentage is taken over all its
trials together. Needs python3-pandas.
"""

import json
import sys
from pathlib import Path

import pandas

ENOUGH = 99
LINE = 10_000_000_000 / 8  # octets per second of 10 Gbit/s


def trials_of(path):
    """Returns the trials that taught something, the columns of inner objects with a dot."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    trials = pandas.json_normalize([line["trial"] for line in lines if line.get("trial")])
    return trials.query("verdict != 'invalid' and sent > 0") if len(trials) else trials


def curve_of(path):
    """Returns the percent answered by rate as texts, and the rows that stand below them."""
    trials = trials_of(path)
    if trials.empty:
        return {}, {}
    sums = trials.groupby("rate")[["sent", "valid"]].sum()
    # 100 % are all: what is left is cut off, not rounded.
    shares = 10**6 * sums["valid"] // sums["sent"] / 10**4
    kept = shares.index[(shares >= ENOUGH).cummin()].max()
    replies = trials["replies.count"]
    octets, wire = ((trials[f"replies.{name}"] * replies).sum() / max(1, replies.sum())
                    for name in ("octets.mean", "wire_octets_mean"))
    below = {"99 % up to": f"{kept:.0f}"}
    if replies.any():
        below |= {"octets of a reply": f"{octets:.1f}", "10 Gbit/s carries": f"{LINE / wire:.0f}"}
    return {rate: f"{share:.4f}" for rate, share in shares.items()}, below


def main():
    directory, *names = sys.argv[1:]
    found = {name: curve_of(Path(directory) / f"{name}.jsonl") for name in names}
    curves, below = (pandas.DataFrame({name: one[part] for name, one in found.items()})
                     for part in (0, 1))
    table = pandas.concat([curves.sort_index(), below]).replace("nan", "-").fillna("-")
    print(table.rename_axis("queries/s", axis="columns").to_string())


if __name__ == "__main__":
    main()
