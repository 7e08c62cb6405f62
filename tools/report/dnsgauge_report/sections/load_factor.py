# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of the highest load factor that a resolver bears."""

from __future__ import annotations

from ..charts.replay import unanswered_chart
from ..document import Chart, Section
from ..drawing import SERIES
from ..quantities import listing, plural
from ..results.base import ended
from ..results.load_factor import LoadFactor
from . import replay as of_replay


def findings(found: LoadFactor) -> list[str]:
    server, borne = found.replays[0].server, found.load_factor
    if borne is None:
        first = f"No load factor of the resolver {server} was tried to its end."
    elif found.undecided:
        below = f", and less than {found.overload.load_factor} times" if found.overload else ""
        first = (
            f"The resolver {server} bears {borne} times the load of the captures or more"
            f"{below}. The runs cannot tell about {found.undecided.load_factor} times:"
            f" {ended(found.undecided.why)}"
        )
    elif found.overload is None:
        first = (
            f"The resolver {server} bears {borne} times the load of the captures, the most"
            " that was tried to its end, and perhaps more."
        )
    else:
        first = (
            f"The resolver {server} bears {borne} times the load of the captures. At"
            f" {found.overload.load_factor} times it is overloaded: {ended(found.overload.why)}"
        )
    tried = listing([str(factor) for factor in found.factors])
    runs = sum(len(replay.runs) for replay in found.replays)
    return [first, f"Load factors tried: {tried}, in {plural(runs, 'run')}."]


def section(found: LoadFactor) -> Section:
    """Returns what is said of the search: its replays beside each other."""
    shown = [replay for _, replay in found.near_the_limit(len(SERIES))]
    charts: list[Chart] = list(of_replay.group(shown).charts)
    if len(found.replays) > 1:
        charts.insert(0, unanswered_chart(found.by_factor, found.margin_percent))
    baseline = found.replays[0]
    return Section(
        f"Load factors {found.label}: {baseline.server}",
        findings(found),
        found.doubts(),
        charts,
        [of_replay.runs_table([replay for _, replay in found.by_factor])],
        of_replay.conditions_of(baseline),
    )
