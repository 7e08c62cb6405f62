// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <chrono>
#include <cstdint>

namespace dnsgauge
{

// Returns CLOCK_MONOTONIC in nanoseconds.
[[nodiscard]] inline std::int64_t monotonic_ns()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Returns the same time as bpf_ktime_get_ns() does, and with the same type.
[[nodiscard]] inline std::uint64_t ktime_ns()
{
    return static_cast<std::uint64_t>(monotonic_ns());
}

} // namespace dnsgauge
