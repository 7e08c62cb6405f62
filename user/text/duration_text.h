// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Durations in the form that people read.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

namespace dnsgauge
{

// Returns the duration in the unit that reads best.
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

// Returns the duration likewise; "-" where it is not known.
inline std::string known_duration_text(const std::optional<std::uint64_t> &nanoseconds)
{
    return nanoseconds ? duration_text(static_cast<double>(*nanoseconds)) : "-";
}

// Returns the figure without a unit, for programs; nothing where it is not known.
inline std::string figure_text(const std::optional<std::uint64_t> &figure)
{
    return figure ? fmt::format("{}", *figure) : "";
}

// Returns a rounded duration, for people who wait: "2 d 3 h", "5 h 12 min", "3 min", "40 s".
inline std::string waiting_text(double seconds)
{
    const auto whole = static_cast<std::uint64_t>(seconds);
    const std::uint64_t minutes = (whole + 30) / 60;
    if (whole < 90)
        return fmt::format("{} s", whole);
    constexpr std::uint64_t day = std::uint64_t{24} * 60;
    if (minutes < 60)
        return fmt::format("{} min", minutes);
    if (minutes < 2 * day)
        return fmt::format("{} h {} min", minutes / 60, minutes % 60);
    return fmt::format("{} d {} h", minutes / day, minutes % day / 60);
}

} // namespace dnsgauge
