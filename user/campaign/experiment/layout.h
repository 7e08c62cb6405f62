// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What an experiment's file says of its tables, looked at together with what varies in it.
#pragma once

#include "experiment/experiment.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// The keys that head the columns: those that [table] names, or all that vary and stand nowhere else
// in it.
[[nodiscard]] std::vector<std::string> column_keys(const Experiment &experiment);

// Before anything is measured. Throws SetupError with file, line and key: cells that differ would
// share a place in the tables, or there is nothing that a table could be made of.
void check_layout(const Experiment &experiment);

} // namespace dnsgauge
