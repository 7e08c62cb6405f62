// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/quantity_text.h"

#include "common/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t rate_max = 10'000'000'000;
constexpr unsigned cpu_max = 4095;

// The whole of `text` as a number.
template <class N>
std::optional<N> number(std::string_view text)
{
    N value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

// "100000", "100k", "1.2M", "1e5"; nothing where that is no whole number.
std::optional<std::uint64_t> whole_with_unit(std::string_view text)
{
    if (const auto whole = number<std::uint64_t>(text))
        return whole;
    double unit = 1;
    if (text.ends_with('k') || text.ends_with('M') || text.ends_with('G')) {
        unit = text.back() == 'k' ? 1e3 : text.back() == 'M' ? 1e6 : 1e9;
        text.remove_suffix(1);
    }
    const auto value = number<double>(text);
    // Beyond this no double is exact.
    if (!value || !(*value >= 0) || *value * unit > 1e15)
        return std::nullopt;
    const double whole = std::round(*value * unit);
    if (std::abs(*value * unit - whole) > 1e-9 * whole)
        return std::nullopt;
    return static_cast<std::uint64_t>(whole);
}

Nanoseconds seconds_between(const std::string &text, const std::string &option, double least,
                            double most)
{
    const auto value = number<double>(text);
    if (!value || !std::isfinite(*value) || *value < least || *value > most)
        throw SetupError(fmt::format("{} {}: must be seconds, {} to {:g}", option, text,
                                     least == 0 ? "0" : fmt::format("{:f}", least), most));
    return Nanoseconds(std::llround(*value * 1e9));
}

} // namespace

Rate parse_rate(const std::string &text, const std::string &option)
{
    const std::optional<std::uint64_t> value = whole_with_unit(text);
    if (!value || *value == 0 || *value > rate_max)
        throw SetupError(
            fmt::format("{} {}: must be a whole number of queries per second, 1 to {}, "
                        "such as 100000, 100k, 1.2M or 1e5",
                        option, text, rate_max));
    return Rate{*value};
}

Nanoseconds parse_seconds(const std::string &text, const std::string &option, double most)
{
    return seconds_between(text, option, 1e-6, most);
}

Nanoseconds parse_seconds_or_none(const std::string &text, const std::string &option, double most)
{
    return seconds_between(text, option, 0, most);
}

std::string seconds_text(Nanoseconds time)
{
    return fmt::format("{:g}", seconds(time));
}

std::vector<unsigned> parse_cpus(const std::string &text, const std::string &option)
{
    const auto refuse = [&] {
        throw SetupError(fmt::format(
            "{} {}: must be CPU numbers and ranges, each CPU once, such as 0,2-4", option, text));
    };
    std::vector<unsigned> cpus;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        const std::size_t dash = part.find('-');
        const auto first = number<unsigned>(std::string_view(part).substr(0, dash));
        const auto last = dash == std::string::npos
                              ? first
                              : number<unsigned>(std::string_view(part).substr(dash + 1));
        if (!first || !last || *first > *last || *last > cpu_max)
            refuse();
        for (unsigned cpu = *first; cpu <= *last; cpu++) {
            if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end())
                refuse();
            cpus.push_back(cpu);
        }
    }
    if (cpus.empty() || text.back() == ',')
        refuse();
    return cpus;
}

} // namespace dnsgauge
