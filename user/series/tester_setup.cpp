// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/tester_setup.h"

#include "engine/cpu_share.h"
#include "machine/interface.h"
#include "options/access.h"
#include "record/certificate.h"
#include "record/selftest_record.h"
#include "system/setup_error.h"
#include "system/shell_text.h"
#include "trial/circumstances.h"
#include "trial/compliance.h"
#include "trial/sender_cpu.h"
#include "trial/testers.h"
#include "trial/trial_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

// Returns the command, with the options that decide set-up and cover if they differ from the
// defaults.
std::string selftest_command(const CoverOptions &options, TrialPlan plan)
{
    // FakeDNS answers in the self-test with the same records as in AuthDNS' place.
    if (const auto *names = part_of<NamesWorkload>(plan.workload);
        names != nullptr && plan.dut == Dut::dns64)
        plan.answer_prefix = names->aaaa_prefix;
    TrialPlan usual = usual_plan();
    fill_in(usual);
    usual.timeout = {}; // so that it is always shown: the self-test does not know the server's kind
    std::vector<std::string> words = {"dnsgauge", "selftest", "--rate",
                                      std::to_string(plan.rate.per_second)};
    std::ranges::copy(command_words(tester_options(plan), tester_options(usual)),
                      std::back_inserter(words));
    if (options.record)
        words.insert(words.end(), {"--record", *options.record});
    return shell_text(words);
}

// Returns advice if the sender was put on a CPU without a self-test although another CPU has one;
// otherwise an empty text.
std::string other_cpu(const TrialPlan &plan, const TesterSetup &setup)
{
    if (plan.testers || !plan.cpus.empty())
        return {};
    if (const auto found = found_placement(setup, allowed_cpus());
        found && found->sender_queue && plan.sender_queues.empty() &&
        found->sender_cpu != setup.sender_cpus.front())
        return fmt::format("; a self-test was made with the sender on CPU {}, which is busy now, "
                           "and transmit queue {}: wait, or give {}",
                           found->sender_cpu, *found->sender_queue,
                           sender_options(found->sender_cpu, *found->sender_queue));
    const std::vector<unsigned> tested = cpus_with_record(setup, allowed_cpus());
    if (tested.empty() || std::ranges::find(tested, setup.sender_cpus.front()) != tested.end())
        return {};
    return fmt::format("; a self-test was made with the sender on CPU {}, which is busy now: wait, "
                       "or give --cpus {}",
                       tested.front(), tested.front());
}

// Several Testers may have different values of an option, so the advice does not write them out.
std::string advice(const CoverOptions &options, const TrialPlan &plan)
{
    if (plan.testers)
        return fmt::format("the same Testers with dnsgauge-mpi selftest --rate {} and the same "
                           "options; give --cpus to both",
                           plan.rate.per_second);
    return selftest_command(options, plan);
}

} // namespace

std::vector<std::pair<std::string, OptionValue>>
options_of_setup(TrialPlan plan, const std::vector<unsigned> &queues)
{
    // A plan that names the usual queues has the same set-up as a plan without queues.
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
    // The other Testers come last: a self-test of all Testers together does not choose one Tester's
    // CPU.
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
        plan.cpus = {allowed_cpus().front()}; // no idle CPU need be found
        std::optional<FoundPlacement> found = found_placement(describe_setup(plan), allowed_cpus());
        if (found && (!latest || latest->finished < found->finished))
            latest = std::move(found);
    }
    return latest;
}

Options cover_options(CoverOptions &cover)
{
    return {
        Option("beyond-selftest", OptionGroup::selftest, "",
               "Go on where no self-test of the Tester covers the rates; every form of the "
               "result says so",
               flag(cover.beyond),
               {.is_in_journal = false}), // the journal has whether the trials needed the option
        Option("selftest-record", OptionGroup::selftest, "FILE",
               "Record of the self-tests, instead of the one in /var/lib/dnsgauge",
               text(cover.record), {.is_in_journal = false}),
    };
}

CertificateCover certificate_of(const TrialPlan &plan)
{
    const TesterSetup setup = describe_setup(plan);
    return look_up_certificate(certificate_path(setup), setup, plan.rate);
}

SelftestCover require_cover(const CoverOptions &options, const TrialPlan &plan)
{
    const TesterSetup setup = describe_setup(plan);
    const Tolerances limits = limits_of(plan);
    SelftestCover cover = look_up_cover(options.record.value_or(record_path(setup)), setup,
                                        {.rate = plan.rate,
                                         .timeout = plan.timeout,
                                         .duration = plan.duration,
                                         .max_lateness = limits.lateness,
                                         .max_overrun = limits.overrun_least});
    if (!cover.covers() && !options.beyond)
        throw SetupError(
            "{} queries/s may be beyond {}: {}{}: run fakedns in place of the server, and "
            "{}; or give --beyond-selftest, and the result is marked",
            plan.rate.per_second, plan.testers ? "these Testers" : "this Tester", cover.why_not,
            other_cpu(plan, setup), advice(options, plan));
    return cover;
}

} // namespace dnsgauge
