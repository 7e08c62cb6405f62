// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries per second, and the exact times that follow from them.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace dnsgauge
{

using Nanoseconds = std::chrono::nanoseconds;

// Returns the time in seconds, the unit of texts and results.
constexpr double seconds(Nanoseconds time)
{
    return std::chrono::duration<double>(time).count();
}

// A whole number of queries per second, at least one.
struct Rate {
    std::uint64_t per_second = 1;

    // clang-tidy 14 takes the compiler's code for a pointer. NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Rate &) const = default;
};

inline constexpr std::uint64_t nanoseconds_per_second = 1'000'000'000;

// Returns how many queries are sent in `duration`: floor(rate × duration), in 128 bits so that
// nothing wraps.
constexpr std::uint64_t queries_in(Rate rate, Nanoseconds duration)
{
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<wide>(rate.per_second) *
                                      static_cast<std::uint64_t>(duration.count()) /
                                      nanoseconds_per_second);
}

// Returns when query `index` is due, from the start of the trial. The time is exact to the
// nanosecond at any index, because nothing is accumulated (paper 002 section 6.2: slot k at t0 + k
// / r).
constexpr Nanoseconds due_at(Rate rate, std::uint64_t index)
{
    __extension__ using wide = unsigned __int128;
    return Nanoseconds(static_cast<std::int64_t>(static_cast<wide>(index) * nanoseconds_per_second /
                                                 rate.per_second));
}

} // namespace dnsgauge
