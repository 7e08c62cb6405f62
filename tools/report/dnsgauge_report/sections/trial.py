# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of trials: one, or several beside each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from ..charts import intervals as over_time
from ..charts.latency import Latency, distribution_chart, percentile_chart, shaded_chart
from ..charts.rates import Answered, response_chart
from ..charts.sending import Lateness, lateness_chart, lateness_curve
from ..document import Cell, Chart, Section, Table
from ..quantities import count_text, duration_text, listing, plural, rate_text, share_text, some
from ..results.base import asked_tables, ended, flat, told_fields
from ..results.classes import REASONS
from ..results.trial import Rtt, Trial


def latency_of(trial: Trial) -> Latency | None:
    """Returns the trial's RTTs; none where the file has no histogram."""
    if not trial.rtt or not trial.rtt.histogram:
        return None
    return Latency(trial.label, trial.rtt.histogram, trial.sent, trial.timeout_s * 1e9)


def lateness_of(trial: Trial) -> Lateness:
    sending = trial.sending
    return Lateness(
        trial.label,
        trial.sent,
        sending.lateness_p50,
        sending.lateness_p99,
        sending.lateness_max,
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
    if not trial.sent:
        return [first, "No query was sent."]
    second = (
        f"{share_text(trial.valid, trial.sent)} of the queries were answered right and in time"
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


def together(trial: Trial) -> list[str]:
    """Returns who made the trial, where several Testers did."""
    if not trial.testers:
        return []
    hosts = some(list(dict.fromkeys(part.host for part in trial.testers)))
    return [f"{plural(len(trial.testers), 'Tester')} made the trial together, on {hosts}."]


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
    rows += stall_rows(trials)
    rows += [
        (f"packets: {name.replace('_', ' ')}", *(trial.strays[name] for trial in trials))
        for name in strays
    ]
    if len(trials) == 1:
        rows.insert(3, ("why", trials[0].why))
    rows += [(f"RCODE {name}", *(trial.rcodes.get(name, 0) for trial in trials)) for name in rcodes]
    return Table("What became of the queries", ("", *(trial.label for trial in trials)), rows)


def stall_rows(trials: Sequence[Trial]) -> list[Sequence[Cell]]:
    """Returns how many queries failed for the sake of stalls; no row where none did."""
    rows: list[Sequence[Cell]] = []
    for number, who in enumerate(("the Tester", "the server's CPU")):
        sides = [trial.stalls.sides[number] if trial.stalls else None for trial in trials]
        costs = [side.lost + side.late if side else None for side in sides]
        if any(costs):
            rows.append((f"lost or late for the sake of stalls of {who}", *costs))
    return rows


def stalls_table(trial: Trial) -> list[Table]:
    """Returns when Tester and server stood still; no table of files of older versions."""
    book = trial.stalls
    if not book:
        return []
    rows: list[Sequence[Cell]] = [
        (
            side.who,
            side.count,
            duration_text(side.longest) if side.count else None,
            side.largest_burst or None,
            side.costly,
            side.lost,
            side.late,
            duration_text(side.reach) if side.costly else None,
        )
        for side in book.sides
    ]
    heads = (
        "who stood still", "stalls", "longest", "largest burst", "that cost queries", "lost",
        "late", "until so long after",
    )  # fmt: skip
    notes = [
        f"A stall is longer than {duration_text(book.limit)}, in which {count_text(book.allowed)}"
        " queries become due."
    ]
    if book.queries:
        notes.append(
            "While stalls lasted, and while they still cost queries,"
            f" {plural(book.queries, 'query', 'queries')} of the trial became due."
        )
    if book.decided:
        notes.append("The trial is invalid for their sake: the other queries meet the criterion.")
    return [Table("Stalls", heads, rows, notes)]


def judged_rows(trial: Trial) -> list[Sequence[Cell]]:
    """Returns the judge's rules in force and the loosened ones; none of files of older versions."""
    if not trial.judged:
        return []
    return [
        ("rules of the judge in force", ", ".join(trial.judged.rules) or "none"),
        ("loosened rules of the judge", ", ".join(trial.judged.loosened) or "none"),
    ]


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
        *hardware_rows(trials),
        ("rate reached", *(rate_text(round(trial.sending.rate, 1)) for trial in trials)),
        ("lateness median", *(duration_text(trial.sending.lateness_p50) for trial in trials)),
        (
            "lateness 99th percentile",
            *(duration_text(trial.sending.lateness_p99) for trial in trials),
        ),
        ("lateness maximum", *(duration_text(trial.sending.lateness_max) for trial in trials)),
        (
            "most queries at once",
            *(max(trial.sending.bursts, default=None) for trial in trials),
        ),
    ]
    notes = [
        "An RTT lasts from handing the query to the kernel until the XDP program saw the reply."
    ]
    return Table("Times", ("", *(trial.label for trial in trials)), rows, notes)


def hardware_rows(trials: Sequence[Trial]) -> list[Sequence[Cell]]:
    """Returns rows of RTTs by the card's clock; none where no card took times."""
    if not any(trial.rtt_hardware for trial in trials):
        return []
    figures: list[tuple[str, Callable[[Rtt], float]]] = [
        ("median", lambda rtt: rtt.percentiles[50.0]),
        ("99th percentile", lambda rtt: rtt.percentiles[99.0]),
        ("maximum", lambda rtt: rtt.max),
    ]
    return [
        (
            f"RTT by the card's clock, {name}",
            *(
                duration_text(figure(trial.rtt_hardware) if trial.rtt_hardware else None)
                for trial in trials
            ),
        )
        for name, figure in figures
    ]


def replies_table(trial: Trial) -> list[Table]:
    """Returns what the replies were like; no table of files of older versions."""
    replies = trial.fields.inner_or_none("replies")
    if not replies:
        return []
    octets = replies.inner("octets")
    sizes = [octets.number_or(name) for name in ("min", "mean", "max")]
    line_rate = replies.number_or("line_rate_10g")
    rows: list[Sequence[Cell]] = [
        ("replies that decided a query", replies.count("count")),
        *(
            (f"octets, {name}", size if size is None else round(size, 1))
            for name, size in zip(("smallest", "mean", "largest"), sizes)
        ),
        ("of that mean size 10 Gbit/s carry", line_rate and rate_text(round(line_rate))),
        *((f"with {flag.upper()}", replies.count(flag)) for flag in ("aa", "ad", "tc")),
    ]
    if replies.has("with_rrsig"):
        rows.append(("with RRSIG", replies.count("with_rrsig")))
    if replies.has("no_question"):
        rows.append(("without a question", replies.count("no_question")))
    return [Table("Replies", ("", "replies"), rows)]


def testers_table(trial: Trial) -> list[Table]:
    """Returns the part of each Tester; no table where a single one made the trial."""
    rows: list[Sequence[Cell]] = []
    for part in trial.testers:
        made = part.trial
        rtt = made.rtt if made else None
        rows.append(
            (
                f"Tester {part.rank}",
                part.host,
                made.sent if made else None,
                made.valid if made else None,
                share_text(made.valid, made.sent) if made else "no result",
                duration_text(rtt.percentiles[50.0] if rtt else None),
                duration_text(rtt.percentiles[99.0] if rtt else None),
                duration_text(part.ahead_before),
                duration_text(part.ahead_after),
                duration_text(part.bound),
                duration_text(part.schedule_error),
            )
        )
    heads = (
        "Tester", "host", "sent", "valid", "valid, %", "RTT median", "RTT p99",
        "clock ahead before", "clock ahead after", "±", "off the schedule",
    )  # fmt: skip
    notes = [
        "Clocks are told against that of Tester 0; off the schedule: at most, as clocks differ."
    ]
    return [Table("Testers", heads, rows, notes)] if rows else []


def testers_charts(trial: Trial) -> list[Chart]:
    """Returns the RTTs of each Tester over each other; none where a single one made the trial."""
    made = [latency_of(part.trial) for part in trial.testers if part.trial]
    latencies = [one for one in made if one and one.asked]
    if not latencies:
        return []
    chart = percentile_chart(latencies, "rtt-percentiles-testers")
    return [dataclasses.replace(chart, title="RTT by percentile, by Tester")]


def cpus_table(trial: Trial) -> list[Table]:
    """Returns who had the CPUs of the trial; no table of files of older versions."""
    whose = [(f"Tester {part.rank}, ", part.trial) for part in trial.testers if part.trial]
    each = [
        (prefix, one)
        for prefix, made in (whose or [("", trial)])
        for one in made.fields.objects_or("cpus")
    ]
    rows: list[Sequence[Cell]] = []
    for prefix, one in each:
        elapsed = one.number("elapsed_ns")
        roles = [role for role in ("sends", "receives") if one.truth(role)]
        if one.count_or("server_ran_ns") + one.count_or("server_waited_ns"):
            roles.append("runs the server")
        times = [
            sum(one.count_or(f"{name}_ns") for name in names)
            for names in (
                ("others", "unseen"), ("steal",), ("sender_waited",), ("server_ran",),
                ("server_waited",), ("softirq",),
            )  # fmt: skip
        ]
        shares = [f"{100 * time / elapsed:.2f} %" if elapsed else None for time in times]
        absence = one.inner_or_none("absence")
        longest = duration_text(absence.count("longest_ns")) if absence else None
        rows.append((f"{prefix}CPU {one.count('cpu')}", ", ".join(roles), *shares, longest))
    heads = (
        "CPU", "what it does", "others had", "hypervisor", "the sender waited", "the server ran",
        "the server waited", "handled packets", "longest absence",
    )  # fmt: skip
    notes = [
        "Threads of the server wait together: their share may exceed 100 %.",
        "Longest absence: for so long others had the CPU while the server waited for it.",
    ]
    return [Table("CPUs of the trial, shares of its time", heads, rows, notes)] if rows else []


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
    names = (
        "server",
        "port",
        "transport",
        "zone",
        "names",
        "name_order",
        "qtype",
        "answer",
        "rate",
        "duration_s",
        "timeout_s",
        "accept_percent",
    )
    workload = trial.fields.inner_or_none("workload")
    asked = [
        *told_fields(trial.fields, names),
        *(flat(workload.value, "workload") if workload else []),
        *judged_rows(trial),
    ]
    return asked_tables(trial.fields, asked, (trial.selftest,))


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
    # What one of them does not tell is not the same of all, even where the others tell of nothing.
    same = [
        name for name in names if all(name in rows and rows[name] == each[0][name] for rows in each)
    ]
    common = [(name, each[0][name]) for name in same]
    different = [(name, *(rows.get(name) for rows in each)) for name in names if name not in same]
    heads = ("", *(trial.label for trial in trials))
    tables = [Table("What differs", heads, different)] if different else []
    return [*tables, Table("The same of all", ("what", "value"), common)]


def response(trials: Sequence[Trial]) -> list[Chart]:
    """Returns the response rates of trials, a curve for each server; none of a single rate."""
    curves: dict[str, list[Answered]] = {}
    for trial in trials:
        answered = Answered(trial.label, trial.rate, trial.sent, trial.valid, trial.verdict)
        curves.setdefault(trial.server, []).append(answered)
    if len({trial.rate for trial in trials}) < 2:
        return []
    return [response_chart(list(curves.items()))]


def section(trial: Trial) -> Section:
    """Returns what is said of one trial."""
    return Section(
        f"Trial {trial.label}: {trial.server} at {rate_text(trial.rate)}",
        [*findings(trial), *together(trial)],
        trial.doubts(),
        [*charts_of([trial]), *testers_charts(trial)],
        [
            outcome_table([trial]),
            *stalls_table(trial),
            *testers_table(trial),
            times_table([trial]),
            *replies_table(trial),
            *cpus_table(trial),
        ],
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
