// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What differs between Testers that have one command line: {rank} in the value of an option stands
// for the Tester's number, and a file has values by host.
#pragma once

#include "fleet/hosts_file.h"
#include "options/option.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

// The options that differ, each once, and their values by rank. A Tester without a value has the
// default.
struct OwnValues {
    std::vector<std::string> options;
    std::vector<std::vector<GivenOption>> by_rank;
};

// Returns what differs between Testers on these hosts (by rank), by the options that all were given
// and the tables of their hosts. A host's table takes precedence. Keys that are none of the
// command's `options` are ignored. Throws OptionError if {rank} stands in an option that all must
// agree on. Throws SetupError if tables and Testers do not fit, if a table's value is wrong, or if
// a Tester lacks a required option.
[[nodiscard]] OwnValues own_values(const Options &options, const std::vector<GivenOption> &given,
                                   const HostsFile &tables, const std::vector<std::string> &hosts);

// Returns all options of the Tester of that rank, from the options that were given to all.
[[nodiscard]] std::vector<GivenOption> options_of_rank(const std::vector<GivenOption> &given,
                                                       const OwnValues &own, std::uint32_t rank);

} // namespace dnsgauge
