// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <time.h>

#include <concepts>
#include <cstdint>

namespace dnsgauge
{

// Returns CLOCK_MONOTONIC in nanoseconds, the clock of bpf_ktime_get_ns() and of steady_clock.
template <std::integral Nanoseconds = std::int64_t>
[[nodiscard]] Nanoseconds monotonic_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<Nanoseconds>(now.tv_sec) * 1'000'000'000 +
           static_cast<Nanoseconds>(now.tv_nsec);
}

} // namespace dnsgauge
