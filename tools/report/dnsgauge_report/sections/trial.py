# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of trials: one, or several beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts import intervals as over_time
from ..charts.latency import (
    MOST_LINES,
    Latency,
    distribution_chart,
    percentile_chart,
    shaded_chart,
)
from ..charts.rates import Answered, response_chart
from ..charts.sending import Lateness, lateness_chart, lateness_curve
from ..document import Cell, Chart, Section, Table
from ..quantities import count_text, duration_text, listing, plural, rate_text, share_text
from ..results.base import command_of, command_text, condition_tables, flat, ended
from ..results.classes import REASONS
from ..results.trial import Trial


def latency_of(trial: Trial) -> Latency | None:
    """Returns the trial's RTTs; none where the file has no histogram."""
    if not trial.rtt or not trial.rtt.histogram:
        return None
    return Latency(trial.label, trial.rtt.histogram, trial.sent, trial.timeout_s * 1e9)


def lateness_of(trial: Trial) -> Lateness:
    sending = trial.sending
    median = trial.rtt.percentiles[50.0] if trial.rtt else None
    return Lateness(
        trial.label,
        trial.sent,
        sending.lateness_p50,
        sending.lateness_p99,
        sending.lateness_max,
        median,
        sending.histogram,
    )


def findings(trial: Trial) -> list[str]:
    """Returns what was found, in three sentences."""
    queries = f"{trial.qtype} queries".strip()
    asked = (
        f"{count_text(trial.sent)} {queries} at {rate_text(trial.rate)} for"
        f" {trial.duration_s:g} s"
    )
    wanted = "every query" if trial.accept_percent == 100 else f"{trial.accept_percent:.9g} %"
    if trial.verdict == "invalid":
        first = f"The trial is invalid, and says nothing about {trial.server}: {ended(trial.why)}"
    else:
        passed = "passed" if trial.verdict == "pass" else "failed"
        first = (
            f"The server {trial.server} {passed} a trial of {asked}, which asked for right answers"
            f" to {wanted} within {trial.timeout_s:g} s."
        )
    wrong = [
        f"{count_text(trial.late)} late" if trial.late else "",
        f"{count_text(trial.lost)} lost" if trial.lost else "",
    ]
    wrong += [
        f"{count_text(count)} with {REASONS.get(reason, reason)}"
        for reason, count in trial.invalid.items()
        if count
    ]
    rest = listing([text for text in wrong if text])
    second = (
        f"It answered {share_text(trial.valid, trial.sent)} of the queries right and in time"
        + (f"; {rest}." if rest else ".")
    )
    if not trial.rtt:
        return [first, second, "There is no RTT, as no reply was right and in time."]
    shares = trial.rtt.percentiles
    third = (
        f"Half of the right answers came within {duration_text(shares[50.0])}, 99 % within "
        f"{duration_text(shares[99.0])}, the last after {duration_text(trial.rtt.max)}."
    )
    return [first, second, third]


def outcome_table(trials: Sequence[Trial]) -> Table:
    """Returns what became of the queries, a column for each trial."""
    reasons = list(dict.fromkeys(reason for trial in trials for reason in trial.invalid))
    strays = list(
        dict.fromkeys(name for trial in trials for name, count in trial.strays.items() if count)
    )
    rcodes = list(dict.fromkeys(name for trial in trials for name in trial.rcodes))
    rows: list[Sequence[Cell]] = [
        ("server", *(trial.server for trial in trials)),
        ("rate asked for", *(rate_text(trial.rate) for trial in trials)),
        ("verdict", *(trial.verdict for trial in trials)),
        ("sent", *(trial.sent for trial in trials)),
        ("valid", *(trial.valid for trial in trials)),
        ("valid, %", *(share_text(trial.valid, trial.sent) for trial in trials)),
        ("late", *(trial.late for trial in trials)),
        ("lost", *(trial.lost for trial in trials)),
        ("invalid", *(trial.invalid_total for trial in trials)),
    ]
    rows += [
        (f"  {REASONS.get(reason, reason)}", *(trial.invalid.get(reason, 0) for trial in trials))
        for reason in reasons
        if any(trial.invalid.get(reason) for trial in trials)
    ]
    rows += [
        (f"packets: {name.replace('_', ' ')}", *(trial.strays[name] for trial in trials))
        for name in strays
    ]
    if len(trials) == 1:
        rows.insert(3, ("why", trials[0].why))
    rows += [(f"RCODE {name}", *(trial.rcodes.get(name, 0) for trial in trials)) for name in rcodes]
    return Table("What became of the queries", ("", *(trial.label for trial in trials)), rows)


def times_table(trials: Sequence[Trial]) -> Table:
    """Returns RTTs and lateness, a column for each trial."""
    rows: list[Sequence[Cell]] = []
    for name, share in (
        ("RTT median", 50.0),
        ("RTT 90th percentile", 90.0),
        ("RTT 99th percentile", 99.0),
        ("RTT 99.9th percentile", 99.9),
    ):
        rows.append(
            (
                name,
                *(
                    duration_text(trial.rtt.percentiles[share] if trial.rtt else None)
                    for trial in trials
                ),
            )
        )
    rows += [
        ("RTT minimum", *(duration_text(trial.rtt.min if trial.rtt else None) for trial in trials)),
        ("RTT mean", *(duration_text(trial.rtt.mean if trial.rtt else None) for trial in trials)),
        (
            "RTT standard deviation",
            *(duration_text(trial.rtt.stddev if trial.rtt else None) for trial in trials),
        ),
        ("RTT maximum", *(duration_text(trial.rtt.max if trial.rtt else None) for trial in trials)),
        ("rate reached", *(rate_text(round(trial.sending.rate, 1)) for trial in trials)),
        ("lateness median", *(duration_text(trial.sending.lateness_p50) for trial in trials)),
        (
            "lateness 99th percentile",
            *(duration_text(trial.sending.lateness_p99) for trial in trials),
        ),
        ("lateness maximum", *(duration_text(trial.sending.lateness_max) for trial in trials)),
    ]
    notes = [
        "An RTT lasts from handing the query to the kernel until the XDP program saw the reply."
    ]
    return Table("Times", ("", *(trial.label for trial in trials)), rows, notes)


def charts_of(trials: Sequence[Trial]) -> list[Chart]:
    latencies = [latency for latency in map(latency_of, trials) if latency and latency.asked]
    charts = [percentile_chart(latencies), distribution_chart(latencies)] if latencies else []
    charts += shaded_of(trials)
    charts += over_time.charts_of(
        [over_time.Run(one.label, one.intervals, one.repeated_in) for one in trials]
    )
    lateness = [lateness_of(trial) for trial in trials]
    charts.append(lateness_chart(lateness))
    if any(one.histogram for one in lateness):
        charts.append(lateness_curve([one for one in lateness if one.histogram]))
    return charts


def shaded_of(trials: Sequence[Trial]) -> list[Chart]:
    """Returns the RTTs of repeated trials with their shading, a band for each file of them; none
    where no trial was repeated."""
    groups: dict[str, list[Latency]] = {}
    for trial in trials:
        latency = latency_of(trial)
        if latency and latency.asked and trial.repeated_in and trial.verdict != "invalid":
            groups.setdefault(trial.repeated_in, []).append(latency)
    bands = [(label, runs) for label, runs in groups.items() if len(runs) > 1]
    return [shaded_chart(bands)] if bands else []


def conditions_of(trial: Trial) -> list[Table]:
    """Returns how the trial was made."""
    asked: list[Sequence[Cell]] = [
        (name.replace("_", " "), str(trial.fields.value.get(name)))
        for name in (
            "server",
            "port",
            "transport",
            "zone",
            "names",
            "qtype",
            "answer",
            "rate",
            "duration_s",
            "timeout_s",
            "accept_percent",
        )
        if isinstance(trial.fields.value.get(name), (str, int, float))
    ]
    workload = trial.fields.inner_or_none("workload")
    asked += flat(workload.value, "workload") if workload else []
    if trial.selftest:
        asked.append(("self-test", trial.selftest.text()))
    command = command_of(trial.fields)
    if command:
        asked.append(("command", command_text(command)))
    return [Table("What was asked for", ("what", "value"), asked), *condition_tables(trial.fields)]


def conditions_side_by_side(trials: Sequence[Trial]) -> list[Table]:
    """Returns what is the same of all trials, and what differs, a column for each."""
    each = [
        {
            f"{table.caption}: {row[0]}": row[1]
            for table in conditions_of(trial)
            for row in table.rows
        }
        for trial in trials
    ]
    names = list(dict.fromkeys(name for rows in each for name in rows))
    same = [name for name in names if len({rows.get(name) for rows in each}) == 1]
    common = [(name, each[0][name]) for name in same]
    different = [(name, *(rows.get(name) for rows in each)) for name in names if name not in same]
    heads = ("", *(trial.label for trial in trials))
    return [
        Table("What differs", heads, different),
        Table("The same of all", ("what", "value"), common),
    ]


def response(trials: Sequence[Trial]) -> list[Chart]:
    """Returns the response rates of trials, a curve for each server; none of a single rate."""
    curves: dict[str, list[Answered]] = {}
    for trial in trials:
        answered = Answered(trial.label, trial.rate, trial.sent, trial.valid, trial.verdict)
        curves.setdefault(trial.server, []).append(answered)
    if len({trial.rate for trial in trials}) < 2:
        return []
    return [response_chart(list(curves.items())[:MOST_LINES])]


def section(trial: Trial) -> Section:
    """Returns what is said of one trial."""
    return Section(
        f"Trial {trial.label}: {trial.server} at {rate_text(trial.rate)}",
        findings(trial),
        trial.doubts(),
        charts_of([trial]),
        [outcome_table([trial]), times_table([trial])],
        conditions_of(trial),
    )


def group(trials: Sequence[Trial]) -> Section:
    """Returns what is said of several trials together."""
    counts = {
        verdict: sum(trial.verdict == verdict for trial in trials)
        for verdict in ("pass", "fail", "invalid")
    }
    said = listing(
        [
            f"{count} {words}"
            for count, words in (
                (counts["pass"], "passed"),
                (counts["fail"], "failed"),
                (counts["invalid"], "are invalid"),
            )
            if count
        ]
    )
    first = f"Of {plural(len(trials), 'trial')} {said}."
    return Section(
        "Trials side by side",
        [first, *spread_sentences([trial for trial in trials if trial.verdict != "invalid"])],
        [],
        [*response(trials), *charts_of(trials)],
        [outcome_table(trials), times_table(trials)],
        conditions_side_by_side(trials),
    )


def label_sentence(trial: Trial) -> str:
    """Returns what one of two trials says, under the name of its file."""
    text = (
        f"{trial.label} answered {share_text(trial.valid, trial.sent)} of the queries right and in"
        f" time, at {rate_text(trial.rate)}"
    )
    if not trial.rtt:
        return f"{text}."
    half, most = (duration_text(trial.rtt.percentiles[percent]) for percent in (50.0, 99.0))
    return f"{text}: half of the right answers came within {half}, 99 % within {most}."


def spread_sentences(trials: Sequence[Trial]) -> list[str]:
    """Returns what trials have in common, from the least to the greatest: what was answered, and
    how fast."""
    answering = [trial for trial in trials if trial.rtt and trial.sent]
    if len(answering) < 2:
        return []
    if len(answering) == 2 and not any(trial.repeated_in for trial in answering):
        return [label_sentence(trial) for trial in answering]
    servers = list(dict.fromkeys(trial.server for trial in answering))
    who = f"The server {servers[0]}" if len(servers) == 1 else plural(len(servers), "server")
    rates = sorted({trial.rate for trial in answering})
    asked = rate_text(rates[0]) + (f" to {rate_text(rates[-1])}" if len(rates) > 1 else "")
    worst, best = (
        share_text(one.valid, one.sent)
        for one in (
            min(answering, key=lambda one: one.valid_share),
            max(answering, key=lambda one: one.valid_share),
        )
    )
    shares = worst if worst == best else f"from {worst} to {best}"
    times = []
    for percentile in (50.0, 99.0):
        found = [one.rtt.percentiles[percentile] for one in answering if one.rtt]
        least, most = duration_text(min(found)), duration_text(max(found))
        times.append(least if least == most else f"{least} to {most}")
    return [
        f"{who} answered {shares} of the queries right and in time, at {asked}.",
        f"Half of the right answers came within {times[0]}, 99 % within {times[1]}.",
    ]
