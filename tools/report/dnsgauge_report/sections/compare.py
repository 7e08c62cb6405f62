# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What is said of two sets of results, A and B against it, by their kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scipy.stats import gmean

from ..charts.stages import means_chart
from ..comparison.answers import apart_sentence, latency_figures, latency_section, runs_of
from ..comparison.answers import share_figures, shares_of, vector_section
from ..comparison.conditions import Results, compared
from ..comparison.figures import Figures, Judged, TITLE, change_sentence, change_sentences, percent
from ..comparison.figures import ratios_chart, table_of, tell_all
from ..comparison.probes import fates_sections, stages_sections
from ..comparison.rates import compare_experiments, compare_rates
from ..document import Section
from ..errors import ReportError
from ..kinds.experiment import Experiment
from ..kinds.replay import Replay, latency_band, latency_chart
from ..kinds.search import Search
from ..kinds.selftest import Selftest
from ..kinds.sweep import Sweep, sweep_of
from ..kinds.trial import Trial
from ..kinds.windows import WindowSweep, answers_chart
from ..quantities import listing
from ..statistics import samples
from ..statistics.samples import Verdict


@dataclass(frozen=True)
class Outcome:
    """What compare ends with. `verdicts` are of what --fail-if-slower judges."""

    sections: list[Section]
    verdicts: list[tuple[str, Verdict]]

    @property
    def verdict(self) -> Verdict:
        """Returns LOST where anything is lost, KEPT where all is kept."""
        found = [verdict for _, verdict in self.verdicts] or [Verdict.UNDECIDED]
        order = (Verdict.LOST, Verdict.UNDECIDED, Verdict.KEPT)
        return min(found, key=order.index)


def compare_trials(a: Sequence[Trial], b: Sequence[Trial]) -> Judged:
    for one in [*a, *b]:
        if one.verdict == "invalid":
            raise ReportError(f"{one.label}: the trial is invalid: leave it out")
    # The first trials at each rate are the first run, and so on.
    in_turn = [sweep_of(sorted(side, key=lambda one: one.since_ns or 0)) for side in (a, b)]
    rates, runs = runs_of(*([one] for one in in_turn))
    sections = [compared(a, b, vector_section(rates, runs))]
    judged, lost = share_figures(rates, runs), []
    at = {rate: [[one for one in side if one.rate == rate] for side in (a, b)] for rate in rates}
    for rate, (of_a, of_b) in at.items():
        found, figures = latency_section(rate, of_a, of_b, len(rates) > 1)
        sections += found
        judged += figures
        lost += fates_sections([rate], [[[one] for one in side] for side in (of_a, of_b)])
    named = (one.but(label=f"{name}: {one.label}") for name, of in zip("AB", (a, b)) for one in of)
    staged = [one.staged for one in named if one.staged]
    sections += stages_sections(at, [means_chart(staged)] if staged else [])
    return [*sections, *lost], judged


def compare_sweeps(a: Sequence[Sweep], b: Sequence[Sweep]) -> Judged:
    rates, runs = runs_of(a, b)
    at = {rate: [[run[turn] for run in of] for of in runs] for turn, rate in enumerate(rates)}
    sections = [compared(a, b, vector_section(rates, runs))]
    sections += [*stages_sections(at), *fates_sections(rates, runs)]
    return sections, share_figures(rates, runs)


def compare_windows(a: Sequence[WindowSweep], b: Sequence[WindowSweep]) -> Judged:
    """Returns what is said of sweeps of windows: answers per second and RTTs, run by run as means
    over all windows, which are judged, and then at each window."""
    windows = sorted({step.window for one in a for step in one.trials})
    sides = [
        [run for one in side for run in one.runs() if [s.window for s in run] == windows]
        for side in (a, b)
    ]
    if not all(sides):
        both = f"{a[0].label} and {b[0].label}"
        raise ReportError(f"{both}: no run of A goes through the same windows as one of B")
    answers = [[[max(s.answered_rate, 1e-9) for s in run] for run in side] for side in sides]
    rtts = [[[s.rtt_p99_ns for s in run] for run in side] for side in sides]
    of_a, of_b = (gmean(side, axis=1).tolist() for side in answers)
    figures = [Figures("answers/s over all windows", "queries/s", of_a, of_b)]
    if all(rtt for side in rtts for run in side for rtt in run):
        means = (gmean(side, axis=1).tolist() for side in rtts)
        figures.append(latency_figures("p99 RTT over all windows", *means))
    at_each = [
        Figures(f"answers/s at {window} open", "queries/s", *pair)
        for window, *pair in zip(windows, *(zip(*side) for side in answers))
    ]
    told, each = tell_all(figures), tell_all(at_each)
    findings = change_sentences(told, "No difference between the runs of A and B is shown.")
    findings += [change_sentence(one) for one in each if one.differs]
    tables = [
        table_of(told, "B against A: geometric means of each run over all windows"),
        table_of(each, "B against A: the steps at each window"),
    ]
    made = Section(TITLE, findings, [], [answers_chart([*a, *b])], tables)
    return [compared(a, b, made)], figures


def compare_replays(a: Sequence[Replay], b: Sequence[Replay]) -> Judged:
    sides = [
        replays[0].but(label=side, trials=[run for one in replays for run in one.trials])
        for side, replays in (("A", a), ("B", b))
    ]
    for side, replay in zip(sides, (a, b)):
        if not side.trials:
            raise ReportError(f"{replay[0].label}: there is no run: has the replay begun?")
    figures = [shares_of("share answered", *([run.share for run in side.trials] for side in sides))]
    for name, what in (("rtt_p50_ns", "median latency"), ("rtt_p99_ns", "p99 latency")):
        times = [[getattr(run.later_part, name) for run in side.trials] for side in sides]
        if all(time is not None for side in times for time in side):
            figures.append(latency_figures(what, *times))
    told = tell_all(figures)
    findings = change_sentences(told, "No difference between the runs of A and B is shown.")
    charts = [ratios_chart(told, "replay")]
    bands = [latency_band(side.trials)[::-1] for side in sides]
    if all(bands):
        findings.append(apart_sentence(bands, [len(side.trials) for side in sides]))
        charts.insert(0, latency_chart(sides))
    captures = [one.captures for one in [*a, *b]]
    played = {(one.played, tuple(one.files), one.queries) for one in captures if one.played}
    unlike = "Not all replays play the same captures as often, and may differ for that."
    doubts = [unlike] if len(played) > 1 else []
    tables = [table_of(told, "B against A: the runs of the replays")]
    return [compared(a, b, Section(TITLE, findings, [], charts, tables), doubts)], figures


KINDS: tuple[tuple[type, Any, str], ...] = (
    (Search, compare_rates, "searches"),
    (Selftest, compare_rates, "self-tests"),
    (Trial, compare_trials, "trials"),
    (Experiment, compare_experiments, "experiments"),
    (Sweep, compare_sweeps, "sweeps"),
    (WindowSweep, compare_windows, "sweeps of windows"),
    (Replay, compare_replays, "replays"),
)


def compare(a: Results, b: Results, allowed: float) -> Outcome:
    """Returns what is said of B against A. Throws ReportError where they cannot be compared."""
    for kind, how, _ in KINDS:
        if all(isinstance(one, kind) for one in [*a, *b]):
            sections, figures = how(a, b)
            limits = [allowed if one.more_is_better else -allowed for one in figures]
            verdicts = [
                (one.what, samples.judge_loss(one.a, one.b, limit, len(figures)))
                for one, limit in zip(figures, limits)
            ]
            return Outcome(sections, verdicts)
    names = listing([name for _, _, name in KINDS])
    labels = listing([one.label for one in [*a, *b]])
    raise ReportError(f"{labels}: results of different kinds, or of none of these: {names}")


def verdict_section(outcome: Outcome, allowed: float) -> Section:
    limit = f"{percent(allowed)} %"
    slower = f"slower than A by more than {limit}"
    by = listing([name for name, one in outcome.verdicts if one is outcome.verdict])
    text = {
        Verdict.KEPT: f"B is not {slower}.",
        Verdict.LOST: f"B is {slower}: {by} shows it.",
        Verdict.UNDECIDED: f"Whether B is {slower} is not shown by {by}: make more runs.",
    }[outcome.verdict]
    found = f"{text} (One-sided Mann-Whitney tests at 5 %.)"
    return Section(f"Slower by more than {limit}?", [found])
