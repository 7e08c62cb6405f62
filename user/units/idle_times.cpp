// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/idle_times.h"

#include "dns/query_type.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "units/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr unsigned together = 100; // percent
constexpr double idle_seconds_most = 86'400;
// A sender looks at each time's connections in turn.
constexpr std::size_t shares_most = 16;

[[noreturn]] void refuse_idle_times(std::string_view text)
{
    throw SetupError("\"{}\" are no idle times: write 10, in seconds, or 0=40,10=35,30=25, seconds "
                     "with percent of the clients that are 100 together, at most {} times",
                     text, shares_most);
}

} // namespace

// The factor has an inverse modulo 100, and neighbours are far apart.
std::size_t IdleTimes::number_of(std::uint32_t client) const
{
    constexpr std::uint64_t step = 61;
    std::uint64_t percent = client * step % together;
    std::size_t number = 0;
    for (; number + 1 < shares.size() && percent >= shares[number].percent; number++)
        percent -= shares[number].percent;
    return number;
}

IdleTimes parse_idle_times(std::string_view text)
{
    if (text.find('=') == std::string_view::npos)
        return {.shares = {{.time = parse_seconds_or_none(std::string(text), "the idle time",
                                                          idle_seconds_most),
                            .percent = together}}};
    const auto shares = read_percent_shares(text);
    const auto is_nobodys = [](const PercentShare &share) { return share.percent == 0; };
    if (!shares || shares->size() > shares_most || std::ranges::any_of(*shares, is_nobodys))
        refuse_idle_times(text);
    IdleTimes times;
    for (const PercentShare &share : *shares)
        times.shares.push_back({.time = parse_seconds_or_none(std::string(share.name),
                                                              std::string(text), idle_seconds_most),
                                .percent = share.percent});
    return times;
}

std::string to_string(const IdleTimes &times)
{
    if (times.shares.size() == 1)
        return fmt::format("{}", seconds(times.shares[0].time));
    return joined(
        times.shares,
        [](const IdleTimes::Share &share) {
            return fmt::format("{}={}", seconds(share.time), share.percent);
        },
        ",");
}

} // namespace dnsgauge
