// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of Testers that have one command line: {rank} in the value of an option stands for
// the Tester's number, and a file has values by host.
#pragma once

#include "fleet/hosts_file.h"
#include "options/option.h"

#include <string>
#include <vector>

namespace dnsgauge
{

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
