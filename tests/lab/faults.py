# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The faults of faulty_server.py, by a name's number, and the Tester's right judgement of each.

A name's fault is FAULTS[number % len(FAULTS)].
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    name: str
    outcome: str  # the query's class in the per-query file
    rcode: str | None = "NOERROR"  # of the reply that decides the query; None: no reply does
    stray: str | None = None  # a stray packet that each such query adds
    has_late_reply: bool = False


FAULTS = [
    Fault("right", "valid"),
    Fault("drop", "lost", None),
    Fault("wrong_address", "wrong_data"),
    Fault("servfail", "rcode", "SERVFAIL"),
    Fault("twice", "valid", stray="duplicate"),
    Fault("late", "late", has_late_reply=True),
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
    Fault("twice_late", "valid", stray="duplicate", has_late_reply=True),
    Fault("servfail_late", "lost", None, "unexpected", has_late_reply=True),
    Fault("wrong_question_right_late", "wrong_question", None, "unexpected", has_late_reply=True),
    Fault("garbage_then_servfail", "rcode", "SERVFAIL", "unexpected"),
    Fault("one_octet", "lost", None, "unexpected"),
    Fault("echo", "malformed", None),
    Fault("cut_off", "malformed", None),
    Fault("question_of_another_type", "wrong_question", None),
    Fault("in_capitals", "valid"),
    Fault("wrong_and_right_address", "valid"),
]

LATENESS = 3  # seconds, with a timeout of 2


def fault_of(number, late_before):
    """Returns the fault of a name. From name `late_before` on late answers would come after the
    trial's end: such names have right answers instead."""
    fault = FAULTS[number % len(FAULTS)]
    return FAULTS[0] if fault.has_late_reply and number >= late_before else fault
