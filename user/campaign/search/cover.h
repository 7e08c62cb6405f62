// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trials only at rates that the last self-test allows this Tester, or results that say otherwise
// (RFC 8219 section 9.2.1).
#pragma once

#include "result/selftest_cover.h"
#include "search/trial_options.h"

#include <optional>
#include <string>

namespace dnsgauge
{

struct CoverOptions {
    bool beyond = false;
    std::optional<std::string> record;
};

// The self-test that covers trials as `plan` describes them, whose rate is the highest. Throws
// SetupError, with the command that makes such a self-test: none does; unless the user said that
// this is to be marked.
[[nodiscard]] SelftestCover require_cover(const CoverOptions &options, const TrialOptions &given,
                                          const TrialPlan &plan);

// Of a trial before it is run. Throws SetupError: what "auto" came to in it is not what it came to
// in the self-test that is to cover it.
void check_same_modes(const SelftestCover &cover, const Circumstances &trial);

} // namespace dnsgauge
