// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json.h"

#include "record/circumstances_json.h"
#include "record/cpu_use_json.h"
#include "record/placement_json.h"
#include "result/labels.h"
#include "result/rtt_curve.h"
#include "units/rate.h"
#include "units/rcode.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto verdict_words = words<Verdict>(
    {{Verdict::pass, "pass"}, {Verdict::fail, "fail"}, {Verdict::invalid, "invalid"}});

// Without a reply there is no figure: null, not zero.
Json rtt_json(const RttSummary &rtt)
{
    if (rtt.count == 0)
        return {{"count", 0},        {"min", nullptr},   {"mean", nullptr},
                {"stddev", nullptr}, {"p50", nullptr},   {"p90", nullptr},
                {"p99", nullptr},    {"p99_9", nullptr}, {"max", nullptr}};
    return {{"count", rtt.count},   {"min", rtt.min},     {"mean", rtt.mean},
            {"stddev", rtt.stddev}, {"p50", rtt.p50},     {"p90", rtt.p90},
            {"p99", rtt.p99},       {"p99_9", rtt.p99_9}, {"max", rtt.max}};
}

// Returns a row for each range: its lower and its upper bound, both included, and its count.
Json histogram_json(const std::vector<CountedRange> &histogram)
{
    Json rows = Json::array();
    for (const CountedRange &range : histogram)
        rows.push_back({range.from, range.to, range.count});
    return rows;
}

// Returns the lateness of a lane, or of all lanes.
template <class Sent>
Json lateness_json(const Sent &sent)
{
    return {{"p50", sent.lateness_p50}, {"p99", sent.lateness_p99}, {"max", sent.lateness_max}};
}

Json lane_json(const LaneSummary &lane)
{
    return {{"share", lane.share},
            {"queue", lane.queue},
            {"cpu", lane.cpu},
            {"sent", lane.sent},
            {"last_sent_ns", lane.last_sent.count()},
            {"lateness_ns", lateness_json(lane)},
            {"driver_lag_ns", lane.driver_lag},
            {"kicks", lane.kicks},
            {"waited_ns", lane.waited.count()}};
}

Json sending_json(const SendingSummary &sending)
{
    Json bursts = Json::object();
    for (std::size_t size = 1; size < sending.bursts.size(); size++)
        if (sending.bursts[size] != 0)
            bursts[std::to_string(size)] = sending.bursts[size];
    Json lanes = Json::array();
    for (const LaneSummary &lane : sending.lanes)
        lanes.push_back(lane_json(lane));
    return {{"planned", sending.planned},
            {"duration_ns", sending.duration.count()},
            {"achieved_rate", sending.achieved_rate},
            {"lateness_ns", lateness_json(sending)},
            {"lateness_histogram_ns", histogram_json(sending.lateness_histogram)},
            {"driver_lag_ns", sending.driver_lag},
            {"kicks", sending.kicks},
            {"bursts", bursts},
            {"lanes", lanes}};
}

Json losses_json(const OwnLosses &losses)
{
    Json json;
    for (const OwnLoss &loss : losses.kinds)
        json[loss.name] = loss.count;
    json["interface"] = losses.interface;
    json["interface_doubtful"] = losses.interface_doubtful;
    return json;
}

Json stall_costs_json(const StallCosts &costs)
{
    return {{"stalls", costs.all.stalls},
            {"longest_ns", costs.all.longest.count()},
            {"largest_burst", costs.all.largest_burst},
            {"costly", costs.costly.stalls},
            {"lost", costs.lost},
            {"late", costs.late},
            {"reach_ns", costs.reach.count()}};
}

Json due_json(const DueQueries &part)
{
    return {{"queries", part.queries}, {"failed", part.failed}};
}

Json stalls_json(const std::optional<StallSummary> &stalls)
{
    if (!stalls)
        return nullptr;
    return {{"burst_allowed", stalls->burst_allowed},
            {"limit_ns", stalls->limit.count()},
            {"forgotten", stalls->forgotten},
            {"queries", stalls->queries},
            {"soon", due_json(stalls->soon)},
            {"later", due_json(stalls->later)},
            {"decided", stalls->decided},
            {"tester", stall_costs_json(stalls->tester)},
            {"server", stall_costs_json(stalls->server)}};
}

Json interval_json(const IntervalSummary &interval)
{
    return {{"since_s", seconds(interval.since)},
            {"sent", interval.queries.sent},
            {"valid", interval.queries.valid},
            {"late", interval.queries.late},
            {"lost", interval.queries.lost},
            {"invalid", invalid_json(interval.queries.invalid)},
            {"rcodes", rcodes_json(interval.rcodes)},
            {"rtt_ns", rtt_json(interval.rtt)}};
}

Json curve_json(const RttCurve &curve)
{
    Json points = Json::array();
    for (const RttCurve::Point &point : curve.points)
        points.push_back({point.share, point.rtt});
    return {{"slower_than_1ms", curve.slower_than_1ms},
            {"slower_than_10ms", curve.slower_than_10ms},
            {"slower_than_100ms", curve.slower_than_100ms},
            {"slower_than_1s", curve.slower_than_1s},
            {"points", points}};
}

Json later_curve_json(const TrialResult &result)
{
    if (!result.later_part)
        return nullptr;
    return curve_json(
        curve_of(result.later_part->queries.sent, result.later_part->rtt, result.timeout));
}

// Figures that nothing tells are null, not zero.
Json replies_json(const ReplyTraits &replies)
{
    constexpr std::uint64_t ten_gigabit = 10'000; // Mbit/s
    const bool none = replies.count == 0;
    const auto of_records = [&replies](std::uint64_t count) {
        return replies.records_read ? Json(count) : Json();
    };
    return {{"count", replies.count},
            {"octets",
             {{"min", none ? Json() : Json(replies.smallest)},
              {"mean", none ? Json() : Json(replies.mean_size)},
              {"max", none ? Json() : Json(replies.largest)}}},
            {"octets_histogram", histogram_json(replies.sizes)},
            {"wire_octets_mean", none ? Json() : Json(replies.wire_octets)},
            {"line_rate_10g", none ? Json() : Json(line_rate(replies.wire_octets, ten_gigabit))},
            {"aa", replies.aa},
            {"ad", replies.ad},
            {"tc", replies.tc},
            {"rd", replies.rd},
            {"ra", replies.ra},
            {"cd", replies.cd},
            {"z", replies.z},
            {"read_whole", of_records(replies.whole)},
            {"with_rrsig", of_records(replies.rrsig)},
            {"without_rrsig", of_records(replies.count - std::min(replies.count, replies.rrsig))},
            {"no_question", of_records(replies.no_question)}};
}

Json pace_json(const Pace &pace)
{
    switch (pace.kind) {
    case Pace::Kind::poisson:
        return {{"kind", "poisson"}, {"seed", pace.seed}};
    case Pace::Kind::steps:
        return {{"kind", "steps"},
                {"from", pace.from.per_second},
                {"to", pace.to.per_second},
                {"step", pace.step}};
    case Pace::Kind::original:
        return {{"kind", "original"}};
    case Pace::Kind::constant:
        break;
    }
    return {{"kind", "constant"}};
}

Json intervals_json(const std::vector<IntervalSummary> &intervals)
{
    Json rows = Json::array();
    for (const IntervalSummary &interval : intervals)
        rows.push_back(interval_json(interval));
    return rows;
}

Json replay_json(const ReplaySummary &replay)
{
    Json left_out = Json::object();
    for (const auto &[reason, count] : replay.left_out)
        left_out[reason] = count;
    return {{"kind", "captures"},
            {"files", replay.files},
            {"capture_server", replay.server.empty() ? Json() : Json(replay.server)},
            {"capture_port", replay.port},
            {"queries", replay.queries},
            {"clients", replay.clients},
            {"client_ports", replay.keeps_ports},
            {"clients_in", replay.clients_in.empty() ? Json() : Json(replay.clients_in)},
            {"played", replay.played},
            {"speed", replay.speed},
            {"skip_s", seconds(replay.skip)},
            {"memory_octets", replay.memory},
            {"expect", expectations.text_of(replay.expect)},
            {"unanswered", replay.unanswered},
            {"left_out", left_out}};
}

Json clock_json(const ClockReading &reading)
{
    return {{"offset_ns", reading.offset.count()}, {"bound_ns", reading.bound.count()}};
}

Json tester_json(const TesterResult &tester)
{
    const std::optional<Nanoseconds> error = tester.clock.error();
    return {{"rank", tester.rank},
            {"host", tester.host},
            {"clock_before", clock_json(tester.clock.before)},
            {"clock_after", tester.clock.after ? clock_json(*tester.clock.after) : Json()},
            {"schedule_error_ns", error ? Json(error->count()) : Json()},
            {"trial", tester.trial ? to_json(*tester.trial) : Json()}};
}

// Adds how letters count.
Json with_letters(Json workload, const LetterSummary &letters)
{
    workload["letter_case"] = letter_cases.text_of(letters.letter_case);
    workload["mix_case_seed"] = figure_json(letters.seed);
    return workload;
}

Json workload_json(const TrialResult &result)
{
    if (result.replay)
        return with_letters(replay_json(*result.replay), result.replay->letters);
    if (const std::optional<MixSummary> &mix = result.mix)
        return with_letters({{"kind", "mix"},
                             {"do_percent", mix->dnssec_ok},
                             {"nxdomain_percent", mix->nxdomain},
                             {"types", mix->types},
                             {"aaaa_share_percent", mix->aaaa_share},
                             {"signed", mix->is_signed}},
                            mix->letters);
    const std::optional<ListSummary> &list = result.list;
    if (!list)
        return {{"kind", "names"}};
    return with_letters({{"kind", "list"},
                         {"file", list->file},
                         {"queries", list->queries},
                         {"distinct", list->distinct},
                         {"memory_octets", list->memory},
                         {"shuffle_seed", list->shuffle_seed ? Json(*list->shuffle_seed) : Json()},
                         {"expect", expectations.text_of(list->expect)}},
                        list->letters);
}

} // namespace

nlohmann::ordered_json dns64_json(const std::optional<Dns64Conditions> &dns64)
{
    if (!dns64)
        return nullptr;
    return {{"aaaa_share_percent", dns64->aaaa_share},
            {"aaaa_prefix", dns64->aaaa_prefix},
            {"cached_share_percent", dns64->cached_share}};
}

nlohmann::ordered_json compliance_json(const std::vector<std::string> &deviations)
{
    return {{"compliant", deviations.empty()}, {"deviations", deviations}};
}

nlohmann::ordered_json cover_json(const std::optional<SelftestCover> &cover)
{
    if (!cover)
        return nullptr;
    return {{"covers", cover->covers()},
            {"why_not", cover->covers() ? Json() : Json(cover->why_not)},
            {"finished", cover->finished.empty() ? Json() : Json(cover->finished)},
            {"allowed_rate", cover->allowed ? Json(cover->allowed->per_second) : Json()},
            {"rfc8219", cover->finished.empty() ? Json() : compliance_json(cover->deviations)},
            {"record", cover->record}};
}

nlohmann::ordered_json rate_json(const std::optional<Rate> &rate)
{
    return rate ? Json(rate->per_second) : Json();
}

nlohmann::ordered_json figure_json(const std::optional<std::uint64_t> &figure)
{
    return figure ? Json(*figure) : Json();
}

std::optional<std::uint64_t> read_figure(const Json &value)
{
    return value.is_null() ? std::nullopt : std::optional(whole_number(value));
}

nlohmann::ordered_json invalid_json(const InvalidCounts &invalid)
{
    Json json = {{"total", invalid.total()}};
    for (const InvalidClass &each : invalid_classes)
        json[each.key] = invalid.*each.count;
    return json;
}

InvalidCounts read_invalid(const Json &json)
{
    InvalidCounts invalid;
    for (const InvalidClass &each : invalid_classes)
        if (json.contains(each.key))
            invalid.*each.count = whole_number(json.at(each.key));
    return invalid;
}

nlohmann::ordered_json rcodes_json(const decltype(TrialResult::rcodes) &rcodes)
{
    Json json = Json::object();
    for (unsigned i = 0; i < rcodes.size(); i++)
        if (rcodes.at(i) != 0)
            json[rcode_text(i)] = rcodes.at(i);
    return json;
}

const char *to_string(Verdict verdict)
{
    return verdict_words.text_of(verdict);
}

std::optional<Verdict> verdict_of(std::string_view word)
{
    return verdict_words.value_of(word);
}

nlohmann::ordered_json to_json(const TrialResult &result)
{
    Json json;
    json["schema"] = "dnsgauge/trial/1";
    json["server"] = result.server;
    json["port"] = result.port;
    json["transport"] = "udp";
    json["workload"] = workload_json(result);
    if (!result.list && !result.replay) {
        json["zone"] = result.zone;
        json["names"] = result.names;
        json["name_order"] = name_orders.text_of(result.name_order);
        json["answer"] = result.answer;
    }
    if (!result.list && !result.replay && !result.mix)
        json["qtype"] = result.qtype;
    json["dns64"] = dns64_json(result.dns64);
    json["rfc8219"] = compliance_json(result.caveats.deviations);
    json["selftest"] = cover_json(result.caveats.selftest);
    json["rate"] = result.rate.per_second;
    json["pace"] = pace_json(result.pace);
    json["catch_up"] = result.catch_up ? Json(*result.catch_up) : Json();
    json["duration_s"] = seconds(result.duration);
    json["timeout_s"] = seconds(result.timeout);
    json["since_ns"] = result.since.count();
    json["until_ns"] = result.until.count();
    json["accept_percent"] = result.accept_percent;
    json["judged"] = {{"rules", result.judged.rules}, {"accepted", result.judged.accepted}};
    json["path"] = {{"engine", result.path.engine},
                    {"rtt_begins", result.path.rtt_begins},
                    {"rtt_ends", result.path.rtt_ends}};
    json["sent"] = result.queries.sent;
    json["valid"] = result.queries.valid;
    json["late"] = result.queries.late;
    json["lost"] = result.queries.lost;
    json["invalid"] = invalid_json(result.queries.invalid);
    for (const StrayClass &each : stray_classes)
        json[each.key] = result.strays.*each.count;
    json["rcodes"] = rcodes_json(result.rcodes);
    json["replies"] = replies_json(result.replies);
    json["rtt_ns"] = rtt_json(result.rtt);
    json["rtt_curve"] = curve_json(curve_of(result.queries.sent, result.rtt, result.timeout));
    json["rtt_hardware_ns"] = rtt_json(result.rtt_hardware);
    json["rtt_histogram_ns"] = histogram_json(result.rtt.histogram);
    json["rtt_hardware_histogram_ns"] = histogram_json(result.rtt_hardware.histogram);
    json["interval_s"] = result.interval == Nanoseconds{} ? Json() : Json(seconds(result.interval));
    json["intervals"] = intervals_json(result.intervals);
    json["later_part"] = result.later_part ? interval_json(*result.later_part) : Json();
    json["later_rtt_curve"] = later_curve_json(result);
    json["sending"] = sending_json(result.sending);
    json["own_losses"] = losses_json(result.own_losses);
    json["stalls"] = stalls_json(result.stalls);
    json["cpus"] = cpus_json(result.cpus);
    json["placement"] = placement_json(result.placement);
    json["circumstances"] = circumstances_json(result.circumstances);
    json["verdict"] = to_string(result.verdict);
    json["why"] = result.why;
    json["doubts"] = result.caveats.doubts;
    for (const TesterResult &tester : result.testers)
        json["testers"].push_back(tester_json(tester));
    return json;
}

} // namespace dnsgauge
