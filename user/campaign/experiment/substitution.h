// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replaces variables in commands, and writes commands for a shell that takes each word as it is.
#pragma once

#include "experiment/experiment.h"

#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

using Variables = std::map<std::string, std::string>;

// Returns whether the text has only letters, digits and . _ : / , @ % + = -, to which neither a
// local shell nor that of an ssh command gives a meaning.
[[nodiscard]] bool is_plain(const std::string &text);

// Returns the command's words, with each ${name} replaced by its value in `variables`; $${ stands
// for ${. Throws SetupError with the command's line if there is no such variable, or if its value
// is not plain.
[[nodiscard]] std::vector<std::string> substitute(const CommandTemplate &command,
                                                  const Variables &variables);

// Returns the words as a command for a shell.
[[nodiscard]] std::string shell_text(const std::vector<std::string> &words);

} // namespace dnsgauge
