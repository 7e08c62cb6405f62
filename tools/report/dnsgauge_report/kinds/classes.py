# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The classes that queries end in, in words: the list of bpf/wire/reply_classes.h for pages."""

# The reasons for which a query is invalid, in words: "12 with wrong data".
REASONS = {
    "rcode": "an error RCODE",
    "no_answer": "no record of the type",
    "wrong_data": "wrong data",
    "wrong_owner": "a record of another name",
    "extra_records": "records that do not belong",
    "trailing_octets": "octets behind the message",
    "wrong_flags": "wrong flags",
    "wrong_question": "another question",
    "truncated": "truncation",
    "malformed": "no readable reply",
}
CLASSES = ("valid", "late", "lost", *REASONS)
