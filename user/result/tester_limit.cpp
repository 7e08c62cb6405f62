// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/series_result.h"

#include "system/counted.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Returns whether the Tester may be the repetition's limit: its rate, or each rate that failed
// above it, is beyond what the self-test allows.
bool is_limited(const Repetition &repetition, Rate allowed)
{
    if (!repetition.rate || *repetition.rate > allowed)
        return repetition.rate.has_value();
    const auto failed_above = [&](const TrialSummary &trial) {
        return trial.verdict == Verdict::fail && trial.rate > *repetition.rate;
    };
    const auto &trials = repetition.trials;
    return std::ranges::any_of(trials, failed_above) &&
           std::ranges::none_of(trials, [&](const TrialSummary &trial) {
               return failed_above(trial) && trial.rate <= allowed;
           });
}

} // namespace

std::string tester_limit(Rate passed, Rate not_offered)
{
    return fmt::format(
        "the server answers at least {} queries/s; the Tester is the limit at {} queries/s",
        passed.per_second, not_offered.per_second);
}

std::string tester_limit(const SearchResult &result)
{
    if (const std::optional<Rate> limit = result.not_offered())
        return tester_limit(*result.at_least(), *limit);
    if (!result.caveats.selftest || !result.caveats.selftest->allowed)
        return {};
    const Rate allowed = *result.caveats.selftest->allowed;
    const bool asked_no_more = result.caveats.selftest->was_asked_no_more;
    if (result.end == TrialsEnd::above_range && result.max_rate >= allowed)
        return fmt::format("passes {} queries/s, and the Tester's self-test {} no more than {}",
                           result.max_rate.per_second, asked_no_more ? "was asked for" : "allows",
                           allowed.per_second);
    const auto limited = std::count_if(
        result.repetitions.begin(), result.repetitions.end(),
        [&](const Repetition &repetition) { return is_limited(repetition, allowed); });
    if (limited == 0)
        return {};
    return fmt::format("{} of {} failed above the {} queries/s that the Tester's "
                       "self-test allows, not below{}",
                       limited, counted(result.rates().size(), "search", "searches"),
                       allowed.per_second,
                       asked_no_more ? " (it was asked for no more: a self-test at a higher rate "
                                       "may allow more)"
                                     : "");
}

void add_findings(SearchResult &result)
{
    result.caveats.tester_limit = tester_limit(result);
    result.caveats.capped = result.capped();
}

} // namespace dnsgauge
