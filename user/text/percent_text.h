// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A percentage as every text shows it.
#pragma once

#include <fmt/format.h>

#include <string>

namespace dnsgauge
{

// Returns the percentage rounded to a ten-thousandth. Says 100 only of all, and 0 only of none, as
// far as a double can tell.
inline std::string percent_text(double percent)
{
    constexpr double noise = 1e-10;
    std::string text = fmt::format("{:.4f}", percent);
    if (text == "100.0000" && percent < 100 - noise)
        return "99.9999";
    if ((text == "0.0000" || text == "-0.0000") && percent > noise)
        return "0.0001";
    return text;
}

} // namespace dnsgauge
