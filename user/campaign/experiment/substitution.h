// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Commands with their variables replaced, and as text for a shell that understands each word as it
// is.
#pragma once

#include "experiment/experiment.h"

#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

using Variables = std::map<std::string, std::string>;

// Letters, digits and . _ : / , @ % + = - alone: no shell sees anything in them but themselves,
// neither a local one nor that of an ssh command.
[[nodiscard]] bool is_plain(const std::string &text);

// Its words with each ${name} replaced by what `variables` have; $${ stands for ${. Throws
// SetupError at the command's line: there is no such variable, or its value is not plain.
[[nodiscard]] std::vector<std::string> substitute(const CommandTemplate &command,
                                                  const Variables &variables);

// Words as a shell's command.
[[nodiscard]] std::string shell_text(const std::vector<std::string> &words);

} // namespace dnsgauge
