// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts of things, in the singular and the plural.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Returns "1 query", "2 queries", "0 queries".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

// Returns "1 trial", "2 trials": the plural adds an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view one);

} // namespace dnsgauge
