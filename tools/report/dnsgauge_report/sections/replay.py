# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of replays of captures to a resolver (paper 004): one, or several beside each
other, as load factors and versions are."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts import intervals as over_time
from ..charts.replay import (
    latency_band,
    latency_chart,
    response_chart,
    slow_shares,
    slowness_chart,
)
from ..document import Cell, Chart, Section, Table
from ..quantities import (
    count_text,
    duration_text,
    listing,
    percent_text,
    plural,
    share_text,
)
from ..results.base import asked_tables
from ..results.classes import REASONS
from ..results.replay import Replay
from ..tables import rows_of, table_of


def shares_text(shares: Sequence[float]) -> str:
    """Returns "99.5 %", or "from 99.1 to 99.5 %" where shares differ."""
    least, most = percent_text(min(shares)), percent_text(max(shares))
    return f"{least} %" if least == most else f"from {least} to {most} %"


def worst_intervals(replay: Replay) -> list[str]:
    """Returns the interval with the lowest response rate on average of the runs, and that of a
    single run; none where no run tells of intervals."""
    by_time: dict[float, list[float]] = {}
    for run in replay.runs:
        for one in run.intervals:
            if one.share is not None:
                by_time.setdefault(round(one.since_s, 6), []).append(one.share)
    if not by_time:
        return []
    means = {since_s: sum(shares) / len(shares) for since_s, shares in by_time.items()}
    since = min(means, key=lambda one: means[one])
    share, label, single = min(
        (one.share, run.label, one.since_s)
        for run in replay.runs
        for one in run.intervals
        if one.share is not None
    )
    return [
        f"The lowest response rate of an interval was {percent_text(means[since])} % on average of"
        f" the runs, from {since:g} s on, and {percent_text(share)} % in a single run ({label}),"
        f" from {single:g} s on."
    ]


def more_replies(replay: Replay) -> str:
    """Returns which replies have RCODEs besides those that answered in time."""
    replies = sum(count for run in replay.runs for count in run.rcodes.values())
    more = replies - sum(run.answered for run in replay.runs)
    if more <= 0:
        return ""
    return (
        f" They are {count_text(more)} more than the answered queries: some were late, or invalid."
    )


def findings(replay: Replay) -> list[str]:
    if not replay.runs:
        return [f"The replay to {replay.server} has no run yet."]
    load = f", {replay.captures.played} of them at once" if replay.captures.played > 1 else ""
    first = (
        f"The resolver {replay.server} answered {shares_text([run.share for run in replay.runs])}"
        f" of its clients' queries within {replay.timeout_s:g} s, in"
        f" {plural(len(replay.runs), 'run')} of {count_text(replay.runs[0].sent)} queries from"
        f" {listing(replay.captures.files[:3]) or 'captures'}{load}."
    )
    names = dict.fromkeys(name for run in replay.runs for name in run.rcodes)
    replies = sum(count for run in replay.runs for count in run.rcodes.values())
    said = [
        f"{share_text(sum(run.rcodes.get(name, 0) for run in replay.runs), replies)} {name}"
        for name in names
    ]
    second = f"Of the replies {listing(said)}." if said else "There was no reply."
    reasons = dict.fromkeys(name for run in replay.runs for name in run.invalid_reasons)
    counts = {
        name: sum(run.invalid_reasons.get(name, 0) for run in replay.runs) for name in reasons
    }
    wrong = [
        f"{count_text(count)} with {REASONS.get(name, name)}"
        for name, count in counts.items()
        if count
    ]
    if wrong:
        second += f" Invalid queries: {listing(wrong)}."
    second += more_replies(replay)
    worst = worst_intervals(replay)
    halves = [
        run.later_part.rtt_p50_ns for run in replay.runs if run.later_part.rtt_p50_ns is not None
    ]
    mosts = [
        run.later_part.rtt_p99_ns for run in replay.runs if run.later_part.rtt_p99_ns is not None
    ]
    if not halves or not mosts:
        return [first, second, *worst]
    later = f"From {replay.since_s:g} s on half" if replay.since_s else "Half"
    third = (
        f"{later} of the answers came within {duration_text(max(halves))}, 99 % within"
        f" {duration_text(max(mosts))}, in the slowest run."
    )
    return [first, second, " ".join([third, *worst])]


def timed(replay: Replay) -> list[over_time.Run]:
    return [over_time.Run(run.label, run.intervals, replay.label) for run in replay.runs]


def charts_of(replay: Replay) -> list[Chart]:
    if not replay.runs:
        return []
    charts = over_time.charts_of(timed(replay), "answered in time")
    if latency_band(replay.runs):
        charts.append(latency_chart([replay]))
    if any(slow_shares(run) for run in replay.runs):
        charts.append(slowness_chart([replay]))
    return charts


def runs_table(replays: Sequence[Replay]) -> Table:
    columns = (
        "run=label; sent; answered; answered, %=answered/sent; RTT median=later_part.rtt_p50_ns;"
        " 99th percentile=later_part.rtt_p99_ns; unanswered=later_part.unanswered_text;"
        " sent late, max=lateness_max_ns"
    )
    notes = ["RTTs and unanswered queries are of the later part."]
    return table_of("Runs", [run for replay in replays for run in replay.runs], columns, notes)


def not_played(replay: Replay) -> str | None:
    """Returns what the captures have that was not played, by reason."""
    left_out, packets = replay.captures.left_out, replay.captures.packets
    said = [f"{reason.replace('_', ' ')} {count:,}" for reason, count in left_out.items() if count]
    of = f" of {packets:,} packets" if packets else ""
    return f"{', '.join(said)}{of}" if said else None


def conditions_of(replay: Replay) -> list[Table]:
    made = replay.captures
    asked: list[Sequence[Cell]] = [
        ("resolver", replay.server),
        ("captures", ", ".join(made.files) or None),
        ("played at once", str(made.played) if made.played else None),
        ("clients", count_text(made.clients) if made.clients else None),
        ("queries of a run", count_text(made.queries)),
        ("not played", not_played(replay)),
        *rows_of([replay], "timeout=timeout_s; later part from=since_s"),
        ("runs asked for", str(replay.runs_wanted)),
        ("before each run", replay.before_trial or None),
    ]
    return asked_tables(replay.fields, asked, (replay.selftest, replay.certificate))


def section(replay: Replay) -> Section:
    kind = "Journal of the replay" if replay.is_journal else "Replay"
    return Section(
        f"{kind} {replay.label}: {replay.server}",
        findings(replay),
        replay.doubts(),
        charts_of(replay),
        [runs_table([replay])],
        conditions_of(replay),
    )


def group(replays: Sequence[Replay]) -> Section:
    """Returns what is said of several replays: latency and response rate over each other."""
    told = [replay for replay in replays if replay.runs]
    sentences = [
        f"{replay.label} answered {shares_text([run.share for run in replay.runs])} of the queries"
        f" in time, in {plural(len(replay.runs), 'run')}."
        for replay in told[:3]
    ]
    charts: list[Chart] = []
    with_curve = [replay for replay in told if latency_band(replay.runs)]
    if with_curve:
        charts.append(latency_chart(with_curve))
    with_time = [replay for replay in told if any(run.intervals for run in replay.runs)]
    if with_time:
        charts.append(response_chart(with_time))
    if any(slow_shares(run) for replay in told for run in replay.runs):
        charts.append(slowness_chart(told))
    first = sentences or [f"{plural(len(replays), 'replay')} have no run yet."]
    return Section("Replays side by side", first, [], charts, [runs_table(told)])
