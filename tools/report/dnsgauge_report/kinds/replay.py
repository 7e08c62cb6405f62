# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Replays of captures to a resolver."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..charts.latency import shaded_chart
from ..document import Chart, Section, Table
from ..drawing import BANDS, DENSITY, GREY, SERIES, VERMILION, draw_curves, height_of
from ..drawing import legend_above, name_rows, rows_of as rows_of_curves, share_axis, spread
from ..fields import Fields
from ..grouped import grouped
from ..quantities import count_text, drawn_text, duration_text, listing, numbers_text, percent_text
from ..quantities import plural, share_text
from ..schemas import member
from ..tables import members, rows_of, table_of
from ..view import View
from . import intervals as over_time
from .base import contradiction, sentence
from .classes import fates_text
from .intervals import Interval, interval_of
from .series import Journal, Series, SeriesTrial
from .trial import Trial, read_invalid

KIND = "replay"
# What paper 004 says of its figures, where a file does not say it: journals.
CAVEAT = "for comparison alone: the figures hold for this set-up, these captures and this time"


def read_points(fields: Fields, field: str) -> list[tuple[float, float]]:
    """Returns the points of a logarithmic percentile histogram. Throws ReportError unless shares
    fall from 1 at most, and RTTs do not."""
    found: list[tuple[float, float]] = []
    for row in fields.list_or(field):
        is_row = isinstance(row, list) and len(row) == 2
        if not is_row or not all(type(one) in (int, float) and 0 <= one < 2**63 for one in row):
            raise fields.wrong(field, "rows of a share and an RTT", row)
        share, rtt = float(row[0]), float(row[1])
        if not 0 < share <= 1 or (found and (share >= found[-1][0] or rtt < found[-1][1])):
            raise fields.wrong(field, "in order, from the whole to the slowest", row)
        found.append((share, rtt))
    return found


SLOWER = tuple(f"slower_than_{limit}" for limit in ("1ms", "10ms", "100ms", "1s"))


class LaterPart(View):
    """What a run's later part tells. `points` are (share of the slowest queries, RTT in
    nanoseconds), shares from 1 down; the others are shares of its queries, and RTTs."""

    readers = {"points": read_points}
    older = dict.fromkeys(SLOWER)

    @property
    def slower(self) -> list[float | None]:
        return members(self, " ".join(SLOWER))


def read_replay_intervals(fields: Fields, field: str) -> list[Interval]:
    """Returns the intervals of a run, which tell what was answered and not why the rest was not."""
    found: list[Interval] = []
    for one in fields.objects_or(field):
        made = interval_of(
            one.number("since_s"), one.count("sent"), one.count("answered"), one.counts_or("rcodes")
        )
        is_late = bool(found) and made.since_s <= found[-1].since_s
        if made.valid > made.sent or made.replies > made.sent or is_late:
            what = "has more answers than queries, or does not follow the one before"
            raise contradiction(fields, f"{one.name('')} {what}")
        found.append(made)
    return found


class ReplayRun(SeriesTrial):
    readers = {
        "invalid_reasons": read_invalid,
        "intervals": read_replay_intervals,
        "later_part": LaterPart,
    }

    def check(self, fields: Fields) -> None:
        decided = self.answered + self.late + self.invalid + self.lost
        told = (sum(one.sent for one in self.intervals), sum(one.valid for one in self.intervals))
        if self.sent != decided or (self.intervals and told != (self.sent, self.answered)):
            what = f"{fields.name('')}: {self.sent} queries were sent, {decided} decided, and its"
            raise contradiction(fields, f"{what} intervals have {told[0]}")


class Captures(View):
    """What is played: `played` captures at once are the load factor; 0 where it is not known."""

    older = {"played": 0, "clients": 0, "queries": 0, "packets": 0}


class Replay(Series):
    """Runs of the same captures. Files of older versions do not tell how the replay ended."""

    view = ReplayRun
    readers = {
        **Series.readers,
        "captures": Captures,
        "timeout_s": Fields.positive,
        "runs_wanted": lambda fields, name: fields.count_or(name, len(fields.list_of("trials"))),
    }
    needs = ("trials", "run")
    options = {"since_s": 0.0}

    @staticmethod
    def told_by(trial: Trial) -> dict[str, Any]:
        """Returns what a run tells besides: of its later part where it has one."""
        fields = trial.fields
        part = fields.inner_or_none("later_part") or fields
        rtt = part.inner_or_none("rtt_ns")
        sent, valid = part.count("sent"), part.count("valid")
        curve = fields.inner_or_none("later_rtt_curve") or fields.inner_or_none("rtt_curve")
        later = (curve.value if curve else {"points": []}) | {
            "sent": sent,
            "answered": valid,
            "unanswered": 1 - valid / sent if sent and valid <= sent else None,
            "rtt_p50_ns": rtt and rtt.value.get("p50"),
            "rtt_p99_ns": rtt and rtt.value.get("p99"),
        }
        timed = [
            {"since_s": one.since_s, "sent": one.sent, "answered": one.valid, "rcodes": one.rcodes}
            for one in trial.intervals
        ]
        made = {"later_part": later, "intervals": timed, "rcodes": trial.rcodes}
        return made | {"invalid_reasons": fields.value.get("invalid")}

    @property
    def not_played(self) -> str | None:
        """Returns what the captures have that was not played, by reason."""
        counts, packets = self.captures.left_out.items(), self.captures.packets
        said = ", ".join(f"{reason.replace('_', ' ')} {one:,}" for reason, one in counts if one)
        return said + (f" of {packets:,} packets" if packets else "") if said else None

    def doubts(self) -> list[str]:
        made = f"{len(self.trials)} of {plural(self.runs_wanted, 'run')} were made"
        doubts = [sentence(self.caveat), *self.unfinished("replay", "runs", made)]
        doubts += self.made_again("run")
        if len(self.trials) == 1:
            doubts.append("A single run tells nothing of how much runs differ.")
        return [*doubts, *self.standing()]


read = Replay


def read_journal(journal: Journal) -> Replay:
    options, made = journal.options, journal.trials
    queries, timeout = (made[-1].sent, made[-1].timeout_s) if made else (0, None)
    captures = {"files": options.texts_or("capture"), "queries": queries}
    schema = member(journal.header.schema, "captures")
    played = Fields(captures, journal.header.where, "captures", schema)
    known = {"caveat": CAVEAT, "captures": Captures(played), "before_trial": ""}
    known["timeout_s"] = timeout or options.number_or("timeout") or 0.0
    return Replay.of_journal(journal, **known, runs_wanted=options.count_or("runs"))


# How long the answers took, and last the queries without an answer.
SLOWNESS = ("≤ 1 ms", "to 10 ms", "to 100 ms", "to 1 s", "slower", "no answer")


def band_of(values: Sequence[float]) -> tuple[float, float, float]:
    return min(values), sum(values) / len(values), max(values)


def latency_band(runs: Sequence[ReplayRun]) -> list[tuple[float, float, float, float]]:
    """Returns (percent of slowest queries, least, mean, greatest RTT) at shares of all runs."""
    curves = [dict(run.later_part.points) for run in runs]
    shares = sorted(set.intersection(*(set(curve) for curve in curves)), reverse=True)
    return [(100 * share, *band_of([curve[share] for curve in curves])) for share in shares]


def share_band(runs: Sequence[ReplayRun]) -> list[tuple[float, float, float, float]]:
    told = (one for run in runs for one in run.intervals if one.share is not None)
    by_time = grouped((round(one.since_s, 6), one.share) for one in told)
    return [(time, *band_of(shares)) for time, shares in sorted(by_time.items())]


def counts_of(replays: Sequence[Replay]) -> str:
    return numbers_text([(one.label, len(one.trials)) for one in replays], "run")


def latency_chart(replays: Sequence[Replay]) -> Chart:
    """Returns the logarithmic percentile histogram. Some replay must have a curve."""
    bands = [(one.label, latency_band(one.trials), len(one.trials)) for one in replays]
    since = sorted({one.since_s for one in replays})
    later = f" Queries sent from {since[0]:g} s on." if len(since) == 1 and since[0] else ""
    return shaded_chart([band for band in bands if band[1]], "latency", "Latency", later, "replay")


def slow_shares(run: ReplayRun) -> list[float] | None:
    """Returns the percentages of SLOWNESS; none where the run does not tell them all."""
    later = run.later_part
    known = [share for share in later.slower if share is not None]
    if later.unanswered is None or len(known) < len(later.slower):
        return None
    # A query without an answer is slower than any limit.
    bounds = [1.0, *(max(share, later.unanswered) for share in known), later.unanswered, 0.0]
    return [100 * max(0.0, above - below) for above, below in zip(bounds, bounds[1:])]


def slowness_chart(replays: Sequence[Replay]) -> Chart:
    bars: list[tuple[str, list[float]]] = []
    for replay in replays:
        told = [(run.label, slow_shares(run)) for run in replay.trials]
        known = [(label, shares) for label, shares in told if shares]
        if len(replays) == 1:
            bars += known
        elif known:
            means = [sum(column) / len(known) for column in zip(*(shares for _, shares in known))]
            bars.append((replay.label, means))

    def draw(axes: Any) -> None:
        left = [0.0] * len(bars)
        rows = [-row for row in range(len(bars))]
        for part, (name, colour) in enumerate(zip(SLOWNESS, (*DENSITY[:5], GREY))):
            shares = [shares[part] for _, shares in bars]
            looks = {"color": colour, "hatch": "////" if name == SLOWNESS[-1] else None}
            axes.barh(rows, shares, left=left, height=0.66, label=name, **looks)
            left = [sum(pair) for pair in zip(left, shares)]
        name_rows(axes, [one[0] for one in bars], 18)
        axes.tick_params(axis="y", length=0)
        axes.set(xlim=(0, 100), xlabel="% of the queries")
        legend_above(axes, 3)

    title = "How slow the answers were"
    of = "each run" if len(replays) == 1 else "each replay, means of the runs"
    caption = f"Shares of the queries by the time of their answer, of {of}. {counts_of(replays)}"
    rows = [(label, *(round(share, 6) for share in shares)) for label, shares in bars]
    heads = "what to_1ms to_10ms to_100ms to_1s slower unanswered"
    return Chart("slowness", title, caption, heads, rows, draw, height_of(len(bars)))


def response_chart(replays: Sequence[Replay]) -> Chart:
    shown = spread(replays)
    curves = [(one.label, share_band(one.trials)) for one in shown]

    def draw(axes: Any) -> None:
        draw_curves(axes, curves, (2,), reach=(1, 3), marker=None)
        share_axis(axes, min(point[1] for _, points in curves for point in points))
        axes.set(xlabel="seconds since the start", ylabel="% answered in time")

    caption = f"Share of the queries answered in time, by the time of sending. {BANDS}"
    caption += f" {counts_of(shown)}{drawn_text(len(shown), len(replays), 'replay')}"
    heads = "replay since_s least_percent mean_percent greatest_percent"
    title = "Response rate over time"
    return Chart("response-bands", title, caption, heads, rows_of_curves(curves), draw)


def unanswered_chart(replays: Sequence[tuple[int, Replay]], margin: float) -> Chart:
    """Returns the share of the queries without an answer by load factor: a point for each run, and
    a line through the means. The first replay is the baseline, which the others may exceed by
    `margin` percent of the queries."""
    told_by = [(of, run.later_part.unanswered) for of, replay in replays for run in replay.trials]
    known = [(of, 100 * one) for of, one in told_by if one is not None]
    means = {factor: sum(one) / len(one) for factor, one in grouped(known).items()}

    def draw(axes: Any) -> None:
        axes.plot(means.keys(), means.values(), color=SERIES[0], linewidth=1.2, label="mean")
        axes.scatter(*zip(*known), s=14, color=SERIES[0], linewidths=0)
        if replays[0][0] in means:
            limit = means[replays[0][0]] + margin
            looks = {"color": VERMILION, "linestyle": "--", "linewidth": 1}
            axes.axhline(limit, label="overload", **looks)
        axes.set(ylim=(0, None), xlim=(0, None))
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set(xlabel="load factor", ylabel="% of the queries unanswered")
        legend_above(axes, 2)

    caption = "Queries of the later part without an answer, by load factor: a point for each run."
    caption += f" Above the dashed line, {margin:g} % of the queries over the baseline's mean, the"
    caption += f" resolver is overloaded. N = {plural(len(known), 'run')}."
    title, heads = "Unanswered queries by load factor", "load_factor unanswered_percent"
    return Chart("unanswered", title, caption, heads, known, draw)


def shares_text(shares: Sequence[float]) -> str:
    """Returns "99.5 %", or "from 99.1 to 99.5 %" where shares differ."""
    least, most = percent_text(min(shares)), percent_text(max(shares))
    return f"{least} %" if least == most else f"from {least} to {most} %"


def worst_intervals(replay: Replay) -> list[str]:
    """Returns the interval with the lowest response rate on average of the runs, and the lowest
    interval of a single run; none where no run tells of intervals."""
    told = [(run, one) for run in replay.trials for one in run.intervals if one.share is not None]
    if not told:
        return []
    since, _, mean, _ = min(share_band(replay.trials), key=lambda point: point[2])
    run, single = min(told, key=lambda pair: (pair[1].share, pair[0].label, pair[1].since_s))
    return [
        f"The lowest response rate of an interval was {percent_text(mean)} % on average of the"
        f" runs, from {since:g} s on, and {percent_text(single.share)} % in a single run"
        f" ({run.label}), from {single.since_s:g} s on."
    ]


def findings(replay: Replay) -> list[str]:
    runs = replay.trials
    if not runs:
        return [f"The replay to {replay.server} has no run yet."]
    load = f", {replay.captures.played} of them at once" if replay.captures.played > 1 else ""
    first = f"The resolver {replay.server} answered {shares_text([run.share for run in runs])} of"
    first += f" its clients' queries within {replay.timeout_s:g} s, in {plural(len(runs), 'run')}"
    first += f" of {count_text(runs[0].sent)} queries from"
    first += f" {listing(replay.captures.files[:3]) or 'captures'}{load}."
    rcodes, reasons = (
        sum((Counter(getattr(run, name)) for run in runs), Counter[str]())
        for name in ("rcodes", "invalid_reasons")
    )
    said = [f"{share_text(count, rcodes.total())} {name}" for name, count in rcodes.items()]
    second = f"The replies: {listing(said)}." if said else "There was no reply."
    if reasons:
        second += f" Invalid queries: {fates_text(reasons)}."
    more = rcodes.total() - sum(run.answered for run in runs)
    if more > 0:
        second += f" They are {count_text(more)} more than the answered queries: some were late, or"
        second += " invalid."
    worst = worst_intervals(replay)
    halves, mosts = (
        [found for run in runs if (found := getattr(run.later_part, name)) is not None]
        for name in ("rtt_p50_ns", "rtt_p99_ns")
    )
    if not halves or not mosts:
        return [first, second, *worst]
    later = f"From {replay.since_s:g} s on half" if replay.since_s else "Half"
    third = f"{later} of the answers came within {duration_text(max(halves))}, 99 % within"
    third += f" {duration_text(max(mosts))}, in the slowest run."
    return [first, second, " ".join([third, *worst])]


def charts_of(replay: Replay) -> list[Chart]:
    runs = [over_time.Run(run.label, run.intervals, replay.label) for run in replay.trials]
    charts = over_time.charts_of(runs, "answered in time")
    if replay.trials and latency_band(replay.trials):
        charts.append(latency_chart([replay]))
    return [*charts, slowness_chart([replay])]


def runs_table(replays: Sequence[Replay]) -> Table:
    columns = "run=label; sent; answered; answered, %=answered/sent;"
    columns += " RTT median=later_part.rtt_p50_ns; 99th percentile=later_part.rtt_p99_ns;"
    columns += " unanswered=later_part.unanswered/; sent late, max=lateness_max_ns"
    notes = ["RTTs and unanswered queries are of the later part."]
    return table_of("Runs", [run for replay in replays for run in replay.trials], columns, notes)


ASKED = "resolver=server; captures=captures.files; played at once=captures.played?;"
ASKED += " clients=captures.clients?; queries of a run=captures.queries; not played=not_played;"
ASKED += " timeout=timeout_s; later part from=since_s; runs asked for=runs_wanted; before each"
ASKED += " run=before_trial?"


def conditions_of(replay: Replay) -> list[Table]:
    return replay.conditions(rows_of([replay], ASKED))


def section(replay: Replay) -> Section:
    said = (replay.heading("replay"), findings(replay), replay.doubts(), charts_of(replay))
    return Section(*said, [runs_table([replay])], conditions_of(replay))


def group(replays: Sequence[Replay]) -> Section:
    told = [replay for replay in replays if replay.trials]
    sentences = [
        f"{one.label} answered {shares_text([run.share for run in one.trials])} of the queries in"
        f" time, in {plural(len(one.trials), 'run')}."
        for one in told[:3]
    ]
    charts = []
    if timed := [replay for replay in told if latency_band(replay.trials)]:
        charts.append(latency_chart(timed))
    if with_time := [replay for replay in told if share_band(replay.trials)]:
        charts.append(response_chart(with_time))
    charts.append(slowness_chart(told))
    first = sentences or [f"{plural(len(replays), 'replay')} have no run yet."]
    return Section("Replays side by side", first, [], charts, [runs_table(told)])
