// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A command line for all Testers: {rank} in the value of an option stands for the Tester's number.
#pragma once

#include "options/option.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the text with the number in place of each {rank}.
[[nodiscard]] std::string for_rank(std::string text, std::uint32_t rank);

// Returns those options whose values differ between Testers: they contain {rank}. Throws
// OptionError where the option is one that all Testers must agree on.
[[nodiscard]] std::vector<GivenOption> options_by_rank(const std::vector<GivenOption> &given);

} // namespace dnsgauge
