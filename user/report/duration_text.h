// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Durations as people read them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace dnsgauge
{

// Nanoseconds in the unit that reads best.
inline std::string duration_text(double nanoseconds)
{
    if (nanoseconds < 1e3)
        return fmt::format("{:.0f} ns", nanoseconds);
    if (nanoseconds < 1e6)
        return fmt::format("{:.1f} us", nanoseconds / 1e3);
    if (nanoseconds < 1e9)
        return fmt::format("{:.2f} ms", nanoseconds / 1e6);
    return fmt::format("{:.2f} s", nanoseconds / 1e9);
}

} // namespace dnsgauge
