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
    load = f", {replay.played} of them at once" if replay.played > 1 else ""
    first = (
        f"The resolver {replay.server} answered {shares_text([run.share for run in replay.runs])}"
        f" of its clients' queries within {replay.timeout_s:g} s, in"
        f" {plural(len(replay.runs), 'run')} of {count_text(replay.runs[0].sent)} queries from"
        f" {listing(replay.files[:3]) or 'captures'}{load}."
    )
    names = dict.fromkeys(name for run in replay.runs for name in run.rcodes)
    replies = sum(count for run in replay.runs for count in run.rcodes.values())
    said = [
        f"{share_text(sum(run.rcodes.get(name, 0) for run in replay.runs), replies)} {name}"
        for name in names
    ]
    second = f"Of the replies {listing(said)}." if said else "There was no reply."
    reasons = dict.fromkeys(name for run in replay.runs for name in run.invalid)
    counts = {name: sum(run.invalid.get(name, 0) for run in replay.runs) for name in reasons}
    wrong = [
        f"{count_text(count)} with {REASONS.get(name, name)}"
        for name, count in counts.items()
        if count
    ]
    if wrong:
        second += f" Invalid queries: {listing(wrong)}."
    second += more_replies(replay)
    worst = worst_intervals(replay)
    halves = [run.rtt_p50 for run in replay.runs if run.rtt_p50 is not None]
    mosts = [run.rtt_p99 for run in replay.runs if run.rtt_p99 is not None]
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
    rows: list[Sequence[Cell]] = [
        (
            run.label,
            run.sent,
            run.answered,
            share_text(run.answered, run.sent),
            duration_text(run.rtt_p50),
            duration_text(run.rtt_p99),
            None if run.unanswered is None else f"{percent_text(100 * run.unanswered)} %",
            duration_text(run.lateness_max),
        )
        for replay in replays
        for run in replay.runs
    ]
    heads = (
        "run", "sent", "answered", "answered, %", "RTT median", "99th percentile", "unanswered",
        "sent late, max",
    )  # fmt: skip
    return Table("Runs", heads, rows, ["RTTs and unanswered queries are of the later part."])


def not_played(replay: Replay) -> str | None:
    """Returns what the captures have that was not played, by reason."""
    captures = replay.fields.inner_or_none("captures")
    left_out = captures.counts_or("left_out") if captures else {}
    said = [f"{reason.replace('_', ' ')} {count:,}" for reason, count in left_out.items() if count]
    packets = captures.count_or("packets") if captures else 0
    of = f" of {packets:,} packets" if packets else ""
    return f"{', '.join(said)}{of}" if said else None


def conditions_of(replay: Replay) -> list[Table]:
    asked: list[Sequence[Cell]] = [
        ("resolver", replay.server),
        ("captures", ", ".join(replay.files) or None),
        ("played at once", str(replay.played) if replay.played else None),
        ("clients", count_text(replay.clients) if replay.clients else None),
        ("queries of a run", count_text(replay.queries)),
        ("not played", not_played(replay)),
        ("timeout", f"{replay.timeout_s:g} s"),
        ("later part from", f"{replay.since_s:g} s"),
        ("runs asked for", str(replay.runs_wanted)),
        ("before each run", replay.fields.text_or("before_trial") or None),
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
