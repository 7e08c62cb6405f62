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

// The errors of the Tester that a trial bears. A trial with larger errors teaches nothing about the
// server.
struct Tolerances {
    // The last query may be this late; see overrun_allowed().
    Nanoseconds overrun_least = std::chrono::milliseconds(1);
    // No query may be later than this: a sender that stalls for longer sends a burst, not a rate.
    Nanoseconds lateness = std::chrono::milliseconds(50);
    // Other processes may take this share of a CPU that sends, receives replies or runs a server
    // here. If they take more, a failure may be theirs. 100 allows everything.
    unsigned others_percent = 5;
    // Others share the machine: limits grow with what is measured, unless they are larger already.
    bool shared_machine = false;
};

// Some of a CPU's use is counted in the kernel's ticks, which cannot show a shorter time than this.
inline constexpr Nanoseconds cpu_time_least = std::chrono::milliseconds(30);

// RFC 8219 section 9 asks for trials at least this long.
inline constexpr Nanoseconds full_length = std::chrono::seconds(60);

// Returns how much longer than asked for sending may take: 0.001 % of the duration (siitperf's
// tolerance is 1.00001). A trial below full length is allowed overrun_least at least, because one
// short pause of a virtual machine at a short trial's end says nothing. A trial of full length is
// allowed overrun_least only if overrun_least is above its default. On a shared machine 0.1 % of
// the duration is allowed, and 10 ms at least: the rate is then wrong by no more.
[[nodiscard]] Nanoseconds overrun_allowed(Nanoseconds duration, const Tolerances &tolerances);

// Returns how late any query may be. On a shared machine this is at least a twentieth of the
// timeout.
[[nodiscard]] Nanoseconds lateness_allowed(Nanoseconds timeout, const Tolerances &tolerances);

// Returns which percentage of a CPU others may take.
[[nodiscard]] unsigned others_allowed(const Tolerances &tolerances);

// An accepted share is a whole number of these steps.
inline constexpr std::uint64_t accept_steps_per_percent = 1'000'000;

// More than one reply without a query for so many queries is a doubt. A network repeats or mislays
// one packet in many thousands, and a server none.
inline constexpr std::uint64_t queries_per_stray = 1000;
// A share of few queries says little: one packet that a network repeats would be a doubt.
inline constexpr std::uint64_t strays_least = 10;

// A Tester whose median lateness is longer than this is always behind its schedule. A Tester that
// stands still now and then catches up.
inline constexpr Nanoseconds lateness_of_overload = std::chrono::milliseconds(1);

// The queries outside of stalls tell whether a failure is the server's, if they are at least this
// share of all queries.
inline constexpr std::uint64_t percent_to_judge = 10;
// If they are fewer, at least so many failures may tell as well.
inline constexpr std::uint64_t failures_to_judge = 10;

// Queries over connections wait until their timeout for a server that is too slow. A trial that
// passes is doubtful if at its end at least this share of its queries has no reply, ...
inline constexpr std::uint64_t percent_behind = 5;
// ... and if this number grew in each quarter of the trial by at least this share of itself. A
// server that is always too slow adds a quarter each time.
inline constexpr std::uint64_t percent_growth = 15;

// What a trial found: its result without a verdict, and what results do not tell.
struct Evidence : TrialResult {
    Tolerances tolerances;
    RunFaults faults;
    std::optional<std::uint64_t> misses{}; // lost and late queries by the book of their times
    std::optional<LossPlaces> places{};    // of the lost queries; missing: no probe knows them
    // All queries sent from here on were lost, and some sent before were answered.
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

// Returns what the evidence allows to be said about the server. Invalid means: the Tester itself
// may be why the figures are as they are, or the trial is not complete.
[[nodiscard]] Judgement judge(const Evidence &evidence);

// Judges the trial that several Testers made: each part, and then the sum. `whole` has the sums,
// and each part as a trial of its own.
[[nodiscard]] Judgement judge_together(const Evidence &whole, const std::vector<TesterPart> &parts);

// Adds the judgement to the result.
void take(TrialResult &result, Judgement judgement);

} // namespace dnsgauge
