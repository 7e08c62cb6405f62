# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The faults of faulty_server.py, by a name's number, and the Tester's right judgement of each.

A name's fault is FAULTS[number % len(FAULTS)]. faulty_server.py says how each reply is made. A reply of the class
`valid` is right: RFC 1034, 1035, 4035, 6891 leave the server that choice.
"""

from dataclasses import dataclass, field

UNDECIDED = ("lost", "wrong_question", "malformed")  # no reply's RCODE counts


@dataclass(frozen=True)
class Fault:
    """A fault, and the class of its query in the per-query file."""

    name: str
    outcome: str
    rcode: str | None = None  # of the reply that decides the query; None: as the class says
    stray: str | None = None  # a stray packet that each such query adds
    has_late_reply: bool = False
    # The class where a source of queries (SOURCES) has another one.
    of_source: dict[str, str] = field(default_factory=dict)

    def class_of(self, source):
        """Returns the query's class in a trial of that source."""
        return self.of_source.get(source, self.outcome)

    def rcode_of(self, source):
        """Returns the RCODE that the query adds to the counts; None: it adds none."""
        if self.class_of(source) in UNDECIDED:
            return None
        return self.rcode or "NOERROR"


# What a trial asks: names of the namespace; a mix of types; a list with the right data, or with nothing but
# names and types; a capture, whose answers were right; a DNS64 server.
SOURCES = ("names", "mix", "data", "list", "capture", "dns64")

FAULTS = [
    # What a server may do once or later.
    Fault("right", "valid"),
    Fault("drop", "lost"),
    Fault("twice", "valid", stray="duplicate"),
    Fault("late", "late", has_late_reply=True),
    Fault("twice_late", "valid", stray="duplicate", has_late_reply=True),
    Fault("servfail_late", "lost", stray="unexpected", has_late_reply=True),
    Fault("wrong_question_right_late", "wrong_question", stray="unexpected", has_late_reply=True),
    Fault("wrong_question_then_right", "valid", stray="unexpected"),
    Fault("garbage_then_servfail", "rcode", "SERVFAIL", "unexpected"),
    # From elsewhere, or to something else.
    Fault("other_port", "lost", stray="wrong_source"),
    Fault("other_address", "lost", stray="wrong_source"),
    Fault("wrong_id", "lost", stray="unexpected"),
    Fault("garbage", "lost", stray="unexpected"),
    Fault("one_octet", "lost", stray="unexpected"),
    # The header.
    Fault("echo", "malformed"),
    Fault("qr_clear", "malformed"),
    Fault("opcode_notify", "malformed"),
    Fault("aa_clear", "wrong_flags", of_source={"list": "valid", "capture": "valid", "dns64": "valid"}),
    Fault("z_set", "wrong_flags"),
    Fault("ra_set", "valid"),
    Fault("cd_set", "valid"),
    Fault("ad_set", "valid"),
    Fault("truncated", "truncated"),
    Fault("truncated_with_answer", "truncated"),
    Fault("servfail", "rcode", "SERVFAIL"),
    Fault("nxdomain", "rcode", "NXDOMAIN", of_source={"list": "valid"}),
    Fault("nxdomain_with_answer", "rcode", "NXDOMAIN", of_source={"list": "extra_records"}),
    Fault("extended_rcode", "rcode", "BADVERS"),
    Fault("formerr_without_question", "rcode", "FORMERR"),
    Fault("garbage_with_id", "malformed"),
    # The question.
    Fault("no_question", "malformed"),
    Fault("two_questions", "malformed"),
    Fault("wrong_question", "wrong_question"),
    Fault("question_of_another_type", "wrong_question"),
    Fault("question_of_another_class", "wrong_question"),
    Fault("in_capitals", "valid"),
    # The record's owner.
    Fault("owner_uncompressed", "valid"),
    Fault("owner_in_parts", "valid"),
    Fault("owner_in_capitals", "valid"),
    Fault("owner_pointer_to_pointer", "valid", of_source={"mix": "extra_records", "capture": "wrong_data"}),
    Fault("owner_neighbour", "wrong_owner"),
    Fault("owner_zone", "wrong_owner"),
    Fault("owner_root", "wrong_owner"),
    Fault("owner_below", "wrong_owner"),
    Fault("owner_in_another_zone", "wrong_owner"),
    Fault("owner_cut", "wrong_owner"),
    Fault("owner_loop", "malformed"),
    Fault("owner_loop_of_two", "malformed"),
    Fault("owner_ahead", "malformed"),
    Fault("owner_beyond", "malformed"),
    Fault("owner_reserved_label", "malformed"),
    # The record.
    Fault("wrong_address", "wrong_data", of_source={"list": "valid"}),
    Fault("wrong_type", "no_answer", of_source={"list": "extra_records"}),
    Fault("wrong_class", "no_answer", of_source={"list": "extra_records"}),
    Fault("ttl_zero", "valid"),
    Fault("ttl_largest", "valid"),
    Fault("ttl_negative", "valid"),
    Fault("data_short", "malformed"),
    Fault("data_long", "malformed"),
    Fault("data_none", "malformed"),
    Fault("data_beyond_end", "malformed"),
    # Records beside it in the answer section.
    Fault("empty", "no_answer", of_source={"list": "valid"}),
    Fault("nodata", "no_answer", of_source={"list": "valid"}),
    Fault("wrong_and_right_address", "extra_records", of_source={"list": "valid", "capture": "wrong_data"}),
    Fault("right_and_wrong_address", "extra_records", of_source={"list": "valid", "capture": "wrong_data"}),
    Fault("right_twice", "extra_records", of_source={"capture": "wrong_data"}),
    Fault("beside_text", "extra_records", of_source={"capture": "wrong_data"}),
    Fault("beside_cname_to_itself", "extra_records", of_source={"capture": "wrong_data"}),
    Fault("before_cname", "extra_records", of_source={"capture": "wrong_data"}),
    Fault("cname_to_itself", "no_answer", of_source={"list": "extra_records"}),
    Fault("cnames_to_each_other", "no_answer", of_source={"list": "extra_records"}),
    Fault("behind_cname", "wrong_owner", of_source={"data": "valid", "list": "valid", "capture": "wrong_data"}),
    Fault("behind_dname", "wrong_owner", of_source={"data": "valid", "list": "valid", "capture": "wrong_data"}),
    Fault("behind_dname_of_another_zone", "wrong_owner",
          of_source={"data": "extra_records", "list": "extra_records", "capture": "wrong_data"}),
    Fault("beside_dname", "extra_records", of_source={"capture": "wrong_data"}),
    Fault("beside_rrsig", "valid", of_source={"mix": "extra_records", "capture": "wrong_data"}),
    Fault("behind_rrsig", "valid", of_source={"mix": "extra_records", "capture": "wrong_data"}),
    Fault("beside_rrsig_of_neighbour", "extra_records", of_source={"capture": "wrong_data"}),
    # The other sections.
    Fault("with_authority", "valid"),
    Fault("with_glue", "valid"),
    Fault("answer_in_authority", "no_answer", of_source={"list": "valid"}),
    Fault("answer_in_additional", "no_answer", of_source={"list": "valid"}),
    # Counts.
    Fault("ancount_high", "malformed"),
    Fault("ancount_low", "no_answer", of_source={"list": "trailing_octets"}),
    Fault("nscount_high", "malformed"),
    Fault("nscount_low", "trailing_octets"),
    Fault("arcount_high", "malformed"),
    Fault("arcount_low", "trailing_octets"),
    # EDNS.
    Fault("without_opt", "valid"),
    Fault("opt_with_nsid", "valid"),
    Fault("opt_with_cookie", "valid"),
    Fault("opt_with_padding", "valid"),
    Fault("two_opts", "malformed"),
    Fault("opt_among_answers", "malformed"),
    # The end.
    Fault("one_octet_behind", "trailing_octets"),
    Fault("octets_behind", "trailing_octets"),
    Fault("zeros_behind", "trailing_octets"),
    Fault("cut_to_id", "malformed"),
    Fault("cut_in_header", "malformed"),
    Fault("cut_in_question", "wrong_question"),  # it does not repeat the question
    Fault("cut_behind_question", "malformed"),
    Fault("cut_in_owner", "malformed"),
    Fault("cut_in_type", "malformed"),
    Fault("cut_in_ttl", "malformed"),
    Fault("cut_before_data", "malformed"),
    Fault("cut_off", "malformed"),
    Fault("cut_in_opt", "malformed"),
]

LATENESS = 3  # seconds, with a timeout of 2


def fault_of(number, late_before):
    """Returns the fault of a name. From name `late_before` on late answers would come after the
    trial's end: such names have right answers instead."""
    fault = FAULTS[number % len(FAULTS)]
    return FAULTS[0] if fault.has_late_reply and number >= late_before else fault
