# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What became of queries in the server's kernel, and how long each stage took: dnsgauge/probe/1,
and the member probe of trials."""

from collections.abc import Iterable, Mapping, Sequence

from ..charts.stages import COLUMNS, LATE, REST, STAGES, WIRE, Flow, Staged, by_time_chart
from ..charts.stages import fates_chart, means_chart, questions_chart
from ..document import Cell, Chart, Section, Table
from ..fields import Fields
from ..quantities import count_text, duration_text, listing, plural, share_text
from ..tables import cell, head_of, members, rows_of, table_of
from ..view import View
from .base import Result, asked_tables, contradiction, told_fields

SCHEMA = "dnsgauge/probe/1"
FIELDS = dict(zip(COLUMNS, STAGES))
# What tells of a resolver, with the names in figures.
RESOLVER = {"alone_ns": "cache", "server_ns": "all queries", "others_ns": "Internet"}
PERCENTILES = ("p50", "p90", "p99", "p99_9")
NEVER, LEFT = "never arrived", "reply left"
# Where late queries were for longest, by the names in a result.
PLACES = {"stack": "stack", "queue": "queue", "wakeup": "wake-up", "server": "server"}
PLACES |= {"leave": "leave", "way": "way or Tester", "unknown": "unknown where"}
# Names of losses, or what they begin with, in the order of a query's way; then late queries.
WAY = [NEVER, "dropped", "unread", "read, unanswered", "reply dropped", "unknown"]
WAY += [LATE + place for place in PLACES.values()]
Loss = tuple[str, int]


class Stage(View):
    """Times of a stage, in nanoseconds; none where there are none."""

    def check(self, fields: Fields) -> None:
        if not fields.count("count"):
            return
        # Percentiles are rounded up, the other two are exact.
        *told, _, _ = (fields.number(name) for name in (*PERCENTILES, "max", "mean"))
        if told != sorted(told):
            raise contradiction(fields, f"the percentiles of {fields.name('')} do not ascend")


class Probe(View):
    """What a probe saw. All counts but `arrived` are of the queries that were followed."""

    readers = dict.fromkeys((*FIELDS, *RESOLVER), Stage)
    older = {"taken": 0, "refused": 0, "xdp_sent": 0, "xdp_dropped": 0, "asked": 0}

    @property
    def by_xdp(self) -> int:
        """Returns the packets that XDP programs gave to AF_XDP or sent back, which never arrive."""
        return int(self.taken + self.refused + self.xdp_sent + self.xdp_dropped)

    @property
    def fates(self) -> int:
        """Returns the queries whose fate is told, which are those that were followed."""
        return sum(count for _, count in self.losses) + int(self.left)

    def doubts(self) -> list[str]:
        doubts = []
        if self.lacks:
            lacking = listing(self.lacks)
            doubts.append(f"The server's kernel lacks {lacking}, and what it tells is missing.")
        if self.fates != self.followed:
            followed, told = plural(self.followed, "query", "queries"), count_text(self.fates)
            doubts.append(f"The probe followed {followed}, and tells the fates of {told}.")
        return doubts

    @property
    def stages(self) -> Mapping[str, View]:
        """Returns the stages that were taken, in the order of STAGES. A sample lacks some, and so
        do older results, and results of some kernels. `wire` is one of them if it is of the same
        queries as `server`."""
        whole = self.server_ns.count
        made = {name: getattr(self, field) for field, name in FIELDS.items() if whole}
        return {
            name: one
            for name, one in made.items()
            if one and one.count and (name != WIRE or one.count == whole)
        }

    @property
    def losses(self) -> list[Loss]:
        """Returns how many of the followed queries were lost where, in the order of their way."""

        def by_reason(what: str, counts: dict[str, int]) -> list[Loss]:
            return [(f"{what}: {name.replace('_', ' ')}", count) for name, count in counts.items()]

        return [
            *by_reason("dropped", self.dropped),
            ("unread", self.unread),
            ("read, unanswered", self.unanswered),
            *by_reason("reply dropped", self.dropped_replies),
            ("unknown", self.forgotten + self.repeated),
        ]

    @property
    def lates(self) -> Mapping[str, int]:
        """Returns how many of the trial's late queries were where for longest; none where that is
        not told."""
        told = PLACES.items() if self.late else ()
        return {LATE + place: getattr(self.late, name) for name, place in told}

    @property
    def means(self) -> Mapping[str, float]:
        """Returns the mean of each stage over all queries that have stages."""
        whole = self.server_ns.count
        return {name: one.mean * one.count / whole for name, one in self.stages.items()}

    @property
    def times(self) -> Mapping[str, tuple[float, float]]:
        """Returns mean, as above, and median of each stage."""
        return {name: (mean, self.stages[name].p50) for name, mean in self.means.items()}

    def rest_of(
        self, rtt_ns: float | None, answered: int, others: int, stages: Sequence[str] = STAGES
    ) -> float | None:
        """Returns what these stages leave of the mean RTT of the `answered` queries; none where it
        is not known. `others` are the queries with other replies."""
        # A share of queries stands for all if the RTTs are the RTTs of all replies.
        is_share = self.share_percent < 100 and not others
        if rtt_ns is None or not (is_share or self.server_ns.count == answered):
            return None
        rest = rtt_ns - sum(mean for name, mean in self.means.items() if name in stages)
        return rest if rest >= 0 else None

    def staged(self, label: str, rest: float | None = None) -> Staged | None:
        """Returns the stages for figures; none where there are none."""
        told = self.stages
        if not told:
            return None
        fields = (field for field, name in FIELDS.items() if name in told and name != WIRE)
        paths = " ".join(("queries", *fields))
        by_time = [members(one, paths) for one in self.by_time]
        medians = {name: one.p50 for name, one in told.items()}
        return Staged(label, self.server_ns.count, self.means, rest, medians, by_time)


class Probed(Result):
    readers = {"probe": Probe}

    def doubts(self) -> list[str]:
        probe, doubts = self.probe, self.probe.doubts()
        if probe.share_percent < 100:
            doubts.append(f"The probe followed {probe.share_percent:g} % of the queries.")
        if unknown := probe.forgotten + probe.repeated:
            what = plural(unknown, "query", "queries")
            doubts.append(f"The probe does not know what became of {what}.")
        if probe.unseen:
            what = plural(probe.unseen, "query", "queries")
            doubts.append(f"The stages lack {what}, because nobody saw how the server read them.")
        if probe.unreadable:
            doubts.append(f"The probe could not read {plural(probe.unreadable, 'packet')}.")
        return doubts


read = Probed


def charts_of(stages: Sequence[Staged | None]) -> list[Chart]:
    told = [one for one in stages if one]
    by_time = [by_time_chart(one) for one in told if one.by_time and len(told) == 1]
    return [means_chart(told), *by_time] if told else []


def lost_names(flows: Iterable[Mapping[str, int]]) -> list[str]:
    """Returns by which names any queries were lost or late, in the order of their way."""
    names = {name for losses in flows for name, count in losses.items() if count}
    kinds = {name: name if name in WAY else name.partition(":")[0] for name in names}
    return sorted(names, key=lambda name: (WAY.index(kinds[name]), name))


def flows_of(probes: Sequence[Probe], sent: Sequence[int]) -> tuple[str, list[Flow]]:
    """Returns what the flows are of, sent or followed, and the flow of each probe; none where the
    fates of one are not known. `sent` is empty, or has the queries that a Tester sent for each."""
    if any(one.fates != one.followed for one in probes):
        return "", []
    losses: list[dict[str, int]] = [dict(one.losses) for one in probes]
    both = list(zip(probes, losses))
    # Somebody else's queries may have arrived, too. The fate of what XDP took is unknown.
    if not sent or any(
        one.by_xdp or not one.followed == one.arrived <= count for one, count in zip(probes, sent)
    ):
        return "followed", [Flow(one.followed, lost) for one, lost in both]
    # A late query whose fate is not known would count twice.
    if all(sum(one.lates.values()) <= one.left and not lost["unknown"] for one, lost in both):
        losses = [lost | one.lates for one, lost in both]
    never = [{NEVER: count - one.arrived} for one, count in zip(probes, sent)]
    return "sent", [Flow(count, some | lost) for count, some, lost in zip(sent, never, losses)]


def left_name(names: Sequence[str]) -> str:
    """Returns what is left of a flow that has these names."""
    return f"{LEFT}, not late" if any(name.startswith(LATE) for name in names) else LEFT


def added(flows: Sequence[Flow]) -> Flow:
    names = lost_names(one.losses for one in flows)
    losses = {name: sum(one.losses.get(name, 0) for one in flows) for name in names}
    return Flow(sum(one.total for one in flows), losses)


def flow_charts(probe: Probe, sent: Sequence[int] = ()) -> list[Chart]:
    """Returns the flow of a probe's queries if some were lost, and what a resolver's queries wait
    for. `sent` is as above."""
    whole, flows = flows_of([probe], sent)
    names = lost_names(flow.losses for flow in flows)
    drawn = [("", one) for one in flows]
    charts = [fates_chart(whole, names, drawn, left_name(names))] if names else []
    told = [(name, getattr(probe, field)) for field, name in RESOLVER.items() if probe.asked]
    times = [(name, one.count, (one.p50, one.p90, one.p99)) for name, one in told if one.count]
    return [*charts, questions_chart(times)] if times else charts


def fates_table(labels: Sequence[str], probes: Sequence[Probe], sent: Sequence[int]) -> Table:
    """Returns what became of the queries, a column for each probe. `sent` is empty, or has the
    queries that were sent for each."""
    rows: list[Sequence[Cell]] = []
    if sent:
        never = (max(0, all - one.by_xdp - one.arrived) for all, one in zip(sent, probes))
        rows += [("sent", *sent), (NEVER, *never)]
    if any(one.by_xdp for one in probes):
        columns = "taken by AF_XDP=taken; no room in AF_XDP=refused"
        columns += "; sent by XDP=xdp_sent; dropped on the way out by XDP=xdp_dropped"
        rows += [row for row in rows_of(probes, columns) if any(row[1:])]
    rows += rows_of(probes, "arrived; followed")
    found = [dict(one.losses) | {LEFT: one.left} | one.lates for one in probes]
    names = [*lost_names(dict(one.losses) for one in probes), LEFT]
    late = lost_names(one.lates for one in probes)
    caption, heads = "What the server's kernel saw of the queries", ("", *labels)
    if len(probes) > 1:
        fates = [(name, *(one.get(name, 0) for one in found)) for name in (*names, *late)]
        return Table(caption, heads, [*rows, *fates])
    followed, only = probes[0].followed, found[0]
    shares = [(name, only[name], share_text(only[name], followed)) for name in names]
    heads = (*heads, "of those followed")
    # In a sample, late queries are also queries that were not followed.
    lates = [(name, only[name], None) for name in late]
    return Table(caption, heads, [*((*row, None) for row in rows), *shares, *lates])


def shown_fields(probes: Sequence[Probe]) -> Mapping[str, str]:
    """Returns FIELDS without `wire` where nothing measured it."""
    is_told = any(one.wire_ns for one in probes)
    return {field: name for field, name in FIELDS.items() if is_told or name != WIRE}


def stages_table(probe: Probe, notes: Sequence[str] = ()) -> Table:
    fields = shown_fields([probe])
    rows = [
        (head_of(name), *(cell(probe, f"{field}.{name}") for field in fields))
        for name in ("count", "mean", *PERCENTILES, "max")
    ]
    told = [(name, one) for field, name in fields.items() if (one := getattr(probe, field))]
    known = [(name, one) for name, one in told if one.count]
    meanings = [f"{name}: {stage.fields.schema['description']}." for name, stage in known]
    heads, shown = ("", *fields.values()), rows if known else []
    return Table("Stages in the server's kernel", heads, shown, [*meanings, *notes])


def side_by_side(
    labels: Sequence[str], probes: Sequence[Probe], sent: Sequence[int]
) -> list[Table]:
    lines = "; ".join(
        f"{name}, {head_of(figure)}={field}.{figure}"
        for field, name in shown_fields(probes).items()
        for figure in ("mean", "p50", "p99")
    )
    stages = Table("Stages in the server's kernel", ("", *labels), rows_of(probes, lines))
    return [fates_table(labels, probes, sent), stages]


THREADS = "thread; name; process; queries; calls that read=calls; wakeups; migrations; ran=ran_ns;"
THREADS += " ready without a CPU=waited_ns"

SHARING = "address; socket=inode; queries; thread; thread's name=reader"


def tables_of(probe: Probe, sent: int | None = None, notes: Sequence[str] = ()) -> list[Table]:
    sockets = "socket=inode; process; name; thread; thread's name=reader; drops;"
    sockets += " buffer, octets=buffer_octets; waiting datagrams, at most=waiting"
    return [
        fates_table(["queries"], [probe], [] if sent is None else [sent]),
        stages_table(probe, notes),
        table_of("The server's threads", probe.threads, THREADS),
        table_of("The server's sockets that share an address", probe.sharing, SHARING),
        table_of("The server's full sockets", probe.sockets, sockets),
    ]


def stages_sentence(staged: Staged | None) -> list[str]:
    if not staged:
        return []
    times = listing([f"{name} {duration_text(mean)}" for name, mean in staged.parts])
    what = "The mean RTT" if staged.rest is not None else "The mean time in the server's kernel"
    return [f"{what} of {duration_text(sum(mean for _, mean in staged.parts))} is: {times}."]


def section(probed: Probed) -> Section:
    probe, staged = probed.probe, probed.probe.staged(probed.label)
    said = [
        f"{plural(probe.arrived, 'query', 'queries')} arrived at port {probe.port} of"
        f" {probe.interface} in {duration_text(probe.duration_ns)}."
    ]
    if probe.followed:
        lost = [f"{count_text(count)} {name}" for name, count in probe.losses if count]
        share = share_text(probe.left, probe.followed)
        rest = f"; {listing(lost)}" if lost else ""
        said.append(f"A reply left to {share} of those that were followed{rest}.")
    if drops := probe.interface_drops:
        counters = listing([f"{name} {count_text(count)}" for name, count in drops.items()])
        said.append(f"The interface lost received packets, which need not be queries: {counters}.")
    asked = told_fields(probed.fields, ("started", "version", "kernel"))
    asked += told_fields(probe.fields, ("interface", "port", "share_percent"))
    return Section(
        f"Probe {probed.label}: port {probe.port} of {probe.interface}",
        [*said, *stages_sentence(staged)],
        probed.doubts(),
        [*charts_of([staged]), *flow_charts(probe)],
        tables_of(probe),
        asked_tables(probed.fields, asked),
    )


def group(several: Sequence[Probed]) -> Section:
    labels, probes = [one.label for one in several], [one.probe for one in several]
    stages = [probe.staged(label) for label, probe in zip(labels, probes)]
    first = f"{plural(len(several), 'probe')} are shown beside each other."
    tables = side_by_side(labels, probes, [])
    return Section("Probes side by side", [first], [], charts_of(stages), tables)


def notes_of(staged: Staged | None) -> list[str]:
    """Returns why nothing is said of the rest of the RTT; nothing where it is said."""
    if not staged or staged.rest is not None:
        return []
    return [f"The time in {REST} is not told: the RTTs are not those of these queries alone."]
