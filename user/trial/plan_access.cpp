// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/plan_access.h"

#include "dns/query_mix.h"
#include "dns/query_type.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "trial/verdict.h"

#include <algorithm>
#include <cmath>

namespace dnsgauge
{

namespace
{

std::string parse_url_path(const std::string &text)
{
    const auto is_right = [](char letter) {
        return letter > ' ' && letter <= '~' && letter != '#';
    };
    if (!text.starts_with('/') || !std::ranges::all_of(text, is_right))
        throw SetupError("\"{}\" is no path: write it like /dns-query", text);
    return text;
}

// Throws SetupError, also if a type has no number.
std::vector<TypeShare> read_mix_types(const std::string &text)
{
    std::vector<TypeShare> types = parse_mix_types(text);
    static_cast<void>(numbered(types));
    return types;
}

// Returns the access with an empty text as a missing value.
OptionAccess none_if_empty(OptionAccess access)
{
    access.get = [get = access.get] {
        OptionValue value = get();
        return value == OptionValue(std::string()) ? OptionValue() : value;
    };
    return access;
}

} // namespace

OptionAccess percentage(double &percent)
{
    OptionAccess access = number(percent, 0, 100);
    access.set = [&percent, set = access.set](const std::string &text, const std::string &name) {
        set(text, name);
        const double steps = percent * static_cast<double>(accept_steps_per_percent);
        // The error of a double is far smaller than this.
        if (std::abs(steps - std::round(steps)) > 1e-3)
            throw SetupError("{} {}: give at most six digits after the point", name, percent);
    };
    return access;
}

OptionAccess process(std::optional<std::string> &value)
{
    OptionAccess access = text(value);
    access.set = [&value](const std::string &text, const std::string &name) {
        if (text.empty())
            throw SetupError(name + ": give the ID or the name of a process");
        value = text;
    };
    return access;
}

OptionAccess accepted_rules(std::uint32_t &accepts)
{
    return none_if_empty({.set =
                              [&accepts](const std::string &text, const std::string &name) {
                                  std::uint32_t given = 0;
                                  for (const std::string_view word : split(text)) {
                                      const std::optional<std::uint32_t> rule =
                                          judge_rules.value_of(word);
                                      if (!rule)
                                          throw SetupError("{} {}: the judge's rules are {}", name,
                                                           word, all_words(judge_rules));
                                      given |= *rule;
                                  }
                                  accepts = given;
                              },
                          .get =
                              [&accepts] {
                                  return joined(
                                      judge_rules,
                                      [&accepts](const auto &rule) {
                                          return (accepts & rule.value) != 0 ? rule.text : "";
                                      },
                                      ",");
                              }});
}

OptionAccess text_or_none(std::string &value)
{
    return none_if_empty(text(value));
}

OptionAccess server_port(TrialPlan &plan)
{
    OptionAccess access = whole(plan.server_port, 1);
    access.set = [&plan, set = access.set](const std::string &text, const std::string &name) {
        set(text, name);
        plan.has_usual_port = false;
    };
    return access;
}

OptionAccess connections_at_once(TrialPlan &plan)
{
    OptionAccess access = whole(plan.connections, 1, connections_most);
    access.get = [&plan] {
        const std::uint64_t count = shared_connections(plan);
        return count == 0 ? OptionValue() : OptionValue(count);
    };
    return access;
}

OptionAccess url_path(std::string &path)
{
    OptionAccess access = text(path);
    access.set = [&path](const std::string &text, const std::string &name) {
        path = read_as(name, text, parse_url_path);
    };
    return access;
}

OptionAccess type_shares(std::vector<TypeShare> &value)
{
    return none_if_empty(parsed(value, read_mix_types));
}

} // namespace dnsgauge
