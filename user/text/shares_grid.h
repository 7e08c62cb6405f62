// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RFC 8219 section 9.2's two-dimensional table, made from searches.
#pragma once

#include "result/series_result.h"
#include "text/statistics_table.h"

#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the cell of a DNS64 server's search. Throws std::invalid_argument if the server is no
// DNS64 server, or if the search has no result.
[[nodiscard]] SharesCell shares_cell(const SearchResult &search);

// Returns shares_table() of these searches, one for each cell that was measured, in any order. The
// table's notes say what keeps the searches from being results of RFC 8219: deviations, searches
// that were not finished or that one unlucky trial may have capped, and the lack of the combination
// 0 % + 0 %, which the RFC requires. Throws std::invalid_argument as shares_cell() does, or if two
// searches are of the same cell.
[[nodiscard]] Table shares_grid(std::string caption, std::span<const SearchResult> searches);

// Returns the medians of the cells as points for fit_dns64_model().
[[nodiscard]] std::vector<RateAtShares> shares_points(std::span<const SharesCell> cells);

} // namespace dnsgauge
