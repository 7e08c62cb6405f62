# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials: dnsgauge/trial/1, and several of one plan: dnsgauge/trials/1."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..charts.latency import distribution_chart, percentile_chart, shaded_chart
from ..charts.rates import Answered, response_chart
from ..charts.sending import lateness_charts
from ..charts.stages import Staged
from ..document import Cell, Chart, Section, Table
from ..fields import Fields
from ..grouped import grouped
from ..quantities import count_text, duration_text, listing, plural, rate_text, share_text, some
from ..quantities import reach_text, times_sentence
from ..schemas import entry, load, member
from ..statistics import Latency
from ..tables import field_rows, field_table, head_of, members, paths_of, rows_of, table_of
from ..view import View
from . import intervals as over_time, probe as probing
from .base import Compliance, Result, asked_tables, caveats_of, compliance_doubts, contradiction
from .base import ended, flat, read_cover, sentence, told_fields
from .classes import REASONS, fates_text
from .intervals import Interval, check_intervals
from .probe import Probe

SCHEMA = "dnsgauge/trial/1"
REPEATED_SCHEMA = "dnsgauge/trials/1"
STRAYS = ("duplicate", "unexpected", "wrong_source", "bad_checksum", "fragments")
# The fields that say what was asked for, and what the table of outcomes begins with.
ASKED = "server port transport zone names name_order qtype answer rate catch_up duration_s".split()
ASKED += "timeout_s accept_percent".split()
OUTCOME = "schema verdict why sent valid late lost since_ns until_ns interval_s".split()
Rows = Sequence[tuple[int, int, int]]


def read_histogram(fields: Fields, field: str) -> Rows:
    """Returns the rows of a histogram. Throws ReportError unless they ascend."""
    rows: list[tuple[int, int, int]] = []
    for row in fields.list_or(field):
        is_row = isinstance(row, list) and len(row) == 3
        if not is_row or not all(type(value) is int and 0 <= value < 2**63 for value in row):
            raise fields.wrong(field, "rows of three counts", row)
        if row[0] > row[1] or (rows and row[0] <= rows[-1][1]):
            raise fields.wrong(field, "in ascending order", row)
        rows.append((row[0], row[1], row[2]))
    return rows


class Rtt(View):
    """Summary of RTTs in nanoseconds, and their histogram: (from, to, count), both ends included.
    Files of older versions have no histogram."""

    def check(self, fields: Fields) -> None:
        ordered = [fields.number(name) for name in ("min", "p50", "p90", "p99", "p99_9")]
        if ordered != sorted(ordered) or ordered[0] > fields.number("max") or ordered[0] < 0:
            raise contradiction(fields, f"the percentiles of {fields.name('')} do not ascend")


def read_rtt(fields: Fields, field: str) -> Rtt | None:
    """Returns a summary of RTTs; none where there were none. Throws ReportError unless the
    histogram has as many."""
    if not fields.has(field) or not fields.inner(field).count("count"):
        return None
    name = field.replace("_ns", "_histogram_ns")
    made = Rtt(fields.inner(field), histogram=read_histogram(fields, name))
    rtts = sum(row[2] for row in made.histogram)
    if made.histogram and rtts != made.count:
        what = f"{fields.name(name)} holds {rtts} RTTs, the summary {made.count}"
        raise contradiction(fields, what)
    return made


def read_bursts(fields: Fields, field: str) -> dict[int, int]:
    counts = fields.counts_or(field)
    for size in counts:
        if not (size.isascii() and size.isdecimal() and len(size) < 8):
            raise fields.wrong(field, "counts by size", size)
    return {int(size): batches for size, batches in counts.items()}


class Sending(View):
    """How a trial's queries left. Files of older versions have no histogram."""

    readers = {"bursts": read_bursts, "lateness_histogram_ns": read_histogram}
    largest_burst = property(lambda self: max(self.bursts, default=None))


class Cpu(View):
    @property
    def roles(self) -> list[str]:
        roles = [name for name in ("sends", "receives") if getattr(self, name)]
        return roles + ["runs the server"] * bool(self.server_ran_ns or self.server_waited_ns)


class Judged(View):
    """By which of the judge's rules that can be loosened the replies were judged, by name."""

    def doubts(self) -> list[str]:
        loosened = f"The user loosened rules of the judge ({listing(self.accepted)})"
        return [f"{loosened}: answers that break them counted as right."] if self.accepted else []


class Side(View):
    """Times in which one side stood still, and queries that were lost or late because of them."""

    @property
    def cost(self) -> int:
        return int(self.lost + self.late)

    def doubts(self) -> list[str]:
        if not self.cost:
            return []
        times, longest = plural(self.stalls, "time"), duration_text(self.longest_ns)
        lost, late = map(count_text, (self.lost, self.late))
        cost = f"{lost} queries were lost and {late} answered late"
        return [f"{self.who} stood still {times}, for {longest} at most; because of that {cost}."]


def read_side(fields: Fields, name: str) -> Side:
    who = {"tester": "The Tester", "server": "The server's CPU"}[name]
    return Side(fields.inner(name), who=who)


class Stalls(View):
    """All stalls of a trial: longer than `limit_ns`, in which `burst_allowed` queries become due.
    `queries` were due meanwhile. `decided`: the trial is invalid because of them."""

    readers = {"tester": read_side, "server": read_side}

    def doubts(self) -> list[str]:
        # Where the stalls decided, the reason of the verdict tells all of this.
        return [] if self.decided else [*self.tester.doubts(), *self.server.doubts()]


def read_invalid(fields: Fields, field: str) -> dict[str, int]:
    """Returns the queries of each reason. Throws ReportError where they do not make the total."""
    reasons = fields.counts_or(field)
    total = reasons.pop("total", None)
    if total is not None and total != sum(reasons.values()):
        what = f"{fields.name(field)}.total is {total}, its reasons make {sum(reasons.values())}"
        raise contradiction(fields, what)
    return reasons


def read_own_losses(fields: Fields, field: str) -> dict[str, int]:
    losses = fields.inner_or_none(field)
    if losses is None:
        return {}
    kinds = [name for name in losses.value if not name.startswith("interface")]
    return {name: losses.count_or(name) for name in kinds} | losses.counts_or("interface")


class Part(View):
    """The part of one Tester in a trial that several made together. `schedule_error_ns`: by how
    much its queries left off the common schedule because of its clock. What the Tester did not
    send after the trial is none."""

    @property
    def share(self) -> str:
        return share_text(self.trial.valid, self.trial.sent) if self.trial else "no result"

    @property
    def bound_ns(self) -> float:
        return float(max(one.bound_ns for one in (self.clock_before, self.clock_after) if one))


class Trial(Result):
    """A trial. Counts are of queries, except the STRAYS, which are packets. `repeated_in`: the
    label of the file of repeated trials that has it; empty of a file of one trial."""

    repeated_in = ""
    readers = {
        "timeout_s": Fields.positive,
        "invalid": read_invalid,
        "rtt_ns": read_rtt,
        "rtt_hardware_ns": read_rtt,
        "sending": Sending,
        "own_losses": read_own_losses,
        "rfc8219": Compliance,
        "selftest": read_cover,
        "caveats": caveats_of,
        "intervals": Interval,
        "judged": Judged,
        "stalls": Stalls,
        "cpus": Cpu,
        "probe": Probe,
    }
    older = dict.fromkeys(STRAYS, 0) | {"rfc8219": None}

    def __init__(self, fields: Fields, label: str, **known: str) -> None:
        fields = Fields(fields.value, fields.where, fields.path, load("trial"))
        parts = [read_part(one, label) for one in fields.objects_or("testers")]
        super().__init__(fields, label, testers=parts, **known)

    def check(self, fields: Fields) -> None:
        decided = self.valid + self.late + self.lost + self.invalid_total
        if self.sent != decided:
            what = f"{fields.name('sent')} is {self.sent}, but valid, late, invalid and lost make"
            raise contradiction(fields, f"{what} {decided}")
        check_intervals(fields, self.intervals, (self.sent, self.valid))
        told = [part.trial for part in self.testers if part.trial]
        sent, valid = (sum(one.sent for one in told), sum(one.valid for one in told))
        if told and len(told) == len(self.testers) and (sent, valid) != (self.sent, self.valid):
            what = f"{fields.name('testers')} sent {sent} queries, {valid} of them valid, and the"
            raise contradiction(fields, f"{what} trial has {self.sent} and {self.valid}")

    @property
    def invalid_total(self) -> int:
        return sum(self.invalid.values())

    @property
    def staged(self) -> Staged | None:
        """Returns the stages of the queries; none where there was no probe."""
        probe, rtt = self.probe, self.rtt_ns
        if not probe or not probe.stages:
            return None
        others = self.late + self.invalid_total
        return probe.staged(self.label, rtt and probe.rest_of(rtt.mean, rtt.count, others))

    def doubts(self) -> list[str]:
        doubts = []
        if self.verdict == "invalid":
            nothing = "The trial is invalid and says nothing about the server"
            doubts.append(f"{nothing}: {ended(self.why)}")
        doubts += self.caveats
        for part in (self.judged, self.stalls, self.probe):
            doubts += part.doubts() if part else []
        grown = [f"{name} grew by {count:,}" for name, count in self.own_losses.items() if count]
        doubts += [f"The Tester itself lost packets: {one}." for one in grown]
        doubts += self.selftest.doubts() if self.selftest else []
        return doubts + compliance_doubts(self.rfc8219, "trial")


read = Trial


def read_part(fields: Fields, label: str) -> Part:
    made = fields.inner_or_none("trial")
    label = f"{label} Tester {fields.count('rank')}"
    return Part(fields, trial=Trial(made, label) if made else None)


def read_repeated(fields: Fields, label: str) -> list[Trial]:
    """Returns the trials of `dnsgauge trial --repeat`, each with its number in its label. Throws
    ReportError where there are none."""
    found = enumerate(fields.objects("trials", "trial"), 1)
    trials = [Trial(one, f"{label} {number}", repeated_in=label) for number, one in found]
    asked, error = fields.count("repeat"), fields.text_or("error")
    if len(trials) < asked:
        doubt = f"The repetition was cut short: {len(trials)} of {asked} trials were made."
        doubt += f" {sentence(error)}" if error else ""
        trials = [trial.but(caveats=[*trial.caveats, doubt]) for trial in trials]
    return trials


JUDGED = "rules of the judge in force=rules; loosened rules of the judge=accepted"


def latency_of(trial: Trial) -> Latency | None:
    """Returns the trial's RTTs; none where the file has no histogram."""
    if not trial.rtt_ns or not trial.rtt_ns.histogram:
        return None
    return Latency(trial.label, trial.rtt_ns.histogram, trial.sent, trial.timeout_s * 1e9)


def latencies_of(trials: Iterable[Trial]) -> list[Latency]:
    return [one for one in map(latency_of, trials) if one and one.asked]


def findings(trial: Trial) -> list[str]:
    queries = f"{count_text(trial.sent)} {trial.qtype} queries".replace("  ", " ")
    if trial.transport != "udp":
        queries += f" over {trial.transport.upper()}"
    asked = f"{queries} at {rate_text(trial.rate)} for {trial.duration_s:g} s"
    wanted = "every query" if trial.accept_percent == 100 else f"{trial.accept_percent:.9g} %"
    if trial.verdict == "invalid":
        first = f"The trial is invalid, and says nothing about {trial.server}: {ended(trial.why)}"
    else:
        passed = "passed" if trial.verdict == "pass" else "failed"
        first = f"The server {trial.server} {passed} a trial of {asked}, which asked for right"
        first += f" answers to {wanted} within {trial.timeout_s:g} s."
    if not trial.sent:
        return [first, "No query was sent."]
    wrong = fates_text({"late": trial.late, "lost": trial.lost} | trial.invalid)
    second = f"{share_text(trial.valid, trial.sent)} of the queries were answered right and in time"
    second += f"; {wrong}." if wrong else "."
    rtt = trial.rtt_ns
    if not rtt:
        return [first, second, "There is no RTT, as no reply was right and in time."]
    return [first, second, times_sentence(rtt.p50, rtt.p99, rtt.max)]


def together(trial: Trial) -> list[str]:
    if not trial.testers:
        return []
    hosts = some(list(dict.fromkeys(part.host for part in trial.testers)))
    return [f"{plural(len(trial.testers), 'Tester')} made the trial together, on {hosts}."]


def left_line(trial: Trial) -> list[str]:
    """Returns where the server left the line of a ramp."""
    ramp = trial.ramp
    if not ramp:
        return []
    if ramp.left is None:
        return ["There is no rate of the ramp from which on too few queries were answered."]
    left, low, high, answered = map(rate_text, members(ramp, "left low high answered"))
    where = f"The server left the line of the ramp at {left}, or between {low} and {high}"
    return [f"{where}; then it answered {answered}."]


def heads_of(trials: Sequence[Trial]) -> Sequence[str]:
    return ("", *(trial.label for trial in trials))


def count_rows(
    counts: Sequence[Mapping[str, int]], form: str = "{}", every: bool = False
) -> list[Sequence[Cell]]:
    """Returns a row for each name, a column for each count; unless `every` no rows of zeros."""
    names = dict.fromkeys(name for one in counts for name in one)
    told = [name for name in names if every or any(one.get(name) for one in counts)]
    heads = [form.format(REASONS.get(name, name.replace("_", " "))) for name in told]
    return [(head, *(one.get(name, 0) for one in counts)) for head, name in zip(heads, told)]


def outcome_table(trials: Sequence[Trial]) -> Table:
    rows = rows_of(
        trials,
        "server; rate asked for=rate; verdict; sent; valid; valid, %=valid/sent; late; lost;"
        " invalid=invalid_total",
    )
    rows += count_rows([trial.invalid for trial in trials], "  {}")
    rows += [row for row in rows_of(trials, STALLED) if any(row[1:])]
    strays = [{name: getattr(trial, name) for name in STRAYS} for trial in trials]
    rows += count_rows(strays, "packets: {}")
    if len(trials) == 1:
        rows.insert(3, ("why", trials[0].why))
    rows += count_rows([trial.rcodes for trial in trials], "RCODE {}", every=True)
    rows += field_rows(trials, but=(*ASKED, *OUTCOME, *STRAYS))
    return Table("What became of the queries", heads_of(trials), rows)


STALLED = "lost or late because of stalls of the Tester=stalls.tester.cost; lost or late"
STALLED += " because of stalls of the server's CPU=stalls.server.cost"


def stalls_table(trial: Trial) -> list[Table]:
    """Returns when Tester and server stood still; no table of files of older versions."""
    book = trial.stalls
    if not book:
        return []
    notes = [
        f"A stall is longer than {duration_text(book.limit_ns)}, in which"
        f" {count_text(book.burst_allowed)} queries become due."
    ]
    if book.queries:
        due = f"{plural(book.queries, 'query', 'queries')} of the trial became due."
        notes.append(f"While stalls lasted, and while they still cost queries, {due}")
    if book.decided:
        notes.append("The trial is invalid because of them: the other queries meet the criterion.")
    return [field_table("Stalls", (book.tester, book.server), "who stood still=who", notes)]


def times_table(trials: Sequence[Trial]) -> Table:
    rows = field_rows(trials, "rtt_ns", "RTT ")
    rows += field_rows(trials, "rtt_hardware_ns", "RTT by the card's clock, ")
    rows += field_rows(trials, "sending")
    rows += rows_of(trials, "most queries at once=sending.largest_burst")
    ends = [(trial.path.rtt_begins, trial.path.rtt_ends) for trial in trials if trial.path]
    told = dict.fromkeys(ends)
    notes = [f"An RTT begins when {begin}, and ends when {end}." for begin, end in told]
    return Table("Times", heads_of(trials), rows, notes)


def connections_table(trials: Sequence[Trial]) -> Table:
    what = "A handshake lasts from the call that opens a connection until it is open."
    notes = [f"Connections of all senders. {what}"]
    return Table("Connections", heads_of(trials), field_rows(trials, "connections"), notes)


TESTERS = (
    "Tester=Tester {0.rank}; host; sent=trial.sent; valid=trial.valid; valid, %=share;"
    "RTT median=trial.rtt_ns.p50; RTT p99=trial.rtt_ns.p99;"
    "clock ahead before=clock_before.offset_ns; clock ahead after=clock_after.offset_ns;"
    "±=bound_ns; off the schedule=schedule_error_ns"
)
CLOCKS = ["Clocks beside the clock of Tester 0. Off the schedule: at most, as clocks differ."]


def cpus_table(trial: Trial) -> Table:
    whose = [(f"Tester {part.rank}, ", part.trial) for part in trial.testers if part.trial]
    cpus = [
        cpu.but(name=f"{name}CPU {cpu.cpu}")
        for name, made in whose or [("", trial)]
        for cpu in made.cpus
    ]
    known = paths_of(entry(member(trial.fields.schema, "cpus")), is_deep=False)
    shares = [path for path in known if path.endswith("_ns") and path != "elapsed_ns"]
    columns = ["CPU=name", "what it does=roles"]
    columns += [f"{head_of(path)}={path}/elapsed_ns" for path in shares]
    columns += ["longest absence=absence.longest_ns"]
    notes = [
        "Threads of the server wait together: their share may exceed 100 %.",
        "Longest absence: for so long others had the CPU while the server waited for it.",
    ]
    return table_of("CPUs of the trial, shares of its time", cpus, "; ".join(columns), notes)


def charts_of(trials: Sequence[Trial]) -> list[Chart]:
    latencies = latencies_of(trials)
    charts = [percentile_chart(latencies), distribution_chart(latencies)] if latencies else []
    charts += shaded_of(trials)
    charts += probing.charts_of([trial.staged for trial in trials])
    runs = [over_time.Run(one.label, one.intervals, one.repeated_in) for one in trials]
    charts += over_time.charts_of(runs)
    return charts + lateness_charts(trials)


def shaded_of(trials: Sequence[Trial]) -> list[Chart]:
    """Returns the RTTs of repeated trials with their shading, a band for each file of them; none
    where no trial was repeated."""
    told = [one for one in trials if one.repeated_in and one.verdict != "invalid"]
    files = grouped((trial.repeated_in, trial) for trial in told)
    groups = {file: latencies_of(those) for file, those in files.items()}
    return shaded([(label, runs) for label, runs in groups.items() if len(runs) > 1])


def shaded(groups: Sequence[tuple[str, Sequence[Latency]]], *named: str) -> list[Chart]:
    """Returns the chart of the groups of runs, which begins with `named`; none of no groups."""
    from ..statistics.latency import shading_of

    bands = [(label, shading_of(runs), len(runs)) for label, runs in groups]
    return [shaded_chart(bands, *named)] if bands else []


def conditions_of(trial: Trial) -> list[Table]:
    workload = trial.fields.inner_or_none("workload")
    asked = [
        *told_fields(trial.fields, ASKED),
        *(flat(workload.value, "workload") if workload else []),
        *(rows_of([trial.judged], JUDGED) if trial.judged else []),
    ]
    return asked_tables(trial.fields, asked, (trial.selftest,))


def conditions_side_by_side(trials: Sequence[Trial]) -> list[Table]:
    """Returns what is the same of all trials, and what differs, a column for each."""
    each = [
        {f"{one.caption}: {row[0]}": row[1] for one in conditions_of(trial) for row in one.rows}
        for trial in trials
    ]
    names = list(dict.fromkeys(name for rows in each for name in rows))
    # A condition that one trial does not tell is not the same of all, even if the others' is empty.
    common = [one for one in each[0].items() if all(one in rows.items() for rows in each)]
    same = dict(common)
    different = [(name, *(rows.get(name) for rows in each)) for name in names if name not in same]
    return [
        Table("What differs", heads_of(trials), different),
        Table("The same of all", ("what", "value"), common),
    ]


def response(trials: Sequence[Trial]) -> list[Chart]:
    told = [Answered(one.label, one.rate, one.sent, one.valid, one.verdict) for one in trials]
    curves = grouped((trial.server, one) for trial, one in zip(trials, told))
    several = len({trial.rate for trial in trials}) > 1
    return [response_chart(list(curves.items()))] if several else []


def section(trial: Trial) -> Section:
    tables = [outcome_table([trial]), *stalls_table(trial)]
    tables += [table_of("Testers", trial.testers, TESTERS, CLOCKS), times_table([trial])]
    replies = Table("Replies", ("", "replies"), field_rows([trial], "replies"))
    tables += [connections_table([trial]), replies]
    charts = charts_of([trial])
    if probe := trial.probe:
        tables += probing.tables_of(probe, trial.sent, probing.notes_of(trial.staged))
        charts += probing.flow_charts(probe, [trial.sent])
    tables.append(cpus_table(trial))
    title = f"Trial {trial.label}: {trial.server} at {rate_text(trial.rate)}"
    first, second, *rest = findings(trial)
    looks = [sentence(hint.text) for hint in trial.hints]
    said = [first, *left_line(trial), second, *looks, *rest, *together(trial)]
    said += probing.stages_sentence(trial.staged)
    if latencies := latencies_of(part.trial for part in trial.testers if part.trial):
        named = ("rtt-percentiles-testers", "RTT by percentile, by Tester")
        charts.append(percentile_chart(latencies, *named))
    return Section(title, said, trial.doubts(), charts, tables, conditions_of(trial))


def group(trials: Sequence[Trial]) -> Section:
    words = {"pass": "passed", "fail": "failed", "invalid": "are invalid"}
    counts = Counter(trial.verdict for trial in trials)
    said = listing([f"{counts[one]} {words[one]}" for one in words if counts[one]])
    findings = [f"{plural(len(trials), 'trial')}: {said}."]
    findings += spread_sentences([trial for trial in trials if trial.verdict != "invalid"])
    charts = [*response(trials), *charts_of(trials)]
    tables = [outcome_table(trials), times_table(trials)]
    probed = [(one.label, one.probe, one.sent) for one in trials if one.probe]
    tables += probing.side_by_side(*zip(*probed)) if probed else []
    tables.append(connections_table(trials))
    conditions = conditions_side_by_side(trials)
    return Section("Trials side by side", findings, [], charts, tables, conditions)


def label_sentence(trial: Trial) -> str:
    """Returns what one of two trials says, under the name of its file."""
    share = share_text(trial.valid, trial.sent)
    half, most = duration_text(trial.rtt_ns.p50), duration_text(trial.rtt_ns.p99)
    told = f"{trial.label} answered {share} of the queries right and in time"
    times = f"half of the right answers came within {half}, 99 % within {most}"
    return f"{told}, at {rate_text(trial.rate)}: {times}."


def spread_sentences(trials: Sequence[Trial]) -> list[str]:
    """Returns what trials have in common, from least to greatest: what was answered, how fast."""
    answering = [trial for trial in trials if trial.rtt_ns and trial.sent]
    if len(answering) < 2:
        return []
    if len(answering) == 2 and not any(trial.repeated_in for trial in answering):
        return [label_sentence(trial) for trial in answering]

    servers = list(dict.fromkeys(trial.server for trial in answering))
    who = f"The server {servers[0]}" if len(servers) == 1 else plural(len(servers), "server")
    asked = reach_text([trial.rate for trial in answering], rate_text)
    found = [trial.valid / trial.sent for trial in answering]
    shares = reach_text(found, lambda one: share_text(one, 1))
    shares = f"from {shares}" if " to " in shares else shares
    times = zip(*(members(one.rtt_ns, "p50 p99") for one in answering))
    half, most = (reach_text(of, duration_text) for of in times)
    return [
        f"{who} answered {shares} of the queries right and in time, at {asked}.",
        f"Half of the right answers came within {half}, 99 % within {most}.",
    ]
