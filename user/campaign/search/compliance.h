// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The deviations of a search from RFC 8219 section 9.
#pragma once

#include "search/repetitions.h"
#include "trial/trial.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the deviations of a search with such trials; empty if it complies. `invalid_retries` is
// how many times in a row an invalid trial is made again.
[[nodiscard]] std::vector<std::string>
search_deviations(const SearchPlan &search, const TrialPlan &trial, unsigned invalid_retries);

} // namespace dnsgauge
