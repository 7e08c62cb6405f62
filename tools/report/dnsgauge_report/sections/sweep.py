# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of a sweep."""

from __future__ import annotations

from collections.abc import Sequence

from ..document import Cell, Section, Table
from ..packages import check_packages
from ..quantities import plural, rate_text, share_text
from ..results.sweep import Sweep

# This few rates determine no break point.
FEWEST_RATES = 5


def section(sweep: Sweep) -> Section:
    """Returns what is said of one sweep: its break point, where there are enough rates, and its
    steps."""
    rates = sweep.rates
    rows: list[Sequence[Cell]] = [
        (step.rate, step.sent, step.answered, share_text(step.answered, step.sent))
        for step in sweep.steps
    ]
    table = Table("Steps", ("queries/s", "sent", "answered", "answered, %"), rows)
    if len(rates) < FEWEST_RATES:
        first = (
            f"{sweep.server} was asked at {plural(len(rates), 'rate')}, up to"
            f" {rate_text(rates[-1])}."
        )
        return Section(f"Sweep {sweep.label}", [first], sweep.doubts(), [], [table])
    check_packages()
    from . import model

    of_model = model.section(sweep)
    return Section(
        f"Sweep {sweep.label}",
        of_model.findings,
        of_model.doubts,
        of_model.charts,
        [*of_model.tables, table],
    )
