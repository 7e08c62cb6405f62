// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A self-test as it was asked for: makes its trials against FakeDNS, and says what came of it.
#pragma once

#include "search/trial_options.h"
#include "selftest/selftest.h"

#include <atomic>
#include <optional>
#include <string>

namespace dnsgauge
{

// As they were given.
struct SelftestOptions {
    TrialOptions trial;
    std::optional<std::string> rate;
    std::string min_rate = "1";
    std::optional<std::string> max_rate;
    std::string resolution = "1";
    unsigned confirm = 0;
    double delta = SelftestRule::delta_least;
    std::string dut = "authoritative";
    std::string pause = "1";
    std::optional<std::string> record;
};

// All that a self-test was asked for, and understood.
struct SelftestRequest {
    SelftestPlan plan;
    TrialPlan trial; // as for a server: its timeout is not yet a quarter
    Nanoseconds pause{};
    TesterSetup setup;
    std::string record;
};

// Throws SetupError.
[[nodiscard]] SelftestRequest understand(const SelftestOptions &options);

// Makes the trials, until `stop` is set. The outcome has no circumstances where no trial was made.
// Throws SetupError: the server is not FakeDNS, or what a trial throws.
[[nodiscard]] SelftestOutcome make_selftest(const SelftestRequest &request,
                                            const std::atomic<bool> &stop);

// Whether the outcome says what the Tester is fit for, so that it is worth a record.
[[nodiscard]] bool is_decided(const SelftestOutcome &outcome);

[[nodiscard]] SelftestResult describe(const SelftestRequest &request,
                                      const SelftestOutcome &outcome);

} // namespace dnsgauge
