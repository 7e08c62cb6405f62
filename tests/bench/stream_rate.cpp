// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends queries over TCP at a constant rate, without a trial around it, and prints what the lanes
// tell.
#include "result/stalls.h"
#include "streams/stream_engine.h"
#include "userland/pref64_text.h"
#include "userland/run_program.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

struct Wish {
    IpAddress server;
    IpAddress source;
    std::uint16_t port = 53;
    Rate rate;
    Nanoseconds duration{};
    std::uint32_t connections = 1;
    std::uint64_t each = 0; // queries of a connection
    unsigned cpu = 0;
};

Wish wish_of(const std::vector<std::string> &words)
{
    return {.server = parse_ip_address(words[1]),
            .source = parse_ip_address(words[2]),
            .port = static_cast<std::uint16_t>(std::stoul(words[3])),
            .rate = {std::stoull(words[4])},
            .duration = std::chrono::seconds(std::stoul(words[5])),
            .connections = static_cast<std::uint32_t>(std::stoul(words[6])),
            .each = std::stoull(words[7]),
            .cpu = static_cast<unsigned>(std::stoul(words[8]))};
}

StreamPlan plan_of(const Wish &wish, const NamesWorkload &names)
{
    const SchedulePlan schedule{.rate = wish.rate, .duration = wish.duration};
    StreamPlan plan{.run = {.cpus = {wish.cpu},
                            .schedule = schedule,
                            .queries = schedule.queries(),
                            .timeout = std::chrono::seconds(1),
                            .stall_limit = stall_limit(wish.rate),
                            .intervals = {},
                            .per_query_file = {},
                            .per_query = {}},
                    .judge = {},
                    .server = wish.server,
                    .server_port = wish.port,
                    .source = wish.source,
                    .connections = wish.connections,
                    .queries_per_connection = wish.each,
                    .peak = wish.rate};
    judge_rule &rule = plan.judge.rule;
    std::ranges::copy(names.zone.wire, rule.zone);
    rule.zone_length = names.zone.length;
    rule.type = names.qtype;
    rule.any_data = 1;
    rule.prefix = parse_pref64("64:ff9b::/96");
    return plan;
}

void print_rtts(const char *what, const RttSummary &rtts)
{
    fmt::print(", \"{}_us\": {{\"min\": {:.1f}, \"p50\": {:.1f}, \"p99\": {:.1f}, \"max\": "
               "{:.1f}}}",
               what, static_cast<double>(rtts.min) / 1e3, static_cast<double>(rtts.p50) / 1e3,
               static_cast<double>(rtts.p99) / 1e3, static_cast<double>(rtts.max) / 1e3);
}

void measure(const Wish &wish)
{
    NamesWorkload names;
    names.names = parse_name_range("10.0.0.0/8");
    const StreamPlan plan = plan_of(wish, names);
    const auto before = std::chrono::steady_clock::now();
    StreamEngine engine(plan, make_query_sources(names, {.schedule = plan.run.schedule,
                                                         .queries = plan.run.queries,
                                                         .source = plan.source}));
    const auto ready = std::chrono::steady_clock::now();
    const std::atomic<bool> stop{false};
    const Tally tally = engine.run(ready.time_since_epoch() + std::chrono::milliseconds(10),
                                   {.stop = stop,
                                    .progress = [](const RunProgress & /*now*/) {},
                                    .heard_all = [] {},
                                    .detached = [] {}});
    const TallySummary all = summarize(tally, plan.run.schedule, plan.run.queries);
    const LaneTally &lane = tally.lanes.front();
    fmt::print("{{\"rate\": {}, \"opening_s\": {:.3f}, \"sent\": {}, \"valid\": {}, \"late\": {}, "
               "\"lost\": {}, \"invalid\": {}, \"achieved\": {:.0f}, \"lateness_us\": {{\"p50\": "
               "{:.1f}, \"p99\": {:.1f}, \"max\": {:.1f}}}, \"sends\": {}, \"ran_s\": {:.3f}",
               wish.rate.per_second, std::chrono::duration<double>(ready - before).count(),
               all.queries.sent, all.queries.valid, all.queries.late, all.queries.lost,
               all.queries.invalid.total(), all.sending.achieved_rate,
               static_cast<double>(all.sending.lateness_p50) / 1e3,
               static_cast<double>(all.sending.lateness_p99) / 1e3,
               static_cast<double>(all.sending.lateness_max) / 1e3, lane.kicks, seconds(lane.ran));
    print_rtts("rtt", all.rtt);
    print_rtts("handshake", all.connections.handshakes.summary());
    for (const ConnectionCount &each : connection_counts)
        if (const std::uint64_t count = all.connections.counts.*each.count; count != 0)
            fmt::print(", \"{}\": {}", each.key, count);
    for (const OwnLoss &loss : engine.losses(tally, {}).kinds)
        if (loss.count != 0)
            fmt::print(", \"{}\": {}", loss.name, loss.count);
    fmt::print("}}\n");
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv, argv + argc);
    return run_program("stream_rate", [&words] {
        if (words.size() != 9)
            throw SetupError("usage: stream_rate SERVER SOURCE PORT RATE SECONDS CONNECTIONS "
                             "QUERIES_PER_CONNECTION CPU");
        measure(wish_of(words));
        return 0;
    });
}
