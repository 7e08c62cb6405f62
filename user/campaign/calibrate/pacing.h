// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the times at which queries arrived say about how they were sent.
#pragma once

#include "result/calibration_result.h"

#include <cstdint>
#include <span>

namespace dnsgauge
{

// `arrivals`: of query 0, 1, 2, ..., in nanoseconds of any one clock; 0: it did not arrive. The
// schedule is placed so that the most punctual query is on time: what all have in common, the
// link's delay, cannot be told from it. Percentiles are those of RFC 2330 section 11.3, exact.
[[nodiscard]] PacingFigures pacing_of(std::span<const std::uint64_t> arrivals, Rate rate);

} // namespace dnsgauge
