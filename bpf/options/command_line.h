// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the words of a command line.
#pragma once

#include "options/option.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the options in `words`, which follow the command's name, in the order of `options`.
// Throws SetupError if a word is no option of the command, or an option lacks its value.
[[nodiscard]] std::vector<GivenOption> parse_words(const Options &options,
                                                   const std::vector<std::string> &words);

} // namespace dnsgauge
