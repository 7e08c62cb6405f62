// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a Multiple Loss Ratio Search for a terminal.
#pragma once

#include "result/loss_search_result.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

// Returns a table with a row for each loss ratio, and below it what makes the result doubtful.
[[nodiscard]] std::string to_text(const LossSearchResult &result);

// Returns how many percent of the queries sent had no valid answer; "-" if none was sent.
[[nodiscard]] std::string lost_percent_text(std::uint64_t valid, std::uint64_t sent);

} // namespace dnsgauge
