// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The rate that an earlier search found.
#pragma once

#include "units/rate.h"

#include <string>

namespace dnsgauge
{

struct FoundRate {
    Rate rate;
    std::string server; // the search's
};

// Returns the median of a search's results, or the least that the rate is where the search passed
// all of its range. Of a search for several loss ratios, returns the lower bound for the least loss
// that the server kept. `file` has the JSON of the search. Throws SetupError where the file is no
// result of a search, or the search found no rate.
[[nodiscard]] FoundRate read_found_rate(const std::string &file);

} // namespace dnsgauge
