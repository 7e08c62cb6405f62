// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RFC 8219 section 9.2's two-dimensional table, from the searches that were made for it.
#pragma once

#include "result/search_result.h"
#include "text/statistics_table.h"

#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// The cell of a search of a DNS64 server. Throws std::invalid_argument: of another server, or it
// came to no result.
[[nodiscard]] SharesCell shares_cell(const SearchResult &search);

// shares_table() of these searches, one for each cell that was measured, in any order. Its notes
// say what makes them no results of RFC 8219: deviations, searches that were not finished or that
// one unlucky trial may have capped, and the lack of the combination 0 % + 0 %, which is required.
// Throws std::invalid_argument: as shares_cell(), or two are of the same cell.
[[nodiscard]] Table shares_grid(std::string caption, std::span<const SearchResult> searches);

// The points of the same searches' medians, for fit_dns64_model().
[[nodiscard]] std::vector<RateAtShares> shares_points(std::span<const SharesCell> cells);

} // namespace dnsgauge
