// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/quantity_text.h"

#include "common/cpus.h"
#include "common/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

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
    const auto value = number<std::uint64_t>(text);
    if (!value || *value == 0 || *value > rate_max)
        throw SetupError(fmt::format("{} {}: must be a whole number of queries per second, 1 to {}",
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
    std::vector<unsigned> cpus = parse_cpu_list(option, text, cpu_max);
    std::vector<unsigned> sorted = cpus;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        throw SetupError(
            fmt::format("{} {}: names a CPU twice: each sender needs its own", option, text));
    return cpus;
}

} // namespace dnsgauge
