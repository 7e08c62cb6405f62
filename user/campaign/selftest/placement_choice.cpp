// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/placement_choice.h"

#include "machine/topology.h"
#include "stats/summary.h"
#include "userland/listed.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

Band band_of_rates(const WalkedPlacement &placement)
{
    const std::vector<double> rates(placement.rates.begin(), placement.rates.end());
    return band_of(rates).value_or(Band{});
}

std::string finding(const PlacementStage &stage)
{
    const WalkedPlacement &usual = stage.walked.front();
    if (stage.walked.size() == 1)
        return fmt::format("had no choice but {}", placement_name(usual));
    if (stage.best == 0)
        return fmt::format("found none better than {}: its searches found {:.0f} to {:.0f} "
                           "queries/s, and no other placement found more in every search",
                           placement_name(usual), band_of_rates(usual).min,
                           band_of_rates(usual).max);
    const std::string gain =
        stage.gain_percent
            ? fmt::format("{:.1f} % above {}", *stage.gain_percent, placement_name(usual))
            : fmt::format("{} kept no rate", placement_name(usual));
    return fmt::format("found {} best: {} (medians of {} searches)", placement_name(stage.chosen()),
                       gain, usual.rates.size());
}

} // namespace

std::string placement_name(const WalkedPlacement &placement)
{
    std::vector<std::string> with;
    if (placement.sender_queue)
        with.push_back(fmt::format("transmit queue {}", *placement.sender_queue));
    if (!placement.settings.empty())
        with.push_back(settings_text(placement.settings));
    return fmt::format("CPU {}{}{}", placement.sender_cpu, with.empty() ? "" : " with ",
                       join(with, " and "));
}

std::vector<unsigned> one_of_each_nearness(unsigned cpu, const std::vector<CpuPlace> &all)
{
    const auto own = std::ranges::find(all, cpu, &CpuPlace::cpu);
    std::map<Nearness, unsigned> found; // a Nearness grows with the distance
    for (const CpuPlace &place : all)
        found.try_emplace(nearness(*own, place), place.cpu);
    std::vector<unsigned> cpus;
    for (const auto &[near, one] : found)
        cpus.push_back(one);
    return cpus;
}

std::vector<unsigned> one_queue_of_each_nearness(unsigned cpu, unsigned usual,
                                                 const std::map<unsigned, unsigned> &queues,
                                                 const std::vector<CpuPlace> &all)
{
    const auto own = std::ranges::find(all, cpu, &CpuPlace::cpu);
    std::map<Nearness, unsigned> found;
    const auto add = [&](unsigned queue, unsigned its_cpu) {
        if (const auto place = std::ranges::find(all, its_cpu, &CpuPlace::cpu); place != all.end())
            found.try_emplace(nearness(*own, *place), queue);
    };
    if (const auto mine = queues.find(usual); mine != queues.end())
        add(usual, mine->second);
    for (const auto &[queue, its_cpu] : queues)
        add(queue, its_cpu);
    std::vector<unsigned> others;
    for (const auto &[near, queue] : found)
        if (queue != usual)
            others.push_back(queue);
    return others;
}

void choose_best(PlacementStage &stage, std::uint64_t resolution)
{
    const Band usual = band_of_rates(stage.walked.front());
    double most = 0;
    for (std::size_t i = 1; i < stage.walked.size(); i++) {
        const Band spread = band_of_rates(stage.walked[i]);
        if (spread.min < usual.max + static_cast<double>(resolution) || spread.median <= most)
            continue;
        most = spread.median;
        stage.best = i;
    }
    if (stage.best != 0 && usual.median > 0)
        stage.gain_percent = 100 * (most / usual.median - 1);
    stage.found = finding(stage);
}

} // namespace dnsgauge
