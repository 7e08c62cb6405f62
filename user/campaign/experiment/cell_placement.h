// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What is known of the server's machine during a cell's trials.
#pragma once

#include "result/placement_result.h"

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns what two files of "dnsgauge placement show --json" say: one was written before a cell's
// trials, the other after them. Returns nothing without such files. Throws SetupError if a file is
// another one.
[[nodiscard]] std::optional<PlacementResult> read_cell_placement(const std::string &before,
                                                                 const std::string &after);

// Returns a sentence for each placed setting that had changed after the trials, by the same files.
// Throws SetupError.
[[nodiscard]] std::vector<std::string> read_displacements(const std::string &before,
                                                          const std::string &after);

// Returns the places of the CPUs in such a file. Throws SetupError.
[[nodiscard]] std::vector<CpuPlace> read_places(const std::string &file);

} // namespace dnsgauge
