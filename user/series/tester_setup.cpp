// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/tester_setup.h"

#include "engine/cpu_share.h"
#include "machine/interface.h"
#include "record/selftest_record.h"
#include "trial/circumstances.h"
#include "trial/sender_cpu.h"
#include "trial/testers.h"
#include "trial/trial_options.h"

#include <fmt/format.h>

#include <numeric>

namespace dnsgauge
{

namespace
{

// Returns the set-up with the placement's CPU, and with its queue if the plan names none.
TesterSetup setup_with(const FoundPlacement &found, const TrialPlan &plan, TesterSetup setup)
{
    setup.sender_cpus = {found.sender_cpu};
    if (found.sender_queue && plan.sender_queues.empty())
        setup.options = options_of_setup(plan, {*found.sender_queue});
    return setup;
}

TestedCpus tested_cpus(const TrialPlan &plan, const TesterSetup &setup)
{
    const std::vector<unsigned> allowed = allowed_cpus();
    TestedCpus tested{.cpus = cpus_with_record(setup, allowed)};
    const auto found = found_placement(setup, allowed);
    if (!found)
        return tested;
    const unsigned best = found->sender_cpu;
    // If only other CPUs have a self-test of this set-up, only these can cover its trials.
    if (!tested.cpus.empty() && cpus_with_record(setup_with(*found, plan, setup), {best}).empty())
        return tested;
    std::erase(tested.cpus, best);
    tested.cpus.insert(tested.cpus.begin(), best);
    tested.best_why = fmt::format("the self-test of {} {}", found->finished, found->sender_found);
    if (found->sender_queue)
        tested.best_queue = FoundQueue{.interface = plan.interface,
                                       .queue = *found->sender_queue,
                                       .why = "it " + found->queue_found};
    return tested;
}

} // namespace

std::vector<std::pair<std::string, OptionValue>>
options_of_setup(TrialPlan plan, const std::vector<unsigned> &queues)
{
    // A plan that names the usual queues has the same set-up as a plan that names none.
    std::vector<unsigned> usual(queues.size());
    std::iota(usual.begin(), usual.end(), 0U);
    plan.sender_queues = queues == usual ? std::vector<unsigned>() : queues;
    return setup_values(tester_options(plan));
}

TesterSetup describe_setup(const TrialPlan &plan)
{
    const Circumstances machine = machine_circumstances();
    const Interface interface = find_interface(plan.interface);
    TesterSetup setup;
    setup.version = machine.version;
    setup.kernel = machine.kernel;
    setup.host = host_name();
    setup.cpu_model = machine.cpu_model;
    setup.cpus = machine.cpus;
    setup.interface = interface.name;
    setup.driver = interface.driver;
    setup.mtu = interface.mtu;
    setup.link_mbps = interface.speed_mbps;
    setup.receive_queues = interface.rx_queues;
    setup.transmit_queues = interface.tx_queues;
    setup.options = options_of_setup(plan, plan.sender_queues);
    setup.is_ipv6 = plan.server.is_ipv6;
    setup.sender_cpus = plan.cpus;
    if (plan.cpus.empty())
        setup.sender_cpus = {default_sender_cpu(tested_cpus(plan, setup)).cpu};
    if (const FoundQueue *found = found_queue(plan))
        setup.options = options_of_setup(plan, {found->queue});
    // The other Testers come last: self-tests of all together do not choose one Tester's CPU.
    if (plan.testers)
        setup.others = plan.testers->others(plan);
    return setup;
}

void choose_sender(const TrialPlan &plan)
{
    if (!plan.cpus.empty())
        return;
    TrialPlan mine = plan;
    mine.testers = nullptr;
    static_cast<void>(describe_setup(mine));
}

std::optional<FoundPlacement> found_placement(const std::string &interface)
{
    std::optional<FoundPlacement> latest;
    for (const bool is_ipv6 : {false, true}) {
        TrialPlan plan = usual_plan();
        plan.interface = interface;
        plan.server.is_ipv6 = is_ipv6;
        plan.cpus = {allowed_cpus().front()}; // saves the look for an idle one
        std::optional<FoundPlacement> found = found_placement(describe_setup(plan), allowed_cpus());
        if (found && (!latest || latest->finished < found->finished))
            latest = std::move(found);
    }
    return latest;
}

} // namespace dnsgauge
