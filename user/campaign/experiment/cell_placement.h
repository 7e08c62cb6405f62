// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What is known of the server's machine while a cell's trials ran.
#pragma once

#include "result/placement_result.h"

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns what two files of "dnsgauge placement show --json" say, one written before a cell's
// trials, and one after them; nothing where there are no such files. Throws SetupError if a file is
// none of these.
[[nodiscard]] std::optional<PlacementResult> read_cell_placement(const std::string &before,
                                                                 const std::string &after);

// Returns a sentence for each setting that was not as placed any more after the trials, by the same
// files. Throws SetupError.
[[nodiscard]] std::vector<std::string> read_displacements(const std::string &before,
                                                          const std::string &after);

// Returns where the CPUs of such a file are. Throws SetupError.
[[nodiscard]] std::vector<CpuPlace> read_places(const std::string &file);

} // namespace dnsgauge
