// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A row of a histogram.
#pragma once

#include <cstdint>

namespace dnsgauge
{

// The number of values between two bounds, both included.
struct CountedRange {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t count = 0;
};

} // namespace dnsgauge
