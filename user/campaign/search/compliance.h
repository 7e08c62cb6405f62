// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// In what a search is not what RFC 8219 section 9 demands.
#pragma once

#include "search/repetitions.h"
#include "trial/trial.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// In what a search of such trials is not; empty: in nothing. `invalid_retries`: times in turn that
// an invalid trial is made again, until one is not.
[[nodiscard]] std::vector<std::string>
search_deviations(const SearchPlan &search, const TrialPlan &trial, unsigned invalid_retries);

} // namespace dnsgauge
