/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The classes of queries and of packets, listed once.
 *
 * The judgements, the states of a slot, the program's counters, the members of results, the keys in
 * JSON, and the words in the per-query file and in texts are made from these lists.
 *
 * Each query that is sent ends in exactly one class: valid, late, one of INVALID_CLASSES, or lost.
 * Each list takes a macro X and applies it to every class, with these arguments:
 *
 * - NAME: the suffix of the constants;
 * - key: the class's name in C++, in JSON and in the per-query file;
 * - label: the class's name in a trial's text;
 * - reason (queries): how the query was answered, in the sentence that explains a verdict;
 * - fate (stray packets): dropped, or passed to the kernel;
 * - kind: answer (to the query's question), readable (a message that answers another question, or
 *   none), or unreadable.
 */
#ifndef DNSGAUGE_WIRE_REPLY_CLASSES_H
#define DNSGAUGE_WIRE_REPLY_CLASSES_H

/* Misfits: the reply does not answer the query's question. A resolver would go on waiting for a
 * reply that answers it (RFC 5452 section 9.1), and so does the Tester. A right reply in time still
 * makes the query valid. */
#define MISFIT_CLASSES(X)                                                                          \
    X(WRONG_QUESTION, wrong_question, "wrong question", "to another question", readable)           \
    /* not a readable DNS reply */                                                                 \
    X(MALFORMED, malformed, "malformed", "malformed", unreadable)

/* The reply answers the query's question, but wrongly. Such a reply decides its query. */
#define WRONG_ANSWER_CLASSES(X)                                                                    \
    /* the server says no, with or without a question: the RCODE is not NOERROR, or is not one     \
     * of the RCODEs that a list's query wants */                                                  \
    X(RCODE, rcode, "error RCODE", "with an error RCODE", answer)                                  \
    /* NOERROR without a record of the type asked for; in a list, fewer answers than wanted */     \
    X(NO_ANSWER, no_answer, "no answer record", "without the record", answer)                      \
    /* such records, but none with the right data; in a list, more answers than wanted */          \
    X(WRONG_DATA, wrong_data, "wrong data", "with wrong data", answer)                             \
    /* a record of the type asked for belongs to a name that was not asked for */                  \
    X(WRONG_OWNER, wrong_owner, "wrong owner", "with records of another name", answer)             \
    /* a record beside the answer does not belong to it, or the same record is there twice */      \
    X(EXTRA_RECORDS, extra_records, "extra records", "with records that do not belong", answer)    \
    /* the message goes on after its last record */                                                \
    X(TRAILING_OCTETS, trailing_octets, "trailing octets", "with trailing octets", answer)         \
    /* a flag that was wanted is clear, or one that must be clear is set */                        \
    X(WRONG_FLAGS, wrong_flags, "wrong flags", "with wrong flags", answer)                         \
    /* TC is set */                                                                                \
    X(TRUNCATED, truncated, "truncated", "truncated", answer)

#define INVALID_CLASSES(X)                                                                         \
    WRONG_ANSWER_CLASSES(X)                                                                        \
    MISFIT_CLASSES(X)

/* Packets that decide nothing about a query. */
#define STRAY_CLASSES(X)                                                                           \
    /* repeats a reply that already decided its query */                                           \
    X(DUPLICATE, duplicate, "duplicate", dropped, readable)                                        \
    /* belongs to no outstanding query, or comes too late to decide one */                         \
    X(UNEXPECTED, unexpected, "unexpected", dropped, readable)                                     \
    /* came to one of the Tester's ports, but not from the server */                               \
    X(WRONG_SOURCE, wrong_source, "wrong source", passed, readable)                                \
    X(BAD_CHECKSUM, bad_checksum, "bad checksum", dropped, unreadable)                             \
    /* a reply in fragments counts as lost */                                                      \
    X(FRAGMENT, fragments, "fragments", passed, unreadable)

/* The counts of replies that decided their query: by flags, without a question, with records that
 * could all be read, and with an RRSIG record in the answer. */
#define REPLY_TRAITS(X) X(aa) X(tc) X(ad) X(rd) X(ra) X(cd) X(z) X(no_question) X(whole) X(rrsig)

#endif
