// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the arrival times of queries tell about their sending.
#pragma once

#include "result/calibration_result.h"

#include <cstdint>
#include <span>

namespace dnsgauge
{

// Returns the figures of `arrivals`: the times of queries 0, 1, 2, ... in nanoseconds of one clock,
// 0 if a query did not arrive. The schedule is placed so that the most punctual query is on time:
// all queries share the link's delay, which cannot be told from lateness. Percentiles are exact
// (RFC 2330 section 11.3).
[[nodiscard]] PacingFigures pacing_of(std::span<const std::uint64_t> arrivals, Rate rate);

} // namespace dnsgauge
