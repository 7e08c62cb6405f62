// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/measurement_json.h"

#include "record/json_text.h"
#include "record/machine_fields.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

template <class Value, class Type>
concept Is = std::same_as<std::remove_const_t<Value>, Type>;

// Each members() returns the members of a structure. A message has them as an array, in this order.

auto members(Is<RttTally::Numbers> auto &numbers)
{
    return std::tie(numbers.histogram, numbers.count, numbers.min, numbers.sum_high,
                    numbers.sum_low, numbers.squares_high, numbers.squares_low);
}

auto members(Is<QueryTally> auto &tally)
{
    return std::tie(tally.states, tally.rcodes, tally.late_rcodes, tally.rtts);
}

auto members(Is<StrayCounts> auto &strays)
{
    return std::apply([&](const auto &...each) { return std::tie(strays.*each.count...); },
                      stray_classes);
}

auto members(Is<TraitsTally> auto &traits)
{
#define TAKE_MEMBER(key) , traits.key
    return std::tie(traits.sizes, traits.octets, traits.smallest,
                    traits.largest REPLY_TRAITS(TAKE_MEMBER));
#undef TAKE_MEMBER
}

auto members(Is<ReplyTally> auto &replies)
{
    return std::tie(replies.queries, replies.strays, replies.passed, replies.traits);
}

auto members(Is<StampCounts> auto &stamps)
{
    return std::tie(stamps.transmitted, stamps.received, stamps.contradictory);
}

auto members(Is<Stall> auto &stall)
{
    return std::tie(stall.who, stall.since, stall.until, stall.longest, stall.burst, stall.stalls);
}

auto members(Is<MissBin> auto &bin)
{
    return std::tie(bin.number, bin.lost, bin.late);
}

auto members(Is<MissTally> auto &misses)
{
    return std::tie(misses.width_bits, misses.bins);
}

auto members(Is<LaneTally> auto &lane)
{
    return std::tie(lane.share, lane.queue, lane.cpu, lane.handed_over, lane.unsent,
                    lane.not_logged, lane.kicks, lane.last_sent, lane.overrun, lane.driver_lag,
                    lane.ran, lane.waited, lane.nice, lane.is_pinned, lane.link_failed,
                    lane.lateness, lane.bursts, lane.stamps, lane.hardware_rtts, lane.intervals,
                    lane.stalls, lane.forgotten_stalls, lane.misses);
}

auto members(Is<Tally> auto &tally)
{
    return std::tie(tally.replies, tally.lanes, tally.log_failed);
}

auto members(Is<RunPath> auto &path)
{
    return std::tie(path.engine, path.rtt_begins, path.rtt_ends, path.least_rtt);
}

auto members(Is<OwnLoss> auto &loss)
{
    return std::tie(loss.name, loss.count, loss.label, loss.why);
}

auto members(Is<OwnLosses> auto &losses)
{
    return std::tie(losses.kinds, losses.interface, losses.interface_sending,
                    losses.interface_receiving, losses.interface_doubtful);
}

// Without the faults that the tally tells.
auto members(Is<RunFaults> auto &faults)
{
    return std::tie(faults.interrupted, faults.link_failed, faults.next_hop_moved,
                    faults.not_counted);
}

// Without what has a JSON form of its own.
auto members(Is<Measurement> auto &measured)
{
    return std::tie(measured.server, measured.path, measured.tally, measured.losses,
                    measured.faults, measured.doubts, measured.stall_limit, measured.server_stalls,
                    measured.wire_overhead, measured.keeps_client_ports, measured.clients_in,
                    measured.since, measured.until);
}

template <class Value>
concept Structure = requires(Value &value)
{
    members(value);
};

template <class Value>
concept List = !std::same_as<Value, std::string> && requires(const Value &value)
{
    value.begin();
    value[0];
};

// Returns the largest value, and [bucket, count] for each bucket that is not empty.
Json packed(const Histogram &histogram)
{
    Json rows = Json::array();
    const std::span<const __u64> counts = histogram.counts();
    for (std::size_t bucket = 0; bucket < counts.size(); bucket++)
        if (counts[bucket] != 0)
            rows.push_back({bucket, counts[bucket]});
    return {{"max", histogram.max()}, {"rows", std::move(rows)}};
}

Json packed(Nanoseconds time)
{
    return time.count();
}

Json packed(Stalled who)
{
    return who == Stalled::server;
}

template <class Value>
Json packed(const Value &value)
{
    if constexpr (Structure<const Value>) {
        return std::apply([](const auto &...each) { return Json::array({packed(each)...}); },
                          members(value));
    } else if constexpr (List<Value>) {
        Json list = Json::array();
        for (const auto &each : value)
            list.push_back(packed(each));
        return list;
    } else if constexpr (std::same_as<Value, RttTally>) {
        return packed(value.numbers());
    } else {
        return value;
    }
}

void read(Histogram &histogram, const Json &json)
{
    std::vector<__u64> counts(LOG_HISTOGRAM_BUCKETS);
    for (const Json &row : json.at("rows"))
        counts.at(whole_number(row.at(0))) = whole_number(row.at(1));
    histogram.add(counts, whole_number(json.at("max")));
}

void read(Nanoseconds &time, const Json &json)
{
    time = Nanoseconds(json.get<std::int64_t>());
}

void read(Stalled &who, const Json &json)
{
    who = json.get<bool>() ? Stalled::server : Stalled::tester;
}

void check_size(const Json &json, std::size_t size)
{
    if (json.size() != size)
        throw Json::out_of_range::create(401, "another number of values", &json);
}

template <class Value>
void read(Value &value, const Json &json)
{
    if constexpr (Structure<Value>) {
        std::apply(
            [&json](auto &...each) {
                check_size(json, sizeof...(each));
                std::size_t next = 0;
                (read(each, json.at(next++)), ...);
            },
            members(value));
    } else if constexpr (List<Value>) {
        if constexpr (requires { value.resize(json.size()); })
            value.resize(json.size());
        check_size(json, value.size());
        for (std::size_t i = 0; i < value.size(); i++)
            read(value[i], json.at(i));
    } else if constexpr (std::same_as<Value, RttTally>) {
        RttTally::Numbers numbers;
        read(numbers, json);
        value = RttTally(std::move(numbers));
    } else if constexpr (std::unsigned_integral<Value> && !std::same_as<Value, bool>) {
        value = static_cast<Value>(whole_number(json));
    } else {
        value = json.get<Value>();
    }
}

} // namespace

Json measurement_json(const Measurement &measured)
{
    return {{"measured", packed(measured)},
            {"cpus", written(measured.cpus)},
            {"placement", written(measured.placement)},
            {"circumstances", written(measured.circumstances)}};
}

Measurement read_measurement(const Json &json)
{
    Measurement measured;
    read(measured, json.at("measured"));
    measured.cpus = read_list<CpuUse>(json.at("cpus"));
    measured.placement = read_or_none<PlacementResult>(json.at("placement"));
    measured.circumstances = read_fields<Circumstances>(json.at("circumstances"));
    return measured;
}

} // namespace dnsgauge
