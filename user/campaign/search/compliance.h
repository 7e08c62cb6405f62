// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The deviations of a search from RFC 8219 section 9.
#pragma once

#include "search/repetitions.h"
#include "trial/trial.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the deviations of a search with such trials; empty if it complies. Making an invalid
// trial again, up to the default number of times, is no deviation of the plan: the result says
// whether it happened.
[[nodiscard]] std::vector<std::string> search_deviations(const SearchPlan &search,
                                                         const TrialPlan &trial);

} // namespace dnsgauge
