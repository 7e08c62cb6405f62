// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/plan.h"

#include "dns/pref64_text.h"
#include "machine/route.h"
#include "system/setup_error.h"
#include "workload/captured_queries.h"

#include "wire/judge_rule.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

// Returns the rules for the plan's workload, also those that the user has loosened.
std::uint32_t rules_of(const TrialPlan &plan)
{
    std::uint32_t rules = (1U << JUDGE_RULE_COUNT) - 1;
    if (part_of<ZoneNames>(plan.workload) == nullptr)
        rules &= ~std::uint32_t{ACCEPTS_CNAMES};
    // A server that is asked for recursion may be a resolver.
    if (const auto *names = part_of<NamesWorkload>(plan.workload);
        names != nullptr && names->recursion_desired)
        rules &= ~std::uint32_t{ACCEPTS_AA};
    if (expectation_of(plan.workload) != Expect::captured)
        rules &= ~std::uint32_t{ACCEPTS_DATA};
    return rules;
}

} // namespace

Pace pace_of(const TrialPlan &plan)
{
    const bool is_played = part_of<CaptureWorkload>(plan.workload) != nullptr;
    return plan.pace.value_or(
        Pace{.kind = is_played ? Pace::Kind::original : Pace::Kind::constant});
}

SchedulePlan schedule_of(const TrialPlan &plan)
{
    return {.pace = pace_of(plan), .rate = plan.rate, .duration = plan.duration};
}

JudgedBy judged_by(const TrialPlan &plan)
{
    JudgedBy judged;
    if (has_handshakes_alone(plan))
        return judged;
    for (const auto &[rule, name] : judge_rules)
        if ((rules_of(plan) & rule) != 0)
            ((plan.accepts & rule) != 0 ? judged.accepted : judged.rules).emplace_back(name);
    return judged;
}

std::uint64_t count_queries(const TrialPlan &plan)
{
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload);
        capture != nullptr && capture->queries)
        return capture->queries->size();
    const std::uint64_t queries = schedule_of(plan).queries();
    if (queries == 0)
        throw SetupError("rate times duration is less than one query: raise --rate or --duration");
    const std::uint64_t names = names_for(plan.workload, queries);
    if (const auto *zone = part_of<ZoneNames>(plan.workload);
        zone != nullptr && names > zone->names.count && !zone->allow_repeats) {
        // A window ends with the last name, if not before.
        if (pace_of(plan).kind == Pace::Kind::window)
            return zone->names.count;
        throw SetupError(
            "{} queries/s for {} s need {} different names, but --names {} has {}: use a larger "
            "range, a lower rate or a shorter trial, or --allow-repeats",
            plan.rate.per_second, seconds(plan.duration), names, to_string(zone->names),
            zone->names.count);
    }
    return queries;
}

std::uint64_t count_names(const TrialPlan &plan)
{
    return names_for(plan.workload, count_queries(plan));
}

std::optional<IpPrefix> clients_of(const TrialPlan &plan)
{
    const auto *capture = part_of<CaptureWorkload>(plan.workload);
    return capture == nullptr ? std::nullopt : capture->clients;
}

bool has_handshakes_alone(const TrialPlan &plan)
{
    return part_of<HandshakesWorkload>(plan.workload) != nullptr;
}

bool has_client_connections(const TrialPlan &plan)
{
    return plan.transport != Transport::udp && !plan.connections &&
           part_of<CaptureWorkload>(plan.workload) != nullptr;
}

bool asks_keepalive(const TrialPlan &plan)
{
    const auto *wish = part_of<MessageWish>(plan.workload);
    return wish != nullptr && wish->edns.keepalive;
}

std::uint32_t shared_connections(const TrialPlan &plan)
{
    return has_client_connections(plan) || has_handshakes_alone(plan)
               ? 0
               : plan.connections.value_or(usual_connections);
}

bool is_over_tls(const TrialPlan &plan)
{
    return plan.transport == Transport::dot || plan.transport == Transport::doh ||
           plan.transport == Transport::doq;
}

std::string http_authority(const TrialPlan &plan)
{
    const std::string name = plan.tls_name.empty() ? to_string(plan.server) : plan.tls_name;
    const std::string host = name.find(':') == std::string::npos ? name : '[' + name + ']';
    return plan.server_port == doh_port ? host : fmt::format("{}:{}", host, plan.server_port);
}

void load_list(TrialPlan &plan)
{
    load(plan.workload, plan.duration, (plan.accepts & ACCEPTS_DATA) != 0);
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload)) {
        plan.rate = capture->queries->mean_rate();
        plan.duration = capture->queries->sending_time();
    }
}

std::optional<Dns64Conditions> dns64_conditions(const TrialPlan &plan)
{
    const auto *names = part_of<NamesWorkload>(plan.workload);
    if (plan.dut != Dut::dns64 || names == nullptr)
        return std::nullopt;
    return Dns64Conditions{.aaaa_share = names->aaaa_share.value_or(0),
                           .aaaa_prefix = to_string(names->aaaa_prefix),
                           .cached_share = names->cached.percent};
}

bool needs_fresh_names(const TrialPlan &plan)
{
    const auto *names = part_of<NamesWorkload>(plan.workload);
    return plan.dut == Dut::dns64 && names != nullptr && names->cached.percent < 100;
}

TrialPlan plan_of_one(const TrialPlan &plan, Workload workload)
{
    TrialPlan one;
    static_cast<TrialTarget &>(one) = plan;
    static_cast<TrialRules &>(one) = plan;
    static_cast<TrialMeans &>(one) = plan;
    one.connections = 1;
    if (one.transport == Transport::capture)
        one.transport = Transport::udp;
    one.workload = std::move(workload);
    one.rate = Rate{1};
    one.duration = std::chrono::seconds(1);
    one.wants_stamps = false;
    one.wants_copies = false;
    return one;
}

void require_local_route(const IpPrefix &prefix)
{
    if (is_own_address(prefix.address(0)) && is_own_address(prefix.address(prefix.size() - 1)))
        return;
    throw SetupError("connections from {0} need a local route, by which replies reach this host: "
                     "add it (ip{1} route add local {0} dev lo)",
                     to_string(prefix), prefix.first.is_ipv6 ? " -6" : "");
}

} // namespace dnsgauge
