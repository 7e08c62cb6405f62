// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/carrier.h"

#include "system/overloaded.h"
#include "workload/mixed_queries.h"
#include "workload/played_queries.h"
#include "workload/query_list.h"

#include <algorithm>
#include <chrono>

namespace dnsgauge
{

namespace
{

// Returns the rate of `senders` senders, if `among` senders have the rate `all` together.
Rate rate_of_some(Rate all, std::uint64_t among, std::uint64_t senders)
{
    return {(all.per_second + among - 1) / among * senders};
}

void set_rule(judge_rule &rule, const ZoneNames &names)
{
    std::ranges::copy(names.zone.wire, rule.zone);
    rule.zone_length = names.zone.length;
    rule.type = names.qtype;
    rule.any_data = names.any_answer ? 1 : 0;
}

} // namespace

Rate peak_of(const TrialPlan &plan, const Shares &shares, std::uint32_t senders)
{
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload)) {
        const PlayedQueries played(capture->queries,
                                   {.first = shares.first, .count = senders, .of = shares.all});
        return rate_of_some(played.peak_rate(2 * plan.timeout), senders, senders);
    }
    return rate_of_some(schedule_of(plan).peak(2 * plan.timeout), shares.all, senders);
}

QuerySources query_sources(const CarrierPlan &plan, const IpAddress &source)
{
    return {plan.trial.workload,
            {.schedule = plan.run.schedule,
             .queries = plan.run.queries,
             .senders = static_cast<std::uint32_t>(plan.run.cpus.size()),
             .first_share = plan.run.first_share,
             .shares = plan.run.shares,
             .by_client = has_client_connections(plan.trial),
             .order = plan.shares.order,
             .source = source,
             .clients =
                 plan.trial.transport == Transport::udp ? clients_of(plan.trial) : std::nullopt}};
}

JudgePlan judge_plan(const TrialPlan &plan)
{
    JudgePlan judge;
    judge_rule &rule = judge.rule;
    rule.prefix = plan.answer_prefix;
    rule.accepts = plan.accepts;
    // A server that is asked for recursion may be a resolver. A DNS64 server is always asked for
    // it.
    const auto *header = part_of<QueryHeader>(plan.workload);
    rule.wants_aa = header != nullptr && header->recursion_desired ? 0 : 1;
    const auto take_questions = [&judge](const auto &queries, bool reads_data) {
        judge.questions = queries.key();
        judge.reads_data = reads_data;
    };
    std::visit(Overloaded{[&](const NamesWorkload &names) {
                              set_rule(rule, names);
                              // Only with a DNS64 server names have two kinds of data.
                              rule.aaaa_share =
                                  static_cast<std::uint8_t>(names.aaaa_share.value_or(0));
                              rule.aaaa_prefix = names.aaaa_prefix;
                          },
                          [&](const MixWorkload &mix) {
                              set_rule(rule, mix);
                              take_questions(*mix.queries, true);
                          },
                          [&](const ListWorkload &list) {
                              rule.accepts |= ACCEPTS_CNAMES;
                              take_questions(*list.queries, list.queries->reads_data());
                          },
                          [&](const CaptureWorkload &capture) {
                              rule.accepts |= ACCEPTS_CNAMES;
                              rule.counts_answers = 1;
                              take_questions(*capture.queries, capture.queries->reads_data());
                          },
                          [](const HandshakesWorkload & /*none*/) {}},
               plan.workload);
    return judge;
}

Nanoseconds stall_limit_of(const TrialPlan &plan)
{
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload))
        return stall_limit(PlayedQueries(capture->queries).peak_rate(2 * plan.timeout));
    const SchedulePlan schedule = schedule_of(plan);
    // A small window has no burst, and a large one begins with a burst anyway.
    if (schedule.pace.kind == Pace::Kind::window)
        return std::chrono::milliseconds(1);
    return stall_limit(schedule.pace.has_rates() ? schedule.peak({}) : plan.rate);
}

} // namespace dnsgauge
