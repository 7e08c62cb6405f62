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
    bool fresh_names = false;          // no trial asked for names of another
    std::vector<TrialResult> trials{}; // at least one; the last one may have been cut short
    std::string error{};               // which kept the next trial from being made; empty: none

    Verdict verdict = Verdict::invalid;
    std::string why{};
    Caveats caveats{}; // with the doubts of all trials
};

// Returns the trials with what follows from them. They pass if all pass. They are invalid if one is
// invalid or missing, whatever the others are.
[[nodiscard]] RepeatedTrials sum_up(RepeatedTrials repeated);

// A figure of a trial whose spread over several trials is told.
struct SpreadFigure {
    const char *key; // in JSON, of rtt_ns but for the first
    const char *label;
    std::optional<double> (*of)(const TrialResult &trial); // nothing: the trial has no such figure
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

// Returns the figure of each trial that has it. An invalid trial has none: the Tester may
// be why its figures are as they are.
[[nodiscard]] std::vector<double> values_of(const SpreadFigure &figure,
                                            const std::vector<TrialResult> &trials);

// Returns how many of the trials are not invalid.
[[nodiscard]] std::uint64_t telling_trials(const std::vector<TrialResult> &trials);

} // namespace dnsgauge
