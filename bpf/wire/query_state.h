/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The states of a query, made from the list of classes. */
#ifndef DNSGAUGE_WIRE_QUERY_STATE_H
#define DNSGAUGE_WIRE_QUERY_STATE_H

#include "judge.h"
#include "reply_classes.h"

/* In the states before QUERY_VALID a right reply may still come: so far no reply has come in time,
 * or only a misfit. In QUERY_VALID and all later states the query is decided. A query that stays
 * outstanding is lost. */
#define STATE(NAME, key, label, reason, kind) QUERY_##NAME,
enum query_state {
    QUERY_NONE,
    QUERY_OUTSTANDING,
    MISFIT_CLASSES(STATE) QUERY_VALID,
    WRONG_ANSWER_CLASSES(STATE) QUERY_LATE, /* right, after the timeout */
    QUERY_STATES
};
#undef STATE

/* Returns the state of a query whose reply got this judgement in time. */
WIRE_FN enum query_state state_for(enum judgement judgement)
{
    return (enum query_state)(QUERY_OUTSTANDING + 1 + judgement);
}

/*
 * Returns the state to which a reply moves its query from the state `before`; QUERY_NONE if the
 * reply decides nothing.
 *
 * These replies decide nothing:
 * - any reply to a decided query;
 * - a wrong reply after the timeout;
 * - after a misfit in time, a second misfit or any late reply;
 * - a right reply after twice the timeout. By then the slot may hold another query, and the class
 *   would depend on when that query was sent.
 */
WIRE_FN enum query_state state_after(enum query_state before, enum judgement judgement,
                                     __u64 rtt_ns, __u64 timeout_ns)
{
    const int in_time = rtt_ns <= timeout_ns;

    if (before >= QUERY_VALID)
        return QUERY_NONE;
    if (before == QUERY_OUTSTANDING
            ? !in_time && (judgement != JUDGE_VALID || rtt_ns > 2 * timeout_ns)
            : !in_time || !judge_answers_question(judgement))
        return QUERY_NONE;
    return in_time ? state_for(judgement) : QUERY_LATE;
}

/* Returns whether a reply that decides nothing repeats an answer; otherwise it is unexpected. */
WIRE_FN int state_repeats(enum query_state before, enum judgement judgement)
{
    return before >= QUERY_VALID && judge_answers_question(judgement);
}

/* state_for() relies on this order. */
#define CHECK_CLASS(NAME, key, label, reason, kind)                                                \
    WIRE_ASSERT((int)QUERY_##NAME == QUERY_OUTSTANDING + 1 + (int)JUDGE_##NAME, "order "           \
                                                                                "of " #NAME);
INVALID_CLASSES(CHECK_CLASS)
CHECK_CLASS(VALID, , , , )
#undef CHECK_CLASS

#endif
