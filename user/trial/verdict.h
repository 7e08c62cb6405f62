// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a trial's figures allow to be said about the server.
#pragma once

#include "result/trial_result.h"

#include <chrono>
#include <cstdint>
#include <optional>

namespace dnsgauge
{

// What the Tester is allowed to do wrong before nothing can be learned from the trial.
struct Tolerances {
    // The last query may be this late; see overrun_allowed().
    Nanoseconds overrun_least = std::chrono::milliseconds(1);
    // No query may be later than this: what follows a longer stall is a burst, not a rate.
    Nanoseconds lateness = std::chrono::milliseconds(50);
    // Others may take this share of a CPU that sends, receives replies or runs a server here,
    // before they may be why queries were not answered in time; 100: whatever they take.
    unsigned others_percent = 5;
};

// The least time that is told from the kernel's ticks, by which some of a CPU's use is known.
inline constexpr Nanoseconds cpu_time_least = std::chrono::milliseconds(30);

// RFC 8219 section 9 asks for trials at least this long.
inline constexpr Nanoseconds full_length = std::chrono::seconds(60);

// How much longer than asked for sending may take: 0.001 % of the duration (siitperf: 1.00001). In
// a trial below full length at least overrun_least: a virtual machine's hiccup at the very end of a
// short one says nothing. In one of full length only if that is above its default.
[[nodiscard]] Nanoseconds overrun_allowed(Nanoseconds duration, const Tolerances &tolerances);

// A share that is accepted is a whole number of these; what is finer is not told apart.
inline constexpr std::uint64_t accept_steps_per_percent = 1'000'000;

struct TrialEnd {
    bool interrupted = false;
    bool link_failed = false;              // at any time of the trial
    bool next_hop_moved = false;           // to another Ethernet address
    std::optional<unsigned> not_pinned_to; // a CPU that its sender was not to be kept on
    std::uint64_t not_logged = 0;          // records the --per-query file lacks
    bool log_failed = false;               // it could not be written in full
};

// Sets result.verdict, why, doubts and tester_was_limit from everything else in it. Invalid means:
// the Tester itself may be why the figures are as they are, or the trial is not complete.
void judge_trial(TrialResult &result, const Tolerances &tolerances, const TrialEnd &end);

} // namespace dnsgauge
