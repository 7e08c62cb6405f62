// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the checks of a calibration. Each check starts FakeDNS or the arrival clock at the other
// end, makes one trial, and ends what it started. It returns what it found, which judgement.h
// judges.
#pragma once

#include "calibrate/calibration_result.h"
#include "calibrate/fakedns_process.h"
#include "trial/trial.h"

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace dnsgauge
{

// What all checks have in common. The checks set the plan's rate, names and tolerances.
struct CheckBench {
    TrialPlan trial;
    FakednsPlan fakedns;
    const std::atomic<bool> &stop;
};

// FakeDNS at the other end of each Tester's link.
class FakednsOfAll
{
public:
    // Throws SetupError.
    FakednsOfAll(const CheckBench &bench, const std::string &faults);

    // Throws SetupError if one of them has ended by itself.
    void check_alive() const;

private:
    FakednsProcess mine_;
    std::unique_ptr<RunningServer> others_; // null if this Tester is alone
};

// Thrown by a check that was stopped.
struct Stopped : std::exception {
};

// The rate of trials in which FakeDNS holds replies.
inline constexpr Rate delay_rate{1000};

// Makes a trial in which FakeDNS has every fault it knows, in known shares. All checks throw
// SetupError if they cannot be made.
[[nodiscard]] CountingCheck check_counting(const CheckBench &bench, Rate rate);

// Makes a trial in which FakeDNS holds all replies back for `delay`. Without a delay FakeDNS
// answers at once.
[[nodiscard]] DelayCheck check_rtt(const CheckBench &bench, Rate rate,
                                   std::optional<Nanoseconds> delay = {});

// Makes a trial with the arrival clock in FakeDNS' place.
[[nodiscard]] PacingCheck check_pacing(const CheckBench &bench, Rate rate);

// Returns the figures of `arrivals`: the times of queries 0, 1, 2, ... in nanoseconds of one clock,
// 0 if a query did not arrive. The schedule begins so that the most punctual query is on time,
// because the link's delay, which all queries share, cannot be told from lateness. Percentiles are
// exact (RFC 2330 section 11.3).
[[nodiscard]] PacingFigures pacing_of(std::span<const std::uint64_t> arrivals, Rate rate);

} // namespace dnsgauge
