// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The value of an option, as results and journals hold it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dnsgauge
{

// Nothing, a flag, a number, a text, a list of numbers (CPUs, queues), or the texts of an option
// that was given several times. Times are seconds.
using OptionValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string,
                                 std::vector<unsigned>, std::vector<std::string>>;

// Returns the value as people read it, with commas between several texts; empty if there is no
// value.
[[nodiscard]] std::string text_of(const OptionValue &value);

// Returns the texts that set the value on a command line, each for one occurrence of the option.
[[nodiscard]] std::vector<std::string> texts_of(const OptionValue &value);

} // namespace dnsgauge
