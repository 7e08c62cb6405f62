// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Keeps trials to the rates that a self-test allows this Tester (RFC 8219 section 9.2.1). Results
// of trials at higher rates say so.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "trial/trial.h"

#include <optional>
#include <string>

namespace dnsgauge
{

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
