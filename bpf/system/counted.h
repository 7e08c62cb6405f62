// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts of things, in the singular and the plural.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Returns "1 query", "2 queries", "0 queries".
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one,
                                         std::string_view many)
{
    return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

// Returns "1 trial", "2 trials": the plural adds an s.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one)
{
    return counted(count, one, std::string(one) + "s");
}

} // namespace dnsgauge
