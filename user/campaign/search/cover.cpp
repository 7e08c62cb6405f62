// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/cover.h"

#include "common/setup_error.h"
#include "record/selftest_record.h"
#include "search/tester_setup.h"

#include <fmt/format.h>

#include <chrono>

namespace dnsgauge
{

namespace
{

// With all that makes the set-up and the cover, where it is not the default.
std::string selftest_command(const CoverOptions &options, const TrialOptions &given,
                             const TrialPlan &plan)
{
    const TrialOptions usual;
    std::string text =
        fmt::format("dnsgauge selftest --interface {} --server {} --rate {} --timeout {:g}",
                    plan.interface, given.server, plan.rate.per_second, seconds(plan.timeout));
    const auto add = [&text](const char *option, const auto &value, const auto &by_default) {
        if (value != by_default)
            text += fmt::format(" {} {}", option, value);
    };
    const auto add_given = [&text](const char *option, const auto &value) {
        if (value)
            text += fmt::format(" {} {}", option, *value);
    };
    add("--duration", given.duration, usual.duration);
    add("--zone", given.zone, usual.zone);
    // What FakeDNS has is what it answers with.
    if (plan.dut == Dut::dns64)
        add("--answer-prefix", given.aaaa_prefix, usual.aaaa_prefix);
    else
        add_given("--answer-prefix", given.answer_prefix);
    add("--port", given.port, usual.port);
    add_given("--server-mac", given.server_mac);
    add_given("--source", given.source);
    add_given("--vlan", given.vlan);
    add("--source-ports", given.source_ports, usual.source_ports);
    add("--first-source-port", given.first_source_port, usual.first_source_port);
    add_given("--cpus", given.cpus);
    add("--max-lateness", given.max_lateness, usual.max_lateness);
    add("--max-overrun", given.max_overrun, usual.max_overrun);
    add("--xdp-mode", given.xdp_mode, usual.xdp_mode);
    add("--af-xdp", given.copy_mode, usual.copy_mode);
    add("--hardware-timestamps", given.stamps, usual.stamps);
    add("--idle-cpus", given.idle_cpus, usual.idle_cpus);
    if (given.busy_poll)
        text += " --busy-poll";
    add_given("--record", options.record);
    return text;
}

} // namespace

SelftestCover require_cover(const CoverOptions &options, const TrialOptions &given,
                            const TrialPlan &plan)
{
    const TesterSetup setup = describe_setup(plan);
    SelftestCover cover = look_up_cover(options.record.value_or(record_path(setup)), setup,
                                        {.rate = plan.rate,
                                         .timeout = plan.timeout,
                                         .duration = plan.duration,
                                         .max_lateness = plan.tolerances.lateness,
                                         .max_overrun = plan.tolerances.overrun_least});
    if (!cover.covers() && !options.beyond)
        throw SetupError(fmt::format(
            "{} queries/s may be beyond this Tester: {}: run fakedns in place of the server, and "
            "{}; or give --beyond-selftest, and the result is marked",
            plan.rate.per_second, cover.why_not, selftest_command(options, given, plan)));
    return cover;
}

void check_same_modes(const SelftestCover &cover, const Circumstances &trial)
{
    if (cover.covers() &&
        (cover.xdp_mode != trial.xdp_mode || cover.af_xdp_mode != trial.af_xdp_mode))
        throw SetupError(fmt::format(
            "the self-test ({}) used XDP {} and AF_XDP {}, this trial XDP {} and AF_XDP {}: run "
            "the self-test again, or give --xdp-mode and --af-xdp to both",
            cover.record, cover.xdp_mode, cover.af_xdp_mode, trial.xdp_mode, trial.af_xdp_mode));
}

} // namespace dnsgauge
