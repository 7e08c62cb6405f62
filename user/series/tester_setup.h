// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The set-up of the Tester on which a trial is made. campaign/selftest/README.md says what belongs
// to a set-up, and why. Trials keep to the rates that a self-test of the set-up allows (RFC 8219
// section 9.2.1); results of trials at higher rates say so.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "result/tester_setup.h"
#include "trial/trial.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

struct FoundPlacement;

// Returns the values of the plan's options that belong to a set-up, with these transmit queues of
// the senders. An empty list means the usual queues.
[[nodiscard]] std::vector<std::pair<std::string, OptionValue>>
options_of_setup(TrialPlan plan, const std::vector<unsigned> &queues);

// Returns the set-up as it is now. Throws SetupError if there is no such interface, or if it is
// down.
[[nodiscard]] TesterSetup describe_setup(const TrialPlan &plan);

// Chooses the sender's CPU and transmit queue for all trials of this process, by what self-tests of
// this set-up found. Does nothing if the plan names a CPU. Throws what describe_setup() throws.
void choose_sender(const TrialPlan &plan);

// Returns the best placement of this Tester with the usual options, by the latest self-test that
// walked placements; nothing if there is none. Throws what describe_setup() throws.
[[nodiscard]] std::optional<FoundPlacement> found_placement(const std::string &interface);

struct CoverOptions {
    bool beyond = false; // trials may go beyond the self-test; their results say so
    std::optional<std::string> record;
};

// Returns --beyond-selftest and --selftest-record.
[[nodiscard]] Options cover_options(CoverOptions &cover);

// Returns the self-test that covers the trials of `plan`, whose rate is the highest one. If none
// covers them, returns what is missing with --beyond-selftest. Without it, throws SetupError with
// the command that makes such a self-test.
[[nodiscard]] SelftestCover require_cover(const CoverOptions &options, const TrialPlan &plan);

// Returns the certificate of the present set-up, for trials of `plan`, whose rate is the highest
// one.
[[nodiscard]] CertificateCover certificate_of(const TrialPlan &plan);

} // namespace dnsgauge
