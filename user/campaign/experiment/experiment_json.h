// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An experiment's results as JSON.
#pragma once

#include "experiment/tables.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// Returns the parts of the experiment, besides the search, on which a cell's results depend. The
// first line of the cell's journal has them.
[[nodiscard]] nlohmann::ordered_json cell_json(const Experiment &experiment, const Cell &cell);

// Returns the object of schema "dnsgauge/experiment/1", which user/record/README.md describes.
// `headers` are the headers of the cells' journals, `file` is the experiment's file.
[[nodiscard]] nlohmann::ordered_json to_json(const Experiment &experiment, const std::string &file,
                                             const std::vector<Cell> &cells,
                                             const std::vector<CellOutcome> &outcomes,
                                             const std::vector<nlohmann::ordered_json> &headers);

} // namespace dnsgauge
