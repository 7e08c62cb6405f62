# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures of each pair, with a value for each round, and comparisons of pairs (generator,
server)."""

import statistics

OWN_GENERATOR = "dnsgauge"
OWN_SERVER = "fakedns"  # the names of its kinds begin so

QUIET = 0.05  # CPUs that other processes may take in the median trial

RATES = ("lossless", "answered", "sent")
COSTS = ("generator_us", "server_us")


def figures_of(turns):
    """Returns {pair: {figure: {round: value}}}, in the order of the turns. A round in which no
    lossless rate was found has no value for that figure."""
    figures, start_costs = {}, {}
    for turn in turns:
        pair = turn["generator"], turn["server"]
        values = figures.setdefault(pair, {name: {} for name in (*RATES, *COSTS)})
        number = turn["round"]
        for trial in turn["trials"]:
            if trial["purpose"] == "start":
                start_costs[pair] = trial["generator_cpu"]
        trials = [trial for trial in turn["trials"] if trial["purpose"] != "start"]
        values["answered"][number] = max(trial["answered_rate"] for trial in trials)
        values["sent"][number] = max(trial["sent_rate"] for trial in trials)
        flood = [trial for trial in trials if trial["purpose"] == "flood"][-1]
        if flood["sent"]:
            spent = max(flood["generator_cpu"] - start_costs[pair], 0.0)
            values["generator_us"][number] = 1e6 * spent / flood["sent"]
        if turn["found"] is not None:
            values["lossless"][number] = turn["found"]
            confirmed = [turn["trials"][i] for i in turn["found_trials"]]
            spent = sum(trial["server_cpu"] + trial["napi_cpu"] for trial in confirmed)
            values["server_us"][number] = 1e6 * spent / sum(trial["replies"] for trial in confirmed)
    return figures


def spread(values):
    """Returns (median, lowest, highest) of the values, or None if there are none."""
    values = list(values)
    return (statistics.median(values), min(values), max(values)) if values else None


def ratio(over, under):
    """Returns the spread of the ratios of two {round: value}, round by round: drift cancels."""
    return spread(over[number] / under[number] for number in over
                  if under.get(number, 0) > 0)


def best(figures, figure, is_wanted):
    """Returns the wanted pair with the highest median of a figure, or None."""
    medians = {pair: statistics.median(values[figure].values())
               for pair, values in figures.items() if values[figure] and is_wanted(pair)}
    return max(medians, key=medians.get, default=None)


def link_share(figures, link):
    """Returns (own pair with the highest lossless rate, spread of the rates at which a minimal sender
    fills the link, spread of the pair's lossless rates over these, round by round); None where the run
    has no such rates, or found none for the pair."""
    own = best(figures, "lossless", lambda pair: pair[0] == OWN_GENERATOR)
    fills = {one["round"]: one["sent_rate"] for one in link}
    share = own and ratio(figures[own]["lossless"], fills)
    return (own, spread(fills.values()), share) if share else None


def is_of_others(pair):
    """Are both programs other projects'?"""
    generator, server = pair
    return generator != OWN_GENERATOR and not server.startswith(OWN_SERVER)


def comparisons(figures):
    """Returns [(pair, title, {figure: (rival, ratio)})]: at each server this project's generator
    against the best other one, then the best own pair against the best other pair, and against the
    best pair of other projects' programs."""
    servers = list(dict.fromkeys(server for _, server in figures))
    rows = [((OWN_GENERATOR, server), "other generators", same_server(server)) for server in servers]
    own = best(figures, "lossless", lambda pair: pair[0] == OWN_GENERATOR)
    if own is not None:
        rows.append((own, "all other pairs", lambda pair: pair[0] != OWN_GENERATOR))
        rows.append((own, "others' programs", is_of_others))
    result = []
    for pair, title, is_rival in rows:
        against = {}
        for figure in RATES if pair in figures else ():
            rival = best(figures, figure, is_rival)
            value = ratio(figures[pair][figure], figures[rival][figure]) if rival else None
            if value:
                against[figure] = (rival, value)
        if against:
            result.append((pair, title, against))
    return result


def same_server(server):
    return lambda pair: pair[1] == server and pair[0] != OWN_GENERATOR


def disturbance(turns):
    """Returns the shares of the machine's CPU time during trials that other processes and the
    hypervisor took: two spreads over all trials."""
    trials = [trial for turn in turns for trial in turn["trials"]]
    return tuple(spread(trial[name] / trial["wall"] for trial in trials)
                 for name in ("other_cpu", "stolen_cpu"))


def is_disturbed(turns):
    """Did other processes take so much that the figures are not worth keeping?"""
    return any(share[0] > QUIET for share in disturbance(turns))
