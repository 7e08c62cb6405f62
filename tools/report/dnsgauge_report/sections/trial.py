# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of trials: one, or several beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.latency import MOST_LINES, Latency, distribution_chart, percentile_chart
from ..charts.rates import Answered, response_chart
from ..charts.sending import Lateness, lateness_chart
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
    )


def findings(trial: Trial) -> list[str]:
    """Returns what was found, in three sentences."""
    queries = f"{trial.qtype} queries".strip()
    asked = (
        f"{count_text(trial.sent)} {queries} at {rate_text(trial.rate)} for"
        f" {trial.duration_s:g} s"
    )
    if trial.verdict == "invalid":
        first = f"The trial is invalid, and says nothing about {trial.server}: {ended(trial.why)}"
    else:
        passed = "passed" if trial.verdict == "pass" else "failed"
        first = f"{trial.server} {passed} a trial of {asked}: {ended(trial.why)}"
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
    return [*charts, lateness_chart([lateness_of(trial) for trial in trials])]


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
        [first],
        [],
        [*response(trials), *charts_of(trials)],
        [outcome_table(trials), times_table(trials)],
        conditions_side_by_side(trials),
    )
