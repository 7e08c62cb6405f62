// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

} // namespace

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
