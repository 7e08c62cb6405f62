// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/dns_access.h"

#include "dns/pref64_text.h"

namespace dnsgauge
{

OptionAccess prefix(pref64 &value)
{
    return {.set = [&value](const std::string &text,
                            const std::string &name) { value = read_as(name, text, parse_pref64); },
            .get = [&value]() -> OptionValue {
                return value.length == 0 ? OptionValue() : OptionValue(to_string(value));
            }};
}

OptionAccess names(NameRange &value)
{
    OptionAccess access = parsed(value, parse_name_range);
    access.get = [&value]() -> OptionValue {
        return value.count == 0 ? OptionValue() : OptionValue(to_string(value));
    };
    return access;
}

OptionAccess zone(ZoneName &value)
{
    return {
        .set = [&value](const std::string &text,
                        const std::string &name) { value = read_as(name, text, parse_zone_name); },
        .get = [&value]() -> OptionValue { return value.text; }};
}

} // namespace dnsgauge
