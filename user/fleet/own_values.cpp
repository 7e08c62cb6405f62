// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/own_values.h"

#include "fleet/plan_words.h"
#include "options/option_error.h"
#include "userland/listed.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::string_view placeholder = "{rank}";

// Returns the text with the number in place of each {rank}.
std::string for_rank(std::string text, std::size_t rank)
{
    const std::string number = std::to_string(rank);
    for (std::size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + number.size()))
        text.replace(at, placeholder.size(), number);
    return text;
}

[[noreturn]] void refuse_common(const GivenOption &one)
{
    std::vector<std::string> names;
    for (const std::string &name : options_of_one_tester())
        names.push_back("--" + name);
    throw OptionError({one.option},
                      fmt::format("--{} {}: all Testers have the same value there; {{rank}} may "
                                  "stand in the values of {}",
                                  one.option, one.text, listed(names, "and")));
}

void add_once(std::vector<std::string> &names, const std::string &name)
{
    if (std::ranges::find(names, name) == names.end())
        names.push_back(name);
}

// Two Testers of one host would write over each other's files.
void check_files(const OwnValues &own, const std::vector<std::string> &hosts)
{
    const auto file_of = [&own](std::size_t rank) -> std::string {
        const auto file = std::ranges::find(own.by_rank[rank], "per-query", &GivenOption::option);
        return file == own.by_rank[rank].end() ? "" : file->text;
    };
    for (std::size_t one = 0; one < hosts.size(); one++)
        for (std::size_t other = one + 1; other < hosts.size(); other++)
            if (hosts[one] == hosts[other] && !file_of(one).empty() &&
                file_of(one) == file_of(other))
                throw SetupError(fmt::format("--per-query {}: Tester {} and Tester {} would both "
                                             "write it on {}: put {{rank}} into the name",
                                             file_of(one), one, other, hosts[one]));
}

// Returns the value that a host's table has for that Tester. Throws SetupError with its place.
GivenOption value_in(const HostSetting &setting, const std::string &host, std::size_t rank)
{
    GivenOption value{setting.option, for_rank(setting.text, rank)};
    try {
        if (is_of_trials(value.option))
            check_value(value);
    } catch (const OptionError &error) {
        const auto key = [](const std::string &option) { return option; };
        refuse(setting.place, fmt::format("{}: {}", host, error.called(key)));
    }
    return value;
}

void check_optional(const Options &options, const std::string &name, const HostsFile &tables,
                    const std::string &host)
{
    const Option *option = find_option(options, name);
    if (option != nullptr && option->is_required)
        throw SetupError(fmt::format("--hosts {}: the table of {} lacks {}, and --{} is not given",
                                     tables.file, host, name, name));
}

} // namespace

OwnValues own_values(const Options &options, const std::vector<GivenOption> &given,
                     const HostsFile &tables, const std::vector<std::string> &hosts)
{
    OwnValues own;
    for (const GivenOption &one : given) {
        if (one.text.find(placeholder) == std::string::npos)
            continue;
        if (!may_differ(one.option))
            refuse_common(one);
        add_once(own.options, one.option);
    }
    const auto settings = settings_by_rank(tables, hosts);
    for (const auto &of_one : settings)
        for (const HostSetting &setting : of_one)
            if (find_option(options, setting.option) != nullptr)
                add_once(own.options, setting.option);
    for (std::size_t rank = 0; rank < hosts.size(); rank++) {
        std::vector<GivenOption> &mine = own.by_rank.emplace_back();
        for (const std::string &option : own.options) {
            const auto set = std::ranges::find(settings[rank], option, &HostSetting::option);
            const auto common = std::ranges::find(given, option, &GivenOption::option);
            if (set != settings[rank].end())
                mine.push_back(value_in(*set, hosts[rank], rank));
            else if (common != given.end())
                mine.push_back({option, for_rank(common->text, rank)});
            else
                check_optional(options, option, tables, hosts[rank]);
        }
    }
    check_files(own, hosts);
    return own;
}

std::vector<GivenOption> options_of_rank(const std::vector<GivenOption> &given,
                                         const OwnValues &own, std::uint32_t rank)
{
    std::vector<GivenOption> options;
    for (const GivenOption &one : given)
        if (std::ranges::find(own.options, one.option) == own.options.end())
            options.push_back(one);
    const std::vector<GivenOption> &mine = own.by_rank.at(rank);
    options.insert(options.end(), mine.begin(), mine.end());
    return options;
}

} // namespace dnsgauge
