// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An experiment's tables, complete or with the cells that are done so far.
#pragma once

#include "experiment/cell_placement.h"
#include "experiment/cells.h"
#include "result/series_result.h"
#include "text/table.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct CellOutcome {
    SearchResult result; // without repetitions while nothing is known
    std::string failure; // why there will be no result
    double accept_percent = 100;
    Nanoseconds duration{};
    Nanoseconds timeout{};
    std::optional<PlacementResult> placement{}; // what was seen of the server's machine
    bool is_displaced = false; // after the trials that machine was not as it had been placed
};

// Returns the sentences that must stand wherever the results are shown.
[[nodiscard]] std::vector<std::string> labels_of(const Experiment &experiment,
                                                 const std::vector<CellOutcome> &outcomes);

// Returns the tables. `outcomes` has an outcome for each cell, in the order of the cells.
[[nodiscard]] std::vector<Table> tables_of(const Experiment &experiment,
                                           const std::vector<Cell> &cells,
                                           const std::vector<CellOutcome> &outcomes);

} // namespace dnsgauge
