// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A self-test as it is asked for: makes its trials against FakeDNS, and says what came of it.
#pragma once

#include "options/option.h"
#include "selftest/selftest.h"
#include "trial/trial.h"

#include <atomic>
#include <optional>
#include <string>

namespace dnsgauge
{

struct SelftestRequest {
    SelftestPlan plan;
    TrialPlan trial; // as for a server: its timeout is not yet a quarter
    Nanoseconds pause = std::chrono::seconds(1);
    TesterSetup setup;
    std::string record;

    // As given; complete() makes the above of them.
    std::optional<Rate> rate;
    std::optional<Rate> max_rate;
    double delta = SelftestRule::delta_least;
    Dut dut = Dut::authoritative;
    std::optional<std::string> record_file;
};

// Returns a request with the defaults of all options.
[[nodiscard]] SelftestRequest usual_selftest();

// Returns all options of self-tests but --json and --verbose.
[[nodiscard]] Options selftest_options(SelftestRequest &request);

// Returns --record, of a `what`.
[[nodiscard]] Option record_option(std::optional<std::string> &file, const std::string &what);

// Fills in what follows from the options that were read into the request. Throws SetupError: the
// options contradict each other, or there is no such interface.
void complete(SelftestRequest &request);

// Makes the trials, until `stop` is set. The outcome has no circumstances where no trial was made.
// Throws SetupError: the server is not FakeDNS, or what a trial throws.
[[nodiscard]] SelftestOutcome make_selftest(const SelftestRequest &request,
                                            const std::atomic<bool> &stop);

// Returns whether the outcome says what the Tester is fit for, so that it is worth a record.
[[nodiscard]] bool is_decided(const SelftestOutcome &outcome);

// Returns the outcome with all that the request says of it.
[[nodiscard]] SelftestResult describe(const SelftestRequest &request,
                                      const SelftestOutcome &outcome);

} // namespace dnsgauge
