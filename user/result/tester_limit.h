// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether a search came upon the Tester's limit, as its self-test knows it, before the server's.
#pragma once

#include "result/search_result.h"

#include <string>

namespace dnsgauge
{

// In what; empty: it did not, or no self-test tells where the limit is. All that a search within
// the self-test's limit ended at was the server's; what failed above it may have been the Tester's.
[[nodiscard]] std::string tester_limit(const SearchResult &result);

} // namespace dnsgauge
