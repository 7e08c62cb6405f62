// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/sender_cpu.h"

#include "engine/cpu_share.h"
#include "machine/cpu_times.h"
#include "machine/interface.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "trial/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
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

SenderCpu choose_sender_cpu(const std::vector<unsigned> &allowed,
                            const std::vector<unsigned> &pinned,
                            const std::map<unsigned, double> &idle, const TestedCpus &tested)
{
    const auto is_idle = [&](unsigned cpu) {
        const auto share = idle.find(cpu);
        return share != idle.end() && share->second >= idle_least;
    };
    const auto is_best = [&](unsigned cpu) {
        return !tested.best_why.empty() && cpu == tested.cpus.front();
    };
    const auto is_tested = [&](unsigned cpu) {
        return std::ranges::find(tested.cpus, cpu) != tested.cpus.end();
    };
    const auto worth = [&](unsigned cpu) {
        return std::tuple(std::ranges::find(pinned, cpu) == pinned.end(), is_idle(cpu),
                          is_best(cpu), is_tested(cpu));
    };
    const unsigned cpu = *std::ranges::max_element(allowed, {}, worth);
    std::string why = is_idle(cpu) ? "it was idle" : "no CPU was idle";
    if (is_tested(cpu))
        why = "a self-test was made with it";
    if (is_best(cpu))
        why = tested.best_why;
    else if (!tested.best_why.empty())
        why += fmt::format("; CPU {} was busy, but would be better: {}", tested.cpus.front(),
                           tested.best_why);
    return {cpu, why, is_best(cpu) ? tested.best_queue : std::nullopt};
}

const SenderCpu &default_sender_cpu(const TestedCpus &tested)
{
    static const SenderCpu chosen = [&tested]() -> SenderCpu {
        const std::vector<unsigned> allowed = allowed_cpus();
        if (allowed.size() == 1)
            return {.cpu = allowed.front(), .why = "it is the only one that may be used here"};
        return choose_sender_cpu(allowed, cpus_with_pinned_threads(), sample_idle(), tested);
    }();
    return chosen;
}

const FoundQueue *found_queue(const TrialPlan &plan)
{
    if (plan.transport != Transport::udp || !plan.cpus.empty() || !plan.sender_queues.empty())
        return nullptr;
    const std::optional<FoundQueue> &queue = default_sender_cpu().queue;
    return queue && queue->interface == plan.interface ? &*queue : nullptr;
}

void require_allowed(const std::vector<unsigned> &cpus)
{
    const std::vector<unsigned> allowed = allowed_cpus();
    for (const unsigned cpu : cpus)
        if (std::ranges::find(allowed, cpu) == allowed.end())
            throw SetupError("--cpus names CPU {}, but only {} may be used here", cpu,
                             join(allowed, ","));
}

std::vector<unsigned> choose_cpus(const TrialPlan &plan)
{
    std::vector<unsigned> cpus =
        plan.cpus.empty() ? std::vector<unsigned>{default_sender_cpu().cpu} : plan.cpus;
    require_allowed(cpus);
    return cpus;
}

std::vector<unsigned> choose_queues(const TrialPlan &plan, std::size_t senders,
                                    const Interface &interface)
{
    if (senders > interface.tx_queues)
        throw SetupError("--cpus asks for {} senders, one transmit queue each, but {} "
                         "has {}: name fewer CPUs, or add queues (ethtool -L)",
                         senders, interface.name, interface.tx_queues);
    std::vector<unsigned> queues = plan.sender_queues;
    if (const FoundQueue *found = found_queue(plan))
        queues = {found->queue};
    if (queues.empty()) {
        queues.resize(senders);
        std::iota(queues.begin(), queues.end(), 0U);
    }
    if (queues.size() != senders)
        throw SetupError("--sender-queues names {} for {}: name one for each CPU of "
                         "--cpus",
                         counted(queues.size(), "queue"), counted(senders, "sender"));
    if (const unsigned last = *std::ranges::max_element(queues); last >= interface.tx_queues)
        throw SetupError("--sender-queues: {} has no transmit queue {}: it has {}, "
                         "from 0 on",
                         interface.name, last, counted(interface.tx_queues, "queue"));
    return queues;
}

} // namespace dnsgauge
