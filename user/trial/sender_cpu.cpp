// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/sender_cpu.h"

#include "engine/cpu_share.h"
#include "machine/cpu_times.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

namespace dnsgauge
{

namespace
{

constexpr auto sample_time = std::chrono::milliseconds(100);
constexpr double idle_least = 0.9;

std::map<unsigned, double> sample_idle()
{
    const auto before = read_cpu_times();
    std::this_thread::sleep_for(sample_time);
    std::map<unsigned, double> idle;
    for (const auto &[cpu, after] : read_cpu_times())
        if (const auto was = before.find(cpu); was != before.end())
            idle[cpu] = seconds(after.idle - was->second.idle) / seconds(sample_time);
    return idle;
}

} // namespace

unsigned choose_sender_cpu(const std::vector<unsigned> &allowed,
                           const std::vector<unsigned> &pinned,
                           const std::map<unsigned, double> &idle)
{
    std::vector<unsigned> free;
    std::ranges::copy_if(allowed, std::back_inserter(free), [&pinned](unsigned cpu) {
        return std::ranges::find(pinned, cpu) == pinned.end();
    });
    if (free.empty())
        return allowed.at(0);
    const auto found = std::ranges::find_if(free, [&idle](unsigned cpu) {
        const auto share = idle.find(cpu);
        return share != idle.end() && share->second >= idle_least;
    });
    return found != free.end() ? *found : free.front();
}

unsigned default_sender_cpu()
{
    static const unsigned cpu = [] {
        const std::vector<unsigned> allowed = allowed_cpus();
        if (allowed.size() == 1)
            return allowed.front();
        return choose_sender_cpu(allowed, cpus_with_pinned_threads(), sample_idle());
    }();
    return cpu;
}

} // namespace dnsgauge
