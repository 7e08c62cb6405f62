// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/compliance.h"

#include "result/labels.h"
#include "system/listed.h"
#include "system/overloaded.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

// Returns the deviation from RFC 8219 section 9.2.1, which demands a self-test for DNS64 servers
// and says nothing about authoritative ones.
std::string selftest_deviation(const TrialPlan &plan)
{
    if (plan.dut != Dut::dns64 || !plan.selftest)
        return {};
    if (!plan.selftest->covers())
        return "no self-test of the Tester covers it";
    return plan.selftest->deviations.empty() ? ""
                                             : "the Tester's self-test is not compliant itself";
}

// Returns how the queries deviate from names of one type in the test namespace; empty if they do
// not.
std::string workload_deviation(const Workload &workload)
{
    return std::visit(
        Overloaded{
            [](const NamesWorkload & /*names*/) { return ""; },
            [](const MixWorkload & /*mix*/) {
                return "a mix of queries, not one type of names that exist";
            },
            [](const ListWorkload & /*list*/) {
                return "queries of a list, not of the test namespace";
            },
            [](const CaptureWorkload & /*capture*/) {
                return "queries of captures at their own times, not at a constant rate";
            },
            [](const HandshakesWorkload & /*none*/) { return "connections without queries"; }},
        workload);
}

} // namespace

std::vector<std::string> trial_deviations(const TrialPlan &plan)
{
    const Tolerances usual;
    const Tolerances &given = plan.tolerances;
    std::vector<std::string> found;
    const auto add = [&found](bool deviates, const std::string &how) {
        if (deviates && !how.empty())
            found.push_back(how);
    };
    const std::vector<std::string> loosened = judged_by(plan).accepted;
    add(!loosened.empty(), fmt::format("accepts answers that break these rules of the judge: {}",
                                       join(loosened, ", ")));
    add(plan.transport != Transport::udp,
        fmt::format("queries over {}, not UDP", transport_names.text_of(plan.transport)));
    add(plan.accept_percent < 100, fmt::format("accepts {:.9g} %", plan.accept_percent));
    add(plan.duration < full_length,
        fmt::format("trials of {:g} s, not {:g} s", seconds(plan.duration), seconds(full_length)));
    add(plan.timeout > timeout_recommended,
        fmt::format("a timeout of {:g} s, not at most {:g} s", seconds(plan.timeout),
                    seconds(timeout_recommended)));
    add(given.lateness > usual.lateness,
        fmt::format("max-lateness of {:g} s, not at most {:g} s", seconds(given.lateness),
                    seconds(usual.lateness)));
    add(!given.shared_machine &&
            overrun_allowed(plan.duration, given) > overrun_allowed(plan.duration, usual),
        fmt::format("max-overrun of {:g} s, not at most {:g} s", seconds(given.overrun_least),
                    seconds(usual.overrun_least)));
    add(given.others_percent > usual.others_percent,
        fmt::format("max-others of {} %, not at most {} %", given.others_percent,
                    usual.others_percent));
    add(given.shared_machine, "limits of a machine that others use (--shared-machine)");
    add(plan.probe, fmt::format("a probe in the server's kernel, which followed {:g} % of the "
                                "queries",
                                plan.probe_percent));
    add(plan.probe_first_sight,
        "an XDP program of the probe at the server's interface, by which queries take another way");
    add(!plan.key_log.empty(), "the secrets of TLS written during the trial (--key-log)");
    const Pace pace = pace_of(plan);
    add(pace.kind != Pace::Kind::constant && pace.kind != Pace::Kind::original,
        fmt::format("queries at the pace {}, not at a constant one", to_string(pace)));
    if (plan.catch_up)
        add(true, fmt::format("up to {:g} times the rate after a stall, not a constant one",
                              *plan.catch_up));
    const auto *names = part_of<ZoneNames>(plan.workload);
    add(names != nullptr && names->allow_repeats, "names may repeat within a trial");
    add(true, workload_deviation(plan.workload));
    add(plan.dut == Dut::dns64 && !plan.server.is_ipv6, "IPv4 to the DNS64 server");
    add(true, selftest_deviation(plan));
    return found;
}

Tolerances limits_of(const TrialPlan &plan)
{
    const Tolerances &given = plan.tolerances;
    if (!given.shared_machine)
        return given;
    return {.overrun_least = overrun_allowed(plan.duration, given),
            .lateness = lateness_allowed(plan.timeout, given),
            .others_percent = others_allowed(given)};
}

} // namespace dnsgauge
