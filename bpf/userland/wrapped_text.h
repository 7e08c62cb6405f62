// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Text in lines of a terminal's width, as --help prints it.
#pragma once

#include <string>
#include <string_view>

namespace dnsgauge
{

inline constexpr std::size_t help_width = 80;
inline constexpr std::size_t help_column = 28; // in which the description of an option begins

// Returns `text` in lines of at most `help_width` columns, the first one behind `first`, all others
// behind `indent` blanks.
[[nodiscard]] std::string wrapped(std::string_view first, std::size_t indent,
                                  std::string_view text);

} // namespace dnsgauge
