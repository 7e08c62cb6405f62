// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/quantity_access.h"

#include "units/quantity_text.h"

namespace dnsgauge
{

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
            .get = [&value]() -> OptionValue {
                return value ? OptionValue(value->per_second) : OptionValue();
            }};
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
    return {.set =
                [&value, most](const std::string &text, const std::string &name) {
                    value = parse_seconds_or_none(text, name, most);
                },
            .get = [&value]() -> OptionValue { return seconds(value); }};
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
