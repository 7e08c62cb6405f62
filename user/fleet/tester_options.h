// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of Testers that share one command line. {rank} in an option's value stands for the
// Tester's number. The file of --hosts has a table for each host, with the host's own values.
#pragma once

#include "options/option.h"
#include "system/toml_file.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the names of the options that may differ between Testers: a Tester's link, addresses,
// CPUs and file of queries.
[[nodiscard]] const std::vector<std::string> &options_of_one_tester();

struct HostEntry {
    std::string name;
    Place place;
    // [NAME] is one table for all Testers of the host. [[NAME]] is a table for one Tester.
    bool is_by_tester = false;
    std::vector<std::vector<GivenOption>> tables;
};

// Without a file there are no entries.
struct HostsFile {
    std::string file;
    std::vector<HostEntry> entries;
};

// Throws SetupError, which names file, line and key.
[[nodiscard]] HostsFile read_hosts(const std::string &file);

// Returns the entries of hosts on which no Tester runs.
[[nodiscard]] std::vector<HostEntry> entries_without_tester(const HostsFile &tables,
                                                            const std::vector<std::string> &hosts);

struct TesterOptions {
    std::vector<std::string> differing{};            // options with values by Tester, each once
    std::vector<std::vector<GivenOption>> by_rank{}; // all options of each Tester

    [[nodiscard]] bool differs(const std::string &option) const;
};

// Returns the options of the Testers on these hosts (by rank). They follow from the options that
// all were given and from the tables of the hosts; a host's table takes precedence. Ignores keys
// that the command's `options` lack. Throws OptionError if {rank} stands in an option that all must
// agree on. Throws SetupError if tables and Testers do not fit, or if a Tester lacks a required
// option.
[[nodiscard]] TesterOptions tester_options_by_rank(const Options &options,
                                                   const std::vector<GivenOption> &given,
                                                   const HostsFile &tables,
                                                   const std::vector<std::string> &hosts);

} // namespace dnsgauge
