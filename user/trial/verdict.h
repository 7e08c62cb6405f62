// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The verdict on a trial: what its figures say about the server.
#pragma once

#include "result/trial_result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct TesterPart;

// The errors of the Tester that a trial tolerates. With larger errors it says nothing about the
// server.
struct Tolerances {
    // The last query may be this late; see overrun_allowed().
    Nanoseconds overrun_least = std::chrono::milliseconds(1);
    // No query may be later than this: after a longer stall a sender sends a burst, not a rate.
    Nanoseconds lateness = std::chrono::milliseconds(50);
    // Other processes may take this share of a CPU that sends, receives replies or runs a server
    // here. If they take more, a failure may be theirs. 100 allows everything.
    unsigned others_percent = 5;
    // Others use the machine: the limits grow with duration and timeout, unless they are larger
    // already.
    bool shared_machine = false;
};

// A shorter time does not count: the kernel's ticks, which measure some of a CPU's use, cannot show
// it.
inline constexpr Nanoseconds cpu_time_least = std::chrono::milliseconds(30);

// RFC 8219 section 9 asks for trials at least this long.
inline constexpr Nanoseconds full_length = std::chrono::seconds(60);

// Returns by how much sending may exceed the duration: 0.001 % of it (siitperf's tolerance is
// 1.00001). In a trial below full length it may be overrun_least, because a short pause of a
// virtual machine at a short trial's end says nothing. In a trial of full length it may be
// overrun_least only if that is above its default. On a shared machine it is 0.1 % of the duration,
// at least 10 ms.
[[nodiscard]] Nanoseconds overrun_allowed(Nanoseconds duration, const Tolerances &tolerances);

// Returns how late a query may be. On a shared machine this is at least a twentieth of the timeout.
[[nodiscard]] Nanoseconds lateness_allowed(Nanoseconds timeout, const Tolerances &tolerances);

// Returns the percentage of a CPU that others may take.
[[nodiscard]] unsigned others_allowed(const Tolerances &tolerances);

// An accepted share is a whole number of these steps.
inline constexpr std::uint64_t accept_steps_per_percent = 1'000'000;

// More than one reply without a query for this many queries is a doubt. A network repeats or
// misdirects one packet in many thousands, and a server none.
inline constexpr std::uint64_t queries_per_stray = 1000;
// Fewer strays are no doubt: among few queries a single repeated packet would be one.
inline constexpr std::uint64_t strays_least = 10;

// A Tester with a longer median lateness is always behind its schedule. A Tester that stands still
// at times catches up.
inline constexpr Nanoseconds lateness_of_overload = std::chrono::milliseconds(1);

// The queries outside of stalls decide whether a failure is the server's if they are at least this
// share of all queries.
inline constexpr std::uint64_t percent_to_judge = 10;
// If they are fewer, at least this many failures may decide.
inline constexpr std::uint64_t failures_to_judge = 10;

// Over connections queries wait until their timeout for a server that is too slow. A trial that
// passes is doubtful if at its end at least this share of its queries has no reply, ...
inline constexpr std::uint64_t percent_behind = 5;
// ... and if this number grew in each quarter of the trial by at least this share of itself. A
// server that is always too slow adds a quarter each time.
inline constexpr std::uint64_t percent_growth = 15;

// What a trial found: its result without a verdict, and facts that are in no result.
struct Evidence : TrialResult {
    Tolerances tolerances;
    RunFaults faults;
    std::optional<std::uint64_t> misses{}; // the sum of lost and late queries over the bins of time
    std::optional<LossPlaces> places{};    // where queries were lost; missing if no probe knows
    // All queries from here on were lost, and some before were answered.
    std::optional<Nanoseconds> silent_since{};
    std::optional<CertificateCover> certificate{}; // of the Tester's set-up
};

struct Judgement {
    Verdict verdict = Verdict::invalid;
    std::string why;
    std::vector<std::string> doubts; // what else may have had a part in the figures
    bool tester_was_limit = false;   // see TrialResult
    bool rate_not_offered = false;   // see TrialResult
    bool stalls_decided = false;     // see StallSummary
};

// Returns what the evidence says about the server. Invalid means that the Tester may have caused
// the figures, or that the trial is incomplete.
[[nodiscard]] Judgement judge(const Evidence &evidence);

// Judges a trial of several Testers by its parts, each of which was judged, and by their sum,
// `whole`.
[[nodiscard]] Judgement judge_together(const Evidence &whole, const std::vector<TesterPart> &parts);

// Adds the judgement to the result.
void take(TrialResult &result, Judgement judgement);

} // namespace dnsgauge
