// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names in a sentence.
#pragma once

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns "a, b and c", where "and" is `word`; empty if there are no names.
[[nodiscard]] std::string listed(const std::vector<std::string> &names, const std::string &word);

// Returns the names without empty ones, each once, in the order in which they first come.
[[nodiscard]] std::vector<std::string> each_once(const std::vector<std::string> &names);

} // namespace dnsgauge
