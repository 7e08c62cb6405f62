// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Commands as text that a shell takes word by word, whatever the words contain.
#pragma once

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns whether the text has only letters, digits and . _ : / , @ % + = -, to which neither a
// local shell nor the shell of an ssh command gives a meaning.
[[nodiscard]] bool is_plain_word(const std::string &text);

// Returns the words as a command for a shell, each quoted where it must be.
[[nodiscard]] std::string shell_text(const std::vector<std::string> &words);

} // namespace dnsgauge
