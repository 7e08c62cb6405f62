// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/quantity_text.h"

#include "system/cpus.h"
#include "system/number_text.h"
#include "system/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t rate_max = 10'000'000'000;
constexpr unsigned cpu_max = 4095;
constexpr unsigned queue_max = 65535; // AF_XDP has 32 bits, and a socket buffer 16

// Returns the number of "100000", "100k", "1.2M" or "1e5"; nothing if the text is no whole number.
std::optional<std::uint64_t> whole_with_unit(std::string_view text)
{
    if (const auto whole = read_number<std::uint64_t>(text))
        return whole;
    double unit = 1;
    if (text.ends_with('k') || text.ends_with('M') || text.ends_with('G')) {
        unit = text.back() == 'k' ? 1e3 : text.back() == 'M' ? 1e6 : 1e9;
        text.remove_suffix(1);
    }
    const auto value = read_number<double>(text);
    // Above 10^15 the product may not be exact.
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
    const auto value = read_number<double>(text);
    if (!value || !std::isfinite(*value) || *value < least || *value > most)
        throw SetupError("{} {}: must be seconds, {} to {:g}", option, text,
                         least == 0 ? "0" : fmt::format("{:f}", least), most);
    return Nanoseconds(std::llround(*value * 1e9));
}

void refuse_twice(std::vector<unsigned> numbers, const std::string &text, const std::string &option,
                  const char *thing)
{
    std::sort(numbers.begin(), numbers.end());
    if (std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end())
        throw SetupError("{} {}: names a {} twice: each sender needs its own", option, text, thing);
}

} // namespace

Rate parse_rate(const std::string &text, const std::string &option)
{
    const std::optional<std::uint64_t> value = whole_with_unit(text);
    if (!value || *value == 0 || *value > rate_max)
        throw SetupError("{} {}: must be a whole number of queries per second, 1 to {}, "
                         "such as 100000, 100k, 1.2M or 1e5",
                         option, text, rate_max);
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

std::vector<unsigned> parse_cpus(const std::string &text, const std::string &option)
{
    std::vector<unsigned> cpus = parse_cpu_list(option, text, cpu_max);
    refuse_twice(cpus, text, option, "CPU");
    return cpus;
}

std::vector<unsigned> parse_queues(const std::string &text, const std::string &option)
{
    std::vector<unsigned> queues = parse_number_list(option, text, queue_max, "queues");
    refuse_twice(queues, text, option, "queue");
    return queues;
}

} // namespace dnsgauge
