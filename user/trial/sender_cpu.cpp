// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/sender_cpu.h"

#include "engine/cpu_share.h"
#include "machine/cpu_times.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

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
                           const std::map<unsigned, double> &idle,
                           const std::vector<unsigned> &preferred)
{
    const auto worth = [&](unsigned cpu) {
        const auto share = idle.find(cpu);
        return std::tuple(std::ranges::find(pinned, cpu) == pinned.end(),
                          share != idle.end() && share->second >= idle_least,
                          std::ranges::find(preferred, cpu) != preferred.end());
    };
    return *std::ranges::max_element(allowed, {}, worth);
}

unsigned default_sender_cpu(const std::vector<unsigned> &preferred)
{
    static const unsigned cpu = [&preferred] {
        const std::vector<unsigned> allowed = allowed_cpus();
        if (allowed.size() == 1)
            return allowed.front();
        return choose_sender_cpu(allowed, cpus_with_pinned_threads(), sample_idle(), preferred);
    }();
    return cpu;
}

} // namespace dnsgauge
