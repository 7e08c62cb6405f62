# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of soaks: one, or several beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from ..charts.soak import charts_of, load_text
from ..document import Section, Table
from ..quantities import count_text, plural, share_text
from ..results.base import asked_tables, told_fields
from ..results.soak import Soak, memory_text, numbers_of
from ..tables import table_of


def time_text(seconds: float) -> str:
    """Returns "1.5 hours", or "20 minutes" where there is no hour."""
    return f"{seconds / 3600:.3g} hours" if seconds >= 3600 else f"{seconds / 60:.3g} minutes"


def memory_finding(soak: Soak) -> str:
    """Returns what became of the server's memory."""
    found = [memory for _, memory in soak.memories]
    if not found:
        return (
            "Nothing is known of the server's memory: it runs on no machine that the Tester sees."
        )
    told = f"The server's memory was {memory_text(found[0])} behind the first row"
    if len(found) > 1:
        told += f", {memory_text(found[-1])} behind the last, and {memory_text(max(found))} at most"
    restarts = soak.restarts()
    if restarts:
        told += f"; behind row {numbers_of(restarts)} the server had other processes than before"
    return told + "."


def findings(soak: Soak) -> list[str]:
    """Returns what became of the load."""
    rows = soak.shown
    if not rows:
        return [f"The soak of {soak.server} has no row yet."]
    sent = sum(row.sent for row in rows)
    answered = sum(row.answered for row in rows)
    poor = [row for row in rows if row.loss > 0]
    asked = (
        f"The server {soak.server} was asked {load_text(soak)}, over"
        f" {time_text(len(rows) * soak.row_s)}: {count_text(sent)} queries."
    )
    if not poor:
        lost = f"It answered every query right and in time in all {plural(len(rows), 'row')}."
    else:
        worst = max(rows, key=lambda row: row.loss)
        lost = (
            f"{share_text(sent - answered, sent)} of the queries were not answered right and in"
            f" time, in {plural(len(poor), 'row')} of {len(rows)}; the greatest loss is that of row"
            f" {worst.number}, {share_text(worst.lost, worst.sent)}."
        )
    return [asked, lost, memory_finding(soak)]


COLUMNS = (
    "row=number; started, UTC={0.started}; verdict; sent; lost, %=lost/sent;"
    " RTT median=rtt_p50_ns; RTT p99=rtt_p99_ns; memory=memory_text"
)


def conditions_of(soak: Soak) -> list[Table]:
    names = ("rate", "rate_from", "row_s", "rows_wanted", "timeout_s", "accept_percent")
    asked = [("server", soak.server), *told_fields(soak.fields, names)]
    return asked_tables(soak.fields, asked, (soak.selftest, soak.certificate))


def section(soak: Soak) -> Section:
    """Returns what is said of one soak."""
    kind = "Journal of the soak" if soak.is_journal else "Soak"
    return Section(
        f"{kind} {soak.label}: {soak.server}",
        findings(soak),
        soak.doubts(),
        charts_of([soak]),
        [table_of("Rows", soak.rows, COLUMNS)],
        conditions_of(soak),
    )


def group(soaks: Sequence[Soak]) -> Section:
    """Returns what is said of several soaks: servers, before and after."""
    told = [soak for soak in soaks if soak.shown]
    sentences = [f"{plural(len(soaks), 'soak')} are drawn over each other."]
    for soak in told:
        rows = soak.shown
        sent = sum(row.sent for row in rows)
        gone = sent - sum(row.answered for row in rows)
        found = [memory for _, memory in soak.memories]
        grown = f", memory {memory_text(found[0])} to {memory_text(found[-1])}" if found else ""
        sentences.append(f"{soak.label}: {share_text(gone, sent)} lost{grown}.")
    return Section("Soaks side by side", sentences, [], charts_of(told))
