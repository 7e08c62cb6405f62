// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replaces variables in commands.
#pragma once

#include "experiment/experiment.h"

#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

using Variables = std::map<std::string, std::string>;

// Returns the command's words with each ${name} replaced by its value in `variables`; $${ becomes
// ${. Throws SetupError with the command's line if there is no such variable, or if its value is
// not an is_plain_word().
[[nodiscard]] std::vector<std::string> substitute(const CommandTemplate &command,
                                                  const Variables &variables);

} // namespace dnsgauge
