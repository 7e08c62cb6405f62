// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/measurement_json.h"

#include "record/circumstances_json.h"
#include "record/cpu_use_json.h"
#include "record/json_text.h"
#include "record/placement_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

// The counters of the reply clock are plain structures of 64-bit numbers.
template <class Counters>
constexpr std::size_t numbers_in = sizeof(Counters) / sizeof(__u64);

template <class Counters>
Json counters_json(const Counters &counters)
{
    static_assert(sizeof(Counters) % sizeof(__u64) == 0);
    std::array<__u64, numbers_in<Counters>> numbers{};
    std::memcpy(numbers.data(), &counters, sizeof counters);
    return Json(std::vector<std::uint64_t>(numbers.begin(), numbers.end()));
}

template <class Numbers>
void read_numbers(Numbers &numbers, const Json &json)
{
    if (json.size() != numbers.size())
        throw Json::out_of_range::create(401, "another number of counters", &json);
    std::ranges::transform(json, numbers.begin(), whole_number);
}

template <class Counters>
Counters read_counters(const Json &json)
{
    std::array<__u64, numbers_in<Counters>> numbers{};
    read_numbers(numbers, json);
    Counters counters{};
    std::memcpy(&counters, numbers.data(), sizeof counters);
    return counters;
}

Json time_json(Nanoseconds time)
{
    return time.count();
}

Nanoseconds read_time(const Json &json)
{
    return Nanoseconds(json.get<std::int64_t>());
}

// Returns the largest value, and [bucket, count] for each bucket that is not empty.
Json histogram_json(const Histogram &histogram)
{
    Json rows = Json::array();
    const std::span<const __u64> counts = histogram.counts();
    for (std::size_t bucket = 0; bucket < counts.size(); bucket++)
        if (counts[bucket] != 0)
            rows.push_back({bucket, counts[bucket]});
    return {{"max", histogram.max()}, {"rows", std::move(rows)}};
}

Histogram read_histogram(const Json &json)
{
    std::vector<__u64> counts(LOG_HISTOGRAM_BUCKETS);
    for (const Json &row : json.at("rows"))
        counts.at(whole_number(row.at(0))) = whole_number(row.at(1));
    Histogram histogram;
    histogram.add(counts, whole_number(json.at("max")));
    return histogram;
}

Json rtts_json(const RttTally &rtts)
{
    const RttTally::Numbers numbers = rtts.numbers();
    return {{"histogram", histogram_json(numbers.histogram)},
            {"sums",
             {numbers.count, numbers.min, numbers.sum_high, numbers.sum_low, numbers.squares_high,
              numbers.squares_low}}};
}

RttTally read_rtts(const Json &json)
{
    std::array<std::uint64_t, 6> sums{};
    read_numbers(sums, json.at("sums"));
    return RttTally(RttTally::Numbers{.histogram = read_histogram(json.at("histogram")),
                                      .count = sums[0],
                                      .min = sums[1],
                                      .sum_high = sums[2],
                                      .sum_low = sums[3],
                                      .squares_high = sums[4],
                                      .squares_low = sums[5]});
}

Json interval_json(const IntervalTally &interval)
{
    return {{"states", interval.states},
            {"rcodes", interval.rcodes},
            {"late_rcodes", interval.late_rcodes},
            {"rtts", rtts_json(interval.rtts)}};
}

IntervalTally read_interval(const Json &json)
{
    IntervalTally interval;
    read_numbers(interval.states, json.at("states"));
    read_numbers(interval.rcodes, json.at("rcodes"));
    read_numbers(interval.late_rcodes, json.at("late_rcodes"));
    interval.rtts = read_rtts(json.at("rtts"));
    return interval;
}

// Returns a row for each stall.
Json stalls_json(const std::vector<Stall> &stalls)
{
    Json rows = Json::array();
    for (const Stall &stall : stalls)
        rows.push_back({stall.who == Stalled::server, time_json(stall.since),
                        time_json(stall.until), time_json(stall.longest), stall.burst,
                        stall.stalls});
    return rows;
}

std::vector<Stall> read_stalls(const Json &json)
{
    std::vector<Stall> stalls;
    for (const Json &row : json)
        stalls.push_back({.who = row.at(0).get<bool>() ? Stalled::server : Stalled::tester,
                          .since = read_time(row.at(1)),
                          .until = read_time(row.at(2)),
                          .longest = read_time(row.at(3)),
                          .burst = whole_number(row.at(4)),
                          .stalls = whole_number(row.at(5))});
    return stalls;
}

Json misses_json(const MissTally &misses)
{
    Json rows = Json::array();
    for (const MissBin &bin : misses.bins)
        rows.push_back({bin.number, bin.lost, bin.late});
    return {{"width_bits", misses.width_bits}, {"rows", std::move(rows)}};
}

MissTally read_misses(const Json &json)
{
    MissTally misses{.width_bits = json.at("width_bits").get<unsigned>()};
    for (const Json &row : json.at("rows"))
        misses.bins.push_back({.number = whole_number(row.at(0)),
                               .lost = whole_number(row.at(1)),
                               .late = whole_number(row.at(2))});
    return misses;
}

Json lane_json(const LaneTally &lane)
{
    Json intervals = Json::array();
    for (const IntervalTally &interval : lane.intervals)
        intervals.push_back(interval_json(interval));
    return {{"share", lane.share},
            {"queue", lane.queue},
            {"cpu", lane.cpu},
            {"handed_over", lane.handed_over},
            {"unsent", lane.unsent},
            {"invalid_descriptors", lane.invalid_descriptors},
            {"recycled_early", lane.recycled_early},
            {"not_logged", lane.not_logged},
            {"kicks", lane.kicks},
            {"last_sent", time_json(lane.last_sent)},
            {"overrun", time_json(lane.overrun)},
            {"driver_lag", time_json(lane.driver_lag)},
            {"ran", time_json(lane.ran)},
            {"waited", time_json(lane.waited)},
            {"nice", lane.nice},
            {"is_pinned", lane.is_pinned},
            {"link_failed", lane.link_failed},
            {"lateness", histogram_json(lane.lateness)},
            {"bursts", lane.bursts},
            {"stamps", {lane.stamps.transmitted, lane.stamps.received, lane.stamps.contradictory}},
            {"hardware_rtts", rtts_json(lane.hardware_rtts)},
            {"intervals", std::move(intervals)},
            {"stalls", stalls_json(lane.stalls)},
            {"forgotten_stalls", lane.forgotten_stalls},
            {"misses", misses_json(lane.misses)}};
}

LaneTally read_lane(const Json &json)
{
    LaneTally lane;
    lane.share = json.at("share").get<std::uint32_t>();
    lane.queue = json.at("queue").get<std::uint32_t>();
    lane.cpu = json.at("cpu").get<unsigned>();
    lane.handed_over = whole_number(json.at("handed_over"));
    lane.unsent = whole_number(json.at("unsent"));
    lane.invalid_descriptors = whole_number(json.at("invalid_descriptors"));
    lane.recycled_early = whole_number(json.at("recycled_early"));
    lane.not_logged = whole_number(json.at("not_logged"));
    lane.kicks = whole_number(json.at("kicks"));
    lane.last_sent = read_time(json.at("last_sent"));
    lane.overrun = read_time(json.at("overrun"));
    lane.driver_lag = read_time(json.at("driver_lag"));
    lane.ran = read_time(json.at("ran"));
    lane.waited = read_time(json.at("waited"));
    lane.nice = json.at("nice").get<int>();
    lane.is_pinned = json.at("is_pinned").get<bool>();
    lane.link_failed = json.at("link_failed").get<bool>();
    lane.lateness = read_histogram(json.at("lateness"));
    lane.bursts = json.at("bursts").get<std::vector<std::uint64_t>>();
    std::array<std::uint64_t, 3> stamps{};
    read_numbers(stamps, json.at("stamps"));
    lane.stamps = {.transmitted = stamps[0], .received = stamps[1], .contradictory = stamps[2]};
    lane.hardware_rtts = read_rtts(json.at("hardware_rtts"));
    for (const Json &interval : json.at("intervals"))
        lane.intervals.push_back(read_interval(interval));
    lane.stalls = read_stalls(json.at("stalls"));
    lane.forgotten_stalls = whole_number(json.at("forgotten_stalls"));
    lane.misses = read_misses(json.at("misses"));
    return lane;
}

Json losses_json(const OwnLosses &losses)
{
    return {{"interface", losses.interface},
            {"sending", losses.interface_sending},
            {"receiving", losses.interface_receiving},
            {"doubtful", losses.interface_doubtful}};
}

OwnLosses read_losses(const Json &json)
{
    OwnLosses losses;
    for (const auto &[name, count] : json.at("interface").items())
        losses.interface[name] = whole_number(count);
    losses.interface_sending = whole_number(json.at("sending"));
    losses.interface_receiving = whole_number(json.at("receiving"));
    losses.interface_doubtful = whole_number(json.at("doubtful"));
    return losses;
}

} // namespace

Json measurement_json(const Measurement &measured)
{
    const Tally &tally = measured.tally;
    Json lanes = Json::array();
    for (const LaneTally &lane : tally.lanes)
        lanes.push_back(lane_json(lane));
    return {{"server", measured.server},
            {"totals", counters_json(tally.replies.totals)},
            {"rtts", histogram_json(tally.replies.rtts)},
            {"traits", counters_json(tally.replies.traits)},
            {"lanes", std::move(lanes)},
            {"log_failed", tally.log_failed},
            {"losses", losses_json(measured.losses)},
            {"interrupted", measured.faults.interrupted},
            {"link_failed", measured.faults.link_failed},
            {"next_hop_moved", measured.faults.next_hop_moved},
            {"not_counted", measured.faults.not_counted},
            {"stall_limit", time_json(measured.stall_limit)},
            {"server_stalls", stalls_json(measured.server_stalls)},
            {"doubts", measured.doubts},
            {"cpus", cpus_json(measured.cpus)},
            {"placement", placement_json(measured.placement)},
            {"circumstances", circumstances_json(measured.circumstances)},
            {"wire_overhead", measured.wire_overhead},
            {"keeps_client_ports", measured.keeps_client_ports},
            {"clients_in", measured.clients_in},
            {"since", time_json(measured.since)},
            {"until", time_json(measured.until)}};
}

Measurement read_measurement(const Json &json)
{
    Measurement measured;
    measured.server = json.at("server").get<std::string>();
    Tally &tally = measured.tally;
    tally.replies.totals = read_counters<reply_totals>(json.at("totals"));
    tally.replies.rtts = read_histogram(json.at("rtts"));
    tally.replies.traits = read_counters<reply_traits>(json.at("traits"));
    for (const Json &lane : json.at("lanes"))
        tally.lanes.push_back(read_lane(lane));
    tally.log_failed = json.at("log_failed").get<bool>();
    measured.losses = read_losses(json.at("losses"));
    measured.faults.interrupted = json.at("interrupted").get<bool>();
    measured.faults.link_failed = json.at("link_failed").get<bool>();
    measured.faults.next_hop_moved = json.at("next_hop_moved").get<bool>();
    measured.faults.not_counted = json.at("not_counted").get<bool>();
    measured.stall_limit = read_time(json.at("stall_limit"));
    measured.server_stalls = read_stalls(json.at("server_stalls"));
    measured.doubts = json.at("doubts").get<std::vector<std::string>>();
    measured.cpus = read_cpus(json.at("cpus"));
    measured.placement = placement_of(json.at("placement"));
    measured.circumstances = read_circumstances(json.at("circumstances"));
    measured.wire_overhead = json.at("wire_overhead").get<unsigned>();
    measured.keeps_client_ports = json.at("keeps_client_ports").get<bool>();
    measured.clients_in = json.at("clients_in").get<std::string>();
    measured.since = read_time(json.at("since"));
    measured.until = read_time(json.at("until"));
    return measured;
}

} // namespace dnsgauge
