// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/tester_options.h"

#include "options/option_error.h"
#include "userland/listed.h"
#include "userland/setup_error.h"

#include <algorithm>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::string_view placeholder = "{rank}";

// Returns the option with the number in place of each {rank}.
GivenOption for_rank(GivenOption option, std::size_t rank)
{
    std::string &text = option.text;
    const std::string number = std::to_string(rank);
    for (std::size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + number.size()))
        text.replace(at, placeholder.size(), number);
    return option;
}

[[noreturn]] void refuse_common(const GivenOption &one)
{
    std::vector<std::string> names;
    for (const std::string &name : options_of_one_tester())
        names.push_back("--" + name);
    throw OptionError({one.option},
                      "--{} {}: all Testers have the same value there; {{rank}} may "
                      "stand in the values of {}",
                      one.option, one.text, listed(names, "and"));
}

bool has(const std::vector<GivenOption> &given, const std::string &option)
{
    return std::ranges::find(given, option, &GivenOption::option) != given.end();
}

// Returns all options of a Tester whose host's table has these settings.
std::vector<GivenOption> options_of(std::size_t rank, const Options &options,
                                    const std::vector<GivenOption> &given,
                                    const std::vector<GivenOption> &settings)
{
    std::vector<GivenOption> all;
    for (const GivenOption &one : given)
        if (!has(settings, one.option))
            all.push_back(for_rank(one, rank));
    for (const GivenOption &setting : settings)
        if (find_option(options, setting.option) != nullptr)
            all.push_back(for_rank(setting, rank));
    return all;
}

// Throws SetupError if two Testers of one host would write over each other's files.
void check_files(const TesterOptions &testers, const std::vector<std::string> &hosts)
{
    if (!testers.differs("per-query"))
        return; // Leader::check_others() asks for {rank}
    const auto file_of = [&testers](std::size_t rank) -> std::string {
        const auto &all = testers.by_rank[rank];
        const auto file = std::ranges::find(all, "per-query", &GivenOption::option);
        return file == all.end() ? "" : file->text;
    };
    for (std::size_t one = 0; one < hosts.size(); one++)
        for (std::size_t other = one + 1; other < hosts.size(); other++)
            if (hosts[one] == hosts[other] && !file_of(one).empty() &&
                file_of(one) == file_of(other))
                throw SetupError("--per-query {}: Tester {} and Tester {} would both "
                                 "write it on {}: put {{rank}} into the name",
                                 file_of(one), one, other, hosts[one]);
}

} // namespace

bool TesterOptions::differs(const std::string &option) const
{
    return std::ranges::find(differing, option) != differing.end();
}

TesterOptions tester_options_by_rank(const Options &options, const std::vector<GivenOption> &given,
                                     const HostsFile &tables, const std::vector<std::string> &hosts)
{
    TesterOptions testers;
    const auto add = [&testers](const std::string &option) {
        if (!testers.differs(option))
            testers.differing.push_back(option);
    };
    for (const GivenOption &one : given) {
        if (one.text.find(placeholder) == std::string::npos)
            continue;
        if (!may_differ(one.option))
            refuse_common(one);
        add(one.option);
    }
    const auto settings = settings_by_rank(tables, hosts);
    for (const auto &of_one : settings)
        for (const GivenOption &setting : of_one)
            if (find_option(options, setting.option) != nullptr)
                add(setting.option);
    for (std::size_t rank = 0; rank < hosts.size(); rank++) {
        testers.by_rank.push_back(options_of(rank, options, given, settings[rank]));
        for (const std::string &name : testers.differing)
            if (const Option *option = find_option(options, name);
                option != nullptr && option->is_required && !has(testers.by_rank[rank], name))
                throw SetupError("--hosts {}: the table of {} lacks {}, and --{} is not given",
                                 tables.file, hosts[rank], name, name);
    }
    check_files(testers, hosts);
    return testers;
}

} // namespace dnsgauge
