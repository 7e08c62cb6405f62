# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Made-up results of every kind, in the forms that dnsgauge writes."""

import copy
import json
import random
from pathlib import Path

CAPTURED = Path(__file__).resolve().parents[1] / "bench" / "captured" / "dnsgauge_pass.json"
DEVIATES = {"compliant": False, "deviations": ["trials of 0.5 s, not 60 s"]}


def old_trial():
    """Returns a trial of an older version, without a histogram and deviations."""
    return json.loads(CAPTURED.read_text(encoding="utf-8"))


def replies(count):
    """Returns what this number of replies of 76 octets were like."""
    octets = {"min": 76, "mean": 76.0, "max": 76}
    made = {"count": count, "octets": octets, "octets_histogram": [[76, 76, count]]}
    made |= {"wire_octets_mean": 142.0, "line_rate_10g": 8802816.9, "aa": count, "ad": 0, "tc": 0}
    return made | {"read_whole": None, "with_rrsig": None, "without_rrsig": None}


def cpus():
    """Returns the CPUs of a trial of half a second: one sends, one has replies and the server."""
    each = {"elapsed_ns": 500000000, "steal_ns": 5000000, "softirq_ns": 50000000, "guests": []}
    times = ("sender_waited", "server_ran", "server_waited", "others", "unseen")
    each |= {f"{name}_ns": 0 for name in times} | {"absence": None}
    return [
        each | {"cpu": 0, "sends": True, "receives": False, "others_ns": 10000000},
        each
        | {"cpu": 1, "sends": False, "receives": True, "server_ran_ns": 90000000}
        | {"absence": {"longest_ns": 2400000, "process": 17, "name": "make"}},
    ]


def stall_costs(**changes):
    """Returns what the stalls of one side cost; none without changes."""
    names = ("stalls", "longest_ns", "largest_burst", "costly", "lost", "late", "reach_ns")
    return dict.fromkeys(names, 0) | changes


def stalls(**changes):
    """Returns the stalls of a trial of 20,000 queries/s; none without changes."""
    made = {
        "burst_allowed": 69,
        "limit_ns": 3450000,
        "forgotten": 0,
        "queries": 0,
        "decided": False,
    }
    made |= {"soon": {"queries": 0, "failed": 0}, "later": {"queries": 0, "failed": 0}}
    return made | {"tester": stall_costs(), "server": stall_costs()} | changes


def judged(*loosened):
    """Returns by which rules of the judge the replies were judged."""
    rules = ["opt", "aa", "z", "owner", "extra", "cname", "trailing"]
    return {"rules": [rule for rule in rules if rule not in loosened], "accepted": [*loosened]}


def connections(opened):
    """Returns what became of the connections of a trial over TCP."""
    counts = "refused unanswered failed tls_failed left_opening closed closed_idle closed_by_server"
    counts += " reset_by_server broken tls_broken http_broken left_open"
    counts += " waited_for_open waited_for_pipeline"
    counts += (
        " lost_unopened lost_closed lost_reset lost_broken lost_untaken lost_waiting octets_sent"
    )
    counts += " lost_http_status lost_http_type lost_http_long lost_wrong_stream lost_stream_reset"
    counts += " lost_goaway goaways http_octets_sent http_octets_received"
    counts += (
        " octets_received octets_unsent tls_octets_sent tls_octets_received tls_full tls_resumed"
    )
    counts += " segments retransmissions syn_retransmissions unstamped"
    times = dict.fromkeys("min mean p50 p90 p99 p99_9 max".split(), 84991)
    return dict.fromkeys(counts.split(), 0) | {
        "at_once": 10,
        "queries_each": 0,
        "pipeline": 0,
        "acks": "quick",
        "idle_timeout": None,
        "opened": opened,
        "handshake_ns": times | {"count": opened, "stddev": 0},
        "handshake_histogram_ns": [[84736, 85247, opened]],
        "waited_for_open_rtt_ns": dict.fromkeys([*times, "stddev"]) | {"count": 0},
    }


def trial(**changes):
    """Returns a trial of today's form."""
    made = old_trial()
    rows = [[8563, 9000, 4000], [30000, 39423, 2000], [60000, 62207, 3000], [2000000, 2392063, 900]]
    made |= {
        "rfc8219": DEVIATES,
        "dns64": None,
        "selftest": None,
        "doubts": [],
        "since_ns": 1763724329000000000,
        "until_ns": 1763724330000000000,
        "rtt_histogram_ns": [*rows, [4000000, 5147107, 100]],
        "rtt_hardware_histogram_ns": [],
        "replies": replies(made["sent"]),
        "cpus": cpus(),
        "judged": judged(),
        "stalls": stalls(),
    }
    return made | copy.deepcopy(changes)


def stage_times(count, nanoseconds):
    """Returns the times of a stage of `count` queries, most of which take `nanoseconds`."""
    made = {"count": count, "mean": nanoseconds * 1.25, "p50": nanoseconds, "p90": nanoseconds}
    made |= {"p99": 2 * nanoseconds, "p99_9": 3 * nanoseconds, "max": 4 * nanoseconds}
    return made | {"histogram": [[nanoseconds, 4 * nanoseconds, count]]}


def probe(arrived=10000, server_ns=8000, **losses):
    """Returns what a probe saw, whose `losses` are counts, or counts by reason; no query is lost
    without them."""
    lost = sum(sum(one.values()) if isinstance(one, dict) else one for one in losses.values())
    left = arrived - lost
    thread = {"process": 7, "thread": 8, "name": "named", "queries": left, "wakeups": left // 2}
    thread |= {"migrations": 3, "ran_ns": 90000000, "waited_ns": 4000000}
    socket = {"inode": 77, "process": 7, "name": "named", "drops": 0, "buffer_octets": 212992}
    counts = dict.fromkeys(("unread", "unanswered", "unseen", "forgotten", "repeated"), 0)
    made = {"interface": "d0", "port": 53, "share_percent": 100, "duration_ns": 1000000000}
    made |= {"arrived": arrived, "followed": arrived, "dropped": {}, "dropped_replies": {}}
    made |= counts | {"unreadable": 0, "left": left} | losses
    stages = {
        "stack_ns": 800,
        "queue_ns": 4000,
        "wakeup_ns": 2000,
        "server_ns": server_ns,
        "leave_ns": 400,
    }
    made |= {name: stage_times(left, times) for name, times in stages.items()}
    # The slowest hundredth makes each stage's mean a quarter longer.
    slow = left // 100
    parts = [(count, times) for count, times in ((left - slow, 1), (slow, 26)) if count]
    made["by_time"] = [
        {"queries": count} | {name: count * times * one for name, one in stages.items()}
        for count, times in parts
    ]
    return made | {"threads": [thread], "sockets": [socket]}


def probe_record(**changes):
    """Returns a probe without a trial."""
    made = {"schema": "dnsgauge/probe/1", "started": "2026-11-26T20:00:00Z", "version": "1"}
    return made | {"kernel": "Linux 6.18", "command": ["dnsgauge"], "probe": probe(**changes)}


def joint_trial(count=2):
    """Returns a trial that this number of Testers made together."""
    whole = trial()
    for name in ("sent", "valid"):
        whole[name] *= count
    whole["rtt_ns"]["count"] *= count
    whole["rtt_histogram_ns"] = [[*row[:2], row[2] * count] for row in whole["rtt_histogram_ns"]]
    whole["rcodes"] = {"NOERROR": whole["valid"]}
    whole["replies"] = replies(whole["sent"])
    del whole["cpus"]
    whole["testers"] = [
        {
            "rank": rank,
            "host": f"tester-{rank}",
            "clock_before": {"offset_ns": 5000000 * rank, "bound_ns": 20000},
            "clock_after": {"offset_ns": 5003000 * rank, "bound_ns": 25000},
            "schedule_error_ns": 28000 * rank,
            "trial": trial(server=f"198.18.{rank}.2"),
        }
        for rank in range(count)
    ]
    return whole


def trials(made, **changes):
    """Returns these trials as one result of repeated trials."""
    spread = {"min": None, "median": None, "max": None}
    rtt = {name: spread for name in ("min", "p50", "p90", "p99", "p99_9", "max")}
    result = {
        "schema": "dnsgauge/trials/1",
        "repeat": len(made),
        "pause_s": 5,
        "fresh_names": False,
        "error": None,
        "rfc8219": DEVIATES,
        "selftest": None,
        "spread": {"trials": len(made), "answered_percent": spread, "rtt_ns": rtt},
        "verdict": "pass",
        "why": f"{len(made)} of {len(made)} trials pass",
        "doubts": [],
        "trials": made,
    }
    return result | copy.deepcopy(changes)


def bisection(limit, lowest, highest, resolution):
    """Returns the rates that a search tries at a server which keeps the limit."""
    rates = [lowest, highest]
    while highest - lowest > resolution:
        middle = (lowest + highest) // 2
        rates.append(middle)
        lowest, highest = (middle, highest) if middle <= limit else (lowest, middle)
    return rates


def short_trial(rate, limit):
    passed = rate <= limit
    why = "every query was answered right and in time" if passed else f"{rate - limit} were lost"
    valid = rate if passed else limit
    return {
        "rate": rate,
        "verdict": "pass" if passed else "fail",
        "sent": rate,
        "valid": valid,
        "why": why,
    }


def row(rate, sent, answered, repetition=1, verdict="pass", **more):
    """Returns a trial of a series."""
    return {
        "rate": rate,
        "repetition": repetition,
        "duration_s": 1.0,
        "started": "2026-11-21T11:00:00Z",
        "verdict": verdict,
        "why": "every query was answered right and in time" if verdict == "pass" else "some lost",
        "sent": sent,
        "answered": answered,
        "answered_percent": 100 * answered / sent,
        "answered_rate": rate * answered / sent,
        "loss_percent": 100 * (sent - answered) / sent,
        "late": 0,
        "invalid": 0,
        "lost": sent - answered,
        "rtt_p50_ns": 30000,
        "rtt_p99_ns": 90000,
    } | more


def searched(rate, limit, repetition=1):
    """Returns a trial of a search of a server that keeps the limit."""
    short = short_trial(rate, limit)
    return row(rate, short["sent"], short["valid"], repetition, short["verdict"], why=short["why"])


def statistics(rates):
    ordered = sorted(rates)
    half = len(ordered) // 2
    median = ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
    mean = sum(rates) / len(rates)
    return {
        "count": len(rates),
        "median": median,
        "p1": ordered[0],
        "p99": ordered[-1],
        "mean": mean,
        "stddev": None,
        "moe_99_9": None,
        "mad": 0.0,
        "dispersion_percent": 100 * (ordered[-1] - ordered[0]) / median,
    }


def setup():
    """Returns the set-up of a Tester."""
    return {
        "version": "0.1.0",
        "kernel": "Linux 6.18",
        "host": "tester",
        "cpu_model": "AMD EPYC",
        "cpus": 2,
        "interface": "g0",
        "driver": "veth",
        "mtu": 1500,
        "link_mbps": 10000,
        "receive_queues": 1,
        "transmit_queues": 1,
        "sender_cpus": [0],
        "sender_queues": [],
        "xdp_mode": "auto",
        "af_xdp": "auto",
        "busy_poll": False,
        "idle_cpus": "poll",
        "timestamps": "auto",
        "source_ports": 4000,
        "vlan": None,
        "ip_version": 4,
    }


def search(limits=(20000, 21000, 20500, 19000), **changes):
    """Returns a search of a server that keeps another limit in each repetition."""
    repetitions, trials = [], []
    for number, limit in enumerate(limits, 1):
        made = [searched(rate, limit, number) for rate in bisection(limit, 1000, 60000, 500)]
        best = max(one["rate"] for one in made if one["verdict"] == "pass")
        failed = min(one["rate"] for one in made if one["verdict"] == "fail")
        found = {"rate": best, "at_least": None, "highest_passed": best, "lowest_failed": failed}
        repetitions.append(found | {"capped": None})
        trials += made
    rates = [one["rate"] for one in repetitions]
    made = {
        "schema": "dnsgauge/series/1",
        "kind": "search",
        "server": "198.18.0.2",
        "min_rate": 1000,
        "max_rate": 60000,
        "resolution": 500,
        "repeat": len(limits),
        "confirm": 0,
        "accept_percent": 100.0,
        "dns64": None,
        "rfc8219": DEVIATES,
        "selftest": {
            "covers": False,
            "why_not": "there was none",
            "finished": None,
            "allowed_rate": None,
            "rfc8219": None,
            "record": "",
        },
        "certificate": {
            "covers": True,
            "why_not": None,
            "finished": "2026-11-21T11:00:00Z",
            "lax": [],
            "record": "/state/certificate.json",
        },
        "tester_limit": None,
        "end": "complete",
        "why": "every query was answered right and in time",
        "rates": rates,
        "at_least": None,
        "statistics": statistics(rates),
        "repetitions": repetitions,
        "trials": trials,
        "trials_made": len(trials),
        "invalid_trials": 0,
        "invalid_retries": 10,
        "resumed": 0,
        "command": ["dnsgauge", "search", "--names", "10.0.0.0/8"],
        "journal": "search.jsonl",
        "circumstances": old_trial()["circumstances"],
        "setup": setup(),
        "options": {"min-rate": 1000, "max-rate": 60000},
    }
    return made | copy.deepcopy(changes)


def journal(limits=(20000, 21000), cut=0):
    """Returns the text of a search's journal, without its last octets."""
    options = {"min-rate": 1000, "max-rate": 60000, "resolution": 500, "repeat": 20, "confirm": 0}
    options |= {"server": "198.18.0.2", "accept": 100}
    head = {
        "schema": "dnsgauge/series-journal/1",
        "kind": "search",
        "setup": setup(),
        "options": options,
    }
    lines = [head]
    for repetition, limit in enumerate(limits, 1):
        for number, rate in enumerate(bisection(limit, 1000, 60000, 500), 1):
            short = short_trial(rate, limit)
            lost = short["sent"] - short["valid"]
            whole = trial(rate=rate, verdict=short["verdict"], why=short["why"], lost=lost)
            whole["sent"] += lost
            lines.append(
                {"record": "trial", "repetition": repetition, "number": number, "trial": whole}
            )
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    return text[: len(text) - cut]


def selftest(**changes):
    trials = []
    for rate in (1000, 60000, 30000, 15000, 22000):
        trials.append(short_trial(rate * 22 // 10, 40000) | {"r": rate})
    made = {
        "schema": "dnsgauge/selftest/1",
        "server": "198.18.0.2",
        "zone": "dns64perf.test",
        "answer": "2001:db8::/96",
        "min_rate": 1000,
        "max_rate": 60000,
        "resolution": 5000,
        "confirm": 0,
        "delta": 0.1,
        "timeout_s": 0.25,
        "selftest_timeout_s": 0.0625,
        "duration_s": 0.5,
        "max_lateness_s": 0.1,
        "max_overrun_s": 0.1,
        "rfc8219": DEVIATES | {"printed_rate": 30000.2},
        "end": "complete",
        "allowed_rate": 15000,
        "passed_rate": 33000,
        "stopped_by": trials[4],
        "trials": trials,
        "certificate": None,
        "finished": "2026-11-21T11:00:00Z",
        "setup": setup(),
        "circumstances": old_trial()["circumstances"],
        "command": ["dnsgauge", "selftest"],
        "record": "",
        "record_notes": [],
    }
    return made | copy.deepcopy(changes)


def placements():
    """Returns what a self-test found that walked two CPUs of the sender, and one setting."""

    def walked(cpu, settings, rates):
        made = {"sender_cpu": cpu, "sender_queue": None, "settings": settings, "rates": rates}
        return made | {"lowest": min(rates), "median": rates[1], "highest": max(rates)}

    usual = walked(0, {}, [10000, 11000, 12000])
    better = walked(1, {}, [15000, 16000, 17000])
    stages = [("sender", [usual, better], 2, 45.45, "CPU 1 is best, 45 % above CPU 0")]
    worse = walked(1, {"irq-cpus": "0"}, [0, 0, 0])
    stages += [("receiving queues", [better, worse], 1, None, "the machine as it is is best")]
    names = ("part", "walked", "best", "gain_percent", "found")
    return {
        "finished": "2026-11-21T11:00:00Z",
        "repeat": 3,
        "sender_cpu": 1,
        "sender_queue": None,
        "settings": {},
        "stages": [dict(zip(names, stage)) for stage in stages],
        "not_walked": ["veth has no interrupts"],
    }


def delay(seconds, bias, valid=400, rate=1000):
    held = seconds is not None
    least = (25000 if held else 2500) + (seconds or 0) * 1e9 + bias
    rtt = {
        "min": least,
        "mean": least + 9000,
        "stddev": 5000.5,
        "p99": least + 80000,
        "max": least + 2e6,
    }
    return {
        "rate": rate,
        "delay_s": seconds,
        "attempts": 1,
        "sent": 400,
        "valid": valid,
        "late": 400 - valid,
        "rtt_ns": rtt,
        "bias_ns": bias if held else None,
    }


def calibration(**changes):
    counted = {"valid": 900, "late": 20, "lost": 40, "rcode": 40}
    lateness = {"p50": 900, "p99": 52000, "max": 910000}
    gap = {"min": 1, "p1": 2, "p50": 3, "p99": 4, "max": 5}
    pacing = [
        {
            "rate": rate,
            "attempts": 1,
            "planned": 500,
            "sent": 500,
            "arrived": 500,
            "repeated": 0,
            "disordered": 0,
            "rate_error": 1e-6,
            "span_error_ns": 1200,
            "lateness_ns": lateness | {"max": 9000 * rate},
            "told_lateness_p99_ns": 50000,
            "gap_ns": gap,
            "burst_share": 0.01,
        }
        for rate in (20, 200, 2000)
    ]
    made = {
        "schema": "dnsgauge/calibration/1",
        "trusted": True,
        "doubts": [],
        "server": "198.18.0.2",
        "timeout_s": 0.25,
        "duration_s": 0.5,
        "attempts": 3,
        "limits_s": {"bias": 5e-4, "lateness": 0.01, "lateness_p99": 0.001, "overrun": 0.01},
        "lax": ["--duration of 0.5 s, not at least 1 s"],
        "allowed_rate": 2000,
        "kept_rate": 4400,
        "stopped_by": None,
        "counting": [{"rate": 2000, "attempts": 1, "counted": counted, "predicted": counted}],
        "rtt": {
            "floor_ns": 2500,
            "bound_ns": 1250,
            "at_once": [delay(None, 9000), delay(None, 0, rate=50000)],
            "delays": [delay(0, 0), delay(1e-4, 3100), delay(1e-3, 2600), delay(1e-2, 9400)],
            "before_timeout": delay(0.23, 41000),
            "behind_timeout": delay(0.27, 0, valid=0),
        },
        "pacing": pacing,
        "finished": "2026-11-21T11:00:00Z",
        "setup": setup(),
        "circumstances": old_trial()["circumstances"],
        "command": ["dnsgauge", "calibrate"],
        "record": "",
    }
    return made | copy.deepcopy(changes)


def experiment(**changes):
    cells = []
    for server, base in (("knot", 40000), ("nsd", 32000), ("bind", 12000)):
        for cores in ("1", "2"):
            limits = [base * int(cores) * part // 100 for part in (97, 100, 102)]
            made = search([min(limit, 59000) for limit in limits])
            settings = {"server": server, "cores": cores, "duration": "1"}
            cells.append(
                {"name": f"{server}-{cores}", "settings": settings, "failure": None, "search": made}
            )
    cells[1]["search"]["tester_limit"] = "the self-test allows no more"
    made = {
        "schema": "dnsgauge/experiment/1",
        "title": "Three servers",
        "file": "three.toml",
        "reproduces": None,
        "scaled_down": "trials of 1 s",
        "rfc8219_compliant": False,
        "labels": ["scaled down: trials of 1 s", "not compliant with RFC 8219"],
        "complete": True,
        "cells": cells,
        "tables": [
            {
                "caption": "Rates",
                "heads": [["Server", "knot"], ["Cores", "1"]],
                "rows": [["Median", "1"]],
                "notes": ["N = 3"],
            }
        ],
    }
    return made | copy.deepcopy(changes)


def grid():
    """Returns an experiment with a DNS64 server: shares of AAAA records and of cached names."""
    cells = []
    for cached in (0, 50, 100):
        for share in (0, 20, 40, 60, 80, 100) if cached < 100 else (0,):
            rate = 10000 + 20 * share + 120 * cached
            settings = {"server": "bind", "aaaa-share": str(share), "cached-share": str(cached)}
            made = search([rate, rate + 300])
            name = f"bind-{share}-{cached}"
            cells.append({"name": name, "settings": settings, "failure": None, "search": made})
    return experiment(cells=cells, title="A DNS64 server")


def queries(count=2000, seed=1):
    """Returns the text of a per-query file."""
    chance = random.Random(seed)
    lines = ["number;query;sender;sent_ns;class;rtt_ns"]
    for number in range(count):
        name = f"010-000-{number >> 8 & 255:03d}-{number & 255:03d}.dns64perf.test"
        rtt = int(chance.lognormvariate(10.5, 0.7)) + 4000
        fate = "lost" if chance.random() < 0.002 else "valid"
        rtt = "" if fate == "lost" else rtt
        lines.append(f"{number};{name};0;{number * 1000000};{fate};{rtt}")
    return "\n".join(lines) + "\n"


def interval(since, sent, lost=0, servfail=0, slow=1):
    """Returns an interval in which these numbers of queries were lost and refused."""
    valid = sent - lost - servfail
    reasons = (
        "no_answer",
        "wrong_data",
        "wrong_owner",
        "extra_records",
        "trailing_octets",
        "wrong_flags",
        "truncated",
        "wrong_question",
        "malformed",
    )
    rtt = {"count": valid, "min": 9000, "mean": 21000.5, "stddev": 100.0, "p50": 20000 * slow}
    rtt |= {"p90": 30000 * slow, "p99": 90000 * slow, "p99_9": 150000 * slow, "max": 2000000}
    rcodes = {"NOERROR": valid} | ({"SERVFAIL": servfail} if servfail else {})
    return {
        "since_s": float(since),
        "sent": sent,
        "valid": valid,
        "late": 0,
        "lost": lost,
        "invalid": {"total": servfail, "rcode": servfail} | dict.fromkeys(reasons, 0),
        "rcodes": rcodes,
        "rtt_ns": rtt,
    }


def timed_trial(worst=40, **changes):
    """Returns a trial with intervals, of which the fourth lost queries, and the sixth was refused
    some."""
    parts = [interval(second, 1000) for second in range(10)]
    parts[3] = interval(3, 1000, lost=worst, slow=30)
    parts[5] = interval(5, 1000, servfail=5)
    lost = worst + 5
    made = trial(valid=10000 - lost, lost=worst, rcodes={"NOERROR": 9955, "SERVFAIL": 5})
    made["invalid"] |= {"total": 5, "rcode": 5}
    made["rcodes"] = {"NOERROR": 10000 - lost, "SERVFAIL": 5}
    made["rtt_ns"] |= {"count": 10000 - lost}
    made["rtt_histogram_ns"] = [*made["rtt_histogram_ns"][:-1], [4000000, 5147107, 100 - lost]]
    made["sending"]["lateness_histogram_ns"] = [[0, 15, 9000], [16, 31, 990], [4000, 4095, 10]]
    made |= {"verdict": "fail", "why": f"{lost} were not answered right in time"}
    made |= {"interval_s": 1.0, "intervals": parts}
    return made | copy.deepcopy(changes)


def intervals_csv(parts=None):
    """Returns the text of an intervals' file."""
    parts = parts or timed_trial()["intervals"]
    reasons = list(parts[0]["invalid"])[1:]
    quantiles = ("min", "p50", "p90", "p99", "p99_9", "max", "mean")
    heads = ["since_s", "sent", "valid", "late", "lost", "invalid"]
    heads += [f"invalid_{reason}" for reason in reasons] + ["rcode_NOERROR", "rcode_SERVFAIL"]
    lines = [",".join([*heads, *(f"rtt_{name}_ns" for name in quantiles)])]
    for one in parts:
        row = [one["since_s"], one["sent"], one["valid"], one["late"], one["lost"]]
        row += [one["invalid"]["total"], *(one["invalid"][reason] for reason in reasons)]
        row += [one["rcodes"].get(name, 0) for name in ("NOERROR", "SERVFAIL")]
        rtt = one["rtt_ns"]
        row += ["" if rtt is None else rtt[name] for name in quantiles]
        lines.append(",".join(map(str, row)))
    return "\r\n".join(lines) + "\r\n"


def covers():
    """Returns what results of series say of self-test and certificate."""
    made = search()
    return {name: made[name] for name in ("selftest", "certificate", "circumstances", "setup")}


def sweep(capacity=3000, rates=range(500, 5001, 500), repeat=3, **changes):
    """Returns the sweep of a server that answers `capacity` queries of a second."""
    steps = []
    for repetition in range(1, repeat + 1):
        for rate in rates:
            answered = min(rate, capacity - 7 * repetition)
            rtts = {"rtt_p50_ns": 20000 + 3 * rate, "rtt_p99_ns": 90000 + 60 * rate}
            steps.append(row(rate, rate, answered, repetition, **rtts))
    made = {
        "schema": "dnsgauge/series/1",
        "kind": "sweep",
        "server": "198.18.0.2",
        "min_rate": min(rates),
        "max_rate": max(rates),
        "spacing": "linear",
        "rates_wanted": len(rates),
        "repeat": repeat,
        "duration_s": 1.0,
        "timeout_s": 0.25,
        "rfc8219": DEVIATES,
        "end": "complete",
        "why": "every query was answered right and in time",
        "trials": steps,
        "trials_made": len(steps),
        "invalid_trials": 0,
        "invalid_retries": 10,
        "resumed": 0,
        "command": ["dnsgauge", "sweep", "--names", "10.0.0.0/8"],
        "journal": "sweep.jsonl",
        "options": {"min-rate": min(rates), "max-rate": max(rates)},
    }
    return made | covers() | copy.deepcopy(changes)


def window_sweep(capacity=60_000, windows=(1, 10, 40, 100, 400), repeat=4, **changes):
    """Returns the sweep of windows of a server that takes a millisecond for each query."""
    steps = []
    for repetition in range(1, repeat + 1):
        for window in windows:
            rate = min(1000 * window, capacity + repetition)
            rtts = {
                "rtt_p50_ns": 10**9 * window // rate,
                "rtt_p99_ns": 2 * 10**9 * window // rate,
            }
            opened = {"window": window, "mean_open": window, "mean_open_by_rtt": 1.001 * window}
            steps.append(row(rate, rate, rate, repetition, **rtts) | opened)
    slope = lambda value: {"value": value, "low": value - 0.01, "high": value + 0.01}  # noqa: E731
    made = sweep() | {
        "kind": "window-sweep",
        "windows": list(windows),
        "repeat": repeat,
        "knee": {
            "open": {"value": capacity / 1000, "low": 59.0, "high": 61.0},
            "answered_rate": capacity,
            "below": slope(2.0),
            "above": slope(1.0),
            "falls_from": None,
            "runs": repeat,
            "why_not": "",
        },
        "trials": steps,
        "trials_made": len(steps),
        "options": {"windows": ",".join(map(str, windows))},
    }
    for name in ("min_rate", "max_rate", "spacing", "rates_wanted"):
        del made[name]
    return made | copy.deepcopy(changes)


def goal(loss, lower, upper, answers):
    return {
        "loss_percent": loss,
        "lower_bound": lower,
        "upper_bound": upper,
        "conditional_throughput": answers,
    }


def loss_search(**changes):
    """Returns a search for four loss ratios, the highest of which keeps the whole range."""
    steps = [
        row(rate, rate, rate - lost, goal=number)
        for rate, lost, number in (
            (5000, 1400, 1), (2500, 0, 1), (3500, 300, 1), (3000, 40, 1), (2700, 0, 1),
            (2850, 3, 1), (2750, 0, 1), (3000, 25, 3), (3100, 60, 3), (5000, 1390, 4),
        )  # fmt: skip
    ]
    made = {
        "schema": "dnsgauge/series/1",
        "kind": "loss-search",
        "server": "198.18.0.2",
        "min_rate": 500,
        "max_rate": 5000,
        "exceed_percent": 50.0,
        "width_percent": 5.0,
        "first_duration_s": 0.5,
        "duration_s": 1.0,
        "duration_sum_s": 2.0,
        "timeout_s": 0.25,
        "rfc8219": DEVIATES,
        "end": "complete",
        "why": "every query was answered right and in time",
        "goals": [
            goal(0.0, 2750, 2850, 2750.0),
            goal(0.1, 2750, 2850, 2750.0),
            goal(1.0, 3000, 3100, 2975.0),
            goal(30.0, 5000, None, 3600.0),
        ],
        "trials": steps,
        "trials_made": len(steps) + 1,
        "invalid_trials": 1,
        "invalid_retries": 10,
        "resumed": 0,
        "command": ["dnsgauge", "search", "--method", "mlr"],
        "journal": "mlr.jsonl",
        "options": {"loss-ratios": "0,0.1,1,30"},
    }
    return made | covers() | copy.deepcopy(changes)


def replay_run(lost=3, slower=1.0):
    """Returns a run of 1,000 queries in four intervals, of which the third lost some."""
    intervals = []
    for second in range(4):
        gone = lost if second == 2 else 0
        rcodes = {"NOERROR": 225 - gone, "NXDOMAIN": 25}
        one = {"since_s": float(second), "sent": 250, "answered": 250 - gone, "rcodes": rcodes}
        intervals.append(one)
    points = [[1.0, 5000], [0.1, int(2e6 * slower)], [0.01, int(3e7 * slower)], [0.002, 2e9]]
    later = {"sent": 500, "answered": 500 - lost, "rtt_p50_ns": 90000, "rtt_p99_ns": 30000000}
    later |= {"slower_than_1ms": 0.2, "slower_than_10ms": 0.05, "slower_than_100ms": lost / 500}
    later |= {"slower_than_1s": lost / 500, "unanswered": lost / 500, "points": points}
    return row(250, 1000, 1000 - lost) | {
        "invalid_reasons": old_trial()["invalid"],
        "rcodes": {"NOERROR": 900 - lost, "NXDOMAIN": 100},
        "lateness_p99_ns": 20000,
        "lateness_max_ns": 2600000,
        "later_part": later,
        "intervals": intervals,
    }


def replay(slower=1.0, **changes):
    """Returns a replay of three runs."""
    band = {"min": 99.5, "median": 99.7, "mean": 99.7, "max": 100.0}
    made = {
        "schema": "dnsgauge/series/1",
        "kind": "replay",
        "caveat": "for comparison alone: the figures hold for this set-up",
        "server": "198.18.0.2",
        "captures": {
            "files": ["day.pcap"],
            "server": None,
            "played": 1,
            "speed": 1.0,
            "clients": 200,
            "queries": 1000,
            "slices": 0,
            "packets": 2100,
            "left_out": {"tcp": 0, "cut": 100},
            "doubled": 0,
        },
        "runs_wanted": 3,
        "duration_s": 4.0,
        "timeout_s": 2.0,
        "interval_s": 1.0,
        "since_s": 2.0,
        "before_trial": "systemctl restart unbound",
        "rfc8219": DEVIATES,
        "doubts": [],
        "end": "complete",
        "why": "every query was answered",
        "trials": [replay_run(lost, slower) for lost in (0, 3, 5)],
        "bands": {"answered_percent": band, "rcode_percent": {}, "intervals": [], "curve": []},
        "trials_made": 3,
        "invalid_trials": 0,
        "invalid_retries": 0,
        "resumed": 0,
        "command": ["dnsgauge", "replay", "--capture", "day.pcap"],
        "journal": "replay.jsonl",
        "options": {"runs": 3},
    }
    return made | covers() | copy.deepcopy(changes)


def load_factor(borne=3, overloaded=4, **changes):
    """Returns a search that found the load factor with replays at 1, 2 and 4, and at 3."""
    factors = [1, 2, 4, 3]
    replays = [replay(slower=factor) for factor in factors]
    for factor, made in zip(factors, replays):
        made["captures"]["played"] = factor
        made["trials"] = [replay_run(25 * (factor == 4) + lost) for lost in (0, 1, 2)]
    overload = {"load_factor": overloaded, "sign": "unanswered"}
    overload["why"] = "5.200 % of the queries are not answered, at load factor 1 0.200 %"
    made = {
        "schema": "dnsgauge/load-factor/1",
        "caveat": "for comparison alone: the figures hold for this set-up",
        "margin_percent": 1.0,
        "most": 10,
        "runs_most": 12,
        "doubts": [],
        "load_factor": borne,
        "overload": overload if overloaded else None,
        "undecided": None,
        "end": "complete",
        "factors": factors,
        "replays": replays,
    }
    return made | copy.deepcopy(changes)


def soak(lost=(0, 0, 4), growth=1 << 20, **changes):
    """Returns a soak of rows of a minute, whose server takes more memory row by row."""
    rows = []
    for number, gone in enumerate(lost):
        memory = (20 << 20) + number * growth
        made = {"started": f"2025-11-21T11:{number:02}:00Z", "memory_octets": memory}
        made["processes"] = [{"process": 7, "name": "named", "memory_octets": memory}]
        rows.append(row(100, 6000, 6000 - gone, verdict="fail" if gone else "pass", **made))
    total = {name: sum(one[name] for one in rows) for name in
             ("sent", "answered", "late", "invalid", "lost")}  # fmt: skip
    made = {
        "schema": "dnsgauge/series/1",
        "kind": "soak",
        "server": "198.18.0.2",
        "rate": 100,
        "rate_from": "80 % of search.json",
        "duration_s": 60.0,
        "rows_wanted": len(rows),
        "timeout_s": 0.25,
        "accept_percent": 100.0,
        "rfc8219": DEVIATES,
        "end": "complete",
        "why": rows[-1]["why"],
        "total": total | {"loss_percent": 100 * total["lost"] / total["sent"]},
        "rows_with_new_processes": [],
        "trials": rows,
        "trials_made": len(rows),
        "invalid_trials": 0,
        "invalid_retries": 10,
        "resumed": 0,
        "command": ["dnsgauge", "soak", "--hours", "0.05"],
        "journal": "soak.jsonl",
        "options": {"rate": 100, "row": 60.0},
    }
    return made | covers() | copy.deepcopy(changes)


def soak_journal():
    """Returns the text of a soak's journal, with the server's memory before each row's trial."""
    lines = []
    for line in series_journal("soak", rate=500, row=1.0).splitlines():
        if '"record":"trial"' in line:
            one = {"process": 7, "name": "named", "memory_octets": (20 + len(lines)) << 20}
            lines.append(json.dumps({"record": "memory", "processes": [one]}))
        lines.append(line)
    return "\n".join(lines) + "\n"


def series_journal(kind, rates=(500, 1000, 2000, 4000), limit=2500, **options):
    """Returns the text of a sweep's or a loss search's journal."""
    more = {"captures_crc64": []} if kind == "replay" else {}
    chosen = {"min-rate": min(rates), "max-rate": max(rates), "server": "198.18.0.2"} | options
    head = {"schema": "dnsgauge/series-journal/1", "kind": kind}
    lines = [head | {"setup": setup(), "options": chosen} | more]
    for number, rate in enumerate(rates, 1):
        short = short_trial(rate, limit)
        valid = short["valid"]
        rtt = trial()["rtt_ns"] | {"count": valid}
        whole = trial(rate=rate, sent=rate, valid=valid, lost=rate - valid, rtt_ns=rtt)
        whole |= {"verdict": short["verdict"], "why": short["why"]}
        whole |= {"rtt_histogram_ns": [[8563, 9000, valid]], "rcodes": {"NOERROR": valid}}
        lines.append({"record": "trial", "repetition": 1, "number": number, "trial": whole})
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def capture(**changes):
    """Returns what a capture of ten seconds holds."""
    first = 1763724329000000000
    octets = {"min": 40, "mean": 52.5, "max": 90}
    made = {
        "schema": "dnsgauge/capture/1",
        "files": ["day.pcap"],
        "packets": 1992,
        "queries": 1000,
        "answers": 980,
        "filtered": 0,
        "left_out": {"tcp": 12, "fragments": 0, "cut": 0, "malformed": 0, "other": 0},
        "disordered": 0,
        "since_ns": first,
        "until_ns": first + 9900000000,
        "rate": 101.0,
        "types": {"AAAA": 250, "A": 700, "TYPE65": 50},
        "opcodes": {"QUERY": 1000},
        "rcodes": {"NOERROR": 900, "NXDOMAIN": 80},
        "unreadable": 0,
        "recursion_desired": 1000,
        "edns": 800,
        "dnssec_ok": 600,
        "doubled": 0,
        "query_octets": octets,
        "answer_octets": octets,
        "names": {
            "distinct": 300,
            "uncounted_queries": 0,
            "most_frequent": [{"text": "www.example.", "queries": 120}],
        },
        "clients": {
            "distinct": 40,
            "uncounted_queries": 0,
            "most_frequent": [{"text": "198.18.0.7", "queries": 99}],
        },
        "interval_s": 1.0,
        "over_time": [
            {
                "since_ns": first + second * 10**9,
                "covered_s": 0.9 if second == 9 else 1.0,
                "queries": 100,
                "answers": 98,
            }
            for second in range(10)
        ],
    }
    return made | copy.deepcopy(changes)


def echo_bench(**changes):
    """Returns three rounds of floods."""
    rates = {"fakedns, XDP": 500000, "echo xdp": 470000, "echo epoll": 60000}
    made = {
        "schema": "dnsgauge/echo-bench/2",
        "duration": 3,
        "rounds": [
            {name: [rate * 1.1 + shift, rate + shift] for name, rate in rates.items()}
            for shift in (0, -10000, 10000)
        ],
        "date": "2026-11-21",
        "machine": {
            "cpu": "AMD EPYC",
            "cpus": 2,
            "kernel": "6.18",
            "architecture": "x86_64",
            "programs": {"fakedns": "0.1.0"},
        },
    }
    return made | copy.deepcopy(changes)


def handled():
    """Returns what two queues and two CPUs handled."""
    cpus = [
        {"cpu": cpu, "net_rx": 40, "net_tx": 3, "processed": 9000 * cpu, "dropped": 0}
        | {"squeezed": 2, "interrupts": 31}
        for cpu in (0, 1)
    ]
    queues = [
        {"queue": "rx-0", "packets": 9000, "interrupts": 31},
        {"queue": "tx-0", "packets": None, "interrupts": 0},
    ]
    return {"queues": queues, "cpus": cpus}


def placement(**changes):
    """Returns how a machine of two CPUs is placed, of which one setting was changed."""
    places = [{"cpu": cpu, "socket": cpu, "core": cpu, "l2": cpu, "l3": None} for cpu in (0, 1)]
    where = "/proc/irq/27/smp_affinity_list"
    change = {"setting": "irq-cpus", "knob": "file", "where": where, "before": "0-1", "after": "1"}
    interrupt = {"number": 27, "name": "eth1-rx-0", "queue": 0, "cpus": "1", "effective_cpus": "1"}
    made = {
        "schema": "dnsgauge/placement/1",
        "interface": "eth1",
        "driver": "igb",
        "card_node": None,
        "topology": [place | {"node": None} for place in places],
        "interrupts": [interrupt],
        "values": [{"setting": "irq-cpus", "knob": "file", "where": where, "value": "1"}],
        "notes": [],
        "handled": handled(),
        "record": {
            "schema": "dnsgauge/placement-record/1",
            "boot": "b",
            "netns": "n",
            "netns_cookie": 1,
            "interface": "eth1",
            "interface_index": 2,
            "device": "",
            "changes": [change],
        },
    }
    return made | copy.deepcopy(changes)


def doctor(**changes):
    """Returns a finding of each severity."""
    findings = [
        ("link", "ok", "up, 10000 Mbit/s", "nothing can be sent", None),
        (
            "qdisc",
            "warn",
            "noqueue",
            "a full veth ring drops",
            "tc qdisc replace dev g0 root pfifo",
        ),
        ("af-xdp", "fail", "not supported", "queries are sent through AF_XDP", None),
        ("rings", "note", "not reported by the driver", "a burst is lost", None),
    ]
    names = ("topic", "severity", "seen", "why", "command")
    made = {
        "schema": "dnsgauge/doctor/1",
        "interface": "g0",
        "driver": "veth",
        "kernel": "6.18",
        "counts": {"fail": 1, "warn": 1, "note": 1, "ok": 1},
        "findings": [dict(zip(names, one)) | {"known": one[1] != "note"} for one in findings],
    }
    return made | copy.deepcopy(changes)


def gate(**changes):
    """Returns a gate of eight rounds whose candidate has an RTT that is a tenth longer."""
    rounds = [
        {"baseline": 100.0, "candidate": 110.0 + turn, "difference": 10.0 + turn}
        | {"low": 10.0 if turn > 6 else None, "high": 17.0 if turn > 5 else None}
        for turn in range(8)
    ]
    figure = {"figure": "p50", "unit": "%", "margin": 5.0, "median_difference": 13.5}
    figure |= {"low": 10.0, "high": 17.0, "verdict": "slower", "decided_in": 8, "rounds": rounds}
    made = {
        "schema": "dnsgauge/gate/1",
        "command": ["dnsgauge", "gate"],
        "baseline": ["old/server"],
        "candidate": ["new/server"],
        "made_trials": True,
        "seed": 7,
        "first": ["baseline", "candidate"] * 4,
        "error_percent": 5.0,
        "spent_s": 31.5,
        "invalid_trials": 0,
        "verdict": "slower",
        "why": "p50 at least 10 % worse, 5 % allowed",
        "figures": [figure],
        "doubts": [],
        "circumstances": None,
    }
    return made | copy.deepcopy(changes)
