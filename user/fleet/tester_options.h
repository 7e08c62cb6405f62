// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of Testers that have one command line: {rank} in the value of an option stands for
// the Tester's number, and the file of --hosts has a table for each host, with the options whose
// values are the host's own.
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

// Throws SetupError with file, line and key.
[[nodiscard]] HostsFile read_hosts(const std::string &file);

// Returns the entries of hosts on which no Tester runs.
[[nodiscard]] std::vector<HostEntry> entries_without_tester(const HostsFile &tables,
                                                            const std::vector<std::string> &hosts);

struct TesterOptions {
    std::vector<std::string> differing{};            // options with values by Tester, each once
    std::vector<std::vector<GivenOption>> by_rank{}; // all options of each Tester

    [[nodiscard]] bool differs(const std::string &option) const;
};

// Returns the options of Testers on these hosts (by rank), by the options that all were given and
// the tables of their hosts. A host's table takes precedence. Keys that are none of the command's
// `options` are ignored. Throws OptionError if {rank} stands in an option that all must agree on.
// Throws SetupError if tables and Testers do not fit, or if a Tester lacks a required option.
[[nodiscard]] TesterOptions tester_options_by_rank(const Options &options,
                                                   const std::vector<GivenOption> &given,
                                                   const HostsFile &tables,
                                                   const std::vector<std::string> &hosts);

} // namespace dnsgauge
