// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/server_stalls.h"

#include "userland/setup_error.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace dnsgauge
{

namespace
{

Nanoseconds time_of(__u64 nanoseconds)
{
    return Nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

} // namespace

std::vector<Stall> server_stalls(const std::vector<absence> &absences, Nanoseconds start)
{
    std::vector<Stall> stalls;
    for (const absence &each : absences)
        if (const Nanoseconds until = time_of(each.end_ns) - start; until > Nanoseconds{})
            stalls.push_back({.who = Stalled::server,
                              .since = time_of(each.begin_ns) - start,
                              .until = until,
                              .longest = time_of(each.away_ns)});
    std::ranges::stable_sort(stalls, {}, &Stall::since);
    return stalls;
}

std::vector<Stall> unite_overlapping(std::vector<Stall> stalls)
{
    std::ranges::stable_sort(stalls, {}, &Stall::since);
    std::vector<Stall> united;
    for (const Stall &each : stalls) {
        if (united.empty() || each.since > united.back().until) {
            united.push_back(each);
            continue;
        }
        Stall &last = united.back();
        last.until = std::max(last.until, each.until);
        last.longest = std::max(last.longest, each.longest);
    }
    return united;
}

void take_longest(std::vector<CpuUse> &cpus, const std::map<unsigned, absence> &longest)
{
    for (CpuUse &use : cpus) {
        const auto found = longest.find(use.cpu);
        if (found == longest.end() || use.server_ran + use.server_waited == Nanoseconds{})
            continue;
        const absence &one = found->second;
        use.absence = {.longest = time_of(one.away_ns),
                       .process = static_cast<int>(one.process),
                       .name = one_line({std::begin(one.name), std::ranges::find(one.name, '\0')})};
    }
}

} // namespace dnsgauge
