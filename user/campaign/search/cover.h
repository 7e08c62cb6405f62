// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Trials only at rates that the last self-test allows this Tester, or results that say otherwise
// (RFC 8219 section 9.2.1).
#pragma once

#include "options/option.h"
#include "result/selftest_cover.h"
#include "trial/trial.h"

#include <optional>
#include <string>

namespace dnsgauge
{

struct CoverOptions {
    bool beyond = false; // results may be beyond the self-test, and are marked
    std::optional<std::string> record;
};

// Returns --beyond-selftest and --selftest-record.
[[nodiscard]] Options cover_options(CoverOptions &cover);

// Returns the self-test that covers trials as `plan` describes them, whose rate is the highest.
// Throws SetupError, with the command that makes such a self-test: none does; unless the user said
// that this is to be marked.
[[nodiscard]] SelftestCover require_cover(const CoverOptions &options, const TrialPlan &plan);

// Looks at a trial before it is run. Throws SetupError: what "auto" came to in it is not what it
// came to in the self-test that is to cover it.
void check_same_modes(const SelftestCover &cover, const Circumstances &trial);

} // namespace dnsgauge
