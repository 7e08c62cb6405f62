// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds where a server leaves the line of a ramp: the rate from which on it answers too few
// queries.
//
// The ramp is cut into intervals. An interval is on the line if all its queries are valid, or if
// the lower bound of the valid share (Clopper and Pearson, error 2.5 %) reaches the wanted share.
// It is below the line if the upper bound does not reach that share. Other intervals tell nothing.
// The server left the line between the last interval on it and the next interval below it.
//
// A server with a buffer, or with a limit that allows bursts, leaves the line only when the buffer
// is full. From then on it answers as many queries as it bears for long. So the lower bound is at
// most the least number of answers per second soon after that, less 1.96 standard deviations.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace dnsgauge
{

struct RampInterval {
    double from = 0;   // the rate at its beginning, queries per second
    double to = 0;     // the rate at its end
    double length = 0; // seconds
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
};

// Rates are in queries per second. All are missing if the server did not leave the line for good.
struct RampSummary {
    std::optional<std::uint64_t> left{}; // in the middle of the intervals that tell nothing
    std::optional<std::uint64_t> low{};
    std::optional<std::uint64_t> high{};
    std::optional<std::uint64_t> answered{}; // right after that
};

// Returns where the server left the line. Intervals are in the order of their rates. On the line at
// least accept_percent of the queries are valid.
[[nodiscard]] RampSummary summarize(std::span<const RampInterval> intervals, double accept_percent);

} // namespace dnsgauge
