// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/tester_setup.h"

#include "engine/cpu_share.h"
#include "machine/interface.h"
#include "record/selftest_record.h"
#include "trial/circumstances.h"
#include "trial/sender_cpu.h"
#include "trial/testers.h"
#include "trial/trial_options.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <utility>

namespace dnsgauge
{

namespace
{

std::string host_name()
{
    utsname name{};
    return uname(&name) == 0 ? name.nodename : "unknown";
}

// Returns the set-up whose record tells of placements: a self-test that walks placements names no
// transmit queue, but tries them.
TesterSetup walked_setup(const TrialPlan &plan, TesterSetup setup)
{
    TrialPlan values = plan;
    values.sender_queues.clear();
    setup.options = setup_values(tester_options(values));
    return setup;
}

TestedCpus tested_cpus(const TrialPlan &plan, const TesterSetup &setup)
{
    const std::vector<unsigned> allowed = allowed_cpus();
    TestedCpus tested{.cpus = cpus_with_record(setup, allowed)};
    const auto found = found_placement(walked_setup(plan, setup), allowed);
    if (!found || std::ranges::find(allowed, found->sender_cpu) == allowed.end())
        return tested;
    // Where other CPUs alone have a self-test of this set-up, only these can cover its trials.
    if (tested.cpus.empty())
        tested.cpus = {found->sender_cpu};
    const auto best = std::ranges::find(tested.cpus, found->sender_cpu);
    if (best == tested.cpus.end())
        return tested;
    std::rotate(tested.cpus.begin(), best, best + 1);
    tested.best_why = fmt::format("the self-test of {} {}", found->finished, found->sender_found);
    return tested;
}

} // namespace

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
    TrialPlan values = plan;
    setup.options = setup_values(tester_options(values));
    setup.is_ipv6 = plan.server.is_ipv6;
    setup.sender_cpus = plan.cpus;
    if (plan.cpus.empty())
        setup.sender_cpus = {default_sender_cpu(tested_cpus(plan, setup)).cpu};
    // What self-tests of the whole found does not choose the CPU of one Tester.
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
        plan.cpus = {allowed_cpus().front()}; // so that nobody looks for an idle one
        std::optional<FoundPlacement> found = found_placement(describe_setup(plan), allowed_cpus());
        if (found && (!latest || latest->finished < found->finished))
            latest = std::move(found);
    }
    return latest;
}

} // namespace dnsgauge
