// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/cover.h"

#include "engine/cpu_share.h"
#include "options/access.h"
#include "record/calibration_json.h"
#include "record/selftest_record.h"
#include "series/tester_setup.h"
#include "trial/compliance.h"
#include "trial/trial_options.h"
#include "userland/setup_error.h"
#include "userland/shell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dnsgauge
{

namespace
{

// Returns the command, with the options that decide set-up and cover if they differ from the
// defaults.
std::string selftest_command(const CoverOptions &options, TrialPlan plan)
{
    // In the self-test FakeDNS answers with the records that it has as AuthDNS.
    if (const auto *names = part_of<NamesWorkload>(plan.workload);
        names != nullptr && plan.dut == Dut::dns64)
        plan.answer_prefix = names->aaaa_prefix;
    TrialPlan usual = usual_plan();
    fill_in(usual);
    usual.timeout = {}; // is always shown: the self-test does not know the server's kind
    std::vector<std::string> words = {"dnsgauge", "selftest", "--rate",
                                      std::to_string(plan.rate.per_second)};
    std::ranges::copy(command_words(tester_options(plan), tester_options(usual)),
                      std::back_inserter(words));
    if (options.record)
        words.insert(words.end(), {"--record", *options.record});
    return shell_text(words);
}

// Returns advice if the machine put the sender on a CPU without a self-test, and another CPU has
// one. Otherwise returns an empty text.
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

// Several Testers have options whose values differ: the user knows them as they were given.
std::string advice(const CoverOptions &options, const TrialPlan &plan)
{
    if (plan.testers)
        return fmt::format("the same Testers with dnsgauge-mpi selftest --rate {} and the same "
                           "options; give --cpus to both",
                           plan.rate.per_second);
    return selftest_command(options, plan);
}

} // namespace

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
