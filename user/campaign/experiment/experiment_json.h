// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An experiment's results for machines.
#pragma once

#include "experiment/tables.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// What of the experiment a cell's results depend on besides its search: a part of its journal's
// first line.
[[nodiscard]] nlohmann::ordered_json cell_json(const Experiment &experiment, const Cell &cell);

// As the object of schema "dnsgauge/experiment/1", which user/record/README.md describes. `headers`
// are those of the cells' journals, `file` the experiment's.
[[nodiscard]] nlohmann::ordered_json to_json(const Experiment &experiment, const std::string &file,
                                             const std::vector<Cell> &cells,
                                             const std::vector<CellOutcome> &outcomes,
                                             const std::vector<nlohmann::ordered_json> &headers);

} // namespace dnsgauge
