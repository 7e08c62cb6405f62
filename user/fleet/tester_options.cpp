// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/tester_options.h"

#include "options/option_error.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace dnsgauge
{

namespace
{

// Returns the option with the number in place of each {rank}.
GivenOption for_rank(GivenOption option, std::size_t rank)
{
    constexpr std::string_view placeholder = "{rank}";
    std::string &text = option.text;
    for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;)
        text.replace(at, placeholder.size(), std::to_string(rank));
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

using Kind = ConfigValue::Kind;

[[noreturn]] void refuse_value(const Place &place, const std::string &host, const std::string &key,
                               const std::string &why)
{
    refuse(place, "{}.{}: {}", host, key, why);
}

// Returns the numbers of a list in the form of a command line.
std::string joined(const std::string &host, const ConfigMember &member)
{
    std::string text;
    for (const ConfigValue &item : member.value.items) {
        if (item.kind != Kind::number)
            refuse_value(member.value.place, host, member.key,
                         "a list must have numbers, such as [2, 3]");
        text += (text.empty() ? "" : ",") + item.text;
    }
    return text;
}

std::string text_of(const std::string &host, const ConfigMember &member)
{
    switch (member.value.kind) {
    case Kind::text:
    case Kind::number:
        return member.value.text;
    case Kind::array:
        return joined(host, member);
    case Kind::flag:
        refuse_value(member.value.place, host, member.key, "must be a text or a number");
    case Kind::table:
        // [a.example.org] is a table within a table.
        refuse_value(member.value.place, host, member.key,
                     "is a table within a table: quote the name of a host that has dots, "
                     "[\"a.example.org\"]");
    }
    return {};
}

bool may_differ(const std::string &option)
{
    return std::ranges::find(options_of_one_tester(), option) != options_of_one_tester().end();
}

std::vector<GivenOption> settings_in(const std::string &host, const ConfigValue &table)
{
    std::vector<GivenOption> settings;
    for (const ConfigMember &member : table.members) {
        const Place &place = member.value.place;
        const std::string text = text_of(host, member);
        if (!may_differ(member.key))
            refuse_value(place, host, member.key,
                         "no such key: " +
                             suggestion(member.key, options_of_one_tester(),
                                        "keys are " + listed(options_of_one_tester(), "and")));
        settings.push_back({member.key, text,
                            fmt::format("{}:{}: {}.{}", place.file, place.line, host, member.key)});
    }
    return settings;
}

HostEntry entry_of(const ConfigMember &member)
{
    const ConfigValue &value = member.value;
    HostEntry entry{.name = member.key, .place = value.place, .tables = {}};
    entry.is_by_tester = value.kind == Kind::array;
    if (value.kind == Kind::table)
        entry.tables.push_back(settings_in(member.key, value));
    else if (!entry.is_by_tester)
        refuse(value.place,
               "{}: stands in no table: each host has its own, which begins with its name, [HOST]",
               member.key);
    for (const ConfigValue &table : value.items) {
        if (table.kind != Kind::table)
            refuse(value.place,
                   "{}: must be a table, [{}], or one for each Tester of the host, [[{}]]",
                   member.key, member.key, member.key);
        entry.tables.push_back(settings_in(member.key, table));
    }
    return entry;
}

// Returns the options that the tables set for each Tester, by rank; none without a file. Throws
// SetupError if a host has no entry, or if the number of its tables is wrong.
std::vector<std::vector<GivenOption>> settings_by_rank(const HostsFile &tables,
                                                       const std::vector<std::string> &hosts)
{
    std::vector<std::vector<GivenOption>> settings(hosts.size());
    if (tables.entries.empty())
        return settings;
    std::map<std::string, std::size_t> seen; // Testers of each host
    for (std::size_t rank = 0; rank < hosts.size(); rank++) {
        const std::string &host = hosts[rank];
        const auto entry = std::ranges::find(tables.entries, host, &HostEntry::name);
        if (entry == tables.entries.end())
            throw SetupError("--hosts {}: there is no table for {}, where Tester {} runs: add one, "
                             "empty if all values come from the command line",
                             tables.file, host, rank);
        const auto testers = static_cast<std::size_t>(std::ranges::count(hosts, host));
        if (entry->is_by_tester && entry->tables.size() != testers)
            refuse(entry->place,
                   "{}: {} for {}: write one [[{}]] for each, or [{}] for all of them", host,
                   counted(entry->tables.size(), "table"), counted(testers, "Tester"), host, host);
        settings[rank] = entry->tables[entry->is_by_tester ? seen[host]++ : 0];
    }
    return settings;
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
        if (one.text.find("{rank}") == std::string::npos)
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

const std::vector<std::string> &options_of_one_tester()
{
    static const std::vector<std::string> options{"interface",      "server",
                                                  "server-mac",     "source",
                                                  "vlan",           "clients",
                                                  "cpus",           "sender-queues",
                                                  "server-process", "first-source-port",
                                                  "per-query",      "fakedns-interface",
                                                  "fakedns-netns",  "fault-cpu"};
    return options;
}

HostsFile read_hosts(const std::string &file)
{
    HostsFile tables{.file = file, .entries = {}};
    for (const ConfigMember &member : read_config("--hosts", file).members)
        tables.entries.push_back(entry_of(member));
    if (tables.entries.empty())
        throw SetupError("--hosts {}: the file has no table", file);
    return tables;
}

std::vector<HostEntry> entries_without_tester(const HostsFile &tables,
                                              const std::vector<std::string> &hosts)
{
    std::vector<HostEntry> found;
    std::ranges::copy_if(tables.entries, std::back_inserter(found), [&](const HostEntry &entry) {
        return std::ranges::find(hosts, entry.name) == hosts.end();
    });
    return found;
}

} // namespace dnsgauge
