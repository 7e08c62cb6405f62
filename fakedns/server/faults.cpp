// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/faults.h"

#include "dns/fault_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>

namespace dnsgauge
{

namespace
{

// Quantiles ascend, so the table is sorted.
std::string delay_line(unsigned kind, const __u64 *ns)
{
    const auto us = [ns](unsigned at) { return static_cast<double>(ns[at]) / 1e3; };
    const double mean = std::accumulate(ns, ns + FAULT_QUANTILES, 0.0) / FAULT_QUANTILES / 1e3;
    return fmt::format("{}_us min {:.3f} median {:.3f} p99 {:.3f} max {:.3f} mean {:.3f}\n",
                       fault_name(kind), us(0), us(FAULT_QUANTILES / 2 - 1),
                       us(FAULT_QUANTILES * 99 / 100), us(FAULT_QUANTILES - 1), mean);
}

} // namespace

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
    const auto add = [&](std::string_view name, auto count) {
        table += fmt::format("{:<16}{:>14}{:>14}{:>14}{:>14}\n", name, count(faults.xdp),
                             count(faults.udp), count(faults.tcp),
                             count(faults.xdp) + count(faults.udp) + count(faults.tcp));
    };
    table += fmt::format("{:<16}{:>14}{:>14}{:>14}{:>14}\n", "fault", "xdp", "udp", "tcp", "total");
    for (unsigned kind = 0; kind < FAULTS; kind++)
        add(fault_name(kind), [kind](const FaultCounters &one) { return one.done[kind]; });
    add("waiting", [](const FaultCounters &one) { return one.waiting; });
    add("unsent", [](const FaultCounters &one) { return one.unsent; });
    return table;
}

std::string connection_faults_table(const ConnectionFaultCounts &counts)
{
    std::string table = fmt::format("{:<19}{:>14}{:>14}\n", "fault", "connections", "queries");
    for (std::size_t kind = 1; kind < connection_faults.size(); kind++)
        table += fmt::format("{:<19}{:>14}{:>14}\n", connection_faults[kind].name,
                             counts[kind].connections, counts[kind].queries);
    return table;
}

std::string prediction_table(const fault_plan &plan, const NameRange &names,
                             std::uint32_t aaaa_share)
{
    const FaultCounts counts = predict_faults(plan, names, aaaa_share);
    std::string table;
    for (unsigned kind = 0; kind < FAULTS; kind++)
        table += fmt::format("{} {}\n", fault_name(kind), counts[kind]);
    for (const unsigned kind : {FAULT_DELAY, FAULT_LATE})
        if (has_fault(plan, kind))
            table += delay_line(kind, plan.delay_ns[kind == FAULT_LATE]);
    return table;
}

} // namespace dnsgauge
