// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the file of --hosts, for Testers on each host that it names, two on the first.
// The parser refuses the file, or each Tester has each of its own options once.
#include "fuzz.h"

#include "file_of.h"

#include "fleet/tester_options.h"
#include "system/setup_error.h"

#include <algorithm>
#include <set>

using namespace dnsgauge;
using namespace dnsgauge::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string file = file_of("hosts.toml", text_of({data, size}));
    Options options;
    for (const std::string &name : options_of_one_tester())
        options.push_back({name, {}});
    try {
        const HostsFile tables = read_hosts(file);
        std::vector<std::string> hosts{tables.entries.front().name};
        for (const HostEntry &entry : tables.entries)
            hosts.push_back(entry.name);
        must(entries_without_tester(tables, hosts).empty(), "each host has a Tester");
        const TesterOptions testers =
            tester_options_by_rank(options, {{"cpus", "{rank}"}}, tables, hosts);
        must(testers.by_rank.size() == hosts.size(), "each Tester has its values");
        for (const auto &mine : testers.by_rank) {
            std::set<std::string> names;
            for (const GivenOption &one : mine) {
                must(names.insert(one.option).second, "a Tester has one value of an option");
                must(std::ranges::count(testers.differing, one.option) == 1, "the option differs");
                must(one.text.find("{rank}") == std::string::npos, "the value is one Tester's");
            }
        }
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
