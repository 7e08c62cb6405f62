// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/rank_words.h"

#include "common/listed.h"
#include "options/option_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::string_view placeholder = "{rank}";

// What belongs to one Tester: its link, its addresses, its CPUs and the file of its queries.
const std::vector<std::string> of_one_tester{
    "interface", "server",        "server-mac",        "source",   "vlan", "clients",
    "cpus",      "sender-queues", "first-source-port", "per-query"};

} // namespace

std::string for_rank(std::string text, std::uint32_t rank)
{
    const std::string number = std::to_string(rank);
    for (std::size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + number.size()))
        text.replace(at, placeholder.size(), number);
    return text;
}

std::vector<GivenOption> options_by_rank(const std::vector<GivenOption> &given)
{
    std::vector<GivenOption> found;
    for (const GivenOption &one : given) {
        if (one.text.find(placeholder) == std::string::npos)
            continue;
        if (std::ranges::find(of_one_tester, one.option) == of_one_tester.end()) {
            std::vector<std::string> names;
            for (const std::string &name : of_one_tester)
                names.push_back("--" + name);
            throw OptionError(
                {one.option},
                fmt::format("--{} {}: all Testers have the same value there; {{rank}} "
                            "may stand in the values of {}",
                            one.option, one.text, listed(names, "and")));
        }
        found.push_back(one);
    }
    return found;
}

} // namespace dnsgauge
