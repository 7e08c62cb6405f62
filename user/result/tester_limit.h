// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether a search met the Tester's limit before the server's.
#pragma once

#include "result/series_result.h"

#include <string>

namespace dnsgauge
{

// Returns how the search met the Tester's limit; empty if it did not, or if neither its own trials
// nor a self-test say what the limit is. A failed rate within the self-test's limit is the
// server's; a failed rate above it may be the Tester's.
[[nodiscard]] std::string tester_limit(const SearchResult &result);

// Returns the same for a server that passed a rate and a Tester that could not offer a higher one.
[[nodiscard]] std::string tester_limit(Rate passed, Rate not_offered);

// Sets the caveats that follow from the searches: the Tester's limit, and how many searches one
// unlucky trial may have capped.
void add_findings(SearchResult &result);

} // namespace dnsgauge
