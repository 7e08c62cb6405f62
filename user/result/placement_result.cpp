// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/placement_result.h"

#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dnsgauge
{

namespace
{

constexpr std::array cpu_counts{&CpuHandled::net_rx,    &CpuHandled::net_tx,
                                &CpuHandled::processed, &CpuHandled::dropped,
                                &CpuHandled::squeezed,  &CpuHandled::interrupts};

std::uint64_t growth(std::uint64_t before, std::uint64_t after)
{
    return after >= before ? after - before : after;
}

} // namespace

Handled grown(const Handled &before, const Handled &after)
{
    Handled handled = after;
    for (auto &[number, cpu] : handled.cpus)
        if (const auto old = before.cpus.find(number); old != before.cpus.end())
            for (const auto count : cpu_counts)
                cpu.*count = growth(old->second.*count, cpu.*count);
    for (auto &[name, queue] : handled.queues)
        if (const auto old = before.queues.find(name); old != before.queues.end()) {
            queue.packets = growth(old->second.packets, queue.packets);
            queue.interrupts = growth(old->second.interrupts, queue.interrupts);
        }
    return handled;
}

std::vector<std::string> handled_notes(const Handled &grown)
{
    // A queue with less than this share of the busiest one's packets has stray packets alone:
    // ARP and neighbour discovery.
    constexpr std::uint64_t share = 100;
    std::size_t queues = 0;
    std::uint64_t most = 0;
    for (const auto &[name, queue] : grown.queues)
        if (name.starts_with("rx-") && queue.has_packets) {
            queues++;
            most = std::max(most, queue.packets);
        }
    if (queues < 2 || most < share)
        return {};
    std::vector<std::string> idle;
    for (const auto &[name, queue] : grown.queues)
        if (name.starts_with("rx-") && queue.has_packets && queue.packets < most / share)
            idle.push_back(name);
    if (idle.empty())
        return {};
    return {fmt::format("{} of {} receive queues got packets; without: {}: more source ports or "
                        "connections, or rss-fields sdfn, spread them",
                        queues - idle.size(), queues, join(idle, ", "))};
}

void add(std::optional<PlacementResult> &sum, const PlacementResult &more)
{
    if (!sum) {
        sum = more;
        return;
    }
    for (const auto &[number, cpu] : more.handled.cpus)
        for (const auto count : cpu_counts)
            sum->handled.cpus[number].*count += cpu.*count;
    for (const auto &[name, queue] : more.handled.queues) {
        QueueHandled &all = sum->handled.queues[name];
        all.packets += queue.packets;
        all.interrupts += queue.interrupts;
        all.has_packets = all.has_packets || queue.has_packets;
    }
    sum->notes = handled_notes(sum->handled);
    sum->card_node = more.card_node;
    sum->interrupts = more.interrupts;
    sum->places = more.places;
}

} // namespace dnsgauge
