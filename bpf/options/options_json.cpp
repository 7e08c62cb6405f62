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

Json description_of(const Options &options)
{
    Json json = Json::array();
    Options ordered = options;
    std::ranges::stable_sort(ordered, {}, &Option::group);
    for (const Option &option : ordered) {
        const std::string usual = default_text(option);
        const std::string &range = option.access.range;
        json.push_back({{"name", option.name},
                        {"group", option_groups.text_of(option.group)},
                        {"type", option.access.is_flag ? Json() : Json(option.type)},
                        {"range", range.empty() ? Json() : Json(range)},
                        {"default", usual.empty() ? Json() : Json(usual)},
                        {"required", option.is_required},
                        {"positional", option.is_positional},
                        {"repeatable", option.is_repeatable},
                        {"help", meaning_text(options, option)}});
    }
    return json;
}

Json statuses_of(const std::vector<ExitMeaning> &statuses)
{
    Json json = Json::object();
    for (const ExitMeaning &one : statuses)
        json[std::to_string(static_cast<int>(one.status))] = one.meaning;
    return json;
}

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

std::string description_text(const Program &program)
{
    Json all = Json::array();
    for (const Command &command : program.commands)
        all.push_back({{"name", command.name},
                       {"usage", usage_text(program, command)},
                       {"summary", command.summary},
                       {"remarks", command.remarks},
                       {"options", description_of(command.options)},
                       {"examples", command.examples},
                       {"exit_status", statuses_of(statuses_of(program, command))}});
    const Json described{{"schema", "dnsgauge/options/1"},
                         {"program", program.name},
                         {"summary", program.summary},
                         {"exit_status", statuses_of(program.statuses)},
                         {"commands", all}};
    return described.dump(2) + "\n";
}

} // namespace dnsgauge
