// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The request for a search: the values of its options, and what follows from these values.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "result/selftest_result.h"
#include "search/repetitions.h"
#include "search/series_request.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace dnsgauge
{

struct SearchRequest : SeriesRequest {
    SearchPlan search;
};

// Returns a request with the defaults of all options.
[[nodiscard]] SearchRequest usual_request();

// Returns the options that decide the search. An experiment may set the same options.
[[nodiscard]] Options search_options(SearchRequest &request);

// Returns the option --confirm, which the self-test has as well.
[[nodiscard]] Option confirm_option(unsigned &confirm);

// Fills in what follows from the options that were read into the request. `starts_anew`: the caller
// starts the server anew before each trial. Throws SetupError if options contradict each other.
void complete(SearchRequest &request, bool starts_anew);

// Returns the request that these options make. Throws SetupError.
[[nodiscard]] SearchRequest read_search(const std::vector<GivenOption> &given, bool starts_anew);

// Returns the first line of the search's journal: the Tester's set-up as it is now, and every
// option that results depend on. Throws SetupError if there is no such interface, or if it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SearchRequest &request);
// Returns the same for a set-up that the caller has described.
[[nodiscard]] nlohmann::ordered_json journal_header(const SearchRequest &request,
                                                    const TesterSetup &setup);

// Returns the caveats that are known before the search: its deviations from RFC 8219 section 9, the
// self-test and the certificate that were looked for, and what is scaled down.
[[nodiscard]] Caveats caveats_of(const SearchRequest &request);

} // namespace dnsgauge
