// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/cpu_use.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>

namespace dnsgauge
{

namespace
{

// Guests that got or wanted less than a hundredth of a CPU are not named.
constexpr int shares_named = 100;
constexpr std::size_t named_most = 8; // on a CPU

Nanoseconds at_least_none(Nanoseconds time)
{
    return std::max(time, Nanoseconds{});
}

CpuTimes growth_of(const MachineTimes &before, const MachineTimes &after, unsigned cpu)
{
    const auto now = after.cpus.find(cpu);
    const auto was = before.cpus.find(cpu);
    if (now == after.cpus.end() || was == before.cpus.end())
        return {};
    return {.threads = at_least_none(now->second.threads - was->second.threads),
            .idle = at_least_none(now->second.idle - was->second.idle),
            .softirq = at_least_none(now->second.softirq - was->second.softirq),
            .steal = at_least_none(now->second.steal - was->second.steal)};
}

// Returns what each process did on each CPU, by its threads that could be seen at the end. A
// thread's whole time counts for the CPU on which it ran last.
std::vector<CpuGuest> guests_of(const MachineTimes &before, const MachineTimes &after,
                                const Sides &sides)
{
    std::map<std::pair<unsigned, int>, CpuGuest> guests;
    for (const auto &[thread, now] : after.threads) {
        ThreadTimes grown = now;
        const auto was = before.threads.find(thread);
        if (was != before.threads.end() && was->second.process == now.process) {
            grown.ran -= was->second.ran;
            grown.waited -= was->second.waited;
        }
        if (grown.ran <= Nanoseconds{} && grown.waited <= Nanoseconds{})
            continue;
        CpuGuest &guest = guests[{now.cpu, now.process}];
        guest.process = now.process;
        guest.cpu = now.cpu;
        guest.name = now.name;
        guest.side = sides.of(now, after.threads);
        guest.ran += at_least_none(grown.ran);
        guest.waited += at_least_none(grown.waited);
    }
    std::vector<CpuGuest> all;
    for (auto &[key, guest] : guests)
        all.push_back(std::move(guest));
    return all;
}

// Returns how long threads that ended unseen ran on all CPUs, by the CPUs' ticks.
Nanoseconds unseen_by_cpus(const MachineTimes &before, const MachineTimes &after, Nanoseconds seen)
{
    Nanoseconds left = -seen;
    for (const auto &[cpu, times] : after.cpus)
        left += growth_of(before, after, cpu).threads;
    return at_least_none(left);
}

// Returns the same by the run times of processes and their ended children. The scheduler measures
// these times; ticks are samples. But a process that ends adds all its time to its parent's, also
// time from before the trial.
Nanoseconds unseen_by_processes(const MachineTimes &before, const MachineTimes &after,
                                Nanoseconds seen)
{
    Nanoseconds left = -seen;
    for (const auto &[process, times] : after.processes)
        left += times.ran + times.children;
    for (const auto &[process, times] : before.processes)
        left -= times.ran + times.children;
    return at_least_none(left);
}

// Returns how long threads that ended unseen ran: the smaller of both counts.
Nanoseconds unseen(const MachineTimes &before, const MachineTimes &after,
                   const std::vector<CpuGuest> &guests, const std::vector<SenderTimes> &senders)
{
    Nanoseconds seen{};
    for (const CpuGuest &guest : guests)
        seen += guest.ran;
    for (const SenderTimes &sender : senders)
        seen += sender.ran;
    return std::min(unseen_by_cpus(before, after, seen), unseen_by_processes(before, after, seen));
}

CpuUse describe(unsigned cpu, const MachineTimes &before, const MachineTimes &after,
                const std::vector<CpuGuest> &guests, const Sides &sides)
{
    CpuUse use;
    use.cpu = cpu;
    use.elapsed = after.at - before.at;
    const CpuTimes grown = growth_of(before, after, cpu);
    use.steal = grown.steal;
    use.softirq = grown.softirq;
    Nanoseconds known{};
    for (const CpuGuest &guest : guests) {
        if (guest.cpu != cpu)
            continue;
        known += guest.ran;
        if (guest.side == CpuGuest::Side::other)
            use.others += guest.ran;
        const bool is_carrier =
            guest.side == CpuGuest::Side::kernel && carries_packets(sides.server(), guest.name);
        if (guest.side == CpuGuest::Side::server || is_carrier) {
            use.server_ran += guest.ran;
            use.server_waited += guest.waited;
        }
        if (guest.side != CpuGuest::Side::own &&
            (guest.side != CpuGuest::Side::kernel || is_carrier) &&
            guest.ran + guest.waited >= use.elapsed / shares_named)
            use.guests.push_back(guest);
    }
    use.unseen = at_least_none(grown.threads - known);
    std::ranges::stable_sort(use.guests, [](const CpuGuest &one, const CpuGuest &other) {
        return std::tuple(one.ran + one.waited, other.process) >
               std::tuple(other.ran + other.waited, one.process);
    });
    use.guests.resize(std::min(use.guests.size(), named_most));
    return use;
}

} // namespace

CpuGuest::Side Sides::of(const ThreadTimes &thread, const std::map<int, ThreadTimes> &all) const
{
    if (thread.process == getpid())
        return CpuGuest::Side::own;
    if (thread.is_kernel)
        return CpuGuest::Side::kernel;
    constexpr unsigned generations = 8;
    int process = thread.process;
    int parent = thread.parent;
    for (unsigned i = 0; i < generations && process != 0; i++) {
        if (server_.names.contains(process))
            return CpuGuest::Side::server;
        if (server_.unclear.contains(process))
            return CpuGuest::Side::unknown;
        process = parent;
        const auto one = all.find(process);
        parent = one == all.end() ? 0 : one->second.parent;
    }
    return CpuGuest::Side::other;
}

std::vector<CpuUse> cpu_use(const MachineTimes &before, const MachineTimes &after,
                            const std::vector<SenderTimes> &senders,
                            const std::vector<unsigned> &receiving, const Sides &sides)
{
    const std::vector<CpuGuest> guests = guests_of(before, after, sides);
    const Nanoseconds unseen_most = unseen(before, after, guests, senders);
    std::vector<CpuUse> uses;
    for (const auto &[cpu, times] : after.cpus) {
        CpuUse use = describe(cpu, before, after, guests, sides);
        for (const SenderTimes &sender : senders)
            if (sender.cpu == cpu) {
                use.sends = true;
                use.sender_waited += sender.waited;
                use.unseen = at_least_none(use.unseen - sender.ran);
            }
        // A thread's time counts for one CPU even if the thread moved, so it may exceed the CPU's
        // time.
        use.others = std::min(use.others, use.elapsed);
        use.unseen = std::min({use.unseen, unseen_most, use.elapsed - use.others});
        use.receives = std::ranges::find(receiving, cpu) != receiving.end();
        if (use.sends || use.receives || use.server_ran + use.server_waited > Nanoseconds{})
            uses.push_back(std::move(use));
    }
    return uses;
}

} // namespace dnsgauge
