// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/json_text.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr int depth_most = 64;

} // namespace

Json parse_json(std::string_view text)
{
    try {
        return Json::parse(text, [](int depth, Json::parse_event_t /*event*/, Json & /*value*/) {
            if (depth > depth_most)
                throw Json::other_error::create(501, "nested too deeply", nullptr);
            return true;
        });
    } catch (const Json::exception &) {
        return {Json::value_t::discarded};
    }
}

std::string plain_text(const Json &value)
{
    auto text = value.get<std::string>();
    if (std::ranges::any_of(text,
                            [](unsigned char octet) { return octet < 0x20 || octet == 0x7f; }))
        throw Json::type_error::create(302, "must be plain text, but is " + value.dump(), &value);
    return text;
}

std::uint64_t whole_number(const Json &value)
{
    if (!value.is_number_unsigned())
        throw Json::type_error::create(302, "must be a whole number, but is " + value.dump(),
                                       &value);
    return value.get<std::uint64_t>();
}

} // namespace dnsgauge
