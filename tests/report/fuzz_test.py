#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that no result, however it was changed, ends the program but with a page or one line that
names the file and the field. DNSGAUGE_FUZZ_EXAMPLES=N tries N examples of each kind at random, not
8 that are always the same."""

import copy
import json
import os
import re
import unittest
from unittest import mock

import made_up
import made_up_sets
from support import EMBEDDED, ReportTest, skip_without

skip_without("hypothesis")

from hypothesis import HealthCheck, given, settings, strategies as st  # noqa: E402

from dnsgauge_report.drawing import style  # noqa: E402
from dnsgauge_report.statistics import breakpoint as breaks, samples, vectors  # noqa: E402

# What is looked for does not depend on how many random numbers a test of significance takes.
breaks.RESAMPLES = samples.RESAMPLES = vectors.FLIPS = 99

EXAMPLES = int(os.environ.get("DNSGAUGE_FUZZ_EXAMPLES", "0"))
chosen = settings(
    max_examples=EXAMPLES or 8,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

SWEEP = [(rate, rate, min(rate, 2500)) for rate in range(500, 4001, 500)]
# A function of each kind of result, so that several of a kind stand on a page as often as of many.
MAKERS = {
    "trial": (
        made_up.old_trial,
        made_up.trial,
        made_up.timed_trial,
        made_up.joint_trial,
        lambda: made_up.trial(probe=made_up.probe(unread=9)),
        lambda: made_up.trials([made_up.trial(), made_up.timed_trial()]),
        lambda: made_up.trial(placement={"notes": [], "handled": made_up.handled()}),
    ),
    "search": (
        made_up.search,
        lambda: made_up_sets.search([1000, 1100, 1200]),
        made_up.selftest,
        lambda: made_up.selftest(placements=made_up.placements()),
    ),
    "sweep": (made_up.sweep, lambda: made_up_sets.sweep(SWEEP)),
    "loss search": (made_up.loss_search,),
    "soak": (made_up.soak,),
    "replay": (made_up.replay, made_up.load_factor),
    "experiment": (made_up.experiment, made_up.grid),
    "machine": (made_up.placement, made_up.doctor, made_up.calibration, made_up.probe_record),
    "count": (made_up.capture, made_up.echo_bench, made_up.gate),
}
JOURNALS = (
    made_up.journal,
    made_up.soak_journal,
    *(
        lambda kind=kind: made_up.series_journal(kind)
        for kind in ("sweep", "replay", "loss-search")
    ),
)
VALUES = st.one_of(
    st.sampled_from(
        [None, True, 0, -1, 1, 1.5, 1e-300, 1e300, 2**53, 2**62, "", "x", "nan", []]
    ),
    st.sampled_from([{}, [0], [[1, 2, 3]], {"a": 1}, [{}], "\x1b[2J", "<b>", "é\u202e", "$x_1$"]),
    st.integers(0, 100_000),
    st.floats(0, 100),
    st.text("aB0. -_/%\"'", max_size=8),
    st.text(max_size=8),
    st.just("\ud800"),
)


def names_in(made):
    """Returns the names of all fields of the JSON."""
    inner = made.values() if isinstance(made, dict) else made if isinstance(made, list) else ()
    return set(made if isinstance(made, dict) else ()).union(*map(names_in, inner))


def names_of_fields():
    """Returns the names of all fields that results have."""
    made = [maker() for makers in MAKERS.values() for maker in makers]
    lines = [line for maker in JOURNALS for line in maker().splitlines()]
    return set().union(*map(names_in, [*made, *map(json.loads, lines)]))


# What follows a file's name: a field, or the place from which on it is no JSON. A line may have a
# result's label instead, which is the name without its end: then the results cannot be compared.
FIELD = re.compile(
    r"r[0-9]+\.json(?: line [0-9]+)?: (?:no JSON from line [0-9]+, column [0-9]+ |"
    r"row [0-9]+: |"
    r"(?:there (?:is|are) no (?:field )?|its |the percentiles of )?(?:"
    + "|".join(sorted(map(re.escape, names_of_fields())))
    + r")(?=[\[.:]| is | are | has | have | holds | do | does | sent ))"
)


@st.composite
def changed(draw, made):
    """Returns the JSON with up to four changes: values replaced, taken out or swapped, entries of
    lists repeated."""
    made = copy.deepcopy(made)
    for _ in range(draw(st.integers(0, 4))):
        inner, way = made, []
        # Walks down to a field, deeper more often than not.
        while (
            isinstance(inner, (dict, list)) and inner and (not way or draw(st.integers(0, 9)) < 8)
        ):
            keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
            way.append((inner, draw(st.sampled_from(keys))))
            inner = way[-1][0][way[-1][1]]
        if not way:
            continue
        outer, key = way[-1]
        what = draw(st.sampled_from(("replace", "replace", "remove", "repeat", "swap", "scale")))
        if what == "remove":
            del outer[key]
        elif what == "repeat" and isinstance(outer, list):
            outer.insert(key, copy.deepcopy(outer[key]))
        elif what == "swap":
            other = draw(
                st.sampled_from(list(outer) if isinstance(outer, dict) else range(len(outer)))
            )
            outer[key], outer[other] = outer[other], outer[key]
        elif what == "scale" and isinstance(outer[key], (int, float)):
            outer[key] = outer[key] * draw(st.sampled_from([0, -1, 2, 1000]))
        else:
            # A copy: a later change to it must not change what the strategy draws next.
            outer[key] = copy.deepcopy(draw(VALUES))
    return made


@st.composite
def of_a_kind(draw, kind, least, most):
    """Returns results, of one kind or of any."""
    makers = MAKERS[kind] if kind else [maker for those in MAKERS.values() for maker in those]
    count = draw(st.integers(least, most))
    return [draw(changed(draw(st.sampled_from(makers))())) for _ in range(count)]


@st.composite
def journals(draw):
    """Returns a journal, of which lines were changed, cut off, repeated or taken out."""
    lines = draw(st.sampled_from(JOURNALS))().splitlines()
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(lines) - 1))
        what = draw(st.sampled_from(("change", "cut", "repeat", "remove")))
        if what == "change":
            try:
                lines[at] = json.dumps(draw(changed(json.loads(lines[at]))))
            except ValueError:
                pass
        elif what == "cut":
            lines[at] = lines[at][: draw(st.integers(0, len(lines[at])))]
        elif what == "repeat":
            lines.insert(at, lines[at])
        elif len(lines) > 1:
            del lines[at]
    return "\n".join(lines)


def drawn(chart, _prefix):
    """Draws the chart as pages do, and leaves out what matplotlib does afterwards."""
    with style(chart.name):
        from matplotlib.figure import Figure

        chart.draw_on(Figure(figsize=(3.5, 2.5)))
    return "<svg></svg>"


class FuzzTest(ReportTest):
    draws = False

    def tried(self, command, texts, *words, draws=False):
        """Runs the program over the texts, which must end with a result or with one line."""
        paths = [self.write(text, f"r{number}.json") for number, text in enumerate(texts)]
        if command == "compare":
            paths.insert(1, "--")
        self.draws = draws
        with mock.patch(EMBEDDED, drawn):
            status, _, errors = self.run_program(command, *paths, *words)
        self.assertRegex(errors, r"\A(dnsgauge-report: [^\n]+\n)?\Z")
        self.assertEqual(bool(errors), status == 2, (status, errors))
        if status == 2:
            self.assertTrue(re.search(r"\br[0-9]+(\.json|\b)", errors), errors)
            if ".json" in errors:
                self.assertRegex(errors, FIELD)

    def over_kind(self, kind, command="page", most=3, draws=False):
        words = ("-o", self.folder / "page.html") if command == "page" else ()

        @chosen
        @given(of_a_kind(kind, 2 if command == "compare" else 1, most))
        def check(results):
            self.tried(command, results, *words, draws=draws)

        check()

    def test_pages_of_each_kind(self):
        for kind in (*MAKERS, ""):
            with self.subTest(kind=kind):
                self.over_kind(kind)

    def test_figures_of_each_kind(self):
        for kind in MAKERS:
            with self.subTest(kind=kind):
                self.over_kind(kind, most=2, draws=True)

    def test_journals(self):
        @chosen
        @given(journals())
        def check(text):
            self.tried("page", [text], "-o", self.folder / "page.html")

        check()

    def test_comparisons(self):
        for kind in ("trial", "search", "sweep", "replay", "experiment"):
            with self.subTest(kind=kind):
                self.over_kind(kind, command="compare", most=3)

    def test_models_and_factors(self):
        for kind, command in (("sweep", "model"), ("search", "model"), ("experiment", "factors")):
            with self.subTest(kind=kind, command=command):
                self.over_kind(kind, command=command, most=1)


if __name__ == "__main__":
    unittest.main()
