// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr int depth_most = 64;
// The most names that an object may have. RCODEs have 4,096. Each new name is compared with all
// names before it.
constexpr unsigned object_most = 4500;
constexpr double seconds_most = 1e9;

} // namespace

Json parse_json(std::string_view text)
{
    using Event = Json::parse_event_t;
    std::array<unsigned, depth_most + 2> names{}; // of the open object at each depth
    try {
        return Json::parse(text, [&names](int depth, Event event, Json & /*value*/) {
            if (depth > depth_most)
                throw Json::other_error::create(501, "nested too deeply", nullptr);
            unsigned &here = names.at(static_cast<unsigned>(depth));
            if (event == Event::key && ++here > object_most)
                throw Json::other_error::create(501, "too many names", nullptr);
            if (event == Event::object_end)
                names.at(static_cast<unsigned>(depth) + 1) = 0;
            return true;
        });
    } catch (const Json::exception &) {
        return {Json::value_t::discarded};
    }
}

std::string json_text(const nlohmann::ordered_json &json)
{
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string plain_text(const Json &value)
{
    auto text = value.get<std::string>();
    if (std::ranges::any_of(text,
                            [](unsigned char octet) { return octet < 0x20 || octet == 0x7f; }))
        throw Json::type_error::create(302, "must be plain text, but is " + value.dump(), &value);
    return text;
}

std::vector<std::string> plain_texts(const Json &values)
{
    std::vector<std::string> texts;
    for (const Json &value : values)
        texts.push_back(plain_text(value));
    return texts;
}

std::uint64_t whole_number(const Json &value)
{
    if (!value.is_number_unsigned())
        throw Json::type_error::create(302, "must be a whole number, but is " + value.dump(),
                                       &value);
    return value.get<std::uint64_t>();
}

Nanoseconds read_seconds(const Json &value)
{
    const auto seconds = value.get<double>();
    if (seconds < 0 || seconds > seconds_most)
        throw Json::out_of_range::create(406, "must be seconds, but is " + value.dump(), &value);
    return Nanoseconds(std::llround(seconds * 1e9));
}

std::string json_difference(const Json &before, const Json &now, const std::string &name)
{
    if (before == now)
        return {};
    if (!before.is_object() || !now.is_object())
        return fmt::format("{} was {}, now it is {}", name, before.dump(), now.dump());
    for (const auto &[key, value] : now.items()) {
        std::string inner =
            json_difference(before.contains(key) ? before.at(key) : Json(), value, key);
        if (!inner.empty())
            return inner;
    }
    return name + " has more in it than this version knows";
}

} // namespace dnsgauge
