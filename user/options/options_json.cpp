// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/options_json.h"

#include "options/help.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace dnsgauge
{

using Json = nlohmann::ordered_json;

namespace
{

struct JsonOf {
    Json operator()(std::monostate /*none*/) const { return nullptr; }
    template <class Value>
    Json operator()(const Value &value) const
    {
        return value;
    }
};

} // namespace

Json json_of(const OptionValue &value)
{
    return std::visit(JsonOf{}, value);
}

Json journal_options(const Options &options)
{
    Json json = Json::object();
    for (const Option &option : options)
        if (option.is_in_journal)
            json[option.name] = json_of(option.access.get());
    return json;
}

Json description_of(const Options &options)
{
    Json json = Json::array();
    Options ordered = options;
    std::ranges::stable_sort(ordered, {}, &Option::group);
    for (const Option &option : ordered) {
        const std::string usual = default_text(option);
        json.push_back({{"name", option.name},
                        {"group", option_groups.text_of(option.group)},
                        {"type", option.access.is_flag ? Json() : Json(option.type)},
                        {"default", usual.empty() ? Json() : Json(usual)},
                        {"required", option.is_required},
                        {"positional", option.is_positional},
                        {"repeatable", option.is_repeatable},
                        {"help", option.help}});
    }
    return json;
}

} // namespace dnsgauge
