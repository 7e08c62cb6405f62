// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A search's result for people.
#pragma once

#include "result/search_result.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns a line for each repetition, finished or not, and the statistics of the finished ones.
[[nodiscard]] std::string to_text(const SearchResult &result);

} // namespace dnsgauge
