// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The layout of an experiment's tables, from its file and from the keys that vary.
#pragma once

#include "experiment/experiment.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the keys that head the columns. These are the keys that [table] names for them, or all
// keys that vary and stand nowhere else in [table].
[[nodiscard]] std::vector<std::string> column_keys(const Experiment &experiment);

// Checks the layout before anything is measured. Throws SetupError with file, line and key if
// different cells would share a place in the tables, or if there is nothing to make a table of.
void check_layout(const Experiment &experiment);

} // namespace dnsgauge
