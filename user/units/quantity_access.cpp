// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/quantity_access.h"

#include "units/quantity_text.h"

namespace dnsgauge
{

namespace
{

// For a time that may be 0. Such a time may be missing, too.
template <class Time>
OptionAccess access_to_time(Time &value, double most)
{
    return {
        .set = [&value,
                most](const std::string &text,
                      const std::string &name) { value = parse_seconds_or_none(text, name, most); },
        .get = [&value] { return shown(value, [](Nanoseconds time) { return seconds(time); }); }};
}

} // namespace

OptionAccess rate(Rate &value)
{
    return rate(value.per_second);
}

OptionAccess rate(std::uint64_t &per_second)
{
    return {.set =
                [&per_second](const std::string &text, const std::string &name) {
                    per_second = parse_rate(text, name).per_second;
                },
            .get = [&per_second]() -> OptionValue { return per_second; }};
}

OptionAccess rate(std::optional<Rate> &value)
{
    return {.set = [&value](const std::string &text,
                            const std::string &name) { value = parse_rate(text, name); },
            .get = [&value] { return shown(value, [](Rate rate) { return rate.per_second; }); }};
}

OptionAccess time(Nanoseconds &value, double most)
{
    return {
        .set = [&value, most](const std::string &text,
                              const std::string &name) { value = parse_seconds(text, name, most); },
        .get = [&value]() -> OptionValue {
            return value == Nanoseconds{} ? OptionValue() : OptionValue(seconds(value));
        }};
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
    return {.set = [&value](const std::string &text,
                            const std::string &name) { value = parse_cpus(text, name); },
            .get = [&value]() -> OptionValue { return value; }};
}

OptionAccess queues(std::vector<unsigned> &value)
{
    return {.set = [&value](const std::string &text,
                            const std::string &name) { value = parse_queues(text, name); },
            .get = [&value]() -> OptionValue { return value; }};
}

} // namespace dnsgauge
