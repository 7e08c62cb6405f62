// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a trial's figures allow to be said about the server.
#pragma once

#include "result/trial_result.h"

#include <optional>

namespace dnsgauge
{

// What the Tester is allowed to do wrong before nothing can be learned from the trial.
struct Tolerances {
    // The last query may be this late, as a share of the duration (siitperf: 1.00001), but never
    // less than overrun_least: a virtual machine's hiccup at the very end says nothing.
    double overrun = 0.00001;
    Nanoseconds overrun_least = std::chrono::milliseconds(1);
    // No query may be later than this: what follows a longer stall is a burst, not a rate.
    Nanoseconds lateness = std::chrono::milliseconds(50);
};

struct TrialEnd {
    bool interrupted = false;
    bool link_failed = false;              // at any time of the trial
    bool next_hop_moved = false;           // to another Ethernet address
    std::optional<unsigned> not_pinned_to; // a CPU that its sender was not to be kept on
    std::uint64_t not_logged = 0;          // records the --per-query file lacks
    bool log_failed = false;               // it could not be written in full
};

// Sets result.verdict, why and tester_was_limit from everything else in it. Invalid means: the
// Tester itself may be why the figures are as they are, or the trial is not complete.
void judge_trial(TrialResult &result, const Tolerances &tolerances, const TrialEnd &end);

} // namespace dnsgauge
