// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of searches by the shares of cached names and of AAAA records: RFC 8219 section 9.2's
// two-dimensional table, and paper 002's model of a DNS64 server.
#pragma once

#include "experiment/tables.h"
#include "result/series_result.h"
#include "text/statistics_table.h"
#include "text/table.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns a table with shares of cached names down and shares of names with an AAAA record across.
// Each search makes a cell, in any order. Notes tell why the searches are not results of RFC 8219:
// deviations, unfinished searches, searches that one unlucky trial may have capped, and a missing
// combination 0 % + 0 %, which the RFC requires. Throws std::invalid_argument if a server is not a
// DNS64 server, if a search has no result, or if two searches belong to the same cell.
[[nodiscard]] Table shares_grid(std::string caption, std::span<const SearchResult> searches);

// Returns the median of a search as a point for fit_dns64_model(). Throws std::invalid_argument if
// the server is not a DNS64 server, or if the search has no result.
[[nodiscard]] RateAtShares shares_point(const SearchResult &search);

// Returns the table of the model's times, and the table of the model's rates beside the measured
// rates. If the results do not determine a time, the table has the reason instead. If they
// determine no time, there is no second table. `members` differ only in the shares of cached names
// and of AAAA records. `caption` makes a table's caption from words that tell what the table shows.
[[nodiscard]] std::vector<Table>
model_tables(const std::function<std::string(const char *)> &caption, const CellResults &members);

} // namespace dnsgauge
