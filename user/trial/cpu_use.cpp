// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/cpu_use.h"

#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace dnsgauge
{

namespace
{

// Only a guest that got or wanted a hundredth of a CPU's time is named.
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

// Returns what each process did on each CPU, as far as its threads could be seen at the end. A
// thread's whole time counts for the CPU where the thread ran last.
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
        guest.side = now.is_kernel ? CpuGuest::Side::kernel : sides.of(now.process);
        guest.ran += at_least_none(grown.ran);
        guest.waited += at_least_none(grown.waited);
    }
    std::vector<CpuGuest> all;
    for (auto &[key, guest] : guests)
        all.push_back(std::move(guest));
    return all;
}

// Returns how long threads ran, on all CPUs, that ended before they could be seen, by the CPUs'
// ticks.
Nanoseconds unseen_by_cpus(const MachineTimes &before, const MachineTimes &after, Nanoseconds seen)
{
    Nanoseconds left = -seen;
    for (const auto &[cpu, times] : after.cpus)
        left += growth_of(before, after, cpu).threads;
    return at_least_none(left);
}

// Returns the same by what processes and their ended children ran: the scheduler measures that,
// where ticks are a sample. A process that ends hands its whole time to its parent, also what it
// ran before.
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

// Returns how long threads ran that ended before they could be seen, as far as both counts say so.
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

// Returns the namespace that most processes are in; 0 where none can be seen.
std::uint64_t most_frequent(const std::map<int, std::uint64_t> &namespaces)
{
    std::map<std::uint64_t, std::size_t> counts;
    for (const auto &[process, number] : namespaces)
        counts[number]++;
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto &counted) { return counted.second; });
    return most == counts.end() ? 0 : most->first;
}

CpuUse describe(unsigned cpu, const MachineTimes &before, const MachineTimes &after,
                const std::vector<CpuGuest> &guests)
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
        const bool is_napi = guest.name.starts_with("napi/");
        if (guest.side == CpuGuest::Side::server ||
            (guest.side == CpuGuest::Side::kernel && is_napi)) {
            use.server_ran += guest.ran;
            use.server_waited += guest.waited;
        }
        if (guest.side != CpuGuest::Side::own &&
            (guest.side != CpuGuest::Side::kernel || is_napi) &&
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

Sides::Sides(bool is_one_machine) : is_one_machine_(is_one_machine)
{
    if (!is_one_machine)
        return;
    namespaces_ = read_network_namespaces();
    const auto of_process = [this](int process) {
        const auto found = namespaces_.find(process);
        return found != namespaces_.end() ? found->second : 0;
    };
    mine_ = of_process(getpid());
    machine_ = of_process(1);
    if (machine_ == 0)
        machine_ = most_frequent(namespaces_);
}

Sides::Sides(std::uint64_t mine, std::uint64_t machine, std::map<int, std::uint64_t> namespaces)
    : namespaces_(std::move(namespaces)), mine_(mine), machine_(machine), is_one_machine_(true)
{
}

CpuGuest::Side Sides::of(int process) const
{
    if (process == getpid())
        return CpuGuest::Side::own;
    const auto found = namespaces_.find(process);
    // Where the machine's own namespace cannot be seen, an unseen process may be a server.
    if (found == namespaces_.end())
        return is_one_machine_ && machine_ == 0 ? CpuGuest::Side::unknown : CpuGuest::Side::other;
    if (machine_ == 0 && found->second != mine_)
        return CpuGuest::Side::unknown;
    return found->second == mine_ || found->second == machine_ ? CpuGuest::Side::other
                                                               : CpuGuest::Side::server;
}

std::vector<CpuUse> cpu_use(const MachineTimes &before, const MachineTimes &after,
                            const std::vector<SenderTimes> &senders,
                            const std::vector<unsigned> &receiving, const Sides &sides)
{
    const std::vector<CpuGuest> guests = guests_of(before, after, sides);
    const Nanoseconds unseen_most = unseen(before, after, guests, senders);
    std::vector<CpuUse> uses;
    for (const auto &[cpu, times] : after.cpus) {
        CpuUse use = describe(cpu, before, after, guests);
        for (const SenderTimes &sender : senders)
            if (sender.cpu == cpu) {
                use.sends = true;
                use.sender_waited += sender.waited;
                use.unseen = at_least_none(use.unseen - sender.ran);
            }
        // A thread's time counts for one CPU, though the thread may have moved.
        use.others = std::min(use.others, use.elapsed);
        use.unseen = std::min({use.unseen, unseen_most, use.elapsed - use.others});
        use.receives = std::ranges::find(receiving, cpu) != receiving.end();
        if (use.sends || use.receives || use.server_ran + use.server_waited > Nanoseconds{})
            uses.push_back(std::move(use));
    }
    return uses;
}

} // namespace dnsgauge
