// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An experiment's tables, complete or with the cells that are done so far.
#pragma once

#include "experiment/cells.h"
#include "result/placement_result.h"
#include "result/series_result.h"
#include "text/table.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct CellOutcome {
    SearchResult result;                        // without repetitions while nothing is known
    std::string failure;                        // why there will be no result
    std::optional<PlacementResult> placement{}; // what was seen of the server's machine
    bool is_displaced = false; // after the trials that machine was no longer placed as before
};

struct CellResult {
    Cell cell{};
    CellOutcome outcome{};
    nlohmann::ordered_json header{}; // the first line of the cell's journal
};

using CellResults = std::vector<CellResult>;

// Returns the sentences that must stand wherever the results are shown.
[[nodiscard]] std::vector<std::string> labels_of(const Experiment &experiment,
                                                 const CellResults &results);

// Returns the tables.
[[nodiscard]] std::vector<Table> tables_of(const Experiment &experiment,
                                           const CellResults &results);

// Returns the keys that head the columns. These are the keys that [table] names for columns, or all
// keys that vary and occur nowhere else in [table].
[[nodiscard]] std::vector<std::string> column_keys(const Experiment &experiment);

// Checks the layout before anything is measured. Throws SetupError with file, line and key if
// different cells would share a place in the tables, or if no table can be made.
void check_layout(const Experiment &experiment);

} // namespace dnsgauge
