// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file of --hosts: a table for each host, with the options whose values are the host's own.
#pragma once

#include "options/option.h"
#include "userland/toml_file.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the names of the options that may differ between Testers: a Tester's link, addresses,
// CPUs and file of queries.
[[nodiscard]] const std::vector<std::string> &options_of_one_tester();
// Returns whether the option is one of them.
[[nodiscard]] bool may_differ(const std::string &option);

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

// Returns the options that the tables set for each Tester, by rank; none without a file. Throws
// SetupError if a host has no entry, or if the number of its tables is wrong.
[[nodiscard]] std::vector<std::vector<GivenOption>>
settings_by_rank(const HostsFile &tables, const std::vector<std::string> &hosts);

} // namespace dnsgauge
