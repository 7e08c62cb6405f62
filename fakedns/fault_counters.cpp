// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/fault_counters.h"

#include "userland/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>

namespace dnsgauge
{

FaultCounters &FaultCounters::operator+=(const FaultCounters &other)
{
    std::ranges::transform(done, other.done, done.begin(), std::plus{});
    waiting += other.waiting;
    unsent += other.unsent;
    return *this;
}

std::string faults_table(const ServerFaults &faults)
{
    std::string table;
    const auto add = [&table](std::string_view name, std::uint64_t xdp, std::uint64_t udp) {
        fmt::format_to(std::back_inserter(table), "{:<16}{:>14}{:>14}{:>28}\n", name, xdp, udp,
                       xdp + udp);
    };
    fmt::format_to(std::back_inserter(table), "{:<16}{:>14}{:>14}{:>28}\n", "fault", "xdp", "udp",
                   "total");
    for (unsigned kind = 0; kind < FAULTS; kind++)
        add(fault_name(kind), faults.xdp.done[kind], faults.udp.done[kind]);
    add("waiting", faults.xdp.waiting, faults.udp.waiting);
    add("unsent", faults.xdp.unsent, faults.udp.unsent);
    return table;
}

} // namespace dnsgauge
