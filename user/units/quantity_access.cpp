// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/quantity_access.h"

#include "units/quantity_text.h"

#include <functional>

namespace dnsgauge
{

namespace
{

// Returns access to a value that `read` makes of a text, and that `show` shows.
template <class Value, class Read, class Show>
OptionAccess access(Value &value, Read read, Show show)
{
    return {.set = [&value, read](const std::string &text,
                                  const std::string &name) { value = read(text, name); },
            .get = [&value, show]() -> OptionValue { return shown(value, show); }};
}

// Returns access to a time that may be 0, and that may be missing if its type says so.
template <class Time>
OptionAccess access_to_time(Time &value, double most)
{
    return access(
        value,
        [most](const std::string &text, const std::string &name) {
            return parse_seconds_or_none(text, name, most);
        },
        seconds);
}

std::uint64_t per_second(Rate rate)
{
    return rate.per_second;
}

} // namespace

OptionAccess rate(Rate &value)
{
    return access(value, parse_rate, per_second);
}

OptionAccess rate(std::optional<Rate> &value)
{
    return access(value, parse_rate, per_second);
}

OptionAccess rate(std::uint64_t &value)
{
    return access(
        value,
        [](const std::string &text, const std::string &name) {
            return parse_rate(text, name).per_second;
        },
        std::identity());
}

OptionAccess time(Nanoseconds &value, double most)
{
    return access(
        value,
        [most](const std::string &text, const std::string &name) {
            return parse_seconds(text, name, most);
        },
        [](Nanoseconds time) {
            return time == Nanoseconds{} ? OptionValue() : OptionValue(seconds(time));
        });
}

OptionAccess time_or_none(Nanoseconds &value, double most)
{
    return access_to_time(value, most);
}

OptionAccess time_or_none(std::optional<Nanoseconds> &value, double most)
{
    return access_to_time(value, most);
}

OptionAccess cpus(std::vector<unsigned> &value)
{
    return access(value, parse_cpus, std::identity());
}

OptionAccess queues(std::vector<unsigned> &value)
{
    return access(value, parse_queues, std::identity());
}

} // namespace dnsgauge
