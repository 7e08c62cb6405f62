// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Several trials of one plan, one after the other (dnsgauge trial --repeat), and what they say
// together.
#pragma once

#include "result/trial_result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct RepeatedTrials {
    std::uint64_t repeat = 0;          // trials that were asked for
    Nanoseconds pause{};               // between two of them
    bool fresh_names = false;          // no two trials asked for the same names
    std::vector<TrialResult> trials{}; // at least one; the last one may have been cut short
    std::string error{};               // the error that prevented the next trial; may be empty

    Verdict verdict = Verdict::invalid;
    std::string why{};
    Caveats caveats{}; // with the doubts of all trials
};

// Returns the trials with what follows from them. The verdict is pass if all trials pass, and
// invalid if a trial is invalid or missing.
[[nodiscard]] RepeatedTrials sum_up(RepeatedTrials repeated);

// A figure of trials, whose spread is shown.
struct SpreadFigure {
    const char *key; // in JSON; a percentile's is in rtt_ns
    const char *label;
    std::optional<double> (*of)(
        const TrialResult &trial); // returns nothing if the trial has no such figure
};

// The share of the queries that were answered right in time, in percent.
inline constexpr SpreadFigure answered_share{
    "answered_percent", "answered %", [](const TrialResult &trial) -> std::optional<double> {
        if (trial.queries.sent == 0)
            return std::nullopt;
        return 100 * static_cast<double>(trial.queries.valid) /
               static_cast<double>(trial.queries.sent);
    }};

namespace detail
{

template <std::uint64_t RttSummary::*figure>
std::optional<double> rtt_of(const TrialResult &trial)
{
    if (trial.rtt.count == 0)
        return std::nullopt;
    return static_cast<double>(trial.rtt.*figure);
}

} // namespace detail

// RTTs in nanoseconds.
inline constexpr std::array rtt_figures = {
    SpreadFigure{"min", "RTT min", detail::rtt_of<&RttSummary::min>},
    SpreadFigure{"p50", "RTT median", detail::rtt_of<&RttSummary::p50>},
    SpreadFigure{"p90", "RTT p90", detail::rtt_of<&RttSummary::p90>},
    SpreadFigure{"p99", "RTT p99", detail::rtt_of<&RttSummary::p99>},
    SpreadFigure{"p99_9", "RTT p99.9", detail::rtt_of<&RttSummary::p99_9>},
    SpreadFigure{"max", "RTT max", detail::rtt_of<&RttSummary::max>}};

// Returns the figure of each trial that has it. An invalid trial has none, because the Tester may
// have caused its figures.
[[nodiscard]] std::vector<double> values_of(const SpreadFigure &figure,
                                            const std::vector<TrialResult> &trials);

// Returns how many of the trials are not invalid.
[[nodiscard]] std::uint64_t telling_trials(const std::vector<TrialResult> &trials);

} // namespace dnsgauge
