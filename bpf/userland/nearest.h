// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The name that somebody probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Returns the name that differs from `word` by a typing error or two; empty if there is none.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string> &names);

// Returns "did you mean NAME?" of the nearest name, with `prefix` before the name; `otherwise` if
// no name is near.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string> &names,
                                     const std::string &otherwise, const std::string &prefix = "");

} // namespace dnsgauge
