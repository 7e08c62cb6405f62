// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The value of an option, as results and journals hold it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dnsgauge
{

// Nothing, a flag, a number, a text, or a list of CPUs. Times are seconds.
using OptionValue =
    std::variant<std::monostate, bool, std::uint64_t, double, std::string, std::vector<unsigned>>;

// Returns the value as it would stand on a command line; empty: nothing.
[[nodiscard]] std::string text_of(const OptionValue &value);

} // namespace dnsgauge
