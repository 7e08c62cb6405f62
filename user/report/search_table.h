// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A search's result for people.
#pragma once

#include "result/search_result.h"

#include <string>

namespace dnsgauge
{

// A line for each repetition, finished or not.
[[nodiscard]] std::string to_table(const SearchResult &result);

// "non-RFC 8219 compliant! (why, and why)"; empty if it is. To stand wherever the result does.
[[nodiscard]] std::string compliance_label(const SearchResult &result);

} // namespace dnsgauge
