# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The faults of faulty_server.py, chosen by a name's number, and what the Tester must make of each.

A name's fault is FAULTS[number % len(FAULTS)].
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    outcome: str  # the query's class, as the per-query file names it
    rcode: str | None = "NOERROR"  # of the reply that decides the query; None: none does
    stray: str | None = None  # what else is counted, once for each such query


FAULTS = [
    Fault("right", "valid"),
    Fault("drop", "lost", None),
    Fault("wrong_address", "wrong_data"),
    Fault("servfail", "rcode", "SERVFAIL"),
    Fault("twice", "valid", stray="duplicate"),
    Fault("late", "late"),
    Fault("truncated", "truncated"),
    Fault("wrong_id", "lost", None, "unexpected"),
    Fault("wrong_question", "wrong_question", None),
    Fault("empty", "no_answer"),
    Fault("garbage_with_id", "malformed", None),
    Fault("garbage", "lost", None, "unexpected"),
    Fault("wrong_question_then_right", "valid", stray="unexpected"),
    Fault("other_port", "lost", None, "wrong_source"),
    Fault("formerr_without_question", "rcode", "FORMERR"),
    Fault("behind_cname", "valid"),
    Fault("wrong_type", "no_answer"),
]

LATENESS = 0.4  # seconds, with a timeout of 0.25


def fault_of(number, late_before):
    """The fault of a name. What would come after the trial's end must not be late: from name
    `late_before` on that fault is a right answer."""
    fault = FAULTS[number % len(FAULTS)]
    return FAULTS[0] if fault.name == "late" and number >= late_before else fault
