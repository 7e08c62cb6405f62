// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What --help says of a command's options.
#pragma once

#include "options/option.h"

#include <string>
#include <string_view>

namespace dnsgauge
{

inline constexpr std::size_t help_width = 80;

// Returns the option's default in words; empty: it has none.
[[nodiscard]] std::string default_text(const Option &option);

// Returns `text` in lines of at most `help_width` columns, the first one behind `first`, all others
// behind `indent` blanks.
[[nodiscard]] std::string wrapped(std::string_view first, std::size_t indent,
                                  std::string_view text);

// Returns all options, the required ones first and the others by group.
[[nodiscard]] std::string help_text(const Options &options);

} // namespace dnsgauge
