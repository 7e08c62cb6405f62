// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/sending.h"

#include "userland/overloaded.h"
#include "userland/setup_error.h"
#include "workload/mixed_queries.h"
#include "workload/played_queries.h"
#include "workload/query_list.h"
#include "workload/query_message.h"
#include "xdp/capture_source.h"
#include "xdp/queries_source.h"

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

std::unique_ptr<const Source> source_of(const TrialPlan &plan, const FrameEnds &ends,
                                        const Shares &shares, std::uint32_t senders)
{
    using Made = std::unique_ptr<const Source>;
    return std::visit(
        Overloaded{
            [&](const NamesWorkload &names) -> Made {
                return std::make_unique<const NameSource>(QueryFormat{ends, name_format(names)},
                                                          names.names, names.cached,
                                                          key_of(names, shares.order));
            },
            [&](const MixWorkload &mix) -> Made {
                return std::make_unique<const QueriesSource<MixedQueries>>(
                    ends, std::make_shared<const MixedQueries>(
                              mix.queries->of_names(mix.names, key_of(mix, shares.order))));
            },
            [&](const ListWorkload &list) -> Made {
                return std::make_unique<const QueriesSource<QueryList>>(ends, list.queries);
            },
            [&](const CaptureWorkload &capture) -> Made {
                return std::make_unique<const CaptureSource>(
                    ends,
                    PlayedQueries(capture.queries,
                                  {.first = shares.first, .count = senders, .of = shares.all}),
                    capture.clients);
            },
            [](const HandshakesWorkload & /*none*/) -> Made {
                throw SetupError("datagrams have no handshakes");
            }},
        plan.workload);
}

JudgePlan judge_plan(const TrialPlan &plan)
{
    JudgePlan judge;
    judge_rule &rule = judge.rule;
    rule.prefix = plan.answer_prefix;
    rule.accepts = plan.accepts;
    // A server that is asked for recursion may be a resolver; a DNS64 server is always asked for
    // it.
    const auto *header = part_of<QueryHeader>(plan.workload);
    rule.wants_aa = header != nullptr && header->recursion_desired ? 0 : 1;
    const auto take_questions = [&judge](const auto &queries, bool reads_data) {
        judge.questions = queries.key();
        judge.reads_data = reads_data;
    };
    std::visit(Overloaded{[&](const NamesWorkload &names) {
                              set_rule(rule, names);
                              // Only behind a DNS64 server do names have data of two kinds.
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
    // A window of so few queries has no burst. A larger one begins with a burst anyway.
    if (schedule.pace.kind == Pace::Kind::window)
        return std::chrono::milliseconds(1);
    return stall_limit(schedule.pace.has_rates() ? schedule.peak({}) : plan.rate);
}

} // namespace dnsgauge
