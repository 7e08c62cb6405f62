// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/figure_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> units = {"_ns", "_s", "_percent", "_octets"};

// Returns the unit that a name ends with; nothing if there is none.
std::string_view unit_of(std::string_view path)
{
    while (!path.empty()) {
        for (const std::string_view unit : units)
            if (path.ends_with(unit))
                return unit;
        const std::size_t slash = path.rfind('/');
        path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    }
    return {};
}

std::string number_text(const Json &value)
{
    return value.is_number_integer() ? value.dump() : fmt::format("{:.10g}", value.get<double>());
}

} // namespace

std::string duration_text(double nanoseconds)
{
    if (nanoseconds < 0)
        return "-" + duration_text(-nanoseconds);
    if (nanoseconds < 1e3)
        return fmt::format("{:.0f} ns", nanoseconds);
    if (nanoseconds < 1e6)
        return fmt::format("{:.1f} us", nanoseconds / 1e3);
    if (nanoseconds < 1e9)
        return fmt::format("{:.2f} ms", nanoseconds / 1e6);
    return fmt::format("{:.2f} s", nanoseconds / 1e9);
}

std::string waiting_text(double seconds)
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

std::string percent_text(double percent)
{
    constexpr double noise = 1e-10;
    std::string text = fmt::format("{:.4f}", percent);
    if (text == "100.0000" && percent < 100 - noise)
        return "99.9999";
    if ((text == "0.0000" || text == "-0.0000") && percent > noise)
        return "0.0001";
    return text;
}

std::string percent_text(std::uint64_t part, std::uint64_t whole)
{
    return whole == 0 ? "-"
                      : percent_text(100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string figure_text(std::string_view name, const Json &value)
{
    constexpr double mebi = 1024.0 * 1024.0;
    if (value.is_null())
        return "-";
    if (value.is_string())
        return value.get<std::string>();
    const std::string_view unit = unit_of(name);
    if (unit == "_ns")
        return duration_text(value.get<double>());
    if (unit == "_s")
        return fmt::format("{:g} s", value.get<double>());
    if (unit == "_percent")
        return percent_text(value.get<double>());
    if (unit == "_octets")
        return fmt::format("{:.1f} MiB", value.get<double>() / mebi);
    return number_text(value);
}

std::string plain_figure(std::string_view name, const Json &value)
{
    if (value.is_null())
        return {};
    if (value.is_string())
        return value.get<std::string>();
    const std::string_view unit = unit_of(name);
    if (unit == "_ns")
        return fmt::format("{:.0f}", value.get<double>());
    return unit == "_percent" ? percent_text(value.get<double>()) : number_text(value);
}

} // namespace dnsgauge
