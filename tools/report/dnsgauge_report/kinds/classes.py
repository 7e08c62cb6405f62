# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The classes that queries end in, in words: the list of bpf/wire/reply_classes.h for pages."""

from collections.abc import Mapping

from ..quantities import count_text, listing

# The reasons for which a query is invalid, in words: "12 with wrong data".
REASONS = {
    "rcode": "an error RCODE",
    "no_answer": "no record of the type",
    "wrong_data": "wrong data",
    "wrong_owner": "a record of another name",
    "extra_records": "records that do not belong",
    "trailing_octets": "octets after the message",
    "wrong_flags": "wrong flags",
    "wrong_question": "another question",
    "truncated": "truncation",
    "malformed": "no readable reply",
}
CLASSES = ("valid", "late", "lost", *REASONS)


def fates_text(counts: Mapping[str, int]) -> str:
    """Returns "3 late, 2 lost and 1 with wrong data"."""
    names = {"late": "late", "lost": "lost"} | {name: f"with {of}" for name, of in REASONS.items()}
    told = {names.get(name, f"with {name}"): count for name, count in counts.items() if count}
    return listing([f"{count_text(count)} {name}" for name, count in told.items()])
