// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a sweep, a response-rate curve: plain values, which all rooms may use.
#pragma once

#include "result/caveats.h"
#include "result/trial_log.h"
#include "userland/words.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// How the rates of a sweep follow each other.
enum class Spacing {
    linear,      // each as far from the next
    logarithmic, // each as many times the one before
    bisected,    // ever closer where the curve bends
};

inline constexpr auto spacings = words<Spacing>({{Spacing::linear, "linear"},
                                                 {Spacing::logarithmic, "logarithmic"},
                                                 {Spacing::bisected, "bisected"}});

// A rate that was tried: sent = answered + late + invalid + lost.
struct SweepStep {
    Rate rate;
    unsigned repetition = 1; // from 1
    std::uint64_t sent = 0;
    std::uint64_t answered = 0; // right, at or before the timeout
    std::uint64_t late = 0;
    std::uint64_t invalid = 0;
    std::uint64_t lost = 0;
    std::optional<std::uint64_t> rtt_p50{}; // nanoseconds; absent: no query was answered
    std::optional<std::uint64_t> rtt_p99{};

    // Returns how much of `whole` the answered queries are, if all that were sent are all of it.
    [[nodiscard]] double answered_of(double whole) const
    {
        return sent == 0 ? 0 : whole * static_cast<double>(answered) / static_cast<double>(sent);
    }
    // Returns the queries answered per second.
    [[nodiscard]] double answered_rate() const
    {
        return answered_of(static_cast<double>(rate.per_second));
    }
};

struct SweepResult : TrialLog {
    std::string server;
    Rate min_rate;
    Rate max_rate;
    std::uint64_t rates = 0; // that were asked for, the steps of a repetition
    Spacing spacing = Spacing::linear;
    unsigned repeat = 1;
    Nanoseconds duration{}; // of a step
    Nanoseconds timeout{};
    Caveats caveats;

    std::vector<SweepStep> steps; // in the order in which they were made, without invalid trials
    TrialsEnd end = TrialsEnd::complete;
};

} // namespace dnsgauge
