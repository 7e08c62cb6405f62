// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/idle_times.h"

#include "units/quantity_text.h"
#include "userland/number_text.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

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

IdleTimes::Share read_share(std::string_view item, std::string_view text)
{
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
        refuse_idle_times(text);
    const std::optional<std::uint32_t> percent = read_number(item.substr(equals + 1), together);
    if (!percent || *percent == 0)
        refuse_idle_times(text);
    return {.time = parse_seconds_or_none(std::string(item.substr(0, equals)), std::string(text),
                                          idle_seconds_most),
            .percent = *percent};
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
    IdleTimes times;
    unsigned sum = 0;
    std::string_view rest = text;
    while (!rest.empty() && times.shares.size() <= shares_most) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        times.shares.push_back(read_share(item, text));
        sum += times.shares.back().percent;
    }
    if (sum != together || times.shares.size() > shares_most)
        refuse_idle_times(text);
    return times;
}

std::string to_string(const IdleTimes &times)
{
    if (times.shares.size() == 1)
        return fmt::format("{}", seconds(times.shares[0].time));
    std::string text;
    for (const IdleTimes::Share &share : times.shares)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", seconds(share.time), share.percent);
    return text;
}

} // namespace dnsgauge
