// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An experiment's results as JSON.
#pragma once

#include "experiment/tables.h"
#include "record/fields.h"

#include <string>

namespace dnsgauge
{

// The parts of the experiment, besides the search, on which a cell's results depend. They are in
// the first line of the cell's journal.
struct CellHeader {
    Experiment experiment{};
    Cell cell{};
};

void fields(Fields &row, CellHeader &header);

// What dnsgauge/experiment/1 tells.
struct ExperimentResult {
    Experiment experiment{};
    std::string file{}; // the experiment's
    CellResults cells{};
};

void fields(Fields &row, ExperimentResult &result);

} // namespace dnsgauge
