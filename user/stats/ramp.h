// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Where a server leaves the line of a ramp: the rate from which on it answers too few of the
// queries.
//
// The ramp is cut into intervals. An interval is on the line if all its queries are valid, or if
// the lower bound of the share of valid ones (Clopper and Pearson, error 2.5 %) reaches the share
// wanted. It is below the line if the upper bound does not reach that share. Others tell nothing.
// The server left the line between the last interval that is on it and the first one behind that is
// below it.
//
// A server with a buffer, or with a limit that allows bursts, leaves the line later than it fills
// up: then it answers as many queries as it bears for long. So the lower bound is at most the least
// number of answers per second soon after that, less 1.96 standard deviations.
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

// Rates are in queries per second. All are absent if the server did not leave the line for good.
struct RampSummary {
    std::optional<std::uint64_t> left{}; // in the middle of the intervals in question
    std::optional<std::uint64_t> low{};
    std::optional<std::uint64_t> high{};
    std::optional<std::uint64_t> answered{}; // right after that, or while it left
};

// Returns where the server left the line by intervals in the order of their rates. On the line at
// least accept_percent of the queries are valid.
[[nodiscard]] RampSummary summarize(std::span<const RampInterval> intervals, double accept_percent);

} // namespace dnsgauge
