// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/trial_text.h"

#include <fmt/format.h>

namespace dnsgauge
{

std::string trial_advice(const TrialResult &trial)
{
    const QueryCounts &queries = trial.queries;
    const std::uint64_t unanswered = queries.lost + queries.late;
    if (queries.lost == queries.sent)
        return fmt::format("nothing answers: see whether the server runs, listens at {} port {}, "
                           "and lets the Tester ask (firewalls, access lists)",
                           trial.server, trial.port);
    if (queries.invalid.rcode >= unanswered && queries.invalid.rcode != 0)
        return "the server lacks the names, or may not answer for them: give it a zone with them "
               "(dnsgauge-zone server), or ask for names that it has (--names, --queries)";
    if (unanswered != 0)
        return fmt::format("the server drops queries, or answers late, even at {} queries/s: "
                           "switch its response-rate limiting off, and see what else delays it",
                           trial.rate.per_second);
    return "the server answers, and not as expected: see whether its data fits --zone and "
           "--answer-prefix, or accept other answers (--answer, --accept-answers)";
}

} // namespace dnsgauge
