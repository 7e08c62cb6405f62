// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

#include "record/json.h"
#include "record/trial_fields.h"
#include "result/labels.h"
#include "units/rate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr int schema_version = 20240530;

Json header_json(const TrialResult &result)
{
    return {{"schema_version", schema_version},
            {"generator", "dnsgauge"},
            {"generator_version", result.circumstances.version},
            {"generator_params", result.circumstances.command},
            {"time_units_per_sec", nanoseconds_per_second},
            {"stats_interval",
             seconds(result.intervals.empty() ? result.until - result.since : result.interval)},
            {"timeout", seconds(result.timeout)}};
}

Json verdict_json(const TrialResult &result)
{
    std::string message = fmt::format("{}: {}", to_string(result.verdict), result.why);
    if (const std::string caveats = caveats_text(result.caveats); !caveats.empty())
        message += fmt::format(" ({})", caveats);
    return {{"msg", message}, {"msg_type", "verdict"}};
}

// The schema wants whole nanoseconds.
Json latency_json(const RttSummary &rtt)
{
    Json buckets = Json::array();
    for (const CountedRange &range : rtt.histogram)
        buckets.push_back({range.from, range.to, range.count});
    return {{"avg", std::llround(rtt.mean)},
            {"min", rtt.min},
            {"max", rtt.max},
            {"stddev", std::llround(rtt.stddev)},
            {"buckets", buckets}};
}

// Returns the sum of the counts whose classes are of the kind.
template <class Counts, class Classes>
std::uint64_t count(const Counts &counts, const Classes &classes, ReplyKind kind)
{
    std::uint64_t sum = 0;
    for (const auto &each : classes)
        sum += each.kind == kind ? counts.*each.count : 0;
    return sum;
}

// Returns the RCODEs of the replies in time. The `rcodes` of a trial or an interval also count late
// replies.
template <class Part>
decltype(TrialResult::rcodes) response_rcodes(const Part &part)
{
    auto rcodes = part.rcodes;
    for (unsigned i = 0; i < rcodes.size(); i++)
        rcodes.at(i) -= std::min(rcodes.at(i), part.late_rcodes.at(i));
    return rcodes;
}

// Returns the figures of a trial, or of an interval. A response is a reply that decided its query
// in time. A reply that did not answer its query's question is no response: that query timed out.
template <class Part>
Json stats_json(const Part &part, Nanoseconds since, Nanoseconds until, const StrayCounts &strays,
                Transport transport)
{
    const QueryCounts &queries = part.queries;
    const auto invalid = [&](ReplyKind kind) {
        return count(queries.invalid, invalid_classes, kind);
    };
    const auto stray = [&](ReplyKind kind) { return count(strays, stray_classes, kind); };
    const std::uint64_t readable = invalid(ReplyKind::readable);
    const std::uint64_t unreadable = invalid(ReplyKind::unreadable);
    Json rcodes = Json::object();
    for (const auto &[name, replies] : rcode_counts(response_rcodes(part)))
        rcodes[name] = replies;
    Json json = {{"since", since.count()},
                 {"until", until.count()},
                 {"queries", queries.sent},
                 {"responses", queries.valid + invalid(ReplyKind::answer)},
                 {"timeouts", queries.late + queries.lost + readable + unreadable},
                 {"unexpected", stray(ReplyKind::readable) + readable},
                 {"discarded", stray(ReplyKind::unreadable) + unreadable},
                 {"response_rcodes", rcodes}};
    if (part.rtt.count != 0)
        json["response_latency"] = latency_json(part.rtt);
    json["conn_info"] = {{"type", transports.text_of(transport)}};
    if (transport == Transport::udp) // over streams the kernel decides on packets
        json["conn_info"]["packets_sent"] = queries.sent;
    return json;
}

// Has no stray packets: they belong to no query, and so to no interval.
Json interval_json(const TrialResult &result, const IntervalSummary &interval)
{
    const Nanoseconds since = result.since + interval.since;
    return stats_json(interval, since, since + result.interval, {}, result.transport);
}

Json sum_json(const TrialResult &result)
{
    Json json = stats_json(result, result.since, result.until, result.strays, result.transport);
    // Adds the whole trial, because the schema has no words for late replies, reasons and verdicts.
    json["dnsgauge"] = to_json(result);
    return json;
}

std::string line(const TrialResult &result, const char *type, const Json &rest)
{
    Json json = {{"runid", std::to_string(result.since.count())}, {"type", type}};
    json.update(rest);
    // A command line may hold octets that are no UTF-8.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string to_dns_metrics(const TrialResult &result)
{
    std::string lines =
        line(result, "header", header_json(result)) + line(result, "event", verdict_json(result));
    for (const IntervalSummary &interval : result.intervals)
        lines += line(result, "stats_periodic", interval_json(result, interval));
    return lines + line(result, "stats_sum", sum_json(result));
}

} // namespace dnsgauge
