/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The classes that replies and packets are sorted into: the one list of them.
 *
 * The judgements, the states of a slot, the program's counters, the members of the results, the
 * keys in JSON, the words in the per-query file and in texts are all made from these lists.
 *
 * Each query that is sent ends in exactly one class: valid, late, one of INVALID_CLASSES, or lost.
 * Each list takes a macro X and applies it to every class:
 *
 *   X(NAME, key, label, reason, kind)  of a class of queries: `key` names it in C++, in JSON and in
 *       the per-query file; `label` in a trial's text; `reason` says how such queries were
 * answered, in the sentence that explains a verdict. X(NAME, key, label, fate, kind)  of a class of
 * stray packets: fate is dropped, or passed to the kernel.
 *
 * The kind is answer: to the query's question; readable: a message, but no answer to the question;
 * or unreadable.
 */
#ifndef DNSGAUGE_WIRE_REPLY_CLASSES_H
#define DNSGAUGE_WIRE_REPLY_CLASSES_H

/* The reply does not answer the query's question. A resolver would go on waiting for a reply that
 * does (RFC 5452 section 9.1), and so does the Tester: a right reply in time still makes the query
 * valid. */
#define MISFIT_CLASSES(X)                                                                          \
    X(WRONG_QUESTION, wrong_question, "wrong question", "to another question", readable)           \
    /* not a readable DNS reply */                                                                 \
    X(MALFORMED, malformed, "malformed", "malformed", unreadable)

/* The reply answers the query's question, but not as it should: the query is decided. */
#define WRONG_ANSWER_CLASSES(X)                                                                    \
    /* the server says no: RCODE is not NOERROR, or none of those that a list's query wants */     \
    X(RCODE, rcode, "error RCODE", "with an error RCODE", answer)                                  \
    /* NOERROR without a record of the type asked for; of a list, fewer answers than wanted */     \
    X(NO_ANSWER, no_answer, "no answer record", "without the record", answer)                      \
    /* such records, but none with the right data; of a list, more answers than wanted */          \
    X(WRONG_DATA, wrong_data, "wrong data", "with wrong data", answer)                             \
    /* AA or AD is not set, though it was wanted */                                                \
    X(WRONG_FLAGS, wrong_flags, "wrong flags", "without a flag that was wanted", answer)           \
    /* TC is set */                                                                                \
    X(TRUNCATED, truncated, "truncated", "truncated", answer)

#define INVALID_CLASSES(X)                                                                         \
    WRONG_ANSWER_CLASSES(X)                                                                        \
    MISFIT_CLASSES(X)

/* Packets that decide nothing about a query. */
#define STRAY_CLASSES(X)                                                                           \
    /* repeats a reply that already decided its query */                                           \
    X(DUPLICATE, duplicate, "duplicate", dropped, readable)                                        \
    /* belongs to no outstanding query, or is too late to be anything but wrong */                 \
    X(UNEXPECTED, unexpected, "unexpected", dropped, readable)                                     \
    /* came to one of the Tester's ports, but not from the server */                               \
    X(WRONG_SOURCE, wrong_source, "wrong source", passed, readable)                                \
    X(BAD_CHECKSUM, bad_checksum, "bad checksum", dropped, unreadable)                             \
    /* a reply in fragments counts as lost */                                                      \
    X(FRAGMENT, fragments, "fragments", passed, unreadable)

#endif
